"""A run on disk: its configuration, and one JSON line for each finished episode.

    RUN/run.json                  what the run is
    RUN/shards/part-0.jsonl       episodes, one file for each worker
    RUN/checkpoints/part-0.sqlite episodes under way

An episode is appended when it is finished, whatever the number of episodes before it. A line that a
kill tore off is ignored, and dropped when its file is written again.
"""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from crab_graph.errors import RunError, UnknownName
from crab_graph.runs.config import CONFIG, SHARDS, RunConfig, differences_allowed, read_config
from crab_graph.runs.record import EpisodeRecord
from crab_graph.workers import write_atomically

ORIGIN = "origin.json"

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
        if path.stat().st_size:  # an empty file cannot be mapped
            with mmap(self._file.fileno(), 0, access=ACCESS_READ) as kept:
                end = kept.rfind(b"\n") + 1
            self._file.truncate(end)

    def append(self, record: EpisodeRecord) -> None:
        """Write one episode, and return when it is on the disk.

        Raises:
            OSError: it cannot be written; nothing of it is left in the file.
        """
        line = memoryview(record.model_dump_json().encode() + b"\n")
        with self._lock:
            before = self._file.seek(0, os.SEEK_END)
            try:
                while line:
                    line = line[self._file.write(line) :]
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(before)  # or the next episode would end a torn line
                raise

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
    write_atomically(directory / ORIGIN, record.model_dump_json() + "\n")


def read_origin(directory: Path) -> EpisodeRecord:
    """Return the episode that a run of forks goes on from.

    Raises:
        RunError: it is missing or damaged.
    """
    path = directory / ORIGIN
    try:
        return EpisodeRecord.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{path}: the forked episode cannot be read: {error}") from None


def load_records(directory: Path) -> list[EpisodeRecord]:
    """Return the finished episodes of a run, the latest attempt of each, in the order of its plan.

    Raises:
        RunError: there is no run, or a line is damaged.
    """
    rank = read_config(directory).ranking()
    return sorted(
        _latest(directory, lambda record: record).values(),
        key=lambda record: (
            *rank(record.task_id, record.condition, record.trial),
            (record.forked_from or {}).get("turn", 0),
        ),
    )


def load_index(directory: Path) -> dict[str, IndexEntry]:
    """Return the latest attempt of each finished episode, without keeping dialogues in memory.

    Raises:
        RunError: a line is damaged.
    """
    return _latest(
        directory,
        lambda one: IndexEntry(one.outcome, one.passed, one.attempts, one.lost_usage, one.amounts),
    )


def load_record(directory: Path, episode_id: str) -> EpisodeRecord:
    """Return one episode of a run.

    Raises:
        UnknownName: the run has no finished episode with that id.
    """
    read_config(directory)
    # Only lines with the id are read as records, which is most of the work in a large run.
    marker = f'"{episode_id}"'.encode()
    found = [one for one in _read_shards(directory, marker) if one.episode_id == episode_id]
    if not found:
        known = {record.episode_id for record in _read_shards(directory)}
        raise UnknownName("episode", episode_id, known)
    # Of equal attempts the last one stands.
    return max(reversed(found), key=lambda record: record.attempts)


def _latest(directory: Path, view: Callable[[EpisodeRecord], Kept]) -> dict[str, Kept]:
    """Return what is kept of the latest attempt of each episode; of equal ones the last stands."""
    latest: dict[str, tuple[int, Kept]] = {}
    for record in _read_shards(directory):
        name, attempts = record.episode_id, record.attempts
        if attempts >= latest.get(name, (0,))[0]:
            latest[name] = attempts, view(record)
    return {name: kept for name, (_, kept) in latest.items()}


def _read_shards(directory: Path, marker: bytes = b"") -> Iterator[EpisodeRecord]:
    """Yield the records of all shards, or those whose lines hold a marker."""
    for path in sorted((Path(directory) / SHARDS).glob("*.jsonl")):
        yield from (record for _, record in read_shard(path, marker))


def read_shard(path: Path, marker: bytes = b"") -> Iterator[tuple[int, EpisodeRecord]]:
    """Yield each record of a shard, or those whose lines hold a marker, with its line's end.

    Raises:
        RunError: a line is damaged.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break  # torn off by a kill: the episode is run again
            if marker not in line:
                continue
            try:
                yield file.tell(), EpisodeRecord.model_validate_json(line)
            except ValidationError as error:
                reason = error.errors()[0]["msg"]
                raise RunError(f"{path}, line {number}: damaged: {reason}") from None
