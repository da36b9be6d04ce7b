"""Certified booking tasks, realistic simulated users, and verdicts on what agents did and said.

import crab_graph as cg

bench = cg.generate_benchmark("bench", tasks=8, seed=0)
episode = cg.run_episode(bench[0], agent="solver", user="ruse", seed=0)
episode.outcome, episode.checks

Names load when they are first used, so that the import stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crab_graph.agents.agent_types import AgentSpec
    from crab_graph.domains.benchmark import Benchmark, load_benchmark
    from crab_graph.domains.generate import generate_benchmark
    from crab_graph.domains.sweep import Sweep, load_sweep, sweep_benchmark
    from crab_graph.domains.task import Task
    from crab_graph.errors import CrabGraphError
    from crab_graph.eval.verdict import Verdict, grade
    from crab_graph.graph.build import build_graph
    from crab_graph.graph.users import UserSpec
    from crab_graph.models.prices import Prices, load_prices
    from crab_graph.runs.ablation import Ablation
    from crab_graph.runs.episode import run_episode
    from crab_graph.runs.fork import fork_episode
    from crab_graph.runs.pivot import pivot_episode
    from crab_graph.runs.record import Episode
    from crab_graph.runs.run import Run, open_run
    from crab_graph.runs.runner import ablate, resume_run, run
    from crab_graph.settings import Limits, RunLimits

__all__ = [
    "Ablation",
    "AgentSpec",
    "Benchmark",
    "CrabGraphError",
    "Episode",
    "Limits",
    "Prices",
    "Run",
    "RunLimits",
    "Sweep",
    "Task",
    "UserSpec",
    "Verdict",
    "__version__",
    "ablate",
    "build_graph",
    "fork_episode",
    "generate_benchmark",
    "grade",
    "load_benchmark",
    "load_prices",
    "load_sweep",
    "open_run",
    "pivot_episode",
    "resume_run",
    "run",
    "run_episode",
    "sweep_benchmark",
]

_PLACES = {
    "Ablation": "runs.ablation",
    "AgentSpec": "agents.agent_types",
    "Benchmark": "domains.benchmark",
    "CrabGraphError": "errors",
    "Episode": "runs.record",
    "Limits": "settings",
    "Prices": "models.prices",
    "Run": "runs.run",
    "RunLimits": "settings",
    "Sweep": "domains.sweep",
    "Task": "domains.task",
    "UserSpec": "graph.users",
    "Verdict": "eval.verdict",
    "ablate": "runs.runner",
    "build_graph": "graph.build",
    "fork_episode": "runs.fork",
    "generate_benchmark": "domains.generate",
    "grade": "eval.verdict",
    "load_benchmark": "domains.benchmark",
    "load_prices": "models.prices",
    "load_sweep": "domains.sweep",
    "open_run": "runs.run",
    "pivot_episode": "runs.pivot",
    "resume_run": "runs.runner",
    "run": "runs.runner",
    "run_episode": "runs.episode",
    "sweep_benchmark": "domains.sweep",
}


def _load(name: str) -> Any:
    """Load a public name when it is first used."""
    if name == "__version__":
        from crab_graph.runs.versions import versions  # noqa: PLC0415

        return versions()["crab-graph"]
    if name not in _PLACES:
        raise AttributeError(f"module 'crab_graph' has no attribute '{name}'")
    value = getattr(import_module(f"crab_graph.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


if TYPE_CHECKING:
    __version__: str
else:
    __getattr__ = _load  # for type checkers it would be a name of anything


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
