"""The demonstration: the whole path offline, by the same calls a user would make.

Certified tasks; the solver and four agents that lack one of its skills each, against a cooperative
rule-based user, against users that call for one skill each, and against a realistic one; grades;
and a page to read it all in. A demonstration that was interrupted goes on where it stopped.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from crab_graph.analysis.report.page import write_page
from crab_graph.analysis.viewer.background import Background
from crab_graph.analysis.viewer.embedding import ShownRun
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.generate import generate_benchmark
from crab_graph.errors import UsageError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run
from crab_graph.runs.runner import run
from crab_graph.runs.sitting import Progress
from crab_graph.settings import DOMAIN
from crab_graph.workers import Bar, entries_of, no_bar

AGENTS = ("solver", "literal", "hasty", "credulous", "stubborn")
USERS = ("generic", "d1", "d2", "d3", "d4", "ruse")
BENCH, RUNS, PAGE = "bench", "runs", "report.html"


class Demonstration(NamedTuple):
    """What the demonstration left behind, and whether everything was there already."""

    benchmark: Benchmark
    runs: Sequence[Run]
    records: Sequence[EpisodeRecord]
    page: Path
    was_complete: bool


def demonstrate(
    path: str | Path = "demo",
    *,
    tasks: int = 4,
    seed: int = 0,
    domain: str = DOMAIN,
    jobs: int = 1,
    bar: Bar = no_bar,
) -> Demonstration:
    """Generate tasks, run the reference agents on them, grade, and write the page.

    The directory then holds `bench`, `runs/AGENT` and `report.html`.

    Raises:
        CrabGraphError: the directory holds something else, or a demonstration with other settings.
    """
    directory = Path(path)
    found = entries_of(directory) if directory.is_dir() else ()
    others = {one.name for one in found} - {BENCH, RUNS, PAGE}
    if others:
        raise UsageError(
            f"{directory}: holds other things, such as {min(others)}; choose another directory"
        )
    with bar("tasks") as advance:
        benchmark = generate_benchmark(
            directory / BENCH, tasks, seed=seed, domain=domain, jobs=jobs, progress=advance
        )
    begun: list[Progress] = []
    runs: list[Run] = []
    total = len(AGENTS) * len(USERS) * tasks
    with bar("episodes") as advance:
        for place, agent in enumerate(AGENTS):
            before = place * total // len(AGENTS)

            def report(progress: Progress, before: int = before) -> None:
                if progress.last is None:
                    begun.append(progress)
                advance(before + progress.done, total)

            out = directory / RUNS / agent
            runs += [run(benchmark, agent, USERS, out=out, seed=seed, jobs=jobs, progress=report)]
    page = directory / PAGE
    records = [record for one in runs for record in one]
    shown = [
        ShownRun(one.directory.name, one.episodes, Background.of_run(one.directory)) for one in runs
    ]
    write_page(page, records, "What each dimension of a user costs agents that lack a skill", shown)
    was_complete = all(progress.done == progress.total for progress in begun)
    return Demonstration(benchmark, runs, records, page, was_complete)
