"""`crab-graph report`: the tables and figures of one or more runs."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.options import HtmlBudgetOption, RunArguments
from crab_graph.cli.output import JsonOption, console, print_json


def report(
    runs: RunArguments,
    html: Annotated[
        Path | None,
        typer.Option(help="Also write one self-contained HTML page with the dialogues."),
    ] = None,
    html_budget: HtmlBudgetOption = 20.0,
    markdown: Annotated[
        Path | None, typer.Option(help="Also write the tables as Markdown.")
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write each figure and its data as files."),
    ] = None,
    image: Annotated[
        str,
        typer.Option(
            "--format", help="What --figures writes: svg, png, or all: both, with CSV and JSON."
        ),
    ] = "all",
    as_json: JsonOption = False,
) -> None:
    """Show who passed, what a user costs, and why episodes failed: the paper's tables and figures.

    Every rate comes with its 95 % interval over tasks, and with how many tasks and episodes it is
    of; users and agents are compared in pairs where they share tasks, trials and seeds. Runs
    are put side by side. Episodes that failed for want of infrastructure are counted, never scored.
    """
    from crab_graph.analysis.report.delivery import FORMATS, deliver
    from crab_graph.analysis.report.rendering import print_report
    from crab_graph.settings import About

    About(choices=FORMATS).check("format", image)
    done = deliver(
        *runs,
        html=html,
        markdown=markdown,
        figures=figures,
        format=image,
        html_budget=html_budget,
    )
    if as_json:
        print_json(done.report.as_json())
        return
    screen = console()
    print_report(screen, done.report)
    for what, places in done.written.items():
        screen.print(f"{what}: {', '.join(map(str, places))}", markup=False)
