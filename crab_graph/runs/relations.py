"""The tables that a run can be queried by: names, types, and what each column says.

They stand in `relations.toml`, and their names are stable. `docs/analytics.md` is made of these
descriptions; a test holds it to them. Neither a clock nor a path is in any table, except for the
name of a run's directory in `runs`: the same episodes give the same rows wherever and whenever they
were played.
"""

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type in DuckDB, and what it says."""

    name: str
    type: str
    says: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A table: what one of its rows is, and the columns after the number of the run.

    Attributes:
        name: Its name.
        row: What one row is.
        columns: The columns.
        order: Columns that rows of one episode are ordered by.
    """

    name: str
    row: str
    columns: tuple[Column, ...]
    order: tuple[str, ...]


def _read() -> tuple[Relation, ...]:
    text = files("crab_graph.runs").joinpath("relations.toml").read_text(encoding="utf-8")
    return tuple(
        Relation(
            name,
            about["row"],
            tuple(Column(one, *said) for one, said in about["columns"].items()),
            tuple(about.get("order", ())),
        )
        for name, about in tomllib.loads(text).items()
    )


RUN = Column("run", "INTEGER", "number of the run, from 1 as they were named; see `runs`")
RELATIONS = _read()
"""All tables; each begins with the column `run`."""
RUNS = RELATIONS[0]


def document() -> str:
    """Return the tables as Markdown."""
    documents = []
    for one in RELATIONS:
        columns = (RUN, *one.columns)
        rows = "\n".join(
            f"| `{column.name}` | {column.type} | {column.says} |" for column in columns
        )
        head = f"### `{one.name}`\n\nOne row: {one.row}.\n\n| column | type | |\n|---|---|---|\n"
        documents.append(f"{head}{rows}\n")
    return "\n".join(documents)
