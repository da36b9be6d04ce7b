"""`crab-graph resume`: finish a run that stopped anywhere."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.limit_options import (
    PricesOption,
    RunMaxCost,
    RunMaxMessages,
    RunMaxSeconds,
    RunMaxTokens,
    RunMaxToolErrors,
    RunMaxTurns,
    read_prices,
    run_limits,
)
from crab_graph.cli.output import JsonOption
from crab_graph.cli.worker_options import (
    CheckpointOption,
    ConcurrencyOption,
    ExecutorOption,
    JobsOption,
)


def resume(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of the run.")],
    jobs: JobsOption = 1,
    concurrency: ConcurrencyOption = 1,
    executor: ExecutorOption = "processes",
    checkpoint: CheckpointOption = None,
    allow_mismatch: Annotated[
        bool,
        typer.Option(
            "--allow-mismatch",
            help="Go on although benchmark, agent, prompts or code are not what they were.",
        ),
    ] = False,
    run_max_turns: RunMaxTurns = None,
    run_max_messages: RunMaxMessages = None,
    run_max_tool_errors: RunMaxToolErrors = None,
    run_max_tokens: RunMaxTokens = None,
    run_max_cost: RunMaxCost = None,
    run_max_seconds: RunMaxSeconds = None,
    prices: PricesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Finish a run that stopped anywhere, each episode at the message where it stopped.

    Episodes that ended in an infrastructure error are tried again, at most three times in all. Caps
    of the whole run stay what they were, unless one is given: then those given are all.
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
            prices=read_prices(prices),
            run_limits=run_limits(
                max_messages=run_max_messages,
                max_turns=run_max_turns,
                max_tool_errors=run_max_tool_errors,
                max_tokens=run_max_tokens,
                max_cost=run_max_cost,
                max_seconds=run_max_seconds,
            ),
        )
    started = first[0].done < first[0].total and first[0].stopped is None
    print_run(result, started=started, as_json=as_json, stopped=first[-1].stopped)
