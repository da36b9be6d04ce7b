"""`crab-graph report`: the tables and figures of one or more runs."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.options import RunArguments
from crab_graph.cli.output import JsonOption, console, print_json


def report(
    runs: RunArguments,
    html: Annotated[
        Path | None,
        typer.Option(help="Also write one self-contained HTML page with every dialogue."),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Also write the tables as Markdown.")
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write each figure as a file of its own."),
    ] = None,
    image: Annotated[
        str, typer.Option("--format", help="What --figures writes: svg or png.")
    ] = "svg",
    as_json: JsonOption = False,
) -> None:
    """Show who passed, what a user costs, and why episodes failed: the paper's tables and figures.

    Every rate comes with its 95 % interval over tasks, and with how many tasks and episodes it is
    of; users and agents are compared in pairs where they share tasks, trials and seeds. Runs
    are put side by side. Episodes that failed for want of infrastructure are counted, never scored.
    """
    from crab_graph.analysis.report.assembly import make_report
    from crab_graph.analysis.report.rendering import as_markdown, print_report
    from crab_graph.analysis.report.study import load_study
    from crab_graph.errors import UsageError
    from crab_graph.workers import write_atomically

    if image not in ("svg", "png"):
        raise UsageError(f"--format is svg or png, not '{image}'")
    for path in (html, markdown):
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise UsageError(f"{path}: cannot be written; name a file in a directory that exists")
    study = load_study(runs)
    made = make_report(study)
    written = []
    if markdown is not None:
        write_atomically(markdown, as_markdown(made))
        written.append(f"tables: {markdown}")
    if figures is not None:
        from crab_graph.analysis.report.charts import write_figures

        names = write_figures(made, figures, image)
        written.append(f"figures: {', '.join(str(figures / name) for name in names)}")
    if html is not None:
        from crab_graph.analysis.report.page import write_report

        write_report(html, made, study, runs)
        written.append(f"page: {html}")
    if as_json:
        print_json(made.as_json())
        return
    screen = console()
    print_report(screen, made)
    for line in written:
        screen.print(line, markup=False)
