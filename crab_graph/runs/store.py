"""A run on disk: its configuration, and one JSON line for each finished episode.

    RUN/run.json                  what the run is
    RUN/shards/part-0.jsonl       episodes, one file for each worker
    RUN/checkpoints/part-0.sqlite episodes under way

An episode is appended when it is finished, whatever the number of episodes before it. A line that a
kill tore off is ignored, and dropped when its file is written again. Every other line is trusted by
its own checksum (`seals`): of a shard with a damaged line the others are read, and whoever goes on
with the run sets that line aside (`part-0.jsonl.damaged`) and plays its episode again.
"""

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from crab_graph.errors import MendedWarning, RunError, UnknownName
from crab_graph.runs.beginning import differences_allowed
from crab_graph.runs.config import CONFIG, ORIGIN, RunConfig, read_config
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.shard_lines import (
    BadLine,
    LineReader,
    damage_said,
    damage_told,
    read_shard,
    set_aside,
    shards_of,
    tell_damage,
)
from crab_graph.seals import open_line, seal_line
from crab_graph.workers import write_atomically

Kept = TypeVar("Kept")


class IndexEntry(NamedTuple):
    """What is known of an episode without its dialogue."""

    outcome: str
    passed: bool
    attempts: int
    lost_usage: Mapping[str, Any] = {}
    amounts: Mapping[str, float] = {}


class Shard:
    """A file of finished episodes that one worker appends to, from any of its threads."""

    def __init__(self, path: Path) -> None:
        """Open the file, dropping a torn last line."""
        path.parent.mkdir(exist_ok=True)
        self._file = path.open("a+b", buffering=0)
        self._lock = threading.Lock()
        self._number = 0
        if path.stat().st_size:  # an empty file cannot be mapped
            with mmap(self._file.fileno(), 0, access=ACCESS_READ) as kept:
                end = kept.rfind(b"\n") + 1
                last = open_line(kept[kept.rfind(b"\n", 0, max(0, end - 1)) + 1 : end])
                lines = iter(kept.readline, b"")
                intact = last.number if last.problem is None else None
                self._number = intact or sum(line.endswith(b"\n") for line in lines)
            self._file.truncate(end)

    def append(self, record: EpisodeRecord) -> None:
        """Write one episode, and return when it is on the disk.

        Raises:
            OSError: it cannot be written; nothing of it is left in the file.
        """
        body = record.model_dump_json().encode()
        with self._lock:
            line = memoryview(seal_line(body, self._number + 1))
            before = self._file.seek(0, os.SEEK_END)
            try:
                while line:
                    line = line[self._file.write(line) :]
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(before)  # or the next episode would end a torn line
                raise
            self._number += 1

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def kept_index(
    directory: Path, config: RunConfig, *, force: bool, allow_mismatch: bool
) -> dict[str, IndexEntry]:
    """Return the finished episodes that `begin_run` would keep; errors as there."""
    if not (directory / CONFIG).exists():
        return {}
    existing = read_config(directory)
    differing = differences_allowed(directory, existing, config, force or allow_mismatch)
    return {} if differing and force else load_index(directory)


def keep_origin(directory: Path, record: EpisodeRecord) -> None:
    """Keep the episode that a run of forks goes on from beside them."""
    line = seal_line(record.model_dump_json().encode(), 1)
    write_atomically(directory / ORIGIN, line.decode())


def read_origin(directory: Path) -> EpisodeRecord:
    """Return the episode that a run of forks goes on from.

    Raises:
        RunError: it is missing or damaged.
    """
    path, reader = directory / ORIGIN, LineReader(read_config(directory).is_sealed)
    try:
        record = reader.read(path.read_bytes())
    except OSError as error:
        raise RunError(f"{path}: the forked episode cannot be read: {error.strerror}") from None
    if record is None:
        raise RunError(
            f"{path}: the forked episode cannot be read: {reader.bad[0].problem}; "
            "restore it from a copy, or fork again"
        )
    return record


