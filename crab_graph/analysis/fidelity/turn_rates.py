"""How like people simulated users talk: rates of their turns beside published ones (section 3.3).

All rates are read from the text of the turns by rules, alike for every engine. They tell how users
talk, not whether what they say is plausible.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from statistics import fmean
from typing import Any, NamedTuple

from crab_graph.analysis.fidelity.published import people_rates
from crab_graph.eval.intervals import (
    COUNT_BOUNDS,
    Interval,
    Method,
    mean_intervals,
    share_intervals,
)
from crab_graph.runs.record import EpisodeRecord
from crab_graph.text.phrases import without_tokens

SHORT_WORDS = 3

_KINDS = "short polite uncertain question change_of_mind".split()
HUMAN: Mapping[str, tuple[float, float]] = {
    kind: (people_rates()[kind].low, people_rates()[kind].high) for kind in _KINDS
}
"""Share of people's turns of each kind, as a range."""

HUMAN_WORDS = people_rates()["words"].low
"""Words in a turn of people, about."""

_CUES: Mapping[str, re.Pattern[str]] = {
    "polite": re.compile(
        r"\b(?:please|thanks?|thank you|appreciate\w*|kindly|grateful|cheers|much obliged)\b"
    ),
    "uncertain": re.compile(
        r"\b(?:i (?:think|guess|believe|suppose)|maybe|perhaps|probably|not (?:so |quite )?sure"
        r"|pretty (?:much|sure)|if i remember|as far as i (?:know|remember)|i'm fairly|more or less"
        r"|kind of|sort of)\b"
    ),
    "change_of_mind": re.compile(
        r"\b(?:on second thoughts?|chang(?:ed|ing) my mind|scratch that"
        r"|actually,? (?:let's|make|can we|i'd (?:like|prefer|rather))|i'd rather|let's go with .* "
        r"instead)\b"
    ),
}


class Measured(NamedTuple):
    """A figure of turns with its 95 % interval over tasks."""

    value: float
    interval: Interval

    def as_json(self) -> dict[str, Any]:
        """Return the figure as `fidelity --json` prints it."""
        return {"value": self.value, **self.interval.as_json()}


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How the users of some episodes talk, `facts` newly said in a turn; all personas by `None`.

    `distance` is the mean over the kinds of turns of how far their share lies from people's; its
    interval goes from the least to the most that the intervals of the shares allow.
    """

    engine: str
    condition: str
    persona: str | None
    tasks: int
    episodes: int
    turns: int
    rates: Mapping[str, Measured]
    words: Measured
    facts: Measured
    distance: Measured

    def as_json(self) -> dict[str, Any]:
        """Return the group as `fidelity --json` prints it."""
        return {
            "engine": self.engine,
            "condition": self.condition,
            "persona": self.persona,
            "tasks": self.tasks,
            "episodes": self.episodes,
            "turns": self.turns,
            "rates": {kind: rate.as_json() for kind, rate in self.rates.items()},
            "distances": {kind: gap(kind, rate.value) for kind, rate in self.rates.items()},
            "words_per_turn": self.words.as_json(),
            "facts_per_turn": self.facts.as_json(),
            "distance": self.distance.as_json(),
        }


def kinds_of(text: str) -> frozenset[str]:
    """Return the kinds that a user's turn is of."""
    said = without_tokens(text).replace("’", "'").strip().casefold()
    kinds = {kind for kind, cue in _CUES.items() if cue.search(said)}
    if len(said.split()) <= SHORT_WORDS:
        kinds.add("short")
    if "?" in said:
        kinds.add("question")
    return frozenset(kinds)


def count_doubts(text: str) -> int:
    """Return how many marks of doubt a user's turn has."""
    said = without_tokens(text).replace("’", "'").casefold()
    return sum(1 for _ in _CUES["uncertain"].finditer(said))


def gap(kind: str, rate: float) -> float:
    """Return how far a rate lies outside people's range."""
    low, high = HUMAN[kind]
    return max(low - rate, rate - high, 0.0)


