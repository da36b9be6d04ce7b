"""A run on disk: its configuration, and one JSON line for each finished episode.

    RUN/run.json                  what the run is
    RUN/shards/part-0.jsonl       episodes, one file for each worker
    RUN/checkpoints/part-0.sqlite episodes under way

An episode is appended when it is finished, whatever the number of episodes before it. A line that a
kill tore off is ignored, and dropped when its file is written again.
"""

import os
import re
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from crab_graph.errors import ResumeMismatch, RunError, UnknownName
from crab_graph.graph.limits import Limits, RunLimits
from crab_graph.models.prices import Prices
from crab_graph.runs.record import EpisodeRecord
from crab_graph.schema import FileModel
from crab_graph.tools.toolset import Toolset, agent_label
from crab_graph.workers import write_atomically

__all__ = [
    "EpisodeRecord",
    "ForkPoint",
    "IndexEntry",
    "RunConfig",
    "Shard",
    "begin_run",
    "check_directory",
    "checkpoint_files",
    "keep_origin",
    "load_index",
    "load_record",
    "load_records",
    "read_config",
    "read_origin",
]

_HASH = re.compile("[0-9a-f]{64}")
_SHOWN_OF_HASH = 12

CONFIG = "run.json"
SHARDS = "shards"
CHECKPOINTS = "checkpoints"
ORIGIN = "origin.json"
PIVOTS = "pivots"
"""Directory in a run: a run of forks for each episode that was looked into."""


_BEGIN_OTHERWISE = "go on with --allow-mismatch, use another directory, or start over with --force"
_WORDS = {
    "benchmark_sha256": "benchmark",
    "code_sha256": "code of crab-graph",
    "agent_sha256": "source of the agent",
    "personas_sha256": "prompt fragments",
}
_SINCE = {"code_sha256", "agent_sha256"}
"""Settings that earlier versions did not keep, or that not every agent has."""


class ForkPoint(FileModel):
    """Where the episodes of a run go on from.

    Attributes:
        run: Directory of the other run, as it was given.
        episode_id: The episode in it.
        turns: After how many visible turns; each is a starting point.
        said: What is said next, typed by somebody.
        fresh: Whether every trial draws anew what the user draws; otherwise the first one draws
            what the episode itself drew.
    """

    run: str
    episode_id: str
    turns: tuple[int, ...]
    said: str | None = None
    fresh: bool = False


