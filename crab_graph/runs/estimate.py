"""What a run would take before it spends: episodes, model calls, about how many tokens and dollars.

A few of its episodes are played by the reference agent with the rule-based user, which costs
nothing; from their dialogues it is counted what models in both seats would have read and written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from crab_graph.agents.adapters import resolve_agent
from crab_graph.agents.agent_types import AgentSpec
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.task import Task
from crab_graph.graph.users import Setup, UserSpec, with_open_model
from crab_graph.models.chat import model_of
from crab_graph.models.prices import NO_PRICES
from crab_graph.models.usage import PARTIES, ModelUsage
from crab_graph.personas.condition import Condition, parse_condition, resolve
from crab_graph.personas.prompt import compose_prompt, compose_wording_prompt
from crab_graph.runs.episode import Visit, play_episode
from crab_graph.runs.plan import is_settled, plan_episodes
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.sitting import Sitting, wanted_sitting
from crab_graph.runs.store import kept_index
from crab_graph.settings import (
    Engine,
    EpisodeSettings,
    RunKeywords,
)
from crab_graph.testing.server import count_tokens
from crab_graph.tools.registry import Owner

STAND_IN = "solver"
"""The agent that plays the sample."""
SAMPLE = 12


@dataclass(frozen=True, slots=True)
class SeatEstimate:
    """What the model in one seat would take: without caching and hidden reasoning.

    The cost is in dollars, `None` without the model's price.
    """

    spec: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run would take; episodes were `sampled` to tell.

    A seat, named by its party, is missing where no language model has it.
    """

    planned: int
    finished: int
    sampled: int
    seats: Mapping[str, SeatEstimate]

    @property
    def to_do(self) -> int:
        """Episodes that are left."""
        return self.planned - self.finished

    @property
    def cost(self) -> float | None:
        """Dollars in all; `None` where the price of a model is not known."""
        costs = [seat.cost for seat in self.seats.values()]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def as_json(self) -> dict[str, Any]:
        """Return the document that `run --dry-run --json` prints."""
        return {
            "dry_run": True,
            "planned": self.planned,
            "finished": self.finished,
            "to_do": self.to_do,
            "sampled": self.sampled,
            "seats": {party: asdict(seat) for party, seat in self.seats.items()},
            "cost": self.cost,
        }


def estimate_run(
    bench: Benchmark | str | Path,
    agent: AgentSpec,
    user: UserSpec | Sequence[UserSpec] = "ruse",
    trials: int = 1,
    out: str | Path = "run",
    *,
    force: bool = False,
    allow_mismatch: bool = False,
    **settings: Unpack[RunKeywords],
) -> RunEstimate:
    """Return what `crab_graph.run` with the same arguments would take; nothing is run or written.

    What is finished in `out` is not counted again. With `prices=` it is told in dollars, too.

    Raises:
        UsageError: a setting is out of range, or names nothing.
        ResumeMismatch: the directory holds a run with other settings.
    """
    sitting = wanted_sitting(out, bench, agent, user, {**settings, "trials": trials})
    return estimate_sitting(sitting, force=force, allow_mismatch=allow_mismatch)


def estimate_sitting(
    sitting: Sitting, *, force: bool = False, allow_mismatch: bool = False
) -> RunEstimate:
    """Return what the episodes of a run that are left would take; nothing is written.

    A run with other settings would be thrown away with `force`, gone on with `allow_mismatch`.

    Raises:
        ResumeMismatch: the directory holds a run with other settings.
    """
    config = sitting.config
    finished = kept_index(sitting.directory, config, force=force, allow_mismatch=allow_mismatch)
    plan = list(plan_episodes(config.tasks, config.users, config.trials, config.turns))
    todo = [one for one in plan if not is_settled(finished.get(one.id))]
    agent = resolve_agent(sitting.agent)
    setup = with_open_model(sitting.setup)
    specs = {
        "agent": None if agent.is_reference else agent.name,
        "user": None if setup.engine is Engine.RULES else setup.model.name,
    }
    count = min(SAMPLE, len(todo)) if any(specs.values()) else 0
    # Evenly over all of them.
    sample = [todo[(2 * place + 1) * len(todo) // (2 * count)] for place in range(count)]
    sums = {party: [0, 0, 0] for party in PARTIES}
    for one in sample:
        task, user = sitting.benchmark[one.task_id], sitting.users[one.user]
        for party, numbers in _measure(task, user, setup, one.trial).items():
            sums[party] = [a + b for a, b in zip(sums[party], numbers, strict=True)]
    seats, prices = {}, config.prices or NO_PRICES
    for party, spec in specs.items() if sample else ():
        if spec is None:
            continue
        calls, read, written = (round(one * (len(todo) / len(sample))) for one in sums[party])
        usage = {model_of(spec): ModelUsage(calls=calls, input_tokens=read, output_tokens=written)}
        cost = prices.cost(usage, spec)
        dollars = cost.dollars if cost.is_known else None
        seats[party] = SeatEstimate(spec, calls, read, written, dollars)
    return RunEstimate(len(plan), len(plan) - len(todo), len(sample), seats)


def _measure(task: Task, user: Any, setup: Setup, trial: int) -> dict[str, tuple[int, int, int]]:
    """Play one episode without models; return calls, tokens read and written of each seat."""
    stand_in = user if isinstance(user, str | Condition) else "ruse"
    free = EpisodeSettings(seed=setup.settings.seed)
    rules = replace(setup, settings=free, model=None)
    record = play_episode(task, STAND_IN, stand_in, rules, Visit(trial))
    registry = task.domain.registry()
    overhead = count_tokens(task.policy)
    overhead += count_tokens(registry.openai_schemas(Owner.AGENT))
    visible = [line for line in record.messages if line.get("owner") != "user"]
    found = {"agent": _seat_tokens(visible, "assistant", overhead)}
    if setup.engine is Engine.LLM:
        overhead = count_tokens(_prompt(task, record, setup))
        overhead += count_tokens(registry.openai_schemas(Owner.USER))
        seen = [one for one in record.messages if _is_said(one) or one.get("owner") == "user"]
        found["user"] = _seat_tokens(seen, "user", overhead)
    elif setup.engine is Engine.HYBRID:
        # A model that only words is handed one draft at a time.
        said = [count_tokens(str(one["content"])) for one in record.messages if _is_said(one)]
        drafts = said[::2]
        read = len(drafts) * count_tokens(_prompt(task, record, setup)) + sum(said)
        found["user"] = len(drafts), read, sum(drafts)
    return found


def _seat_tokens(
    lines: Sequence[Mapping[str, Any]], own_role: str, overhead: int
) -> tuple[int, int, int]:
    """Return what a model reads and writes that is handed the whole history at each message."""
    calls = read = written = 0
    history = overhead
    for line in lines:
        size = count_tokens(str(line["content"])) + count_tokens(line.get("tool_calls") or "")
        if line["role"] == own_role:
            calls, read, written = calls + 1, read + history, written + size
        history += size
    return calls, read, written


def _is_said(line: Mapping[str, Any]) -> bool:
    return line["role"] != "tool" and not line.get("tool_calls")


def _prompt(task: Task, record: EpisodeRecord, setup: Setup) -> str:
    """Return the prompt that a model in the user's seat would follow."""
    pieces = setup.fragments
    condition = resolve(
        parse_condition(record.condition, pieces.added), record.seed, task.id, record.trial
    )
    if setup.engine is Engine.HYBRID:
        return compose_wording_prompt(condition, fragments=pieces).text
    briefing = task.briefing
    return compose_prompt(condition, briefing, fragments=pieces).text
