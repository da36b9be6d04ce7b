"""`generate`: make a certified benchmark."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption, print_json
from crab_graph.errors import UsageError


def generate(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="Directory of the benchmark.")],
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
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a benchmark made with other settings.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a certified benchmark: tasks whose number of solutions is proven on their tables.

    An interrupted generation goes on with the same command.
    """
    from crab_graph.cli.progress import progress_bar
    from crab_graph.domains.generate import generate_benchmark

    finished_before = not force and (bench / "manifest.json").exists()
    with progress_bar("Generating tasks") as progress:
        benchmark = generate_benchmark(
            bench,
            tasks,
            seed=seed,
            strata=parse_strata(strata),
            domain=domain,
            distractors=distractors,
            jobs=jobs,
            force=force,
            progress=progress,
        )
    candidates = sum(one.candidates for one in benchmark.manifest.selection)
    if as_json:
        print_json(
            {
                "benchmark": str(bench),
                "sha256": benchmark.sha256,
                "tasks": len(benchmark),
                "candidates": candidates,
                "finished_before": finished_before,
            }
        )
        return
    solutions = [entry.certificate.expected for entry in benchmark.manifest.tasks]
    print(
        f"{bench}: {len(benchmark)} certified tasks with {min(solutions)} to {max(solutions)} "
        f"solutions each, chosen from {candidates} candidates."
    )
    if finished_before:
        print("All of them were there already; nothing was done.")
    print(f"Look at them: crab-graph tasks {bench}")


def parse_strata(text: str) -> tuple[int, ...]:
    """Return the strata that a list such as `1,2` or `S1,S2` names.

    Raises:
        UsageError: an item is no number.
    """
    try:
        return tuple(int(item.strip().upper().removeprefix("S")) for item in text.split(","))
    except ValueError:
        raise UsageError(f"--strata takes numbers from 1 to 4, such as 1,2, not '{text}'") from None
