"""The runs that are looked at: their episodes as one list, filtered, in pages, and one in full.

An index grows with its run: a row for each episode and where its line stands. Shards are read once.
Later only what was appended is read, so an index of a run that goes on costs what is new; a shard
that was written anew, as `regrade` does, is read anew.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json

from crab_graph.analysis.viewer.background import Background
from crab_graph.analysis.viewer.episode_view import view_episode
from crab_graph.analysis.viewer.listing import Row, count_facets, is_wanted, row_of, text_of
from crab_graph.domain.card import DomainCard
from crab_graph.errors import RunError, UsageError
from crab_graph.runs.config import SHARDS, read_config
from crab_graph.runs.plan import plan_episodes
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import card_of
from crab_graph.runs.store import ORIGIN, read_origin

ORIGIN_ID = "origin"
"""The id under which the episode is shown that a run's forks go on from."""

PAGE = 50
LONGEST_PAGE = 500


class Entry(NamedTuple):
    """What is kept of an attempt at an episode."""

    row: dict[str, Any]
    text: str
    attempts: int
    shard: Path
    start: int
    length: int


class _Read(NamedTuple):
    """How far a shard was read."""

    inode: int
    end: int
    lines: int


class RunIndex:
    """The finished episodes of one run, the latest attempt of each."""

    def __init__(self, directory: Path, number: int = 0) -> None:
        """Read what the run is, the n-th that is shown; its episodes are read by `refresh`.

        Raises:
            RunError: there is no run, or its configuration is damaged.
        """
        self.directory = Path(directory)
        self.number = number
        self.config = config = read_config(self.directory)
        plan = plan_episodes(config.tasks, config.users, config.trials, config.turns)
        self.planned = sum(1 for _ in plan)
        self.version = 0
        self.damaged: list[str] = []
        self._tasks = {task: place for place, task in enumerate(config.tasks)}
        self._users = {user: place for place, user in enumerate(config.users)}
        self._entries: dict[str, Entry] = {}
        self._shards: dict[Path, _Read] = {}
        self._writing = Lock()
        self._reading = Lock()

    @cached_property
    def card(self) -> DomainCard:
        """What the domain of its tasks calls things."""
        return card_of(self.directory, self.config)

    @cached_property
    def background(self) -> Background:
        """What the benchmark adds, opened when the first episode is."""
        return Background.of_run(self.directory, self.config)

    @property
    def has_origin(self) -> bool:
        """Whether the run's episodes are forks of one that it keeps."""
        return (self.directory / ORIGIN).is_file()

    def refresh(self) -> None:
        """Read what was added since the last time; what is read can be seen at once."""
        with self._reading:
            for shard in sorted((self.directory / SHARDS).glob("*.jsonl")):
                self._read_shard(shard)

    def entries(self) -> list[Entry]:
        """Return the entries in the order of the run's plan."""
        with self._writing:
            listed = list(self._entries.values())
        last = len(self._tasks), len(self._users)
        return sorted(
            listed,
            key=lambda entry: (
                self._tasks.get(entry.row["task"], last[0]),
                self._users.get(entry.row["user"], last[1]),
                entry.row["turn"] or 0,
                entry.row["trial"],
                entry.row["id"],
            ),
        )

    def load(self, episode_id: str) -> EpisodeRecord | None:
        """Return an episode whole, or the one that forks go on from, or `None`.

        Raises:
            RunError: its line is damaged.
        """
        if episode_id == ORIGIN_ID:
            return read_origin(self.directory) if self.has_origin else None
        for _ in range(2):
            with self._writing:
                entry = self._entries.get(episode_id)
            if entry is None:
                return None
            try:
                with entry.shard.open("rb") as file:
                    file.seek(entry.start)
                    record = EpisodeRecord.model_validate_json(file.read(entry.length))
            except (OSError, ValidationError) as error:
                problem = str(error).partition("\n")[0]
            else:
                if record.episode_id == episode_id:
                    return record
                problem = "its line holds another episode"
            self.refresh()  # the shard was written anew since it was read
        raise RunError(f"{self.directory}: episode '{episode_id}' cannot be read: {problem}")

    def _read_shard(self, shard: Path) -> None:
        try:
            with shard.open("rb") as file:
                status = shard.stat()
                read = self._shards.get(shard)
                if read is None or read.inode != status.st_ino or read.end > status.st_size:
                    self._forget(shard)
                    read = self._shards[shard] = _Read(status.st_ino, 0, 0)
                file.seek(read.end)
                for line in file:
                    if not line.endswith(b"\n"):
                        return  # it is still being written, or was torn off by a kill
                    self._add(shard, read, line)
                    read = _Read(read.inode, read.end + len(line), read.lines + 1)
                    self._shards[shard] = read
        except FileNotFoundError:
            self._forget(shard)

    def _add(self, shard: Path, read: _Read, line: bytes) -> None:
        try:
            fields = from_json(line)
            row, text = row_of(self.number, fields), text_of(fields)
            attempts = int(fields.get("attempts", 1))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            with self._writing:
                self.damaged.append(f"{shard.name}, line {read.lines + 1}: damaged: {reason}")
                self.version += 1
            return
        with self._writing:
            known = self._entries.get(row["id"])
            if known is None or attempts >= known.attempts:
                self._entries[row["id"]] = Entry(row, text, attempts, shard, read.end, len(line))
                self.version += 1

    def _forget(self, shard: Path) -> None:
        if self._shards.pop(shard, None) is None:
            return
        with self._writing:
            kept = {name: entry for name, entry in self._entries.items() if entry.shard != shard}
            self._entries = kept
            self.damaged = [one for one in self.damaged if not one.startswith(f"{shard.name},")]
            self.version += 1


