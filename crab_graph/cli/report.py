"""`crab-graph report`: the figures of one or more runs."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption, console, print_json
from crab_graph.errors import RunError


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Directories that `run` wrote.")
    ],
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Also write one self-contained HTML page with every dialogue."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show who passed, by agent, user and stratum, and why the others failed.

    pass@1 comes with the 95 % interval of a bootstrap over tasks within strata, and with the five
    outcome counts; episodes that failed for want of infrastructure are counted but never scored.
    """
    from crab_graph.analysis.report.page import notes_on, write_page
    from crab_graph.analysis.report.summary import summarise
    from crab_graph.analysis.report.terminal import print_summary
    from crab_graph.analysis.viewer.background import Background
    from crab_graph.analysis.viewer.embedded import ShownRun
    from crab_graph.runs.store import load_records

    by_run = [load_records(run) for run in runs]
    records = [record for found in by_run for record in found]
    if not records:
        raise RunError(f"{', '.join(map(str, runs))}: no episode is finished yet")
    summary = summarise(records)
    if html is not None:
        shown = [
            ShownRun(run.name, found, Background.of_run(run))
            for run, found in zip(runs, by_run, strict=True)
        ]
        write_page(html, records, ", ".join(run.name for run in runs), shown)
    if as_json:
        print_json(summary.as_json())
        return
    screen = console()
    print_summary(screen, summary)
    for note in notes_on(summary):
        screen.print(f"\n{note}")
    if html is not None:
        screen.print(f"\npage: {html}", markup=False)