class RunConfig(FileModel):
    """What a run is: everything that its results depend on.

    Attributes:
        benchmark: The benchmark's directory, as seen from the run's.
        benchmark_sha256: Hash of its tasks.
        agent: The agent's spec, without credentials.
        toolset: Which tools the agent is given.
        users: Conditions, in order.
        user_engine: What plays the user.
        user_model: The model that does, without credentials, if one does.
        personas: Directory of added fragments, as seen from the run's.
        personas_sha256: Hash of the fragments.
        seed: Seed of the run.
        trials: Trials of each task and user.
        tasks: Ids of the tasks, in order.
        limits: When episodes stop.
        versions: Versions of what it was begun with.
        code_sha256: Hash of the package's sources that episodes depend on.
        agent_sha256: Hash of the agent's source, if it is Python code.
        prices: Prices of models when it was last worked on; its costs are counted with them.
        run_limits: What all of it may take.
        checkpoint: The database of its checkpoints, without login, if it is not a file.
        fork: Where its episodes go on from, if they are forks.
        mismatches: What differed when it was gone on with under other settings: name, before, now.
    """

    schema_version: Literal[1] = 1
    benchmark: str
    benchmark_sha256: str
    agent: str
    users: tuple[str, ...]
    user_engine: str
    seed: int
    trials: int
    tasks: tuple[str, ...]
    limits: Limits
    versions: dict[str, str]
    toolset: str = Toolset.PARITY.value
    user_model: str | None = None
    personas: str | None = None
    personas_sha256: str | None = None
    code_sha256: str | None = None
    agent_sha256: str | None = None
    prices: Prices | None = None
    run_limits: RunLimits | None = None
    checkpoint: str | None = None
    fork: ForkPoint | None = None
    mismatches: tuple[dict[str, str], ...] = ()

    @property
    def agent_label(self) -> str:
        """The agent as reports name it: with its toolset, where that is not the paper's."""
        return agent_label(self.agent, self.toolset)

    @property
    def turns(self) -> tuple[int | None, ...]:
        """The turns from which its episodes go on; `None` where they begin at the beginning."""
        return (None,) if self.fork is None else self.fork.turns

    def differences(self, asked: "RunConfig") -> tuple[dict[str, str], ...]:
        """Return what is asked for otherwise than a run was begun with: name, before, now."""
        before, now = self.settings(), asked.settings()
        return tuple(
            {
                "name": _WORDS.get(name, name),
                "before": _shortened(before[name]),
                "now": _shortened(now[name]),
            }
            for name in before
            if before[name] != now[name]
            and (name not in _SINCE or None not in (before[name], now[name]))
        )

    def settings(self) -> dict[str, Any]:
        """Return all that episodes depend on."""
        left_out = {
            "schema_version",
            "benchmark",
            "versions",
            "limits",
            "personas",
            "checkpoint",
            "prices",
            "run_limits",
            "mismatches",
        }
        values = self.model_dump(mode="json", exclude=left_out)
        # Checkpoints of another minor version of LangGraph may have another layout.
        langgraph = ".".join(self.versions.get("langgraph", "").split(".")[:2])
        ours = self.versions.get("crab-graph", "")
        return {**values, **self.limits.model_dump(), "crab-graph": ours, "langgraph": langgraph}


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
        end = _end_of_last_line(path)
        if end < path.stat().st_size:
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


def begin_run(
    directory: Path,
    config: RunConfig,
    *,
    force: bool = False,
    allow_mismatch: bool = False,
    hint: str = _BEGIN_OTHERWISE,
) -> None:
    """Make a directory this run's, or see that it already is.

    Args:
        directory: The run's directory; made where it is missing.
        config: What the run is.
        force: Whether a run with other settings is thrown away.
        allow_mismatch: Whether it is gone on with: what is finished stays as it is, the rest is
            done as now asked for, and the run says what differed.
        hint: What one can do about other settings.

    Raises:
        ResumeMismatch: it holds a run with other settings.
        RunError: it holds something else.
    """
    if (directory / CONFIG).exists():
        existing = read_config(directory)
        differing = existing.differences(config)
        if not differing:
            _keep_terms(directory, existing, config)
            return
        if force:
            shutil.rmtree(directory / SHARDS, ignore_errors=True)
            shutil.rmtree(directory / CHECKPOINTS, ignore_errors=True)
            shutil.rmtree(directory / PIVOTS, ignore_errors=True)
        elif allow_mismatch:
            known = (*existing.mismatches, *differing)
            config = config.model_copy(update={"mismatches": known})
        else:
            raise _mismatch(directory, differing, hint)
    directory.mkdir(parents=True, exist_ok=True)
    write_atomically(directory / CONFIG, config.model_dump_json(indent=2) + "\n")


def kept_index(
    directory: Path, config: RunConfig, *, force: bool, allow_mismatch: bool
) -> dict[str, IndexEntry]:
    """Return the finished episodes that `begin_run` would keep, without touching anything.

    Raises:
        ResumeMismatch: as for `begin_run`.
    """
    if not (directory / CONFIG).exists():
        return {}
    differing = read_config(directory).differences(config)
    if differing and not force and not allow_mismatch:
        raise _mismatch(directory, differing, _BEGIN_OTHERWISE)
    return {} if differing and force else load_index(directory)


def _mismatch(directory: Path, differing: Iterable[Mapping[str, str]], hint: str) -> ResumeMismatch:
    lines = [f"begun with {d['name']} {d['before']}, not {d['now']}" for d in differing]
    return ResumeMismatch(f"{directory}: holds a run with other settings; {hint}", lines)


