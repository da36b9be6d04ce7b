"""`crab-graph resume`: finish a run that stopped anywhere."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption


def resume(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of the run.")],
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    concurrency: Annotated[int, typer.Option(help="Episodes at once in each process.", min=1)] = 1,
    executor: Annotated[
        str, typer.Option(help="processes, or ray for the machines of a cluster.")
    ] = "processes",
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="CRAB_CHECKPOINT",
            help="Keep checkpoints in PostgreSQL: postgresql://USER@HOST/DATABASE.",
        ),
    ] = None,
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

    Episodes that ended in an infrastructure error are tried again, at most three times in all.
    """
    from crab_graph.cli.run_output import episode_bar, print_run
    from crab_graph.runs.runner import Progress, resume_run

    first: list[Progress] = []
    with episode_bar(run) as advance:

        def report(progress: Progress) -> None:
            first.append(progress)
            advance(progress)

        result = resume_run(
            run,
            jobs=jobs,
            concurrency=concurrency,
            executor=executor,
            checkpoint=checkpoint,
            allow_mismatch=allow_mismatch,
            progress=report,
        )
    print_run(result, started=first[0].done < first[0].total, as_json=as_json)
