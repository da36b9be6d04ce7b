"""`crab-graph show`: one dialogue, what was said beside what was done."""

from typing import Annotated

import typer

from crab_graph.cli.options import EpisodeArgument, RunArgument
from crab_graph.cli.output import JsonOption, console, print_json


def show(
    run: RunArgument,
    episode: EpisodeArgument,
    turn: Annotated[
        int,
        typer.Option(
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
    from crab_graph.analysis.viewer import close_up
    from crab_graph.analysis.viewer.background import Background
    from crab_graph.analysis.viewer.screen import print_episode, print_notes
    from crab_graph.analysis.viewer.spending import print_spending
    from crab_graph.runs.notes import notes_by_episode, read_notes
    from crab_graph.runs.store import load_record

    record = load_record(run, episode)
    if as_json and not turn:
        print_json(record.model_dump(mode="json"))
        return
    background = Background.of_run(run)
    deeds = background.deeds(record)
    if turn:
        detail = close_up.find_turn(record, turn, deeds)
        if as_json:
            print_json(detail.as_json(record, private=private))
            return
        close_up.print_turn(console(), record, detail, private=private)
    else:
        print_episode(
            console(),
            record,
            deeds,
            card=background.card,
            every_call=every_call,
            private=private,
        )
        if private:
            close_up.print_facts(console(), record, background.fact_values(record.task_id))
        print_spending(console(), record)
        print_notes(console(), notes_by_episode(read_notes(run)).get(record.episode_id, ()))
    if why:
        close_up.print_why(console(), record, deeds, background.card)
