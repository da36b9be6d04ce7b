"""What a whole episode of the reference agent reads: calls it makes, tokens of their results.

Every result of an agent's tools counts once, a byte being a quarter of a token: searches, and all
that is booked, charged and looked up besides. `python benchmarks/bench_tokens.py` makes a benchmark
with as many tasks of each date mode as a figure is the mean of; `python benchmarks/bench_tokens.py
BENCH` takes one that is there. Users are the generic one, and RUSE's with a persona for each task.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import crab_graph as cg
from crab_graph.domains.task import Task
from crab_graph.settings import Toolset
from crab_graph.tools.registry import Owner

Row = tuple[str, str, str]

TASKS = 24
"""Tasks of each date mode."""
USERS = ("generic", "ruse")
BYTES = 4
"""Of a token."""

TARGETS = {"fixed": (25_000, 20), "flexible": (35_000, 40)}
"""For each date mode the tokens in the mean, and the calls at most."""


class Episode(NamedTuple):
    """What one episode took."""

    mode: str
    user: str
    tokens: float
    calls: int
    passed: bool


def play(task: Task, user: str) -> Episode:
    """Let the solver work on a task, and count what its tools answer."""
    played = cg.run_episode(task, "solver", user, seed=0)
    own = task.domain.with_toolset(Toolset.PARITY).registry().names(Owner.AGENT)
    names = {
        call["id"]: call["name"]
        for message in played.messages
        for call in message.get("tool_calls", ())
    }
    results = [
        len(message["content"].encode())
        for message in played.messages
        if message["role"] == "tool" and names[message["tool_call_id"]] in own
    ]
    mode = str(task.axes["date_mode"])
    return Episode(mode, user, sum(results) / BYTES, len(results), bool(played.passed))


def measure(bench: Sequence[Task]) -> Iterator[Row]:
    """Yield the rows of a benchmark, a date mode and a user after the other."""
    episodes = [play(task, user) for task in bench for user in USERS]
    for mode, (most_tokens, most_calls) in TARGETS.items():
        for user in USERS:
            found = [one for one in episodes if (one.mode, one.user) == (mode, user)]
            if not found:
                continue
            tokens, calls = [one.tokens for one in found], [one.calls for one in found]
            about = f"{mode} dates, {user} user"
            passed = f"{sum(one.passed for one in found)} of {len(found)} pass"
            yield f"tokens, {about}: mean", f"{mean(tokens):,.0f}", f"≤ {most_tokens:,}"
            yield f"tokens, {about}: most", f"{max(tokens):,.0f}", ""
            yield f"calls, {about}: mean", f"{mean(calls):.1f} ({passed})", ""
            yield f"calls, {about}: most", f"{max(calls)}", f"≤ {most_calls}"


def main() -> list[Row]:
    """Return the rows of a new benchmark."""
    with tempfile.TemporaryDirectory() as directory:
        bench = cg.generate_benchmark(Path(directory) / "bench", tasks=2 * TASKS, seed=1)
        return list(measure(bench))


if __name__ == "__main__":
    rows = list(measure(cg.load_benchmark(sys.argv[1]))) if sys.argv[1:] else main()
    for what, measured, target in rows:
        print(f"{what:<46}{measured:<24}{target}".rstrip())
