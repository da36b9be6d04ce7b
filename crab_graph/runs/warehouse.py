"""The warehouse of a run: its episodes as tables, read from Parquet parts.

Of an episode that was begun more than once only the latest attempt counts, as everywhere.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import duckdb
import numpy as np

from crab_graph.errors import RunError
from crab_graph.runs.config import RunConfig, RunPath, read_config
from crab_graph.runs.final_tables import FINAL_ROWS
from crab_graph.runs.parts import (
    PLACE,
    RECORDS,
    ParquetPart,
    complete_parts,
    connect,
    merge_parts,
    parts_in,
    quoted,
    remove_others,
)
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.relations import Relation
from crab_graph.runs.shard_lines import shards_of, tell_damage

WAREHOUSE = "warehouse"

_ATTEMPTS = 3
Result = TypeVar("Result")


class Compacted(NamedTuple):
    """What compacting a run did: its ended episodes, the parts before and after, and sizes."""

    episodes: int
    before: int
    after: int
    shard_bytes: int
    bytes: int


def load_summaries(directory: Path) -> list[EpisodeRecord]:
    """Return the finished episodes of a run without messages, trace, evidence and history.

    They come in the order of the run's plan, the latest attempt of each. An episode's dialogue is
    most of what it weighs, and no figure needs it.

    Raises:
        RunError: there is no run.
    """
    config = read_config(directory)

    def read(parts: Sequence[ParquetPart]) -> list[str]:
        if not parts:
            return []
        with connect() as connection:
            choose(connection, config, parts)
            query = f"SELECT record FROM {_chosen(parts, RECORDS)} ORDER BY rank"  # noqa: S608
            return [text for (text,) in connection.execute(query).fetchall()]

    return [EpisodeRecord.model_validate_json(text) for text in with_parts(directory, read)]


def with_parts(directory: Path, read: Callable[[Sequence[ParquetPart]], Result]) -> Result:
    """Return what a function reads from parts that hold every finished episode of a run.

    Parts that vanish meanwhile, since another process puts them together, are looked for again;
    parts that cannot be read at all are made again.

    Raises:
        RunError: there is no run.
    """
    for attempt in range(_ATTEMPTS):
        try:
            with _open_parts(directory) as parts:
                return read(parts)
        except (duckdb.IOException, duckdb.InvalidInputException, FileNotFoundError) as error:
            problem = error
            if attempt > 0 and (directory / WAREHOUSE).is_dir():
                remove_others(directory / WAREHOUSE, ())
    raise RunError(f"{directory / WAREHOUSE}: cannot be read: {problem}")


def make_tables(directory: Path) -> None:
    """Make the parts of a run that are missing, so that nobody has to wait for them later.

    Where that cannot be done, as on a full disk, whoever needs them makes them somewhere else.
    """
    with suppress(OSError):
        with_parts(directory, len)


def compact_run(path: RunPath) -> Compacted:
    """Put the parts of a run's tables together, one for each shard, and remove what nobody needs.

    Raises:
        RunError: there is no run, or the directory cannot be written.
    """
    directory = Path(path)
    config = read_config(directory)
    home = directory / WAREHOUSE
    try:
        home.mkdir(exist_ok=True)
        before = len(parts_in(home))
        parts: list[ParquetPart] = []
        for shard in shards_of(directory):
            found = merge_parts(shard, complete_parts(shard, [home], config.is_sealed), home)
            tell_damage(shard, [bad for part in found for bad in part.about.bad])
            parts += found
        remove_others(home, parts)
    except PermissionError as error:
        raise RunError(f"{directory}: cannot be written: {error.strerror}") from None
    with connect() as connection:
        episodes = choose(connection, config, parts)
    return Compacted(
        episodes=episodes,
        before=before,
        after=len(parts),
        shard_bytes=sum(part.about.end for part in parts),
        bytes=sum(file.stat().st_size for part in parts for file in part.directory.iterdir()),
    )


def choose(
    connection: duckdb.DuckDBPyConnection, config: RunConfig, parts: Sequence[ParquetPart]
) -> int:
    """Make the table `chosen`: where the latest attempt of each episode is, in the plan's order.

    Returns the number of episodes.
    """
    latest: dict[str, tuple[int, int, int, tuple[int, int, int]]] = {}
    rank = config.ranking()
    for number, part in enumerate(parts):
        found = connection.execute(
            f"SELECT {PLACE}, episode_id, task_id, condition, trial, attempts "  # noqa: S608
            f"FROM {_read(part, 'episodes')} ORDER BY {PLACE}"
        ).fetchall()
        for place, episode_id, task_id, condition, trial, attempts in found:
            known = latest.get(episode_id)
            if known is None or attempts >= known[0]:
                latest[episode_id] = (attempts, number, place, rank(task_id, condition, trial))
    ordered = sorted(latest.values(), key=lambda one: one[3])
    listed = {
        "part": np.array([one[1] for one in ordered], dtype=np.int64),
        PLACE: np.array([one[2] for one in ordered], dtype=np.int64),
        "rank": np.arange(len(ordered), dtype=np.int64),
    }
    connection.register("incoming", listed)
    connection.execute("CREATE OR REPLACE TEMP TABLE chosen AS SELECT * FROM incoming")
    connection.unregister("incoming")
    return len(ordered)


def load_table(
    connection: duckdb.DuckDBPyConnection, run: int, table: Relation, parts: Sequence[ParquetPart]
) -> None:
    """Append the chosen episodes' rows of a table, in their order."""
    if not parts:
        return
    columns = ", ".join(column.source for column in table.columns)
    order = ", ".join(("rank", *(f'"{name}"' for name in table.order)))
    stored, where = table.name, ""
    if table.final is not None:
        stored, where = FINAL_ROWS, f"WHERE table_name = '{table.final}'"
    connection.execute(
        f'INSERT INTO "{table.name}" SELECT {run}, {columns} '  # noqa: S608  (names that are checked)
        f"FROM {_chosen(parts, stored)} {where} ORDER BY {order}"
    )


def _chosen(parts: Sequence[ParquetPart], table: str) -> str:
    """Return SQL for a stored table's rows of the episodes that `choose` chose."""
    every = " UNION ALL ".join(
        f"SELECT {number} AS part, * FROM {_read(part, table)}"  # noqa: S608
        for number, part in enumerate(parts)
    )
    return f"({every}) JOIN chosen USING (part, {PLACE})"


@contextmanager
def _open_parts(directory: Path) -> Iterator[list[ParquetPart]]:
    """Yield all parts of a run; where it cannot be written, new ones go with the context."""
    is_sealed = read_config(directory).is_sealed
    own, shards = directory / WAREHOUSE, shards_of(directory)
    with ExitStack() as stack:
        homes = [own]
        if shards and not _is_writable(own):
            elsewhere = tempfile.TemporaryDirectory(prefix="crab-graph-")
            homes.append(Path(stack.enter_context(elsewhere)))
        parts: list[ParquetPart] = []
        for shard in shards:
            found = complete_parts(shard, homes, is_sealed)
            tell_damage(shard, [bad for part in found for bad in part.about.bad])
            parts += found
        yield parts


def _is_writable(home: Path) -> bool:
    with suppress(OSError):
        home.mkdir(exist_ok=True)
    return home.is_dir() and os.access(home, os.W_OK | os.X_OK)


def _read(part: ParquetPart, table: str) -> str:
    return f"read_parquet({quoted(part.file(table))})"
