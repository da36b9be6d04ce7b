"""Episodes and runs for who has an event loop: the same ones, played in a thread beside it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any, Unpack

from langgraph.checkpoint.base import BaseCheckpointSaver

from crab_graph.agents.agent_types import AgentSpec
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.task import Task
from crab_graph.graph.users import UserSpec
from crab_graph.models.prices import NO_PRICES, Prices
from crab_graph.runs.episode import run_episode
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run
from crab_graph.runs.runner import run
from crab_graph.runs.sitting import Progress, Report
from crab_graph.settings import EpisodeKeywords, RunKeywords
from crab_graph.workers import in_thread


async def arun_episode(
    task: Task,
    agent: AgentSpec,
    user: UserSpec = "ruse",
    *,
    trial: int = 0,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    thread_id: str | None = None,
    prices: Prices = NO_PRICES,
    **settings: Unpack[EpisodeKeywords],
) -> EpisodeRecord:
    """Play an episode as `run_episode` does, without keeping the event loop.

    Many can be awaited together, each in a thread of its own. Where the wait is cancelled, the
    episode goes on to its end and nobody hears of it. Arguments and errors are `run_episode`'s.
    """
    return await in_thread(
        lambda: run_episode(
            task,
            agent,
            user,
            trial=trial,
            checkpointer=checkpointer,
            thread_id=thread_id,
            prices=prices,
            **settings,
        )
    )


async def arun(
    bench: Benchmark | str | Path,
    agent: AgentSpec,
    user: UserSpec | Sequence[UserSpec] = "ruse",
    trials: int = 1,
    out: str | Path = "run",
    *,
    force: bool = False,
    allow_mismatch: bool = False,
    progress: Report | None = None,
    **settings: Unpack[RunKeywords],
) -> Run:
    """Run an agent on the tasks of a benchmark as `run` does, without keeping the event loop.

    Where the wait is cancelled, the run stops when its present episode ends; the same call goes on
    with it. `progress` is called from another thread. Arguments and errors are `run`'s.
    """
    is_cancelled = Event()

    def report(made: Progress) -> None:
        if is_cancelled.is_set():
            raise asyncio.CancelledError
        if progress is not None:
            progress(made)

    try:
        return await in_thread(
            lambda: run(
                bench,
                agent,
                user,
                trials,
                out,
                force=force,
                allow_mismatch=allow_mismatch,
                progress=report,
                **settings,
            )
        )
    except asyncio.CancelledError:
        is_cancelled.set()
        raise
