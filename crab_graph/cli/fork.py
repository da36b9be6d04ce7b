"""`crab-graph fork`: an episode goes on otherwise from one of its turns."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.options import EpisodeArgument, ForceOption, RunArgument, ask_to_trust
from crab_graph.cli.output import JsonOption
from crab_graph.settings import ForkSettings, TrustSettings, WorkSettings


def fork(
    run: RunArgument,
    episode: EpisodeArgument,
    turn: Annotated[
        int, typer.Option(metavar="N", help="Visible messages that are kept; 0 keeps none.", min=0)
    ],
    out: Annotated[Path, typer.Option(metavar="RUN2", help="Directory of the new run.")],
    otherwise: ForkSettings,
    work: WorkSettings,
    trusted: TrustSettings,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Go on with a finished episode from one of its turns, with another agent, user or message.

    With nothing else given, an agent that always answers alike continues as it did. The same
    command goes on where an interrupted one stopped; `show RUN2 EPISODE@N` shows the outcome.

    Of a run that you did not write it is said what that imports and contacts, and --trust wanted.
    """
    from crab_graph.cli.run_output import episode_bar, print_run
    from crab_graph.runs.fork import fork_episode

    with episode_bar(out) as bar:
        given = {**vars(otherwise), **vars(work)}
        result = ask_to_trust(
            trusted,
            lambda trust: fork_episode(
                run, episode, turn, out, force=force, progress=bar, **given, **vars(trust)
            ),
        )
    print_run(result, bar, as_json=as_json)