def measure_users(records: Iterable[EpisodeRecord]) -> list[Fidelity]:
    """Return the figures of each condition, and of each persona within it, in order of appearance.

    Users that are no condition, such as a callable, are measured as well.
    """
    groups: dict[tuple[str, str], list[EpisodeRecord]] = {}
    for record in records:
        groups.setdefault((record.user_engine, record.condition), []).append(record)
    found = []
    for (engine, condition), episodes in groups.items():
        personas = sorted({record.persona for record in episodes})
        found.append(_measured(engine, condition, None, episodes))
        for persona in personas if personas != ["none"] else ():
            own = [record for record in episodes if record.persona == persona]
            found.append(_measured(engine, condition, persona, own))
    return [one for one in found if one is not None]


def closer_than(first: Fidelity, second: Fidelity) -> dict[str, bool]:
    """Return for each kind whether the first group's rate is nearer to people's, or as near."""
    return {
        kind: gap(kind, first.rates[kind].value) <= gap(kind, second.rates[kind].value)
        for kind in HUMAN
    }


def closer_than_generic(groups: Iterable[Fidelity]) -> dict[str, dict[str, bool]]:
    """Return what `closer_than` says of RUSE and generic users, by engine that played both."""
    whole = {(one.engine, one.condition): one for one in groups if one.persona is None}
    return {
        engine: closer_than(whole[engine, "ruse"], whole[engine, "generic"])
        for engine in sorted({engine for engine, _ in whole})
        if {(engine, "ruse"), (engine, "generic")} <= whole.keys()
    }


def _measured(
    engine: str, condition: str, persona: str | None, episodes: Sequence[EpisodeRecord]
) -> Fidelity | None:
    """Return the figures of some episodes; nothing where the user said nothing.

    Each turn counts alike, so that a task counts as often as it has turns.
    """
    by_task: dict[str, list[EpisodeRecord]] = {}
    for record in episodes:
        by_task.setdefault(record.task_id, []).append(record)
    tasks = [own for own in map(_Task.read, by_task.values()) if own.turns]
    if not tasks:
        return None
    turns, strata = [one.turns for one in tasks], [one.stratum for one in tasks]
    total = sum(turns)
    shares = [[one.kinds[kind] / one.turns for one in tasks] for kind in HUMAN]
    means = [
        [one.words / one.turns for one in tasks],
        [one.facts / one.turns for one in tasks],
    ]
    intervals = [
        *share_intervals(shares, strata, total, weights=turns),
        *mean_intervals(means, strata, weights=turns, bounds=COUNT_BOUNDS),
    ]
    *rates, words, facts = (
        Measured(sum(map(mul, row, turns)) / total, interval)
        for row, interval in zip([*shares, *means], intervals, strict=True)
    )
    kinds = dict(zip(HUMAN, rates, strict=True))
    talked = sum(one.episodes for one in tasks)
    return Fidelity(
        engine, condition, persona, len(tasks), talked, total, kinds, words, facts, _distance(kinds)
    )


class _Task(NamedTuple):
    """What users said in the episodes of a task: counts of turns, words, facts newly told."""

    stratum: int
    episodes: int
    turns: int
    words: int
    facts: int
    kinds: Counter[str]

    @classmethod
    def read(cls, episodes: Sequence[EpisodeRecord]) -> "_Task":
        """Count what users said in the episodes of a task."""
        turns = [
            said
            for record in episodes
            for message in record.messages
            if message["role"] == "user" and not message.get("tool_calls")
            if (said := without_tokens(str(message.get("content") or ""))).strip()
        ]
        told = (fact.get("turn") is not None for record in episodes for fact in record.facts)
        words = sum(len(turn.split()) for turn in turns)
        kinds = Counter(kind for turn in turns for kind in kinds_of(turn))
        return cls(episodes[0].stratum, len(episodes), len(turns), words, sum(told), kinds)


def _distance(rates: Mapping[str, Measured]) -> Measured:
    """Return how far the rates lie from people's, and how near and far they may lie."""
    value = fmean(gap(kind, rate.value) for kind, rate in rates.items())
    ends = {kind: rate.interval.ends for kind, rate in rates.items()}
    nearest, farthest = [], []
    for kind, found in ends.items():
        if found is None:
            return Measured(value, rates[kind].interval)
        gaps = (gap(kind, found[0]), gap(kind, found[1]))
        meets = found[0] <= HUMAN[kind][1] and HUMAN[kind][0] <= found[1]
        nearest.append(0.0 if meets else min(gaps))
        farthest.append(max(gaps))
    return Measured(value, Interval(fmean(nearest), fmean(farthest), Method.COMBINED))
