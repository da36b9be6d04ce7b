"""Calls tools as nobody should, and strikes commands at any moment, for as long as it is told to.

`make soak MINUTES=60` does; CALLS and KILLS end it earlier. What was counted stands in OUT and is
added to by the next time, so that a long run can be made of several. Exits with 1 where something
leaked, or came out otherwise than what nobody touched.
"""

import argparse
import json
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from crab_graph.domain.contract import DOMAINS
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.generate import generate_benchmark
from crab_graph.workers import write_atomically
from tests.soak.conservation import Leak
from tests.soak.hostile_calls import hostile_episode
from tests.soak.killing import Harness, begin, in_child
from tests.soak.works import WORKS

EPISODES = 40
"""Episodes of hostile calls, in each domain and with each toolset, before work is struck again."""

FIGURES = "figures.json"


class Figures:
    """What was done in a folder so far."""

    def __init__(self, folder: Path) -> None:
        """Read what stands there."""
        self._path = folder / FIGURES
        known: dict[str, Any] = json.loads(self._path.read_text()) if self._path.exists() else {}
        self.rounds: int = known.get("rounds", 0)
        self.seconds: float = known.get("seconds", 0.0)
        self.calls = Counter(known.get("calls", {}))
        self.leaks: list[Any] = known.get("leaks", [])
        self.trials = Counter(known.get("trials", {}))
        self.strikes = Counter(known.get("strikes", {}))
        self.differing: list[Any] = known.get("differing", [])

    def as_json(self) -> dict[str, Any]:
        """Return all of them, in the form in which they are kept."""
        return {
            "rounds": self.rounds,
            "seconds": round(self.seconds, 1),
            "calls": dict(sorted(self.calls.items())),
            "leaks": self.leaks,
            "trials": dict(sorted(self.trials.items())),
            "strikes": dict(sorted(self.strikes.items())),
            "differing": self.differing,
        }

    def save(self) -> None:
        """Keep them."""
        write_atomically(self._path, json.dumps(self.as_json(), indent=1) + "\n")

    @property
    def is_clean(self) -> bool:
        """Whether nothing leaked, and all came out alike."""
        return not self.leaks and not self.differing

    def lines(self) -> Iterator[str]:
        """Yield them for people."""
        outcomes = _by(self.calls, 2)
        yield f"{self.calls.total():,} calls, {len(self.leaks)} leaks"
        yield f"  answered: {outcomes.pop('answered', 0):,}; refused: {outcomes.total():,}"
        yield from (f"  {name}: {count:,}" for name, count in _by(self.calls, 0, 1).items())
        trials, differing = self.trials.total(), len(self.differing)
        yield f"{self.strikes.total():,} strikes in {trials:,} trials, {differing} differing"
        for title, place in (("", 0), ("with ", 2), ("", 1)):
            yield from (f"  {title}{name}: {n:,}" for name, n in _by(self.strikes, place).items())


def _by(counts: Counter[str], *places: int) -> Counter[str]:
    """Return counts by some parts of their names."""
    found: Counter[str] = Counter()
    for name, count in counts.items():
        parts = name.split("|")
        found[", ".join(parts[place] for place in places)] += count
    return Counter(dict(sorted(found.items())))


def benchmarks(folder: Path) -> Iterator[Benchmark]:
    """Yield a small benchmark of each domain that ships."""
    for name in DOMAINS.built_in:
        path = folder / f"bench-{name}"
        if not (path / "manifest.json").exists():
            generate_benchmark(path, 4, domain=name, seed=3, distractors=40, jobs=1)
        yield load_benchmark(path)


def call_tools(
    folder: Path, number: int, episodes: int = EPISODES
) -> tuple[Counter[str], list[Any]]:
    """Return how calls of episodes of every domain and toolset ended, and what leaked."""
    counts: Counter[str] = Counter()
    leaks = []
    for bench in benchmarks(folder):
        for toolset in bench.domain.toolsets:
            domain = bench.domain.with_toolset(toolset)
            for episode in range(number * episodes, (number + 1) * episodes):
                task = bench[episode % len(bench)]
                seed = (domain.name, str(toolset), task.id, episode)
                try:
                    for step in hostile_episode(domain, task.world, *seed):
                        error = (step.outcome.error or {}).get("error", "answered")
                        counts[f"{domain.name}|{toolset}|{error}"] += 1
                except Exception as error:  # a crash is as bad as a leak
                    leaks.append([*seed, f"{type(error).__name__}: {error}"])
                    if not isinstance(error, Leak):
                        counts[f"{domain.name}|{toolset}|crashed"] += 1
    return counts, leaks


class Soak:
    """One sitting of a soak."""

    def __init__(self, folder: Path, works: Sequence[str], seed: int) -> None:
        """Prepare what is struck anew, and go on with the figures."""
        self.folder, self.seed = folder, seed
        folder.mkdir(parents=True, exist_ok=True)
        self.figures = Figures(folder)
        self._works = list(works or WORKS)
        self._harness: Harness | None = None

    def call(self) -> None:
        """Make a round of calls, in a process of their own."""
        told = self.folder / "calls.json"
        number = self.figures.rounds

        def work() -> None:
            told.write_text(json.dumps(call_tools(self.folder, number)))

        if in_child(work, self.folder / "calls.said").code != 0:
            raise SystemExit((self.folder / "calls.said").read_text())
        counts, leaks = json.loads(told.read_text())
        self.figures.calls.update(counts)
        self.figures.leaks += leaks
        self.figures.rounds += 1

    def strike(self) -> None:
        """Strike each piece of work once, or some more times, until it is done."""
        if self._harness is None:
            shutil.rmtree(self.folder / "work", ignore_errors=True)
            self._harness = begin(self.folder / "work", self._works)
        harness, number = self._harness, self.figures.trials.total()
        name = self._works[number % len(self._works)]
        before = Counter(harness.strikes)
        harness.trial(name, number, Random(f"{self.seed} {number}"))
        self.figures.trials[name] += 1
        struck = harness.strikes - before
        self.figures.strikes.update({"|".join(key): count for key, count in struck.items()})
        self.figures.differing += harness.differing
        harness.differing.clear()


def main(arguments: Sequence[str] | None = None) -> int:
    """Soak, and print the figures."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("soak"), help="what was counted so far")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long")
    parser.add_argument("--calls", type=int, default=1_000_000, help="calls in all")
    parser.add_argument("--kills", type=int, default=2_000, help="strikes in all")
    parser.add_argument("--works", default="", help="names with semicolons; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args(arguments)
    soak = Soak(given.out.absolute(), [one for one in given.works.split(";") if one], given.seed)
    figures = soak.figures
    begun = last = time.monotonic()
    while time.monotonic() < begun + 60 * given.minutes:
        calls, strikes = figures.calls.total() < given.calls, figures.strikes.total() < given.kills
        if calls:
            soak.call()
        if strikes:
            soak.strike()
        if not (calls or strikes):
            break
        figures.seconds += time.monotonic() - last
        last = time.monotonic()
        figures.save()
    told = figures.as_json()
    print(json.dumps(told, indent=1) if given.json else "\n".join(figures.lines()))
    return 0 if figures.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
