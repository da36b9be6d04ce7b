"""Runs: what waiting for models in parallel costs, and saving one episode more.

The model is simulated by an agent that sleeps. `BENCH=full` adds 1,000 live episodes at a latency
of 3 s, which takes a minute.
"""

import importlib
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import crab_graph as cg
from crab_graph.runs.execution import PRELOAD
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import Shard
from crab_graph.settings import Limits
from crab_graph.testing import tool_call_reply

Row = tuple[str, str, str]

TASKS = 5
CALLS = 25
LATENCY = 0.05
AT_ONCE = 8
EPISODES = 50
SAVED = 1000
LIVE_CALLS = 10
BATCH = 50


class Waiting:
    """An agent that takes its time and looks something up; it notes when it is asked."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.moments: list[float] = []
        self._lock = threading.Lock()

    def __call__(self, messages: list[Any], tools: list[Any]) -> Any:
        """Answer with a look-up."""
        del messages, tools
        started = time.perf_counter()
        time.sleep(self.latency)
        with self._lock:
            self.moments += (started, time.perf_counter())
        return tool_call_reply("list_all_airports")


def say(messages: list[Any], tools: list[Any]) -> str:
    """Be a user who has one thing to say."""
    del messages, tools
    return "Please look at the airports, and go on doing so."


def look(messages: list[Any], tools: list[Any]) -> Any:
    """Do what `Waiting` does, for processes, which need a name to import."""
    del messages, tools
    time.sleep(LATENCY)
    return tool_call_reply("list_all_airports")


def run(
    folder: Path,
    bench: cg.Benchmark,
    agent: "Waiting | str",
    user: Any,
    episodes: int,
    calls: int,
    at_once: int,
    jobs: int = 1,
) -> float:
    """Run episodes of so many calls and return the seconds it took, grading included."""
    limits = Limits(max_messages=1 + 2 * calls)
    started = time.perf_counter()
    done = cg.run(
        bench,
        agent,
        user,
        trials=episodes // len(bench),
        out=folder,
        jobs=jobs,
        concurrency=at_once // jobs,
        limits=limits,
    )
    seconds = time.perf_counter() - started
    made = [episode.metrics["total_tool_calls"] for episode in done]
    if made != [calls] * episodes:
        raise RuntimeError(f"{len(made)} of {episodes} episodes with {set(made)} calls")
    return seconds


def load_all() -> float:
    """Load what an episode needs, and return the seconds that takes in a process of its own."""
    for name in PRELOAD:
        importlib.import_module(name)
    timed = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
    line = [sys.executable, "-c", timed.format(", ".join(PRELOAD))]
    return float(subprocess.run(line, stdout=subprocess.PIPE, check=True).stdout)


def bench_parallel(folder: Path, bench: cg.Benchmark) -> list[Row]:
    """Fifty episodes, eight at once; ideal is that nothing but the model takes time.

    What is loaded once a process is counted by itself where one process does all, and in the time
    of the run where there are two, which load it themselves.
    """
    loading = load_all()
    before = time.process_time()
    one = run(folder / "parallel", bench, Waiting(LATENCY), say, EPISODES, CALLS, AT_ONCE)
    spent = 1000 * (time.process_time() - before) / (EPISODES * CALLS)
    named = "benchmarks.bench_runs:look"
    two = run(folder / "processes", bench, named, "ruse", EPISODES, CALLS, AT_ONCE, jobs=2)
    ideal = math.ceil(EPISODES / AT_ONCE) * CALLS * LATENCY
    what = f"{EPISODES} episodes × {CALLS} calls of {1000 * LATENCY:.0f} ms, {AT_ONCE} at once"
    return [
        ("loading LangGraph and grading, once a process", f"{loading:.2f} s", ""),
        (f"{what} (ideal {ideal:.2f} s), one process", f"{one:.2f} s", ""),
        (f"{what} / ideal, one process that has loaded", f"{one / ideal:.2f} ×", "≤ 1.3 ×"),
        (f"{what}, CPU per call, its tool and its part of grading", f"{spent:.1f} ms", ""),
        (f"{what} / ideal, two processes and their start", f"{two / ideal:.2f} ×", "≤ 1.3 ×"),
    ]


def bench_saving(folder: Path, bench: cg.Benchmark) -> list[Row]:
    """One more episode on the disk when there are none, and when there are a thousand."""
    record: EpisodeRecord = cg.run_episode(bench[0], "solver", "ruse")
    shard = Shard(folder / "saved" / "part-0.jsonl")
    times: list[float] = []
    for _ in range(SAVED + BATCH):
        started = time.perf_counter()
        shard.append(record)
        times.append(time.perf_counter() - started)
    shard.close()
    first, last = median(times[:BATCH]), median(times[-BATCH:])
    return [
        ("saving one episode", f"{1000 * first:.1f} ms", ""),
        (f"saving one more, {SAVED} saved / none", f"{last / first:.2f} ×", "≤ 1.5 ×"),
    ]


def bench_live(episodes: int, latency: float, directory: Path) -> list[Row]:
    """Many live episodes in one process of their own."""
    line = [sys.executable, __file__, str(episodes), str(latency), str(directory)]
    measured = json.loads(subprocess.run(line, stdout=subprocess.PIPE, check=True).stdout)
    what = f"{episodes} live episodes at {latency:g} s a call"
    return [
        (f"{what}, rate / ideal", f"{100 * measured['rate']:.0f} %", "≥ 90 %"),
        (f"{what}, memory", f"{measured['gigabytes']:.2f} GB", "≤ 2 GB"),
    ]


def measure_live(episodes: int, latency: float, directory: Path) -> dict[str, float]:
    """Run episodes all at once; the rate is from the first question to the last answer."""
    bench = cg.load_benchmark(directory / "bench")
    agent = Waiting(latency)
    run(directory / f"live-{episodes}", bench, agent, say, episodes, LIVE_CALLS, episodes)
    elapsed = max(agent.moments) - min(agent.moments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"rate": LIVE_CALLS * latency / elapsed, "gigabytes": peak}


def main() -> Sequence[Row]:
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        bench = cg.generate_benchmark(folder / "bench", tasks=TASKS, strata=(1,), distractors=200)
        assert all(task.world.tables for task in bench)
        rows = [
            *bench_parallel(folder, bench),
            *bench_saving(folder, bench),
            *bench_live(400, 1.0, folder),
        ]
        if os.environ.get("BENCH") == "full":
            rows += bench_live(1000, 3.0, folder)
        return rows


if __name__ == "__main__":
    print(json.dumps(measure_live(int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]))))
