"""The write log and its fold: the tables of an episode are `B = fold(B0, log)` (paper section 3.1).

An event is a JSON object of one of four forms; a caller may add fields of its own, such as `seq`:

    {"op": "insert", "table": …, "key": …, "row": {…}}
    {"op": "update", "table": …, "key": …, "set": {…}}
    {"op": "add", "table": …, "key": …, "column": …, "delta": …}
    {"op": "remove", "table": …, "key": …, "row": {…}}

Only a row that the episode itself added can be removed: what the initial tables held stays. What
the world did of itself beside a call has the `owner` `world`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Protocol

from crab_graph.tools.tables import Row, World

Event = dict[str, Any]

WORLD = "world"
"""The owner of events that no party's call wrote: what the world did of itself."""


class BookingTables(Protocol):
    """What tools read: the current tables of an episode, rows ordered by key."""

    @property
    def world(self) -> World:
        """The initial tables."""

    def get(self, table: str, key: str) -> Row | None:
        """Return the row with that key, if there is one."""

    def find(self, table: str, column: str, value: Any) -> tuple[Row, ...]:
        """Return the rows with that value in a column."""

    def rows(self, table: str) -> tuple[Row, ...]:
        """Return all rows of a table."""

    def inserted(self, table: str) -> tuple[Row, ...]:
        """Return the rows that the episode added, in the order in which it did."""


@dataclass(slots=True, eq=False)
class Ledger:
    """The tables of an episode: the world, overlaid with what its events changed or added.

    A ledger never changes; `extended` returns a new one. Rows are handed out as they are stored.
    """

    world: World
    events: tuple[Event, ...]
    _changed: Mapping[str, Mapping[str, Row]]
    _inserted: Mapping[str, tuple[str, ...]]

    @classmethod
    def fold(cls, world: World, events: Iterable[Event] = ()) -> "Ledger":
        """Return the ledger of a world after the given events."""
        return cls(world, (), {}, {}).extended(events)

    def extended(self, events: Iterable[Event]) -> "Ledger":
        """Return the ledger after further events."""
        added = tuple(events)
        if not added:
            return self
        tables = dict.fromkeys(event["table"] for event in added)
        written = {table: dict(self._changed.get(table, {})) for table in tables}
        inserted = dict(self._inserted)
        for event in added:
            table, key = event["table"], event["key"]
            rows = written[table]
            base = rows.get(key) or self.world.get(table, key)
            if event["op"] == "remove" and key in inserted.get(table, ()):
                del rows[key]
                inserted[table] = tuple(one for one in inserted[table] if one != key)
                continue
            rows[key] = row_after(event, base)
            if base is None:
                inserted[table] = (*inserted.get(table, ()), key)
        changed = {**self._changed, **written}
        return Ledger(self.world, self.events + added, changed, inserted)

    def get(self, table: str, key: str) -> Row | None:
        """Return the row with that key, if there is one."""
        changed = self._changed.get(table)
        if changed is not None and key in changed:
            return changed[key]
        return self.world.get(table, key)

    def find(self, table: str, column: str, value: Any) -> tuple[Row, ...]:
        """Return the rows with that value in a column, ordered by key."""
        found = self.world.find(table, column, value)
        changed = self._changed.get(table)
        if changed is None:
            return found
        key = self.world.keys[table]
        matching = {name: row for name, row in changed.items() if row[column] == value}
        unchanged = [row for row in found if row[key] not in changed]
        if not matching and len(unchanged) == len(found):
            return found
        return tuple(sorted([*unchanged, *matching.values()], key=itemgetter(key)))

    def rows(self, table: str) -> tuple[Row, ...]:
        """Return all rows of a table, ordered by key."""
        changed = self._changed.get(table)
        if changed is None:
            return self.world.rows(table)
        return tuple(row for _, row in sorted({**self.world.tables[table], **changed}.items()))

    def inserted(self, table: str) -> tuple[Row, ...]:
        """Return the rows that the episode added, in the order in which it did."""
        return tuple(self._changed[table][key] for key in self._inserted.get(table, ()))

    def changed(self, table: str) -> dict[str, Row]:
        """Return the rows, by key, that are new or differ from the initial ones."""
        before = self.world.tables[table]
        changed = self._changed.get(table, {})
        return {key: row for key, row in sorted(changed.items()) if before.get(key) != row}


def is_by_world(events: Iterable[Event]) -> bool:
    """Tell whether the world had a hand in a call, by the events it left."""
    return any(event.get("owner") == WORLD for event in events)


def changed_by_world(events: Iterable[Event]) -> dict[tuple[str, str], set[str]]:
    """Return the columns that the world changed, by table and key of their rows."""
    found: dict[tuple[str, str], set[str]] = {}
    for event in events:
        if event.get("owner") == WORLD:
            columns = event.get("set") or [event["column"]]
            found.setdefault((event["table"], event["key"]), set()).update(columns)
    return found


def row_after(event: Event, row: Row | None) -> Row:
    """Return a new row: what the event makes of `row`, which is `None` where there is none yet.

    Raises:
        ValueError: the event does not fit the tables; a log that does so belongs to another task.
    """
    match event:
        case {"op": "insert", "row": inserted} if row is None:
            return dict(inserted)
        case {"op": "update", "set": values} if row is not None:
            return {**row, **values}
        case {"op": "add", "column": column, "delta": delta} if row is not None:
            return {**row, column: row[column] + delta}
    raise ValueError(f"event does not fit the table '{event['table']}': {event}")
