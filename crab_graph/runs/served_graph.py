"""The graph as `langgraph dev` serves it: each request says which episode it is.

`langgraph.json` names `make_graph`. A request's `configurable` may hold `bench` (a directory; by
default `CRAB_BENCH`), `task`, `agent`, `user`, `seat` (`user` or `agent` for a person, who is asked
by interrupts), `seed`, `toolset` and `personas` (a directory). Without a benchmark a small one is
generated once.
"""

import asyncio
import os
import tempfile
from collections.abc import Coroutine, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig

from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.generate import generate_benchmark
from crab_graph.errors import UsageError
from crab_graph.graph.episode_graph import EpisodeGraph
from crab_graph.graph.person import PERSON_AGENT, SeatedUser
from crab_graph.personas.condition import parse_condition
from crab_graph.personas.fragment_set import load_fragments
from crab_graph.runs.graded_graph import build_graph
from crab_graph.tools.registry import Owner

BENCH_VARIABLE = "CRAB_BENCH"


def make_graph(config: RunnableConfig) -> EpisodeGraph | Coroutine[Any, Any, EpisodeGraph]:
    """Return the graph of the episode that a request asks for.

    It has no checkpointer: the server brings its own. In an event loop, as that of the server, it
    returns a coroutine, for benchmarks and the modules of agents are read from files meanwhile.

    Raises:
        UsageError: a value has no meaning.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _graph_of(config)
    return asyncio.to_thread(_graph_of, config)


def _graph_of(config: RunnableConfig) -> EpisodeGraph:
    given: Mapping[str, Any] = config.get("configurable") or {}
    asked = {name: value for name, value in given.items() if value is not None}
    bench = _benchmark(asked.get("bench") or os.environ.get(BENCH_VARIABLE))
    task = bench[asked["task"]] if "task" in asked else bench[0]
    agent, user = asked.get("agent", "solver"), asked.get("user", "ruse")
    seat, folder = asked.get("seat"), asked.get("personas")
    if seat == Owner.USER:
        added = load_fragments(None if folder is None else Path(folder)).added
        user = SeatedUser(parse_condition(user, added))
    elif seat == Owner.AGENT:
        agent = PERSON_AGENT
    elif seat is not None:
        raise UsageError(f"a person sits as user or agent, not as '{seat}'")
    return build_graph(
        task,
        agent,
        user,
        seed=int(asked.get("seed", 0)),
        toolset=asked.get("toolset"),
        personas=folder,
    )


@cache
def _benchmark(named: str | None) -> Benchmark:
    """Open a benchmark once; without a name generate a small one."""
    if named:
        return load_benchmark(Path(named))
    path = Path(tempfile.gettempdir()) / f"crab-graph-served-{os.getpid()}"
    return generate_benchmark(path, tasks=4, distractors=400)
