"""CPU time of grading one episode, its task open: the solver's longest and shortest talks."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import crab_graph as cg
from crab_graph.domains.task import Task
from crab_graph.eval.replay import replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import grade
from crab_graph.runs.record import EpisodeRecord

REPEATS = 15


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
    return rows


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
