"""`crab-graph serve`: the viewer of runs in a browser."""

import sys
from typing import Annotated

import typer

from crab_graph.cli.options import RunArguments
from crab_graph.cli.output import JsonOption, print_json_line
from crab_graph.errors import UsageError


def serve(
    runs: RunArguments,
    port: Annotated[
        int, typer.Option(min=0, max=65535, envvar="CRAB_PORT", help="Port; 0 takes a free one.")
    ] = 8765,
    host: Annotated[
        str, typer.Option(help="Where to listen; 127.0.0.1 is for this machine alone.")
    ] = "127.0.0.1",
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the default browser.")
    ] = False,
    notes: Annotated[
        bool,
        typer.Option("--notes", help="Let the page write notes, into RUN/notes.jsonl."),
    ] = False,
    shared_notes: Annotated[
        bool,
        typer.Option(
            "--shared-notes", help="Let whoever reaches another --host than this machine write too."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Look at dialogues in a browser, while a run goes on too.

    Lists, filters and searches the episodes of one run or several, shows what was said beside what
    was done, and compares two. It only reads, until Ctrl-C. With --json the address is printed as
    one JSON document, on one line.
    """
    from crab_graph.analysis.viewer import web
    from crab_graph.analysis.viewer.library import Library

    library = Library(runs)
    notes = notes or shared_notes
    if notes and not (shared_notes or web.is_loopback(host)):
        raise UsageError(
            f"serve: `--notes` on {host}: whoever reaches this machine could write notes; "
            "`--shared-notes` lets them"
        )
    if notes:
        library.check_writable()
    listening = web.listen(host, port)
    if not web.is_loopback(host):
        may = "read these dialogues and write notes" if notes else "read these dialogues"
        typer.echo(f"serve: whoever reaches this machine can {may}", err=True)
    if as_json:
        print_json_line({"url": listening.url, "runs": [str(run) for run in runs], "notes": notes})
    else:
        print(listening.url, flush=True)
        if sys.stderr.isatty():
            typer.echo("Ctrl-C ends it.", err=True)
    if open_page:
        import webbrowser

        webbrowser.open(listening.url)
    try:
        web.serve(library, host, listening, notes)
    except KeyboardInterrupt:
        typer.echo("", err=True)  # after the terminal's ^C
