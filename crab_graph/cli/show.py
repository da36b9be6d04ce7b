"""`crab-graph show`: one dialogue, what was said beside what was done."""

from pathlib import Path
from typing import Annotated, Any

import typer

from crab_graph.cli.output import JsonOption, console, print_json


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory that `run` wrote.")],
    episode: Annotated[
        str, typer.Argument(metavar="EPISODE", help="Its id: TASK.COND.TRIAL, as S1-001.ruse.0.")
    ],
    turn: Annotated[
        int,
        typer.Option(
            "--turn",
            metavar="N",
            min=0,
            help="Show the N-th message alone, unfolded: calls in full, what the database held "
            "and what changed.",
        ),
    ] = 0,
    every_call: Annotated[
        bool, typer.Option("--every-call", help="Show each lookup instead of a line for many.")
    ] = False,
    why: Annotated[
        bool,
        typer.Option(
            "--why",
            help="Add the nearest solution, what separates the episode from it, and every claim "
            "beside what was done.",
        ),
    ] = False,
    private: Annotated[
        bool,
        typer.Option(
            "--private", help="Show the user's own calls, and what it knew and when it said it."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show one dialogue: messages, tool calls, the rows they wrote, and the checks.

    With --json the whole record: transcript, trace, checks, evidence, facts and metrics; with
    --turn too, that message alone.
    """
    from crab_graph.analysis.viewer.background import Background
    from crab_graph.runs.store import load_record

    record = load_record(run, episode)
    if as_json and not turn:
        print_json(record.model_dump(mode="json"))
        return
    background = Background.of_run(run)
    deeds = background.deeds(record)
    if turn:
        _show_turn(record, turn, deeds, private=private, as_json=as_json)
    else:
        from crab_graph.analysis.viewer.screen import print_episode

        print_episode(console(), record, deeds, every_call=every_call, private=private)
        if private:
            from crab_graph.analysis.viewer.why_screen import print_facts

            print_facts(console(), record, background.fact_values(record.task_id))
    if why and not as_json:
        from crab_graph.analysis.viewer.why_screen import print_why

        print_why(console(), record, deeds)


def _show_turn(record: Any, number: int, deeds: Any, *, private: bool, as_json: bool) -> None:
    from crab_graph.analysis.viewer.turn_screen import find_turn, print_turn

    turn = find_turn(record, number, deeds)
    if as_json:
        print_json(turn.as_json(record, private=private))
    else:
        print_turn(console(), record, turn, private=private)
