"""`crab-graph run`: an agent on the tasks of a benchmark, every episode graded."""

from pathlib import Path
from typing import Annotated, Any

import typer

from crab_graph.cli.limit_options import (
    DryRunOption,
    MaxCost,
    MaxMessages,
    MaxSeconds,
    MaxTokens,
    MaxToolErrors,
    MaxTurns,
    PricesOption,
    RunMaxCost,
    RunMaxMessages,
    RunMaxSeconds,
    RunMaxTokens,
    RunMaxToolErrors,
    RunMaxTurns,
    checked,
    read_prices,
    run_limits,
)
from crab_graph.cli.output import JsonOption
from crab_graph.cli.toolset_option import ToolsetOption
from crab_graph.cli.worker_options import (
    CheckpointOption,
    ConcurrencyOption,
    ExecutorOption,
    JobsOption,
)
from crab_graph.tools.toolset import Toolset


def run(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="Directory of the benchmark.")],
    agent: Annotated[
        str,
        typer.Option(
            metavar="SPEC",
            envvar="CRAB_AGENT",
            help="solver, hasty, silent; provider:model; package.module:attribute (with one "
            "required parameter: a factory make(tools)); http(s)://host/v1#model.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="RUN", help="Directory of the run.")],
    user: Annotated[
        str,
        typer.Option(
            metavar="COND",
            help="generic, persona, ruse, d1 to d4, or a mix such as terse+d2+d4; "
            "several with commas.",
        ),
    ] = "ruse",
    persona: Annotated[
        str | None,
        typer.Option(help="The same persona for every user: terse, neutral, impatient or none."),
    ] = None,
    engine: Annotated[
        str, typer.Option(help="What plays the user: rules, llm, or hybrid.")
    ] = "rules",
    user_model: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="Model of llm or hybrid: provider:model or http(s)://host/v1#model.",
        ),
    ] = None,
    personas: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Prompt fragments of your own, over the built-in ones."),
    ] = None,
    trials: Annotated[int, typer.Option(help="Episodes of each task with each user.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same users.")] = 0,
    tasks: Annotated[
        str | None, typer.Option(help="Ids or strata, such as S1,S2-004; by default all.")
    ] = None,
    jobs: JobsOption = 1,
    concurrency: ConcurrencyOption = 1,
    executor: ExecutorOption = "processes",
    checkpoint: CheckpointOption = None,
    max_turns: MaxTurns = 200,
    max_messages: MaxMessages = 1000,
    max_tool_errors: MaxToolErrors = 30,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_seconds: MaxSeconds = None,
    run_max_turns: RunMaxTurns = None,
    run_max_messages: RunMaxMessages = None,
    run_max_tool_errors: RunMaxToolErrors = None,
    run_max_tokens: RunMaxTokens = None,
    run_max_cost: RunMaxCost = None,
    run_max_seconds: RunMaxSeconds = None,
    prices: PricesOption = None,
    dry_run: DryRunOption = False,
    toolset: ToolsetOption = Toolset.PARITY,
    grading: Annotated[
        str,
        typer.Option(help="Which verdict the table counts: parity, or strict. Both are kept."),
    ] = "parity",
    force: Annotated[
        bool, typer.Option("--force", help="Throw away a run with other settings in RUN.")
    ] = False,
    allow_mismatch: Annotated[
        bool,
        typer.Option(
            "--allow-mismatch",
            help="Go on with a run of other settings in RUN: what is finished stays as it is.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run an agent on tasks, with simulated users, and grade every episode.

    Exit code 0 when every episode has a verdict, 1 while one ended in an infrastructure error. The
    same command goes on where an interrupted one stopped, at the very message; so does `resume`.

    --max-… limits each episode, --run-max-… the whole run: then no further episode is begun, and
    the run can be gone on with under a higher cap.
    """
    from crab_graph.cli.conditions import read_conditions
    from crab_graph.cli.estimate_output import print_estimate
    from crab_graph.cli.run_output import check_grading, episode_bar, print_run
    from crab_graph.graph.limits import Limits
    from crab_graph.runs.estimate import estimate_run
    from crab_graph.runs.runner import Progress, prepare_run
    from crab_graph.runs.runner import run as run_benchmark

    check_grading(grading)
    users = read_conditions(user, personas, engine, persona)
    limits = checked(
        Limits,
        max_messages=max_messages,
        max_turns=max_turns,
        max_tool_errors=max_tool_errors,
        max_tokens=max_tokens,
        max_cost=max_cost,
        max_seconds=max_seconds,
    )
    caps = run_limits(
        max_messages=run_max_messages,
        max_turns=run_max_turns,
        max_tool_errors=run_max_tool_errors,
        max_tokens=run_max_tokens,
        max_cost=run_max_cost,
        max_seconds=run_max_seconds,
    )
    asked: dict[str, Any] = {
        "seed": seed,
        "tasks": None if tasks is None else tasks.split(","),
        "jobs": jobs,
        "concurrency": concurrency,
        "executor": executor,
        "checkpoint": checkpoint,
        "limits": limits,
        "engine": engine,
        "user_model": user_model,
        "personas": personas,
        "prices": read_prices(prices),
        "run_limits": caps,
        "toolset": toolset,
    }
    if dry_run:
        sitting = prepare_run(bench, agent, users, trials, out, **asked)
        found = estimate_run(sitting, force=force, allow_mismatch=allow_mismatch)
        print_estimate(found, priced=sitting.config.prices is not None, as_json=as_json)
        return
    first: list[Progress] = []
    with episode_bar(out) as advance:

        def report(progress: Progress) -> None:
            first.append(progress)
            advance(progress)

        result = run_benchmark(
            bench,
            agent,
            users,
            trials,
            out,
            force=force,
            allow_mismatch=allow_mismatch,
            progress=report,
            **asked,
        )
    started = first[0].done < first[0].total and first[0].stopped is None
    stopped = first[-1].stopped
    print_run(result, started=started, as_json=as_json, stopped=stopped, grading=grading)
