"""CPU time of grading one episode, its task open, and of writing its final state as rows.

The episodes are the solver's on the tasks of one benchmark that take it the longest and the
shortest talks. A task is open: its tables were read, and an episode of it was graded before. Each
is measured twice:

- played here: what grading takes inside `run_episode`, over several trials that differ by seed;
- from elsewhere: a transcript of which neither a call nor a message was seen before.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import duckdb

import crab_graph as cg
from crab_graph.domains.task import Task
from crab_graph.eval import verdict
from crab_graph.eval.replay import replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.runs.record import EpisodeRecord
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.tables import Table
from tests.tools.final_state import write_final_state, write_final_states

REPEATS = 15
TRIALS = 7
TOGETHER = 50


def cpu_milliseconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the median CPU time of doing something."""
    return median(_milliseconds(work) for _ in range(repeats))


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def main() -> list[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory() as directory:
        bench = cg.generate_benchmark(Path(directory) / "bench", tasks=4, seed=3)
        played = [cg.run_episode(task, "solver", "ruse") for task in bench]
        by_length = sorted(played, key=lambda episode: len(episode.messages))
        rows = [
            row
            for episode in (by_length[0], by_length[-1])
            for task in (bench[episode.task_id],)
            for row in (_measure_played(task, episode), *_measure_foreign(task, episode))
        ]
        longest = by_length[-1]
        final = replay(bench[longest.task_id], read_transcript(longest.messages)).ledger
        return [*rows, _measure_final_state(final, bench.domain.tables)]


def _measure_played(task: Task, episode: EpisodeRecord) -> tuple[str, str, str]:
    with _timed_grading() as times:
        for seed in range(1, TRIALS + 1):
            cg.run_episode(task, "solver", "ruse", seed=seed)
    return f"grading {_size(episode)}, played here, CPU", f"{median(times):.1f} ms", "≤ 15 ms"


@contextmanager
def _timed_grading() -> Iterator[list[float]]:
    """Collect the milliseconds that each grading inside takes."""
    grade, times = verdict.grade, []

    def timed(*arguments: Any, **options: Any) -> verdict.Verdict:
        found: list[verdict.Verdict] = []
        times.append(_milliseconds(lambda: found.append(grade(*arguments, **options))))
        return found[0]

    with mock.patch.object(verdict, "grade", timed):
        yield times


def _measure_foreign(task: Task, episode: EpisodeRecord) -> list[tuple[str, str, str]]:
    messages = episode.messages

    def unseen(do: Callable[[], object]) -> float:
        return _milliseconds(do)

    whole = median(unseen(lambda: verdict.grade(task, messages)) for _ in range(REPEATS))
    calls = median(unseen(lambda: replay(task, read_transcript(messages))) for _ in range(REPEATS))
    return [
        (f"grading {_size(episode)}, from elsewhere, CPU", f"{whole:.1f} ms", "≤ 15 ms"),
        ("of it reading and running all calls", f"{calls:.1f} ms", ""),
    ]


def _size(episode: EpisodeRecord) -> str:
    return f"{len(episode.messages)} messages, {episode.metrics['total_tool_calls']} calls"


def _measure_final_state(final: Ledger, schema: Sequence[Table]) -> tuple[str, str, str]:
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        write_final_state(connection, "first", final, schema)  # makes the tables
        states = [(f"episode {number}", final) for number in range(TOGETHER)]
        whole = cpu_milliseconds(lambda: write_final_states(connection, states, schema))
    what = f"writing a final state to DuckDB, {TOGETHER} episodes together, CPU an episode"
    return what, f"{whole / TOGETHER:.2f} ms", "≤ 0.6 ms"
