"""Work that writes: what each piece begins from, what does it, and what it leaves.

All of it stands side by side in one folder: a benchmark, runs that other work begins from, and what
the work itself makes, so that the runs find their benchmark wherever they are copied.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.eval import verdict
from crab_graph.eval.checks import judge, seen
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.schema import canonical_json
from crab_graph.workers import entries_of

BENCH, RUN, OTHERWISE = "bench", "run", "run-graded-otherwise"
EPISODE = "S1-001.generic.0"
TASKS = ("--tasks", "S1-001")
SMALLEST = ("--tasks", "1", "--strata", "1", "--distractors", "20", "--seed", "3")
SMALL = ("--tasks", "2", "--strata", "1,2", "--distractors", "40", "--seed", "3")
USERS = ("--user", "generic,impatient")


@dataclass(frozen=True)
class Work:
    """One piece of work.

    Attributes:
        begin: Does it, from `(folder of all, path of what it makes)`; returns the exit code.
        digest: What must come out alike, of what it made.
        source: A run that is copied to that path before, where it works on one.
        again: The ways to go on with it, or to do it again, once there is something of it; by
            default it is begun once more.
        fine: Exit codes of work that was done.
    """

    begin: Callable[[Path, Path], int]
    digest: Callable[[Path], Any]
    source: str | None = None
    again: tuple[Callable[[Path, Path], int], ...] = ()
    fine: frozenset[int] = frozenset({0})

    def lay_out(self, folder: Path, out: Path) -> None:
        """Bring what it works on."""
        if self.source is not None:
            shutil.copytree(folder / self.source, out)


def command(*words: str) -> Callable[[Path, Path], int]:
    """Return what runs a command line, in which `BENCH`, `RUN` and `OUT` stand for paths."""

    def run(folder: Path, out: Path) -> int:
        places = {"BENCH": folder / BENCH, "RUN": folder / RUN, "OUT": out}
        return main([str(places.get(word, word)) for word in words])

    return run


def records_of(out: Path) -> Any:
    """Return a finished run's records, and how many lines its shards have.

    Raises:
        ValueError: it is not finished.
    """
    run = cg.open_run(out)
    if not run.is_complete:
        raise ValueError(f"{out}: only {len(run)} of {run.planned} episodes have a verdict")
    # Hashes of sources, in which somebody may be writing; ids that LangChain draws; and the clock.
    left_out: Any = {
        **{"stamp": True, "seconds": True, "history": {"__all__": {"stamp"}}},
        "tool_costs": {"__all__": {"seconds"}},
        "hidden": {"agent_states": True, "beside": {"__all__": {"took"}}},
    }
    records = [canonical_json(one.model_dump(mode="json", exclude=left_out)) for one in run]
    shards = entries_of(out / "shards")
    return [records, sum(path.read_bytes().count(b"\n") for path in shards)]


def tables_of(out: Path) -> Any:
    """Return how many rows each table of a compacted run has, and its records."""
    run = cg.open_run(out)
    names = ("episodes", "checks", "messages", "tool_calls", "facts")
    rows = {name: run.sql(f"SELECT * FROM {name} ORDER BY ALL").fetchall() for name in names}
    return [rows, len(list((out / "warehouse").glob("*/part.json"))), records_of(out)]


def benchmark_of(out: Path) -> Any:
    """Return the hash of a benchmark whose tasks are all there, and whether it is certified."""
    bench = cg.load_benchmark(out)
    return [bench.sha256, [one.id for one in bench], [len(one.solutions) for one in bench]]


def sweep_of(out: Path) -> Any:
    """Return what a sweep tells, and its benchmarks."""
    folders = sorted(path.parent for path in out.rglob("manifest.json"))
    told = json.loads((out / "sweep.json").read_text())
    return [told, [(str(one.relative_to(out)), benchmark_of(one)) for one in folders]]


def pivot_of(out: Path) -> Any:
    """Return what was found at each turn of an episode, and the run it belongs to."""
    forks = out / "pivots" / EPISODE
    return [json.loads((forks / "pivot.json").read_text()), records_of(forks), records_of(out)]


def bytes_of(out: Path) -> Any:
    """Return the hash of each file of an export, in which its own name may stand."""
    beside = out.parent.glob(f"{out.name}.*.json")
    paths = sorted(path for path in [out, *out.rglob("*"), *beside] if path.is_file())
    return [
        (
            str(path).removeprefix(str(out)),
            hashlib.sha256(path.read_bytes().replace(out.name.encode(), b"OUT")).hexdigest(),
        )
        for path in paths
    ]


def _export(format: str) -> Work:
    words = ("export", "RUN", "--format", format, "--out", "OUT")
    return Work(command(*words), bytes_of, again=(command(*words, "--force"),))


def _played(*words: str) -> Work:
    """Return a run of any command, which can be gone on with by itself and by `resume`."""
    begin, resume = command(*words, "--out", "OUT"), command("resume", "OUT")

    def go_on(folder: Path, out: Path) -> int:
        # Before its settings stand there is no run yet.
        return (resume if (out / "run.json").exists() else begin)(folder, out)

    return Work(begin, records_of, again=(begin, go_on))


_RUN = ("run", "BENCH", "--agent", "solver", *USERS)

WORKS: Mapping[str, Work] = {
    "generate": Work(command("generate", "OUT", *SMALLEST, "--jobs", "1"), benchmark_of),
    "generate, 2 jobs": Work(command("generate", "OUT", *SMALL, "--jobs", "2"), benchmark_of),
    "run": _played(*_RUN),
    "run, 3 at once": _played(*_RUN, "--concurrency", "3"),
    "run, 2 jobs": _played(*_RUN, "--jobs", "2", "--concurrency", "2"),
    "fork": _played("fork", "RUN", EPISODE, "--turn", "3", "--trials", "2"),
    "pivot": Work(command("pivot", "OUT", EPISODE, "--trials", "1"), pivot_of, source=RUN),
    "ablate": _played(
        *("ablate", "BENCH", "--agent", "solver", *TASKS, "--conditions", "generic,d1,ruse")
    ),
    "sweep": Work(
        command(
            *("sweep", "BENCH", "--vary", "distractors", "--values", "20,40"),
            *(*TASKS, "--jobs", "1", "--out", "OUT"),
        ),
        sweep_of,
    ),
    "regrade": Work(
        command("regrade", "OUT"), records_of, source=OTHERWISE, fine=frozenset({0, 1})
    ),
    "compact": Work(command("compact", "OUT"), tables_of, source=RUN),
    "export openai": _export("openai"),
    "export parquet": _export("parquet"),
    "export langsmith": _export("langsmith"),
}
"""Every command that writes, by a name of its own."""


def _never(reading: Any) -> Iterator[Any]:
    for one in verifiers_of(reading):
        yield replace(one, judge=lambda episode: judge([seen("never")])) if one.id == "D05" else one


def prepare(folder: Path) -> None:
    """Make what work begins from: a benchmark, a run, and one that was graded otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    run = command(*_RUN, "--out", "OUT")
    if command("generate", "BENCH", *SMALL, "--jobs", "1")(folder, folder) or run(
        folder, folder / RUN
    ):
        raise ValueError("a benchmark and a run cannot be made")
    honest = vars(verdict)["verifiers_of"]
    vars(verdict)["verifiers_of"] = lambda reading: list(_never(reading))
    try:
        run(folder, folder / OTHERWISE)
    finally:
        vars(verdict)["verifiers_of"] = honest
