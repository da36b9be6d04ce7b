"""Initialization actions, executed one after another on a store (paper section 3.2.4, A.5).

An action is a value: a call with its arguments. The domain says which rows each call inserts. The
bulk load (`materialize`) gives the same tables much faster.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crab_graph.generation.materialize import qualified
from crab_graph.tools.tables import Row, Table

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class InitializationAction:
    """One database insertion call.

    Attributes:
        name: Name of the call, such as `add_hotel`.
        arguments: Its arguments.
    """

    name: str
    arguments: Mapping[str, Any]


Insertion = Callable[[Mapping[str, Any]], Iterator[tuple[str, Row]]]
"""Yields the rows that a call inserts, each with the name of its table."""


def execute_actions(
    connection: "duckdb.DuckDBPyConnection",
    tables: Sequence[Table],
    insertions: Mapping[str, Insertion],
    task_id: str,
    actions: Iterable[InitializationAction],
    *,
    together: bool = True,
) -> None:
    """Execute actions in their order on tables made by `create_tables`, row by row.

    Args:
        connection: Connection to the store.
        tables: The tables that actions insert into.
        insertions: What each call inserts, by its name.
        task_id: The task whose store it is.
        actions: The calls.
        together: Whether all are executed or none; otherwise each is committed by itself.
    """
    columns = {table.name: tuple(table.columns) for table in tables}
    statements = {table.name: _insertion(table) for table in tables}
    for batch in (actions,) if together else ((action,) for action in actions):
        connection.execute("BEGIN")
        try:
            for action in batch:
                for name, row in insertions[action.name](action.arguments):
                    values = [task_id, *(row[column] for column in columns[name])]
                    connection.execute(statements[name], values)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def _insertion(table: Table) -> str:
    marks = ", ".join("?" for _ in range(len(table.columns) + 1))
    return f"INSERT INTO {qualified(table)} VALUES ({marks})"  # noqa: S608
