"""What the benchmark behind a run adds to an episode: the values of facts, and deeds of a success.

A run keeps neither: a fact's value is the task's, and only failures are explained when they are
graded. Where the benchmark is gone, or is another by now, the viewer does without.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any

from crab_graph.domain.card import EARLIER_CARD, DomainCard
from crab_graph.domains.benchmark import Benchmark
from crab_graph.errors import CrabGraphError
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.replay import replay
from crab_graph.eval.say_do import say_do_timeline
from crab_graph.eval.transcript import read_transcript
from crab_graph.runs.config import RunConfig, read_config
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run, benchmark_of, card_of
from crab_graph.text.mentions import LISTING_CAP


class Background:
    """The tasks that a run was made on, read when they are asked for; or none."""

    def __init__(
        self, bench: Benchmark | None, card: DomainCard = EARLIER_CARD, *, replays: bool = True
    ) -> None:
        """Read from a benchmark, or from none; the card is its domain's.

        What was done in passed episodes is told only where it `replays` them, which takes time.
        """
        self._bench = bench
        self._replays = replays
        self.card = card
        self._lock = Lock()

    @classmethod
    def of_run(
        cls, directory: Path, config: RunConfig | None = None, *, replays: bool = True
    ) -> "Background":
        """Return the background of a run; an empty one where its benchmark is not to be had."""
        run = Run(directory, config or read_config(directory), ())
        card = card_of(directory, run.config)
        try:
            return cls(benchmark_of(run), card, replays=replays)
        except (CrabGraphError, OSError):
            return cls(None, card)

    def fact_values(self, task_id: str, changes: int = 0) -> Mapping[str, str]:
        """Return what each fact of a task says, by its key, in words, after so many changes."""
        if self._bench is None:
            return {}
        try:
            with self._lock:
                told = self._bench[task_id].requests[changes]
                return {fact.key: in_words(fact.value) for fact in told.facts}
        except CrabGraphError:
            return {}

    def deeds(self, record: EpisodeRecord) -> Sequence[Mapping[str, Any]]:
        """Return what was said beside what was done about it, for a passed episode too."""
        if record.explanation is not None:
            timeline: Sequence[Mapping[str, Any]] = record.explanation.get("timeline", ())
            return timeline
        if self._bench is None or not (record.passed and self._replays):
            return ()
        try:
            with self._lock:
                task = self._bench[record.task_id].with_toolset(record.toolset)
                trajectory = replay(task, read_transcript(record.messages))
                episode = lay_out(read_task(task), trajectory, LISTING_CAP)
                return [asdict(deed) for deed in say_do_timeline(episode)]
        except CrabGraphError:
            return ()


NOTHING_BEHIND = Background(None)
"""Of a record alone."""


def in_words(value: Any) -> str:
    """Return the value of a fact in words."""
    if isinstance(value, list):
        return ", ".join(map(in_words, value))
    if isinstance(value, Mapping):
        return " ".join(map(in_words, value.values()))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
