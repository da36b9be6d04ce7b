"""`crab-graph show`: one dialogue, what was said beside what was done."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption, console, print_json


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory that `run` wrote.")],
    episode: Annotated[
        str, typer.Argument(metavar="EPISODE", help="Its id: TASK.COND.TRIAL, as S1-001.ruse.0.")
    ],
    every_call: Annotated[
        bool, typer.Option("--every-call", help="Show each lookup instead of a line for many.")
    ] = False,
    why: Annotated[
        bool,
        typer.Option("--why", help="Add what separates a failed one from the nearest solution."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show one dialogue: messages, tool calls, the rows they wrote, and the checks.

    With --json the whole record: transcript, trace, checks, evidence, facts and metrics.
    """
    from crab_graph.analysis.report.terminal import print_episode
    from crab_graph.runs.store import load_record

    record = load_record(run, episode)
    if as_json:
        print_json(record.model_dump(mode="json"))
    else:
        print_episode(console(), record, every_call=every_call, why=why)
