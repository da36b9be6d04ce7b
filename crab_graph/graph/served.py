"""The graph as `langgraph dev` serves it: each request says which episode it is.

`langgraph.json` names `make_graph`. A request's `configurable` may hold `bench` (a directory; by
default `CRAB_BENCH`), `task`, `agent`, `user`, `seat` (`user` or `agent` for a person, who is asked
by interrupts), `seed` and `toolset`. Without a benchmark a small one is generated once.
"""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import RunnableConfig

from crab_graph.errors import UsageError
from crab_graph.graph.build import EpisodeGraph, build_graph
from crab_graph.graph.person import PERSON_AGENT, PersonSeat, SeatedUser
from crab_graph.personas.condition import parse_condition

if TYPE_CHECKING:
    from crab_graph.domains.benchmark import Benchmark

BENCH_VARIABLE = "CRAB_BENCH"

_KNOWN = ("bench", "task", "agent", "user", "seat", "seed", "toolset")
_TASKS = 4
_DISTRACTORS = 400
_opened: dict[Path, "Benchmark"] = {}


def make_graph(config: RunnableConfig) -> EpisodeGraph:
    """Return the graph of the episode that a request asks for.

    It has no checkpointer: the server brings its own.

    Raises:
        UsageError: a value has no meaning.
    """
    asked: Mapping[str, Any] = config.get("configurable") or {}
    asked = {name: asked[name] for name in _KNOWN if asked.get(name) is not None}
    bench = _benchmark(asked.get("bench") or os.environ.get(BENCH_VARIABLE))
    task = bench[asked["task"]] if "task" in asked else bench[0]
    agent, user = asked.get("agent", "solver"), asked.get("user", "ruse")
    match asked.get("seat"):
        case None:
            pass
        case PersonSeat.USER:
            user = SeatedUser(parse_condition(user))
        case PersonSeat.AGENT:
            agent = PERSON_AGENT
        case other:
            raise UsageError(f"a person sits as user or agent, not as '{other}'")
    return build_graph(
        task, agent, user, seed=int(asked.get("seed", 0)), toolset=asked.get("toolset")
    )


def _benchmark(named: str | None) -> "Benchmark":
    """Open a benchmark once; without a name generate a small one."""
    from crab_graph.domains.benchmark import load_benchmark  # noqa: PLC0415  (loads DuckDB)

    path = Path(named) if named else _example()
    if path not in _opened:
        _opened[path] = load_benchmark(path)
    return _opened[path]


def _example() -> Path:
    from crab_graph.domains.generate import generate_benchmark  # noqa: PLC0415

    path = Path(tempfile.gettempdir()) / f"crab-graph-served-{os.getpid()}"
    if path not in _opened:
        _opened[path] = generate_benchmark(path, tasks=_TASKS, distractors=_DISTRACTORS)
    return path
