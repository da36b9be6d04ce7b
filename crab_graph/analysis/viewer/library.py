"""The runs that are looked at: their episodes as one list, filtered, in pages, and one in full.

An index grows with its run: a row for each episode and where its line stands. Shards are read once.
Later only what was appended is read, so an index of a run that goes on costs what is new; a shard
that was written anew, as `regrade` does, is read anew.
"""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

from pydantic_core import from_json

from crab_graph.analysis.viewer.background import Background
from crab_graph.analysis.viewer.episode_view import view_episode
from crab_graph.analysis.viewer.listing import (
    Row,
    find_rows,
    is_wanted,
    row_of,
    text_of,
    with_notes,
)
from crab_graph.domain.card import DomainCard
from crab_graph.errors import RunError, UnknownName, UsageError
from crab_graph.runs.config import NOTES, ORIGIN, read_config
from crab_graph.runs.notes import Note, a_draft, find_notes, notes_by_episode, write_note
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import card_of
from crab_graph.runs.shard_lines import LineReader, shards_of, whole_lines
from crab_graph.runs.store import read_origin
from crab_graph.seals import UNSEALED, open_line

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
        self.planned = config.planned
        self.version = 0
        self.damaged: list[str] = []
        self._tasks = {task: place for place, task in enumerate(config.tasks)}
        self._users = {user: place for place, user in enumerate(config.users)}
        self._entries: dict[str, Entry] = {}
        self._shards: dict[Path, _Read] = {}
        self._notes: Mapping[str, Sequence[Note]] = {}
        self._notes_damaged: list[str] = []
        self._notes_state: tuple[int, ...] = ()
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
            for shard in shards_of(self.directory):
                self._read_shard(shard)
            self._read_notes()

    @property
    def problems(self) -> list[str]:
        """A line on everything that is damaged."""
        return [*self.damaged, *self._notes_damaged]

    def notes_on(self, episode_id: str) -> Sequence[Note]:
        """Return the notes on an episode, as they were read last."""
        return self._notes.get(episode_id, ())

    def entries(self) -> list[Entry]:
        """Return the entries in the order of the run's plan."""
        with self._writing:
            kept = [(one, self.notes_on(name)) for name, one in self._entries.items()]
        listed = [one if not notes else _noted(one, notes) for one, notes in kept]
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
                    reader = LineReader(self.config.is_sealed, number=None)
                    record = reader.read(file.read(entry.length))
            except OSError as error:
                problem = str(error.strerror)
            else:
                if record is not None and record.episode_id == episode_id:
                    return record
                problem = "its line holds another episode" if record else reader.bad[0].problem
            self.refresh()  # the shard was written anew since it was read
        raise RunError(f"{self.directory}: episode '{episode_id}' cannot be read: {problem}")

    def _read_notes(self) -> None:
        state: tuple[int, ...] = ()
        try:
            status = (self.directory / NOTES).stat()
            state = (status.st_ino, status.st_size, status.st_mtime_ns)
        except OSError:
            pass  # there are none
        if state == self._notes_state:
            return
        notes, damaged = find_notes(self.directory)
        with self._writing:
            self._notes_state = state
            self._notes, self._notes_damaged = notes_by_episode(notes), damaged
            self.version += 1

    def _read_shard(self, shard: Path) -> None:
        try:
            with shard.open("rb") as file:
                status = shard.stat()
                read = self._shards.get(shard)
                if read is None or read.inode != status.st_ino or read.end > status.st_size:
                    self._forget(shard)
                    read = self._shards[shard] = _Read(status.st_ino, 0, 0)
                file.seek(read.end)
                for line in whole_lines(file):
                    self._add(shard, read, line)
                    read = _Read(read.inode, read.end + len(line), read.lines + 1)
                    self._shards[shard] = read
        except FileNotFoundError:
            self._forget(shard)
        except OSError as error:
            self._tell(f"{shard.name}: cannot be read: {error.strerror}")

    def _tell(self, damage: str) -> None:
        """Remember what is damaged, once."""
        with self._writing:
            if damage not in self.damaged:
                self.damaged.append(damage)
                self.version += 1

    def _add(self, shard: Path, read: _Read, line: bytes) -> None:
        try:
            body, number, problem = open_line(line)
            if problem is None and number is None and self.config.is_sealed:
                problem = UNSEALED
            if problem is not None:
                raise ValueError(problem)
            fields = from_json(body)
            row, text = row_of(self.number, fields), text_of(fields)
            attempts = int(fields.get("attempts", 1))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = str(error).partition("\n")[0]
            if not isinstance(error, ValueError):
                reason = f"{type(error).__name__}: {reason}"
            self._tell(f"{shard.name}, line {read.lines + 1}: damaged: {reason}")
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


def _noted(entry: Entry, notes: Sequence[Note]) -> Entry:
    row, text = with_notes(entry.row, entry.text, notes)
    return entry._replace(row=row, text=text)


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
                "damaged": run.problems,
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
        entries = self._entries()
        found, facets = find_rows(((one.row, one.text) for one in entries), given)
        return {
            "version": version,
            "total": len(entries),
            "found": len(found),
            "offset": offset,
            "rows": found[offset : offset + limit],
            "facets": facets,
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
            **view_episode(record, index.background, index.notes_on(record.episode_id)),
            "run": run,
            "id": episode_id,
            "before": before,
            "after": after,
            "takes_notes": record.episode_id == episode_id,
            "origin": ORIGIN_ID if record.forked_from and index.has_origin else None,
            "others": [row for row in same_task if (row["run"], row["id"]) != (run, episode_id)],
        }

    def check_writable(self) -> None:
        """See that notes can be written beside every run, or raise a `RunError`."""
        for run in self._runs:
            if not os.access(run.directory, os.W_OK | os.X_OK):
                raise RunError(f"{run.directory / NOTES}: cannot be written: no permission")

    def write_note(self, run: int, fields: Mapping[str, Any]) -> Note | None:
        """Write a note beside a run, or a change of one; `None` where there is no such episode.

        Raises:
            UsageError: it is no note, or is another by now.
            RunError: it cannot be written.
        """
        draft = a_draft(fields)
        index = self._runs[run] if 0 <= run < len(self._runs) else None
        record = None if index is None else index.load(draft.episode_id)
        if index is None or record is None or record.episode_id != draft.episode_id:
            return None
        note = write_note(index.directory, draft, record)
        index.refresh()
        return note

    def lack(self, run: int, episode_id: str) -> str:
        """Say that no episode with an id has ended in a run, and which may be meant."""
        runs = self._runs[run : run + 1] if run >= 0 else []
        known = [entry.row["id"] for one in runs for entry in one.entries()]
        hint = None if known else "there is none in this run"
        return str(UnknownName("finished episode", episode_id, known, hint))

    def _rows(self, wanted: Mapping[str, str]) -> list[Row]:
        return [one.row for one in self._entries() if is_wanted(one.row, one.text, wanted)]

    def _entries(self) -> list[Entry]:
        return [entry for run in self._runs for entry in run.entries()]


def _read_number(given: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = given.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise UsageError(f"{name}: '{text[:40]}' is no whole number")
    return min(int(text), most)