def _keep_terms(directory: Path, existing: RunConfig, asked: RunConfig) -> None:
    """Remember prices and caps of the whole run, which may change from sitting to sitting."""
    prices = asked.prices or existing.prices
    terms = {"prices": prices, "run_limits": asked.run_limits}
    now = existing.model_copy(update=terms)
    if now != existing:
        write_atomically(directory / CONFIG, now.model_dump_json(indent=2) + "\n")


def check_directory(directory: Path) -> None:
    """Refuse a path that holds something else than a run.

    Raises:
        RunError: it does.
    """
    if directory.exists() and not directory.is_dir():
        raise RunError(f"{directory}: is a file; a run needs a directory")
    if directory.is_dir() and not (directory / CONFIG).exists():
        others = [entry.name for entry in directory.iterdir() if entry.suffix != ".lock"]
        if others:
            raise RunError(f"{directory}: is not empty and holds no run; choose another --out")


def read_config(directory: Path) -> RunConfig:
    """Return what a run is.

    Raises:
        RunError: there is no run in the directory, or its configuration is damaged.
    """
    path = Path(directory) / CONFIG
    try:
        return RunConfig.model_validate_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        missing = "is no run" if Path(directory).exists() else "no such directory"
        raise RunError(f"{directory}: {missing} ({CONFIG} is missing)") from None
    except (ValidationError, UnicodeDecodeError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise RunError(f"{path}: damaged, or of another version: {reason}") from None


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
    config = read_config(directory)
    latest: dict[str, EpisodeRecord] = {}
    for record in _read_shards(Path(directory)):
        known = latest.get(record.episode_id)
        if known is None or record.attempts >= known.attempts:
            latest[record.episode_id] = record
    return _in_order(config, latest.values())


def load_index(directory: Path) -> dict[str, IndexEntry]:
    """Return the latest attempt of each finished episode, without keeping dialogues in memory.

    Raises:
        RunError: a line is damaged.
    """
    index: dict[str, IndexEntry] = {}
    for record in _read_shards(Path(directory)):
        known = index.get(record.episode_id)
        if known is None or record.attempts >= known.attempts:
            index[record.episode_id] = IndexEntry(
                record.outcome, record.passed, record.attempts, record.lost_usage, record.amounts
            )
    return index


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


def checkpoint_files(directory: Path) -> list[Path]:
    """Return the checkpoint files of a run."""
    return sorted((Path(directory) / CHECKPOINTS).glob("*.sqlite"))


def _in_order(config: RunConfig, records: Iterable[EpisodeRecord]) -> list[EpisodeRecord]:
    tasks = {task_id: place for place, task_id in enumerate(config.tasks)}
    users = {user: place for place, user in enumerate(config.users)}
    last = len(tasks), len(users)
    return sorted(
        records,
        key=lambda record: (
            tasks.get(record.task_id, last[0]),
            users.get(record.condition, last[1]),
            record.trial,
            (record.forked_from or {}).get("turn", 0),
        ),
    )


def _read_shards(directory: Path, marker: bytes = b"") -> Iterator[EpisodeRecord]:
    """Yield the records of all shards, or those whose lines hold a marker."""
    for path in sorted((Path(directory) / SHARDS).glob("*.jsonl")):
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break  # torn off by a kill: the episode is run again
                if marker not in line:
                    continue
                try:
                    yield EpisodeRecord.model_validate_json(line)
                except ValidationError as error:
                    reason = error.errors()[0]["msg"]
                    raise RunError(f"{path}, line {number}: damaged: {reason}") from None


def _end_of_last_line(path: Path) -> int:
    size = path.stat().st_size
    with path.open("rb") as file:
        position = size
        while position > 0:
            start = max(0, position - 65536)
            file.seek(start)
            found = file.read(position - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            position = start
    return 0


def _shortened(value: Any, limit: int = 60) -> str:
    if isinstance(value, str) and _HASH.fullmatch(value):
        return value[:_SHOWN_OF_HASH]
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(value)} in all)"
