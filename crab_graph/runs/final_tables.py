"""Final tables as tables of a run: `final_bookings`, and the like (section 3.1).

A domain declares its tables and a run keeps what they are, so that whoever reads it needs no
domain. The rows of all of them are stored together, since any run may have others.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from crab_graph.domain.card import TableCard
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.relations import Column, Relation, Row
from crab_graph.tools.tables import PLATFORM_TABLES, PRIVATE_TABLES, Table

FINAL_ROWS = "final_rows"
"""Where they are stored."""

FINAL_COLUMNS = {"episode_id": "VARCHAR", "table_name": "VARCHAR", "key": "VARCHAR", "row": "JSON"}
PREFIX = "final_"
NEEDING = (PREFIX, "slots")
"""What the names of tables begin with that a run of an earlier version has no rows of."""

_KEY = Column("episode_id", "VARCHAR", "task, condition and trial, such as `S1-001.ruse.0`")


def table_cards(tables: Iterable[Table]) -> tuple[TableCard, ...]:
    """Return what a run keeps of its domain's tables."""
    return tuple(TableCard(name=one.name, key=one.key, columns=dict(one.columns)) for one in tables)


_SHARED = table_cards((*PLATFORM_TABLES, *PRIVATE_TABLES))
"""Tables of every domain, of which a run of an earlier version has some too."""


def final_relations(tables: Iterable[TableCard]) -> list[Relation]:
    """Return the final tables of runs, those of every domain first.

    Where tables of several domains are called alike, theirs has the columns of all; one that they
    have with other types is text.
    """
    found: dict[str, dict[str, str]] = {}
    for table in (*_SHARED, *tables):
        columns = found.setdefault(table.name, {})
        for name, type_ in table.columns.items():
            columns[name] = type_ if columns.get(name, type_) == type_ else "VARCHAR"
    return [
        Relation(
            f"{PREFIX}{name}",
            "",
            (_KEY, *(Column(one, type_, "", "row") for one, type_ in columns.items())),
            ("key",),
            final=name,
        )
        for name, columns in found.items()
    ]


def final_rows(record: EpisodeRecord) -> list[Row]:
    """Return the rows of an episode's final tables as they are stored."""
    tables = {} if record.final is None else record.final.tables
    return [
        {
            "episode_id": record.episode_id,
            "table_name": name,
            "key": str(next(iter(row.values()), "")),
            "row": json.dumps(row, ensure_ascii=False),
        }
        for name, rows in tables.items()
        for row in rows
    ]


def lacking(where: Path, without: int, episodes: int) -> str:
    """Return what to say of a run some of whose episodes hold no final tables."""
    return (
        f"{where}: {without} of {episodes} episodes hold no final tables, which earlier versions "
        f"did not keep; crab-graph regrade {where} adds them"
    )
