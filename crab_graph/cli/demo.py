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
    ] = 4,
    seed: Annotated[int, typer.Option(help="The same seed gives the same results.")] = 0,
    domain: DomainOption = DOMAIN,
    jobs: JobsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show the whole path without a language model, a key or a network.

    Generates certified tasks and lets five reference agents work on them: the solver, and four that
    lack one of its skills each (literal, hasty, credulous, stubborn). The rule-based user is a
    cooperative one, has one dimension of behaviour (d1 to d4), or all of them and a persona. Grades
    every episode, prints who passed with which user, and writes an HTML page to read it all in.
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
    failed = next((one for one in shown.records if not one.passed), shown.records[0])
    run = next(run for run in shown.runs if run.config.agent_label == failed.agent_label)
    for what, where in (
        ("page", shown.page),
        ("tasks", shown.benchmark.directory),
        ("episodes", shown.runs[0].directory.parent),
        ("one dialogue", f"crab-graph show {run.directory} {failed.episode_id}"),
    ):
        screen.print(f"{what + ':':<13} {where}", markup=False)
