"""`generate`: make a certified benchmark."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.options import BenchArgument, CoresOption, ForceOption
from crab_graph.cli.output import JsonOption, print_json, progress_bar
from crab_graph.errors import UsageError
from crab_graph.settings import GenerationSettings

if TYPE_CHECKING:
    from crab_graph.domains.benchmark import Benchmark
    from crab_graph.generation.paper_population import PaperParameters


class Method(StrEnum):
    """How the objects of a task are made."""

    FAST = "fast"
    PAPER = "paper"


class SamplingStrategy(StrEnum):
    """How SampleCSP draws."""

    SHUFFLE = "shuffle"
    ENUMERATE = "enumerate"


def generate(
    bench: BenchArgument,
    tasks: Annotated[
        int, typer.Option(help="Number of tasks, split evenly over the strata.", min=1)
    ] = 200,
    strata: Annotated[
        str, typer.Option(help="Numbers of seed solutions, such as 1 or 1,2,3,4.")
    ] = "1,2,3,4",
    seed: Annotated[int, typer.Option(help="The same seed gives the same tasks.")] = 0,
    domain: Annotated[str, typer.Option(help="Name of the domain.")] = "travel",
    distractors: Annotated[
        int, typer.Option(help="Misleading candidates in each task.", min=0)
    ] = 2000,
    method: Annotated[
        Method, typer.Option(help="How objects are made: fast, or by the paper's algorithms.")
    ] = Method.FAST,
    no_repair: Annotated[
        bool,
        typer.Option(
            "--no-repair",
            help="With --method paper: keep all it makes, and the solutions this adds.",
        ),
    ] = False,
    attempts: Annotated[
        int | None,
        typer.Option(
            help="With --method paper: attempt multiplier m of Algorithm 1; 20 unless told.", min=1
        ),
    ] = None,
    rho: Annotated[
        float | None,
        typer.Option(
            help="With --method paper: sampling ratio of Algorithm 2, up to 1; 0.05 unless told."
        ),
    ] = None,
    sampling: Annotated[
        SamplingStrategy | None,
        typer.Option(help="With --method paper: strategy of SampleCSP; shuffle unless told."),
    ] = None,
    private: Annotated[
        bool,
        typer.Option("--private", help="Draw a secret seed; the manifest only commits to it."),
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
    from crab_graph.domains.generate import announce, generate_benchmark, recipe_of
    from crab_graph.domains.private import announcement

    if not private and (commit_only or opening is not None):
        raise UsageError("--opening and --commit-only: only with --private")
    paper = _paper_parameters(method, no_repair, attempts, rho, sampling)
    if commit_only:
        wanted = GenerationSettings(tasks, parse_strata(strata), seed, domain, distractors)
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
            tasks,
            seed=seed,
            strata=parse_strata(strata),
            domain=domain,
            distractors=distractors,
            paper=paper,
            jobs=jobs,
            force=force,
            private=private,
            opening=opening,
            progress=progress,
        )
    candidates = sum(one.candidates for one in benchmark.manifest.selection)
    commitment = benchmark.manifest.settings.commitment
    if as_json:
        print_json(
            {
                "benchmark": str(bench),
                "sha256": benchmark.sha256,
                "tasks": len(benchmark),
                "candidates": candidates,
                "finished_before": finished_before,
                **({"commitment": commitment} if commitment else {}),
            }
        )
        return
    _print_made(benchmark, candidates)
    if commitment:
        print(announcement(benchmark.manifest.settings))
    if finished_before:
        print("All of them were there already; nothing was done.")
    print(f"Look at them: crab-graph tasks {bench}")


def _print_made(benchmark: "Benchmark", candidates: int) -> None:
    entries = benchmark.manifest.tasks
    solutions = [entry.certificate.expected for entry in entries]
    spoiled = sum(not entry.certified for entry in entries)
    paper = benchmark.manifest.settings.paper
    kind = "certified tasks" if paper is None or paper.repair else "tasks without repair"
    print(
        f"{benchmark.directory}: {len(entries)} {kind} with {min(solutions)} to {max(solutions)} "
        f"solutions each, chosen from {candidates} candidates."
    )
    if spoiled:
        print(
            f"{spoiled} of them have more solutions than that and are not certified: "
            f"crab-graph certify {benchmark.directory}"
        )


def _paper_parameters(
    method: Method,
    no_repair: bool,
    attempts: int | None,
    rho: float | None,
    sampling: SamplingStrategy | None,
) -> "PaperParameters | None":
    """Return the parameters of the paper's algorithms, or `None` where these are not the method.

    Raises:
        UsageError: an option of the paper's algorithms was given to the fast path.
    """
    if method is Method.FAST:
        given = {"--attempts": attempts, "--rho": rho, "--sampling": sampling}
        used = [name for name, value in given.items() if value is not None]
        used += ["--no-repair"] if no_repair else []
        if used:
            raise UsageError(f"{' and '.join(used)}: only with --method paper")
        return None
    from crab_graph.generation.csp import Sampling
    from crab_graph.generation.paper_population import ATTEMPTS, RATIO, PaperParameters

    return PaperParameters(
        attempts=ATTEMPTS if attempts is None else attempts,
        ratio=RATIO if rho is None else rho,
        sampling=Sampling.SHUFFLE if sampling is None else Sampling(sampling.value),
        repair=not no_repair,
    )


def parse_strata(text: str) -> tuple[int, ...]:
    """Return the strata that a list such as `1,2` or `S1,S2` names.

    Raises:
        UsageError: an item is no number.
    """
    try:
        return tuple(int(item.strip().upper().removeprefix("S")) for item in text.split(","))
    except ValueError:
        raise UsageError(f"--strata takes numbers from 1 to 4, such as 1,2, not '{text}'") from None
