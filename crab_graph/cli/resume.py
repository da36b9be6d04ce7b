"""`crab-graph resume`: finish a run that stopped anywhere."""

from typing import Annotated

import typer

from crab_graph.cli.options import RunArgument, ask_to_trust
from crab_graph.cli.output import JsonOption
from crab_graph.settings import SittingSettings, TrustSettings


def resume(
    run: RunArgument,
    terms: SittingSettings,
    trusted: TrustSettings,
    allow_mismatch: Annotated[
        bool,
        typer.Option(
            "--allow-mismatch",
            help="Go on although benchmark, agent, prompts or code are not what they were.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Finish a run that stopped anywhere, each episode at the message where it stopped.

    Episodes that ended in an infra error are tried again, at most three times in all. Caps
    of the whole run stay what they were, unless one is given: then those given are all.

    A run from somebody else, or from another machine, is gone on with after a question, or with
    --trust, once: which modules it imports and which hosts it contacts is said before.
    """
    from crab_graph.cli.run_output import episode_bar, print_run
    from crab_graph.runs.runner import RESUME_OTHERWISE, prepare_resumption, sit

    sitting = ask_to_trust(
        trusted,
        lambda trust: prepare_resumption(run, terms, trust, allow_mismatch=allow_mismatch),
    )
    with episode_bar(run) as bar:
        result = sit(sitting, bar, allow_mismatch=allow_mismatch, hint=RESUME_OTHERWISE)
    print_run(result, bar, as_json=as_json)
