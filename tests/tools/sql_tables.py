"""The slow twin of the ledger: the same tables in DuckDB, read and written by SQL."""

from collections.abc import Iterable, Sequence
from typing import Any

import duckdb

from crab_graph.tools.ledger import Event
from crab_graph.tools.tables import Row, Table, World


class SqlTables:
    """A copy of a world's tables in an in-memory DuckDB, to which events are applied one by one."""

    def __init__(self, world: World, schema: Sequence[Table]) -> None:
        self.world = world
        self._schema = {table.name: table for table in schema}
        self._connection = duckdb.connect(config={"threads": 1})
        self._writes = 0
        for table in schema:
            columns = ", ".join(f"{name} {kind}" for name, kind in table.columns.items())
            self._connection.execute(f"CREATE TABLE {table.name} ({columns}, written INTEGER)")
            for row in world.rows(table.name):
                self._insert(table, row, None)

    def close(self) -> None:
        self._connection.close()

    def get(self, table: str, key: str) -> Row | None:
        rows = self._select(table, f"WHERE {self._schema[table].key} = ?", [key])
        return rows[0] if rows else None

    def find(self, table: str, column: str, value: Any) -> tuple[Row, ...]:
        return tuple(self._select(table, f"WHERE {column} = ? {self._by_key(table)}", [value]))

    def rows(self, table: str) -> tuple[Row, ...]:
        return tuple(self._select(table, self._by_key(table), []))

    def inserted(self, table: str) -> tuple[Row, ...]:
        return tuple(self._select(table, "WHERE written IS NOT NULL ORDER BY written", []))

    def apply(self, events: Iterable[Event]) -> None:
        for event in events:
            self._apply(event)

    def _apply(self, event: Event) -> None:
        table = self._schema[event["table"]]
        if event["op"] == "insert":
            self._writes += 1
            self._insert(table, event["row"], self._writes)
            return
        if event["op"] == "remove":
            query = f"DELETE FROM {table.name} WHERE {table.key} = ? AND written IS NOT NULL"
            self._connection.execute(query, [event["key"]])
            return
        if event["op"] == "update":
            settings = ", ".join(f"{column} = ?" for column in event["set"])
            values = list(event["set"].values())
        else:
            settings = f"{event['column']} = {event['column']} + ?"
            values = [event["delta"]]
        self._connection.execute(
            f"UPDATE {table.name} SET {settings} WHERE {table.key} = ?", [*values, event["key"]]
        )

    def _insert(self, table: Table, row: Row, written: int | None) -> None:
        marks = ", ".join("?" for _ in range(len(table.columns) + 1))
        values = [*(row[name] for name in table.columns), written]
        self._connection.execute(f"INSERT INTO {table.name} VALUES ({marks})", values)

    def _select(self, table: str, condition: str, values: Sequence[Any]) -> list[Row]:
        columns = self._schema[table].columns
        selected = ", ".join(
            f"CAST({name} AS VARCHAR)" if kind == "DATE" else name for name, kind in columns.items()
        )
        query = f"SELECT {selected} FROM {table} {condition}"
        found = self._connection.execute(query, list(values)).fetchall()
        return [dict(zip(columns, row, strict=True)) for row in found]

    def _by_key(self, table: str) -> str:
        return f"ORDER BY {self._schema[table].key}"
