"""The environment for training: what a step takes beside the user, and beside the graph.

The solver's episodes are stepped and played by `run_episode`, in turns; both must say the same.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import crab_graph as cg
from crab_graph.agents.adapters import resolve_agent
from crab_graph.domains.task import Task
from crab_graph.graph.users import UserSide
from crab_graph.runs.environment import Environment, EnvironmentStep

Row = tuple[str, str, str]

TASKS = 4
SEEDS = 3


class Watch:
    """Counts the processor time of whatever it wraps, in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same while it is counted."""

        def timed(*given: Any, **named: Any) -> Any:
            started = time.process_time()
            try:
                return function(*given, **named)
            finally:
                self.seconds += time.process_time() - started

        return timed


def watched(env: Environment, watch: Watch) -> None:
    """Count what the user of an environment takes."""
    nodes = env._prepared.nodes
    user: UserSide = nodes._user
    nodes._user = user._replace(step=watch.around(user.step))


def stepped(task: Task, seed: int) -> tuple[EnvironmentStep, list[float], float, float]:
    """Return the last step of an episode, what each other took beside the user, and the rest.

    The rest is what the last step took beside the user, and what the user took in all; seconds.
    """
    env, user = cg.environment(task, "ruse", seed=seed), Watch()
    watched(env, user)
    policy = resolve_agent("solver").open_for(task.domain, lambda: ())
    observation, _ = env.reset()
    own: list[float] = []
    while True:
        message, before = policy(observation), user.seconds
        started = time.process_time()
        step = env.step(message)
        own.append(time.process_time() - started - (user.seconds - before))
        observation = step.observation
        if step.terminated:
            return step, own[:-1], own[-1], user.seconds


def main() -> Sequence[Row]:
    own: list[float] = []
    verdicts: list[float] = []
    shares: list[float] = []
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as directory:
        bench = cg.generate_benchmark(Path(directory) / "bench", tasks=TASKS, seed=3)
        for task in bench:
            cg.run_episode(task, "solver", "ruse", seed=SEEDS)  # its tables are read once
        for seed in range(SEEDS):
            for task in bench:
                started = time.process_time()
                last, steps, verdict, user = stepped(task, seed)
                whole = time.process_time() - started
                started = time.process_time()
                played = cg.run_episode(task, "solver", "ruse", seed=seed)
                graph = time.process_time() - started
                if last.info["episode"].messages != played.messages:
                    raise RuntimeError("the episodes differ")
                own += steps
                verdicts.append(verdict)
                shares.append(sum(steps) / (sum(steps) + user))
                ratios.append(whole / graph)
    mean, median = statistics.mean(own), statistics.median(own)
    return [
        ("a step of the environment beside its user, CPU, median", f"{1000 * median:.2f} ms", ""),
        (
            "a step of the environment beside its user, CPU, mean, tools included",
            f"{1000 * mean:.2f} ms",
            "≤ 1 ms",
        ),
        (
            "its share of steps and user together",
            f"{100 * statistics.median(shares):.0f} %",
            "",
        ),
        ("the verdict in the last step, CPU", f"{1000 * statistics.median(verdicts):.0f} ms", ""),
        (
            "an episode stepped / by run_episode, equal results",
            f"{statistics.median(ratios):.2f} ×",
            "",
        ),
    ]