def load_records(directory: Path) -> list[EpisodeRecord]:
    """Return the finished episodes of a run, the latest attempt of each, in the order of its plan.

    Lines that are damaged are left out, and told of by a `DamageWarning`; so it is in `load_index`.

    Raises:
        RunError: there is no run.
    """
    config = read_config(directory)
    rank = config.ranking()
    return sorted(
        load_views(directory, lambda record: record).values(),
        key=lambda record: (
            *rank(record.task_id, record.condition, record.trial),
            (record.forked_from or {}).get("turn", 0),
        ),
    )


def load_index(directory: Path) -> dict[str, IndexEntry]:
    """Return the latest attempt of each finished episode, without keeping dialogues in memory.

    Raises:
        RunError: there is no run.
    """
    return load_views(directory, _indexed)


def mend_shards(directory: Path) -> dict[str, IndexEntry]:
    """Return what `load_index` does, for the one writer of a run: damaged lines are set aside.

    They are told of by a `MendedWarning`, and stand beside their shard from then on.

    Raises:
        RunError: there is no run.
    """
    config = read_config(directory)
    damaged: dict[Path, Sequence[BadLine]] = {}
    found = _latest(_read_shards(directory, config, damaged.__setitem__), _indexed)
    for path, bad in damaged.items():
        aside = set_aside(path, config.is_sealed)
        advice = f"set aside in {aside.name}, and what is missing is played again"
        warnings.warn(f"{damage_said(path, bad)}; {advice}", MendedWarning, stacklevel=2)
    return found


def load_record(directory: Path, episode_id: str) -> EpisodeRecord:
    """Return one episode of a run.

    Raises:
        UnknownName: the run has no finished episode with that id.
        RunError: it has none, and damaged lines, of which one may be that episode's.
    """
    config = read_config(directory)
    # Only lines with the id are read as records, which is most of the work in a large run.
    marker = f'"{episode_id}"'.encode()
    some = _read_shards(directory, config, _tell_nobody, marker)
    found = [one for one in some if one.episode_id == episode_id]
    if not found:
        damaged: dict[Path, Sequence[BadLine]] = {}
        known = {one.episode_id for one in _read_shards(directory, config, damaged.__setitem__)}
        for path, bad in damaged.items():
            raise RunError(f"episode '{episode_id}' is not there, and {damage_told(path, bad)}")
        raise UnknownName("episode", episode_id, known)
    # Of equal attempts the last one stands.
    return max(reversed(found), key=lambda record: record.attempts)


def load_views(directory: Path, view: Callable[[EpisodeRecord], Kept]) -> dict[str, Kept]:
    """Return what a view keeps of the latest attempt of each episode, by id, read one by one.

    Of equal attempts the last one stands. Damaged lines are left out and told of.

    Raises:
        RunError: there is no run.
    """
    return _latest(_read_shards(directory, read_config(directory), tell_damage), view)


def _tell_nobody(path: Path, bad: Sequence[BadLine]) -> None:
    """Say nothing: what was looked for is there."""


def _indexed(one: EpisodeRecord) -> IndexEntry:
    return IndexEntry(one.outcome, one.passed, one.attempts, one.lost_usage, one.amounts)


def _latest(
    records: Iterable[EpisodeRecord], view: Callable[[EpisodeRecord], Kept]
) -> dict[str, Kept]:
    """Return what is kept of the latest attempt of each episode; of equal ones the last stands."""
    latest: dict[str, tuple[int, Kept]] = {}
    for record in records:
        name, attempts = record.episode_id, record.attempts
        if attempts >= latest.get(name, (0,))[0]:
            latest[name] = attempts, view(record)
    return {name: kept for name, (_, kept) in latest.items()}


def _read_shards(
    directory: Path,
    config: RunConfig,
    tell: Callable[[Path, Sequence[BadLine]], None],
    marker: bytes = b"",
) -> Iterator[EpisodeRecord]:
    """Yield the records of all shards, or those whose lines hold a marker; damage is told."""
    for path in shards_of(directory):
        reader = LineReader(config.is_sealed)
        yield from (record for _, record in read_shard(path, reader, marker))
        if reader.bad:
            tell(path, reader.bad)
