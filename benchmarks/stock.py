"""An episode as one would first build it: list channels, SQLite as it comes, SQL for every read.

What `bench_graph.py` compares ours with. The nodes, the agent and the user are the same ones, so
that both must say and book the same.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import duckdb
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from crab_graph.agents.adapters import resolve_agent
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.task import Task
from crab_graph.generation.materialize import qualified
from crab_graph.graph.build import route
from crab_graph.graph.nodes import EpisodeNodes
from crab_graph.graph.state import Batch, Counts, Ending, transcript_of
from crab_graph.graph.users import build_user, set_up
from crab_graph.settings import EpisodeSettings
from crab_graph.tools.ledger import BookingTables, Event, Ledger
from crab_graph.tools.registry import Owner, ToolOutcome, ToolRegistry
from crab_graph.tools.tables import Row, Table, World


def append(history: list[dict[str, Any]], batch: Batch) -> list[dict[str, Any]]:
    """Return the history with a batch at its end."""
    return [*history, *batch["lines"]]


History = Annotated[list[dict[str, Any]], append]
NODES = ("agent", "user", "environment")


class StockState(TypedDict, total=False):
    """The state of an episode with plain list channels, which each checkpoint holds whole."""

    messages: History
    user_messages: History
    events: History
    user_state: dict[str, Any]
    user_states: History
    counts: Counts
    turn: str
    status: str
    ending: Ending
    spec: str


class StockTables:
    """An episode's own copy of its task's tables, read by one SQL statement a look-up."""

    def __init__(self, benchmark: Benchmark, task: Task) -> None:
        self.world: World = task.world
        self._schema: dict[str, Table] = {table.name: table for table in benchmark.domain.tables}
        self._connection = duckdb.connect(":memory:", config={"threads": 1})
        path = str(benchmark.directory / "benchmark.duckdb").replace("'", "''")
        self._connection.execute(f"ATTACH '{path}' AS stored (READ_ONLY)")
        for table in self._schema.values():
            self._connection.execute(
                f'CREATE TABLE "{table.name}" AS SELECT * EXCLUDE (task_id), NULL::INTEGER AS made '
                f"FROM stored.{qualified(table)} WHERE task_id = ?",
                [task.id],
            )
        self._connection.execute("DETACH stored")
        self._made = 0

    def get(self, table: str, key: str) -> Row | None:
        """Return the row with that key, if there is one."""
        rows = self._select(table, f'WHERE "{self._schema[table].key}" = ?', [key])
        return rows[0] if rows else None

    def find(self, table: str, column: str, value: Any) -> tuple[Row, ...]:
        """Return the rows with that value in a column."""
        by_key = f'ORDER BY "{self._schema[table].key}"'
        return tuple(self._select(table, f'WHERE "{column}" = ? {by_key}', [value]))

    def rows(self, table: str) -> tuple[Row, ...]:
        """Return all rows of a table."""
        return tuple(self._select(table, f'ORDER BY "{self._schema[table].key}"', []))

    def inserted(self, table: str) -> tuple[Row, ...]:
        """Return the rows that the episode added."""
        return tuple(self._select(table, "WHERE made IS NOT NULL ORDER BY made", []))

    def apply(self, events: Iterable[Event]) -> None:
        """Write events, one statement each."""
        for event in events:
            table = self._schema[event["table"]]
            if event["op"] == "insert":
                self._made += 1
                values = [event["row"][name] for name in table.columns]
                marks = ", ".join("?" for _ in range(len(values) + 1))
                insertion = f'INSERT INTO "{table.name}" VALUES ({marks})'
                self._connection.execute(insertion, [*values, self._made])
                continue
            changed = event["set"] if event["op"] == "update" else {event["column"]: event["delta"]}
            form = '"{0}" = ?' if event["op"] == "update" else '"{0}" = "{0}" + ?'
            settings = ", ".join(form.format(name) for name in changed)
            self._connection.execute(
                f'UPDATE "{table.name}" SET {settings} WHERE "{table.key}" = ?',
                [*changed.values(), event["key"]],
            )

    def close(self) -> None:
        """Close the copy."""
        self._connection.close()

    def _select(self, table: str, condition: str, values: list[Any]) -> list[Row]:
        columns = self._schema[table].columns
        selected = ", ".join(
            f'"{name}"::VARCHAR' if kind == "DATE" else f'"{name}"'
            for name, kind in columns.items()
        )
        query = f'SELECT {selected} FROM "{table}" {condition}'
        found = self._connection.execute(query, values).fetchall()
        return [dict(zip(columns, row, strict=True)) for row in found]


class StockRegistry(ToolRegistry):
    """The same tools, run on tables in DuckDB."""

    tables: StockTables

    def call(self, tables: BookingTables, owner: Owner, name: str, arguments: Any) -> ToolOutcome:
        """Run a call on the copy; of the ledger only the number of its events matters."""
        assert isinstance(tables, Ledger)
        outcome = super().call(self.tables, owner, name, arguments)
        self.tables.apply(outcome.events)
        return outcome


@contextmanager
def stock_saver(path: Path) -> Iterator[SqliteSaver]:
    """Open LangGraph's saver as its documentation does."""
    with SqliteSaver.from_conn_string(str(path)) as saver:
        saver.setup()
        yield saver


def play_stock(benchmark: Benchmark, task: Task, path: Path) -> list[dict[str, Any]]:
    """Play an episode of the solver and return its transcript."""
    tools = task.domain.registry()
    registry = StockRegistry(tools._tools.values(), tools._entities)
    registry.tables = StockTables(benchmark, task)
    setup = set_up(EpisodeSettings())
    user = build_user(task, "ruse", setup, 0)
    nodes = EpisodeNodes(task, resolve_agent("solver"), user, setup)
    nodes._tools = registry
    graph = StateGraph(StockState)
    graph.add_edge(START, "user")
    for name in NODES:
        graph.add_node(name, _unannotated(getattr(nodes, name)))
        graph.add_conditional_edges(name, _unannotated(route), [*NODES, END])
    with stock_saver(path) as saver:
        config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 2000}
        state = graph.compile(checkpointer=saver).invoke({}, config)
    registry.tables.close()
    return list(transcript_of(state))


def _unannotated(node: Callable[[Any], Any]) -> Any:
    """Return a node or an edge without the types by which LangGraph would give it our channels."""

    def step(state):
        return node(state)

    return step


def file_size(path: Path) -> int:
    """Return the bytes of a checkpoint file once its log is folded in."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size
