"""`crab-graph demo`: the whole path offline, in under a minute."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.options import DomainOption, JobsOption
from crab_graph.cli.output import JsonOption, console, print_json
from crab_graph.settings import DOMAIN


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where everything goes.")] = Path("demo"),
    tasks: Annotated[
        int, typer.Option(help="Number of tasks, split evenly over the four strata.", min=4)
    ] = 8,
    seed: Annotated[int, typer.Option(help="The same seed gives the same results.")] = 0,
    domain: DomainOption = DOMAIN,
    jobs: JobsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show the whole path without a language model, a key or a network.

    Generates certified tasks, lets three reference agents (solver, hasty, silent) work on them with
    a cooperative and with a realistic rule-based user, grades every episode, prints a table, and
    writes an HTML page in which every dialogue can be read.
    """
    from crab_graph.analysis.demo import demonstrate
    from crab_graph.analysis.labels import notes_on
    from crab_graph.analysis.report.overview import print_overview, summarise
    from crab_graph.cli.output import progress_bar

    shown = demonstrate(out, tasks=tasks, seed=seed, domain=domain, jobs=jobs, bar=progress_bar)
    groups = summarise(shown.records)
    if as_json:
        print_json(
            {
                "benchmark": str(shown.benchmark.directory),
                "runs": [str(run.directory) for run in shown.runs],
                "page": str(shown.page),
                "was_complete": shown.was_complete,
                "groups": [group.as_json() for group in groups],
            }
        )
        return
    screen = console()
    if shown.was_complete:
        screen.print("All episodes were finished before; nothing was done.\n")
    print_overview(screen, groups)
    screen.print("", *notes_on(shown.records), "", sep="\n")
    hasty = shown.runs[1]
    failed = next((record for record in hasty if not record.passed), hasty[0])
    for what, where in (
        ("page", shown.page),
        ("tasks", shown.benchmark.directory),
        ("episodes", shown.runs[0].directory.parent),
        ("one dialogue", f"crab-graph show {hasty.directory} {failed.episode_id}"),
    ):
        screen.print(f"{what + ':':<13} {where}", markup=False)
