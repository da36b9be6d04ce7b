"""What a whole episode of the reference agent reads: calls it makes, tokens of their results.

Every result of an agent's tools counts once, a byte being a quarter of a token: searches, and all
that is booked, charged and looked up besides. `python benchmarks/bench_tokens.py` makes a benchmark
with as many tasks of each date mode as a figure is the mean of; `python benchmarks/bench_tokens.py
BENCH` takes one that is there. Users are the generic one, and RUSE's with a persona for each task.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
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
"""For each date mode the tokens in the mean, and the calls at most (design §13)."""


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


class Figures(NamedTuple):
    """What the episodes of one date mode and user took."""

    mode: str
    user: str
    passed: str
    tokens: list[float]
    calls: list[int]


def measure(bench: Sequence[Task]) -> Iterator[Figures]:
    """Yield the figures of a benchmark, a date mode and a user after the other."""
    episodes = [play(task, user) for task in bench for user in USERS]
    for mode, user in product(TARGETS, USERS):
        if found := [one for one in episodes if (one.mode, one.user) == (mode, user)]:
            passed = f"{sum(one.passed for one in found)} of {len(found)}"
            calls = [one.calls for one in found]
            yield Figures(mode, user, passed, [one.tokens for one in found], calls)


def rows_of(found: Figures) -> Iterator[Row]:
    """Yield the figures with their targets, as `run.py` prints them."""
    most_tokens, most_calls = TARGETS[found.mode]
    about = f"{found.mode} dates, {found.user} user, {found.passed} pass"
    yield f"tokens, {about}: mean", f"{mean(found.tokens):,.0f}", f"≤ {most_tokens:,}"
    yield f"tokens, {about}: most", f"{max(found.tokens):,.0f}", ""
    yield f"calls, {about}: mean", f"{mean(found.calls):.1f}", ""
    yield f"calls, {about}: most", f"{max(found.calls)}", f"≤ {most_calls}"


def new_figures() -> list[Figures]:
    """Return the figures of a new benchmark."""
    with tempfile.TemporaryDirectory() as directory:
        bench = cg.generate_benchmark(Path(directory) / "bench", tasks=2 * TASKS, seed=1)
        return list(measure(bench))


def print_table(figures: Sequence[Figures]) -> None:
    """Print a line for each date mode and user."""
    line = "{:<10}{:<9}{:<10}{:>8}{:>8}{:>10}{:>7}{:>6}{:>8}"
    print(line.format("", "", "", "tokens", "", "", "calls", "", "").rstrip())
    heads = ("mean", "most", "target")
    print(line.format("dates", "user", "passed", *heads, *heads))
    for one in figures:
        most_tokens, most_calls = TARGETS[one.mode]
        tokens = (f"{mean(one.tokens):,.0f}", f"{max(one.tokens):,.0f}", f"≤ {most_tokens:,}")
        calls = (f"{mean(one.calls):.1f}", str(max(one.calls)), f"≤ {most_calls}")
        print(line.format(one.mode, one.user, one.passed, *tokens, *calls))


def main() -> list[Row]:
    """Return the rows of a new benchmark."""
    return [row for found in new_figures() for row in rows_of(found)]


if __name__ == "__main__":
    given = sys.argv[1:]
    print_table(list(measure(cg.load_benchmark(given[0]))) if given else new_figures())
