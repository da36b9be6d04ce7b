"""Certified booking tasks, realistic simulated users, and verdicts on what agents did and said.

import crab_graph as cg

bench = cg.generate_benchmark("bench", tasks=8, seed=0)
episode = cg.run_episode(bench[0], agent="solver", user="ruse", seed=0)
episode.outcome, episode.checks

Names load when they are first used, so that the import stays light.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crab_graph.agents.agent_types import AgentSpec
    from crab_graph.agents.mock_service import open_mock_server
    from crab_graph.analysis.audit.evidence import audit_benchmark
    from crab_graph.analysis.audit.review import review_domain
    from crab_graph.analysis.benchmark_stats import describe_benchmark
    from crab_graph.analysis.comparison.comparison_page import compare
    from crab_graph.analysis.comparison.run_comparison import RunComparison
    from crab_graph.analysis.demo import demonstrate
    from crab_graph.analysis.disputes import disputes
    from crab_graph.analysis.export.exporters import export
    from crab_graph.analysis.fidelity.user_study import study_users
    from crab_graph.analysis.report.delivery import report
    from crab_graph.analysis.seal_check import verify
    from crab_graph.domains.benchmark import Benchmark, load_benchmark
    from crab_graph.domains.generate import generate_benchmark
    from crab_graph.domains.proof import certify_benchmark
    from crab_graph.domains.sweep import Sweep, load_sweep, sweep_benchmark
    from crab_graph.domains.task import Task
    from crab_graph.errors import CrabGraphError
    from crab_graph.eval.langchain_messages import messages
    from crab_graph.eval.transcript import load_transcript
    from crab_graph.eval.verdict import Verdict, grade
    from crab_graph.graph.user_prompt import user_prompt
    from crab_graph.graph.users import UserSpec
    from crab_graph.models.prices import Prices, load_prices
    from crab_graph.runs.ablation import Ablation
    from crab_graph.runs.awaited import arun, arun_episode
    from crab_graph.runs.environment import Environment
    from crab_graph.runs.episode import run_episode
    from crab_graph.runs.estimate import estimate_run
    from crab_graph.runs.fork import fork_episode
    from crab_graph.runs.graded_graph import build_graph
    from crab_graph.runs.grading import regrade_run
    from crab_graph.runs.pivot import pivot_episode
    from crab_graph.runs.record import Episode
    from crab_graph.runs.rollouts import EnvironmentBatch, environment
    from crab_graph.runs.run import Run, open_run
    from crab_graph.runs.runner import ablate, resume_run, run
    from crab_graph.runs.sql import RunTables, open_tables
    from crab_graph.runs.warehouse import compact_run
    from crab_graph.settings import Limits, RunLimits

__all__ = [
    "Ablation",
    "AgentSpec",
    "Benchmark",
    "CrabGraphError",
    "Environment",
    "EnvironmentBatch",
    "Episode",
    "Limits",
    "Prices",
    "Run",
    "RunComparison",
    "RunLimits",
    "RunTables",
    "Sweep",
    "Task",
    "UserSpec",
    "Verdict",
    "__version__",
    "ablate",
    "arun",
    "arun_episode",
    "audit_benchmark",
    "build_graph",
    "certify_benchmark",
    "compact_run",
    "compare",
    "demonstrate",
    "describe_benchmark",
    "disputes",
    "environment",
    "estimate_run",
    "export",
    "fork_episode",
    "generate_benchmark",
    "grade",
    "load_benchmark",
    "load_prices",
    "load_sweep",
    "load_transcript",
    "messages",
    "open_mock_server",
    "open_run",
    "open_tables",
    "pivot_episode",
    "regrade_run",
    "report",
    "resume_run",
    "review_domain",
    "run",
    "run_episode",
    "study_users",
    "sweep_benchmark",
    "user_prompt",
    "verify",
]

_PLACES = {
    "Ablation": "runs.ablation",
    "AgentSpec": "agents.agent_types",
    "Benchmark": "domains.benchmark",
    "CrabGraphError": "errors",
    "Environment": "runs.environment",
    "EnvironmentBatch": "runs.rollouts",
    "Episode": "runs.record",
    "Limits": "settings",
    "Prices": "models.prices",
    "Run": "runs.run",
    "RunComparison": "analysis.comparison.run_comparison",
    "RunLimits": "settings",
    "RunTables": "runs.sql",
    "Sweep": "domains.sweep",
    "Task": "domains.task",
    "UserSpec": "graph.users",
    "Verdict": "eval.verdict",
    "ablate": "runs.runner",
    "audit_benchmark": "analysis.audit.evidence",
    "build_graph": "runs.graded_graph",
    "certify_benchmark": "domains.proof",
    "compact_run": "runs.warehouse",
    "compare": "analysis.comparison.comparison_page",
    "demonstrate": "analysis.demo",
    "describe_benchmark": "analysis.benchmark_stats",
    "disputes": "analysis.disputes",
    "environment": "runs.rollouts",
    "estimate_run": "runs.estimate",
    "export": "analysis.export.exporters",
    "fork_episode": "runs.fork",
    "generate_benchmark": "domains.generate",
    "grade": "eval.verdict",
    "load_benchmark": "domains.benchmark",
    "load_prices": "models.prices",
    "load_sweep": "domains.sweep",
    "load_transcript": "eval.transcript",
    "messages": "eval.langchain_messages",
    "open_mock_server": "agents.mock_service",
    "open_run": "runs.run",
    "open_tables": "runs.sql",
    "pivot_episode": "runs.pivot",
    "regrade_run": "runs.grading",
    "report": "analysis.report.delivery",
    "resume_run": "runs.runner",
    "review_domain": "analysis.audit.review",
    "arun": "runs.awaited",
    "arun_episode": "runs.awaited",
    "run": "runs.runner",
    "run_episode": "runs.episode",
    "study_users": "analysis.fidelity.user_study",
    "sweep_benchmark": "domains.sweep",
    "user_prompt": "graph.user_prompt",
    "verify": "analysis.seal_check",
}


def _load(name: str) -> Any:
    """Load a public name when it is first used."""
    if name == "__version__":
        from crab_graph.runs.versions import versions  # noqa: PLC0415

        return versions()["crab-graph"]
    if name not in _PLACES:
        here = sys.modules[__name__]  # with which Python says what may have been meant
        raise AttributeError(f"module 'crab_graph' has no attribute '{name}'", name=name, obj=here)
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
