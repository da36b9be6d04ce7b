"""Which turn decided an episode: the chance to pass from each of them on.

The chance is the share of continuations that pass, forked there with the same agent and user. Where
it falls most, or rises most in an episode that passed, the episode was decided.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Unpack

from crab_graph.errors import RunError
from crab_graph.eval.intervals import change_interval, exact_interval
from crab_graph.given_values import a_path
from crab_graph.runs.config import CONFIG, PIVOTS, ForkPoint, RunPath, read_config
from crab_graph.runs.record import EpisodeRecord, OutcomeName, id_of
from crab_graph.runs.store import load_record, load_records
from crab_graph.schema import FileModel
from crab_graph.seals import DamagedFile, read_model, sealed
from crab_graph.settings import ForkSettings, PivotKeywords, TrustSettings, WorkSettings, value_of
from crab_graph.workers import write_atomically

if TYPE_CHECKING:
    from crab_graph.agents.agent_types import AgentSpec
    from crab_graph.runs.sitting import Report

RESULT = "pivot.json"
_AGAIN = "remove it, and `crab-graph pivot` judges the same forks again"


class PivotTurn(FileModel):
    """A visible message, and the chance to pass after it.

    Turn 0 is the beginning, where nobody spoke. Of `n` continuations that have a verdict `passed`
    did; the rate after the last message is what came of the episode. Intervals are exact ones of
    95 %, and there from two continuations on.
    """

    turn: int
    role: Literal["user", "assistant"] | None
    text: str
    passed: int
    n: int
    rate: float
    low: float | None
    high: float | None
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None


class _Chance(NamedTuple):
    """A share of continuations that passed."""

    passed: int
    n: int
    low: float | None
    high: float | None

    @property
    def rate(self) -> float:
        """The share itself."""
        return self.passed / self.n


class _Change(NamedTuple):
    """From one message to the next, by how much the chance changed."""

    change: float
    change_low: float | None
    change_high: float | None

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves no room for no change."""
        if self.change_low is None or self.change_high is None:
            return False
        return self.change_low > 0 or self.change_high < 0


class Pivot(FileModel):
    """What the forks of an episode say.

    Attributes:
        decisive: Number of the message that changed it most towards the outcome; `None` where
            none did.
        is_clear: Whether the interval of that change leaves no room for no change.
        without_verdict: Continuations that broke down.
    """

    schema_version: Literal[1, 2] = 2
    episode_id: str
    agent: str
    agent_is_reference: bool
    outcome: OutcomeName
    passed: bool
    trials: int
    turns: tuple[PivotTurn, ...]
    decisive: int | None
    is_clear: bool
    without_verdict: int


def pivot_episode(
    run: RunPath,
    episode: str | EpisodeRecord,
    trials: int = 8,
    *,
    agent: "AgentSpec | None" = None,
    force: bool = False,
    progress: "Report | None" = None,
    **work: Unpack[PivotKeywords],
) -> Pivot:
    """Fork an episode at every turn, and return the chance to pass from each.

    The forks are kept in the run's directory: the same call goes on where an earlier one stopped,
    and more trials, continuations from each turn, add to those that are there. An agent is given
    where it is a Python object. With `force` forks of other settings or of another version are
    thrown away; `work` are the fields of `WorkSettings` and `TrustSettings` in
    `crab_graph.settings`.

    Raises:
        UntrustedRun: somebody else wrote the run, without `trust`.
        UsageError: the episode cannot be forked.
        UnknownName: there is no such episode.
    """
    from crab_graph.runs.fork import (  # noqa: PLC0415  (loads LangGraph)
        Source,
        begin_fork,
        fork_points,
        prepare_fork,
    )

    workers = value_of(WorkSettings, work, TrustSettings)
    trust = value_of(TrustSettings, work, WorkSettings)
    wanted = ForkSettings(agent=agent, trials=trials)
    directory, name = a_path("a run", run), id_of(episode)
    record = load_record(directory, name)
    out = directory / PIVOTS / name
    point = ForkPoint(run="../..", episode_id=name, turns=tuple(fork_points(record)), fresh=True)
    known_trials = read_config(out).trials if (out / CONFIG).exists() else 0
    otherwise = replace(wanted, trials=max(trials, known_trials))
    source = Source(directory, record, point, trust)
    sitting = prepare_fork(source, out, otherwise, workers)
    begin_fork(sitting, progress, may_grow=True, force=force)
    found = judge(record, load_records(out), trials)
    fields = sealed(found.model_dump(mode="json"))
    write_atomically(out / RESULT, json.dumps(fields, indent=2) + "\n")
    return found


def load_pivots(run: str | Path) -> dict[str, Pivot]:
    """Return what was found of a run's episodes, by episode.

    Raises:
        RunError: a file is damaged.
    """
    found = {}
    for path in sorted((Path(run) / PIVOTS).glob(f"*/{RESULT}")):
        try:
            one = read_model(path, Pivot)
        except DamagedFile as error:
            raise RunError(f"{path}: damaged: {error}; {_AGAIN}") from None
        found[one.episode_id] = one
    return found


def judge(record: EpisodeRecord, forks: Sequence[EpisodeRecord], trials: int) -> Pivot:
    """Return what forks of an episode say of its turns, by some trials from each."""
    said = [
        line
        for line in record.messages
        if line["role"] in {"user", "assistant"} and not line.get("tool_calls")
    ]
    last = len(said)
    results: dict[int, list[bool]] = defaultdict(list)
    for one in forks:
        if one.outcome != "infra_error" and one.forked_from and one.trial < trials:
            results[one.forked_from["turn"]].append(one.passed)
    rates = {turn: _chance(passed) for turn, passed in results.items() if turn < last}
    # What came of the episode is known.
    rates[last] = _Chance(int(record.passed), 1, float(record.passed), float(record.passed))
    changes = {
        turn: _change(rates[turn - 1], rates[turn])
        for turn in range(1, last + 1)
        if turn - 1 in rates and turn in rates
    }
    sign = 1 if record.passed else -1
    best = max(changes, key=lambda turn: (sign * changes[turn].change, -turn), default=None)
    if best is not None and sign * changes[best].change <= 0:
        best = None
    return Pivot(
        episode_id=record.episode_id,
        agent=record.agent_label,
        agent_is_reference=record.agent_is_reference,
        outcome=record.outcome,
        passed=record.passed,
        trials=trials,
        turns=tuple(
            PivotTurn(
                turn=turn,
                role=said[turn - 1]["role"] if turn else None,
                text=said[turn - 1].get("content", "") if turn else "",
                rate=rate.rate,
                **rate._asdict(),
                **(changes[turn]._asdict() if turn in changes else {}),
            )
            for turn, rate in sorted(rates.items())
        ),
        decisive=best,
        is_clear=best is not None and changes[best].is_clear,
        without_verdict=sum(one.outcome == "infra_error" for one in forks),
    )


def _chance(passed: Sequence[bool]) -> _Chance:
    interval = exact_interval(sum(passed), len(passed))
    return _Chance(sum(passed), len(passed), interval.low, interval.high)


def _change(before: _Chance, after: _Chance) -> _Change:
    value = after.rate - before.rate
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return _Change(value, None, None)
    first, second = (before.rate, before.low, before.high), (after.rate, after.low, after.high)
    return _Change(value, *change_interval(first, second))
