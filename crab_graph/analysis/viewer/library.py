"""The runs that are looked at: their episodes as one list, filtered, in pages, and one in full."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Any

from crab_graph.analysis.viewer.episode_view import view_episode
from crab_graph.analysis.viewer.index import ORIGIN_ID, RunIndex
from crab_graph.analysis.viewer.listing import Row, Wanted, count_facets
from crab_graph.errors import UsageError

PAGE = 50
LONGEST_PAGE = 500


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
        rows = self._rows(Wanted())
        found = self._rows(Wanted.read(given))
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
        keys = [(row["run"], row["id"]) for row in self._rows(Wanted.read(given))]
        before = after = None
        if (run, episode_id) in keys:
            place = keys.index((run, episode_id))
            before = keys[place - 1] if place > 0 else None
            after = keys[place + 1] if place + 1 < len(keys) else None
        same_task = self._rows(Wanted(task=record.task_id))
        return {
            **view_episode(record, index.background),
            "run": run,
            "id": episode_id,
            "before": before,
            "after": after,
            "origin": ORIGIN_ID if record.forked_from and index.has_origin else None,
            "others": [row for row in same_task if (row["run"], row["id"]) != (run, episode_id)],
        }

    def _rows(self, wanted: Wanted) -> list[Row]:
        entries = [entry for run in self._runs for entry in run.entries()]
        return [entry.row for entry in entries if wanted.fits(entry.row, entry.text)]


def _read_number(given: Mapping[str, str], name: str, default: int, most: int) -> int:
    """Return a whole number from a query string, no more than `most`."""
    text = given.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise UsageError(f"{name}: '{text[:40]}' is no whole number")
    return min(int(text), most)
