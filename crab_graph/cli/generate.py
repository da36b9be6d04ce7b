"""`generate`: make a certified benchmark."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.options import CoresOption, ForceOption, NewBenchArgument, flag
from crab_graph.cli.output import JsonOption, print_json, progress_bar
from crab_graph.errors import UsageError
from crab_graph.settings import GenerationSettings, PaperSettings

if TYPE_CHECKING:
    from crab_graph.domains.benchmark import Benchmark


def generate(
    bench: NewBenchArgument,
    wanted: GenerationSettings,
    algorithms: PaperSettings,
    private: Annotated[
        bool, typer.Option("--private", help="Draw a secret seed; the manifest only commits to it.")
    ] = False,
    opening: Annotated[
        Path | None,
        typer.Option(help="With --private: file for the secret; BENCH.opening.json unless told."),
    ] = None,
    commit_only: Annotated[
        bool,
        typer.Option(
            "--commit-only", help="With --private: announce the commitment, generate later."
        ),
    ] = False,
    jobs: CoresOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a certified benchmark: tasks whose number of solutions is proven on their tables.

    An interrupted generation goes on with the same command.
    """
    from crab_graph.domains.generate import (
        announce,
        generate_benchmark,
        paper_parameters,
        recipe_of,
    )
    from crab_graph.domains.private import announcement

    if not private and (commit_only or opening is not None):
        raise UsageError("--opening and --commit-only: only with --private")
    paper = paper_parameters(algorithms, flag)
    if commit_only:
        settings = announce(recipe_of(wanted, paper), bench, opening, force=force).settings
        line = announcement(settings)
        if as_json:
            print_json({"commitment": settings.commitment, "announcement": line})
        else:
            print(line)
        return
    finished_before = not force and (bench / "manifest.json").exists()
    with progress_bar("Generating tasks") as progress:
        benchmark = generate_benchmark(
            bench,
            **vars(wanted),
            paper=paper,
            jobs=jobs,
            force=force,
            private=private,
            opening=opening,
            progress=progress,
        )
    _print_told(benchmark, as_json=as_json, finished_before=finished_before)


def _print_told(benchmark: "Benchmark", *, as_json: bool, finished_before: bool) -> None:
    from crab_graph.domains.private import announcement

    candidates = sum(one.candidates for one in benchmark.manifest.selection)
    commitment = benchmark.manifest.settings.commitment
    samplers = _samplers(benchmark)
    too_large = sum(one.too_large for one in benchmark.manifest.selection)
    if as_json:
        print_json(
            {
                "benchmark": str(benchmark.directory),
                "sha256": benchmark.sha256,
                "tasks": len(benchmark),
                "candidates": candidates,
                "seeds_drawn_by": samplers,
                "too_large": too_large,
                "finished_before": finished_before,
                **({"commitment": commitment} if commitment else {}),
            }
        )
        return
    _print_made(benchmark, candidates)
    if samplers:
        drawn = " and ".join(f"{name} ({number} tasks)" for name, number in samplers.items())
        print(f"Seed solutions were drawn by {drawn}.")
    if too_large:
        print(f"Drafts passed over because their solutions are too many to enumerate: {too_large}.")
    if commitment:
        print(announcement(benchmark.manifest.settings))
    if finished_before:
        print("All of them were there already; nothing was done.")
    print(f"Look at them: crab-graph tasks {benchmark.directory}")


def _samplers(benchmark: "Benchmark") -> dict[str, int]:
    """Return the number of tasks whose seed solutions each sampler drew."""
    known = [one.seeds_drawn_by for one in benchmark.manifest.tasks if one.seeds_drawn_by]
    return {str(name): known.count(name) for name in sorted(set(known), reverse=True)}


def _print_made(benchmark: "Benchmark", candidates: int) -> None:
    entries = benchmark.manifest.tasks
    solutions = [entry.certificate.sql for entry in entries]
    spoiled = sum(not entry.certified for entry in entries)
    paper = benchmark.manifest.settings.paper
    kind = "certified tasks" if paper is None or paper.repair else "tasks without repair"
    print(
        f"{benchmark.directory}: {len(entries)} {kind} with {min(solutions)} to {max(solutions):,} "
        f"solutions each, chosen from {candidates} candidates."
    )
    if spoiled:
        print(
            f"{spoiled} of them have more than their seeds combine to and are not certified: "
            f"crab-graph certify {benchmark.directory}"
        )
