"""The runs that are looked at: their episodes as one list, filtered, in pages, and one in full."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Event, Thread
from typing import Any

from crab_graph.analysis.viewer.background import Background
from crab_graph.analysis.viewer.episode_view import view_episode
from crab_graph.analysis.viewer.index import Entry, RunIndex
from crab_graph.analysis.viewer.listing import Row, Wanted, count_facets, neighbours, read_number
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import ORIGIN, read_origin

ORIGIN_ID = "origin"
"""The id under which the episode is shown that a run's forks go on from."""

PAGE = 50
LONGEST_PAGE = 500


class Shelf:
    """One run with the benchmark behind it."""

    def __init__(self, directory: Path, number: int) -> None:
        """Open a run.

        Raises:
            RunError: there is none.
        """
        self.index = RunIndex(directory, number)
        self.directory = directory

    @cached_property
    def background(self) -> Background:
        """The benchmark's part, opened when the first episode is."""
        return Background.of_run(self.directory, self.index.config)

    @property
    def has_origin(self) -> bool:
        """Whether the run's episodes are forks of one that it keeps."""
        return (self.directory / ORIGIN).is_file()

    def load(self, episode_id: str) -> EpisodeRecord | None:
        """Return an episode, or the one that forks go on from, or `None`.

        Raises:
            RunError: it is damaged.
        """
        if episode_id == ORIGIN_ID:
            return read_origin(self.directory) if self.has_origin else None
        return self.index.load(episode_id)


class Library:
    """Runs, in the order in which they were given."""

    def __init__(self, directories: Sequence[Path]) -> None:
        """Open runs; their episodes are read by `refresh`, or by `watch`.

        Raises:
            RunError: one of them is none.
        """
        self._shelves = [Shelf(Path(one), number) for number, one in enumerate(directories)]
        self._facets: tuple[int, dict[str, dict[str, int]]] = (-1, {})

    @property
    def version(self) -> int:
        """A number that grows with everything that is read."""
        return sum(shelf.index.version for shelf in self._shelves)

    def refresh(self) -> None:
        """Read what was added to the runs."""
        for shelf in self._shelves:
            shelf.index.refresh()

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
        return {
            "version": self.version,
            "runs": [_about(shelf.index) for shelf in self._shelves],
        }

    def page(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return a page of the list, for the values of a query string.

        Raises:
            UsageError: `offset` or `limit` is no number.
        """
        offset = read_number(given, "offset", 0, 10**9)
        limit = read_number(given, "limit", PAGE, LONGEST_PAGE)
        version = self.version
        entries = self._entries()
        found = _filtered(entries, Wanted.read(given))
        return {
            "version": version,
            "total": len(entries),
            "found": len(found),
            "offset": offset,
            "rows": found[offset : offset + limit],
            "facets": self._count(version, entries),
        }

    def episode(self, run: int, episode_id: str, given: Mapping[str, str]) -> dict[str, Any] | None:
        """Return one episode in full, with its neighbours in the list as filtered.

        Raises:
            RunError: its line is damaged.
        """
        if not 0 <= run < len(self._shelves):
            return None
        shelf = self._shelves[run]
        record = shelf.load(episode_id)
        if record is None:
            return None
        origin = record.forked_from and shelf.has_origin
        entries = self._entries()
        keys = [(row["run"], row["id"]) for row in _filtered(entries, Wanted.read(given))]
        same_task = _filtered(entries, Wanted(task=record.task_id))
        return {
            **view_episode(record, shelf.background),
            "run": run,
            "id": episode_id,
            **neighbours(keys, (run, episode_id)),
            "origin": ORIGIN_ID if origin else None,
            "others": [row for row in same_task if (row["run"], row["id"]) != (run, episode_id)],
        }

    def _entries(self) -> list[Entry]:
        return [entry for shelf in self._shelves for entry in shelf.index.entries()]

    def _count(self, version: int, entries: Sequence[Entry]) -> dict[str, dict[str, int]]:
        if self._facets[0] != version:
            self._facets = version, count_facets(entry.row for entry in entries)
        return self._facets[1]


def _filtered(entries: Sequence[Entry], wanted: Wanted) -> list[Row]:
    return [entry.row for entry in entries if wanted.fits(entry.row, entry.text)]


def _about(index: RunIndex) -> dict[str, Any]:
    return {
        "number": index.number,
        "name": index.directory.name or str(index.directory.resolve().name),
        "agent": index.config.agent_label,
        "engine": index.config.user_engine,
        "finished": len(index.entries()),
        "planned": index.planned,
        "damaged": list(index.damaged),
    }
