"""CPU time of grading one episode, its task open, and of writing its final state as rows.

The episodes are the solver's longest and shortest talks of one benchmark. The task is open: its
tables were read, and an episode of it was graded before.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import duckdb

import crab_graph as cg
from crab_graph.domains.task import Task
from crab_graph.eval.replay import replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import grade
from crab_graph.runs.record import EpisodeRecord
from crab_graph.tools.final_state import write_final_state, write_final_states
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.tables import Table

REPEATS = 15
TOGETHER = 50


def cpu_milliseconds(work: Callable[[], object]) -> float:
    """Return the median CPU time of doing something."""
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return 1000 * median(times)


def main() -> list[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory() as directory:
        bench = cg.generate_benchmark(Path(directory) / "bench", tasks=4, seed=3)
        played = [cg.run_episode(task, "solver", "ruse") for task in bench]
        tasks = {task.id: task for task in bench}
        for task in bench:
            assert task.world.tables
    by_length = sorted(played, key=lambda episode: len(episode.messages))
    rows = [
        row
        for episode in (by_length[0], by_length[-1])
        for row in _measure(tasks[episode.task_id], episode)
    ]
    longest = by_length[-1]
    final = replay(tasks[longest.task_id], read_transcript(longest.messages)).ledger
    return [*rows, _measure_final_state(final, bench.domain.tables)]


def _measure_final_state(final: Ledger, schema: Sequence[Table]) -> tuple[str, str, str]:
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        write_final_state(connection, "first", final, schema)  # makes the tables
        states = [(f"episode {number}", final) for number in range(TOGETHER)]
        whole = cpu_milliseconds(lambda: write_final_states(connection, states, schema))
    what = f"writing a final state to DuckDB, {TOGETHER} episodes together, CPU an episode"
    return what, f"{whole / TOGETHER:.2f} ms", "≤ 0.6 ms"


def _measure(task: Task, episode: EpisodeRecord) -> list[tuple[str, str, str]]:
    messages = episode.messages
    grade(task, messages)  # opens the task
    whole = cpu_milliseconds(lambda: grade(task, messages))
    replayed = cpu_milliseconds(lambda: replay(task, read_transcript(messages)))
    what = f"grading {len(messages)} messages, {episode.metrics['total_tool_calls']} calls, CPU"
    return [
        (what, f"{whole:.1f} ms", "≤ 5 ms"),
        ("of it reading and running the calls again", f"{replayed:.1f} ms", ""),
    ]
