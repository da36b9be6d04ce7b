"""`crab-graph prompt`: what a model that plays the user is told."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.options import DomainOption
from crab_graph.cli.output import JsonOption, print_json
from crab_graph.errors import UsageError
from crab_graph.settings import DOMAIN

if TYPE_CHECKING:
    from crab_graph.domains.task import Task


def prompt(
    condition: Annotated[
        str, typer.Argument(metavar="COND", help="generic, persona, ruse, d1, terse+d2+d4, …")
    ],
    task: Annotated[
        str | None,
        typer.Option(metavar="BENCH:ID", help="Fill in what the user of a task knows; or --bench."),
    ] = None,
    bench: Annotated[
        Path | None, typer.Option(metavar="BENCH", help="Directory of the benchmark of --task ID.")
    ] = None,
    diff: Annotated[
        str | None, typer.Option(metavar="COND2", help="Show what another condition changes.")
    ] = None,
    persona: Annotated[
        str | None, typer.Option(help="The persona, where the condition would draw one.")
    ] = None,
    personas: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Fragments of your own; see the docs.")
    ] = None,
    domain: DomainOption = DOMAIN,
    seed: Annotated[int, typer.Option(help="Seed that a persona is drawn with.")] = 0,
    trial: Annotated[int, typer.Option(help="Trial that a persona is drawn for.", min=0)] = 0,
    as_json: JsonOption = False,
) -> None:
    """Print the prompt of a condition, or what one factor changes.

    A condition that draws its persona draws the one that a run with this seed meets in this trial.
    """
    from crab_graph.graph.user_prompt import UserPrompt, user_prompt

    shown = _task(task, bench)

    def composed(text: str) -> UserPrompt:
        return user_prompt(
            text,
            shown,
            persona=persona,
            personas=personas,
            domain=domain,
            seed=seed,
            trial=trial,
        )

    first = composed(condition)
    printed, document = first.text, first.as_json()
    if diff is not None:
        second = composed(diff)
        printed, changed = first.diff(second), first.changed(second)
        document["diff"] = {**second.as_json(), "changed": changed, "unified": printed}
        same = f"{first.condition} and {second.condition} have the same prompt\n"
        printed = printed or same
    if as_json:
        print_json(document)
    else:
        typer.echo(printed, nl=False)


def _task(name: str | None, bench: Path | None) -> "Task | None":
    from crab_graph.domains.benchmark import load_benchmark

    if name is None and bench is None:
        return None
    directory, _, task_id = (name or "").rpartition(":")
    if bench is None and directory:
        return load_benchmark(Path(directory))[task_id]
    if name is None or bench is None:
        raise UsageError("name a task as --task BENCH:ID, or with --bench BENCH --task ID")
    return load_benchmark(bench)[name]
