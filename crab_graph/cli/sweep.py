"""`sweep`: families of tasks that differ in one thing."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.options import ForceOption, JobsOption
from crab_graph.cli.output import JsonOption, console, new_table, print_json, progress_bar
from crab_graph.errors import UsageError

if TYPE_CHECKING:
    from crab_graph.domains.sweep import Sweep


def sweep(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="Benchmark whose tasks to vary.")],
    vary: Annotated[
        str, typer.Option(help="What differs: distractors, edges or solutions (seed solutions).")
    ],
    out: Annotated[Path, typer.Option(help="Directory of the sweep.")],
    values: Annotated[
        str | None, typer.Option(help="Values to compare, such as 0,500,2000; else all usual ones.")
    ] = None,
    tasks: Annotated[
        str | None, typer.Option(help="How many tasks, or their ids: S1-001,S1-002; else all.")
    ] = None,
    jobs: JobsOption = 1,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Vary tasks in one thing: distractors, optional edges, or seed solutions.

    Each value gets a certified benchmark of its own within the directory; sweep.json says which
    tasks correspond. An interrupted sweep goes on with the same command.
    """
    from crab_graph.domains.sweep import sweep_benchmark

    with progress_bar("Varying tasks") as progress:
        made = sweep_benchmark(
            bench,
            out,
            vary=vary,
            values=None if values is None else _numbers(values),
            tasks=_tasks(tasks),
            jobs=jobs,
            force=force,
            progress=progress,
        )
    if as_json:
        print_json({"sweep": str(out), **made.record.model_dump(mode="json")})
    else:
        _print(made)


def _numbers(text: str) -> list[int]:
    try:
        return [int(item) for item in text.split(",")]
    except ValueError:
        raise UsageError(f"--values takes numbers, such as 0,500,2000, not '{text}'") from None


def _tasks(text: str | None) -> int | list[str] | None:
    if text is None:
        return None
    if text.strip().isdecimal():
        return int(text)
    return [item.strip().upper() for item in text.split(",")]


def _print(made: "Sweep") -> None:
    record = made.record
    heads = ("tasks", "solutions", "node_distractors", "edge_distractors", "active_edges")
    table = new_table(str(record.vary), "benchmark", numbers=heads)
    for place, member in enumerate(record.benchmarks):
        own = [family.tasks[place] for family in record.families]
        counts = (
            (one.solutions, one.node_distractors, one.edge_distractors, len(one.active_edges))
            for one in own
        )
        means = (f"{sum(column) / len(own):,.1f}" for column in zip(*counts, strict=True))
        directory = str(made.directory / member.directory)
        table.add_row(f"{member.value:,}", directory, str(len(own)), *means)
    console().print(table)
    print(f"{len(record.families)} families, all certified; numbers are means over their tasks.")
    for one in record.left_out:
        print(f"Left out: {one.task}, since {one.reason}.")
