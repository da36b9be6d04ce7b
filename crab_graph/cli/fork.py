"""`crab-graph fork`: an episode goes on otherwise from one of its turns."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption
from crab_graph.cli.worker_options import ConcurrencyOption, JobsOption


def fork(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory that `run` wrote.")],
    episode: Annotated[
        str, typer.Argument(metavar="EPISODE", help="Its id: TASK.COND.TRIAL, as S1-001.ruse.0.")
    ],
    turn: Annotated[
        int, typer.Option(metavar="N", help="Visible messages that are kept; 0 keeps none.", min=0)
    ],
    out: Annotated[Path, typer.Option(metavar="RUN2", help="Directory of the new run.")],
    agent: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Another agent; by default the same.")
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="COND", help="Another user; by default the same.")
    ] = None,
    persona: Annotated[
        str | None, typer.Option(help="Another persona: terse, neutral, impatient or none.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option(help="What plays the user from there: rules, llm, or hybrid.")
    ] = None,
    user_model: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Model of llm or hybrid.")
    ] = None,
    say: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What is said next, by whoever's turn it is."),
    ] = None,
    trials: Annotated[int, typer.Option(help="How often it goes on.", min=1)] = 1,
    jobs: JobsOption = 1,
    concurrency: ConcurrencyOption = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Throw away forks that were begun otherwise.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Go on with a finished episode from one of its turns, with another agent, user or message.

    With nothing else given, an agent that always answers alike continues as it did. The same
    command goes on where an interrupted one stopped; `show RUN2 EPISODE@N` shows the outcome.
    """
    from crab_graph.cli.run_output import episode_bar, print_run
    from crab_graph.runs.fork import fork_episode
    from crab_graph.runs.runner import Progress

    first: list[Progress] = []
    with episode_bar(out) as advance:

        def report(progress: Progress) -> None:
            first.append(progress)
            advance(progress)

        result = fork_episode(
            run,
            episode,
            turn,
            out,
            agent=agent,
            user=user,
            persona=persona,
            engine=engine,
            user_model=user_model,
            say=say,
            trials=trials,
            jobs=jobs,
            concurrency=concurrency,
            force=force,
            progress=report,
        )
    print_run(result, started=first[0].done < first[0].total, as_json=as_json)