class Library:
    """Runs, in the order in which they were given."""

    def __init__(self, directories: Sequence[Path]) -> None:
        """Open runs; their episodes are read by `refresh`, or by `watch`.

        Raises:
            RunError: one of them is none.
        """
        self._runs = [RunIndex(Path(one), number) for number, one in enumerate(directories)]

    @property
    def version(self) -> int:
        """A number that grows with everything that is read."""
        return sum(run.version for run in self._runs)

    @property
    def cards(self) -> list[DomainCard]:
        """The card of each run's domain."""
        return [run.card for run in self._runs]

    def refresh(self) -> None:
        """Read what was added to the runs."""
        for run in self._runs:
            run.refresh()

    def watch(self, stop: Event, pause: float) -> Thread:
        """Refresh from now on, every so many seconds, until `stop` is set."""

        def work() -> None:
            self.refresh()
            while not stop.wait(pause):
                self.refresh()

        thread = Thread(target=work, name="viewer-index", daemon=True)
        thread.start()
        return thread

    def state(self) -> dict[str, Any]:
        """Return how far each run is; a page asks for it again and again."""
        runs = [
            {
                "number": run.number,
                "name": run.directory.name or run.directory.resolve().name,
                "agent": run.config.agent_label,
                "engine": run.config.user_engine,
                "finished": len(run.entries()),
                "planned": run.planned,
                "damaged": list(run.damaged),
            }
            for run in self._runs
        ]
        return {"version": self.version, "runs": runs}

    def page(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return a page of the list, for the values of a query string.

        Raises:
            UsageError: `offset` or `limit` is no number.
        """
        offset = _read_number(given, "offset", 0, 10**9)
        limit = _read_number(given, "limit", PAGE, LONGEST_PAGE)
        version = self.version
        rows = self._rows({})
        found = self._rows(given)
        return {
            "version": version,
            "total": len(rows),
            "found": len(found),
            "offset": offset,
            "rows": found[offset : offset + limit],
            "facets": count_facets(rows),
        }

    def episode(self, run: int, episode_id: str, given: Mapping[str, str]) -> dict[str, Any] | None:
        """Return one episode in full, with its neighbours in the list as filtered.

        Raises:
            RunError: its line is damaged.
        """
        if not 0 <= run < len(self._runs):
            return None
        index = self._runs[run]
        record = index.load(episode_id)
        if record is None:
            return None
        keys = [(row["run"], row["id"]) for row in self._rows(given)]
        before = after = None
        if (run, episode_id) in keys:
            place = keys.index((run, episode_id))
            before = keys[place - 1] if place > 0 else None
            after = keys[place + 1] if place + 1 < len(keys) else None
        same_task = self._rows({"task": record.task_id})
        return {
            **view_episode(record, index.background),
            "run": run,
            "id": episode_id,
            "before": before,
            "after": after,
            "origin": ORIGIN_ID if record.forked_from and index.has_origin else None,
            "others": [row for row in same_task if (row["run"], row["id"]) != (run, episode_id)],
        }

    def _rows(self, wanted: Mapping[str, str]) -> list[Row]:
        entries = [entry for run in self._runs for entry in run.entries()]
        return [entry.row for entry in entries if is_wanted(entry.row, entry.text, wanted)]


def _read_number(given: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = given.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise UsageError(f"{name}: '{text[:40]}' is no whole number")
    return min(int(text), most)
