"""How like people simulated users talk: rates of their turns beside published ones (section 3.3).

The reference rates come from published studies of people who talk to service agents (design §8).
All rates are read from the text of the turns by rules, alike for every engine. They tell how users
talk, not whether what they say is plausible.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.randomness import derive_rng
from crab_graph.runs.record import EpisodeRecord
from crab_graph.text.phrases import without_tokens

SHORT_WORDS = 3
DRAWS = 1000

HUMAN: Mapping[str, tuple[float, float]] = {
    "short": (0.29, 0.29),
    "polite": (0.15, 0.20),
    "uncertain": (0.073, 0.073),
    "question": (0.098, 0.098),
    "change_of_mind": (0.084, 0.084),
}
"""Share of people's turns of each kind, as a range."""

HUMAN_WORDS = 10.0
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
    """A figure with its 95 % interval, a bootstrap over tasks."""

    value: float
    low: float
    high: float

    def as_json(self) -> dict[str, Any]:
        """Return the figure as `fidelity --json` prints it."""
        return {"value": self.value, "interval": [self.low, self.high]}


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How the users of some episodes talk, `facts` newly said in a turn; all personas by `None`.

    `distance` is the mean over the kinds of turns of how far their share lies from people's.
    """

    engine: str
    condition: str
    persona: str | None
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
    """Return the figures of some episodes; nothing where the user said nothing."""
    by_task: dict[str, list[tuple[int, ...]]] = {}  # turns, words, facts, turns of each kind
    for record in episodes:
        turns = [
            said
            for message in record.messages
            if message["role"] == "user" and not message.get("tool_calls")
            if (said := without_tokens(str(message.get("content") or ""))).strip()
        ]
        kinds_said = [kinds_of(turn) for turn in turns]
        by_kind = [sum(kind in one for one in kinds_said) for kind in HUMAN]
        new = sum(fact.get("turn") is not None for fact in record.facts)
        counts = (len(turns), sum(len(turn.split()) for turn in turns), new, *by_kind)
        by_task.setdefault(record.task_id, []).append(counts)
    tasks = np.array([np.sum(own, axis=0) for own in by_task.values()])
    total = tasks.sum(axis=0)
    if not total[0]:
        return None
    rng = derive_rng("fidelity", engine, condition, persona or "all")
    drawn = [rng.choices(range(len(tasks)), k=len(tasks)) for _ in range(DRAWS)]
    draws = np.array([tasks[places].sum(axis=0) for places in drawn])
    values = np.sort(_figures(draws[draws[:, 0] > 0]), axis=0)
    edge = round(0.025 * (len(values) - 1))
    of_all = _figures(total[np.newaxis])[0]
    words, facts, distance, *rates = (
        Measured(*map(float, one))
        for one in zip(of_all, values[edge], values[-1 - edge], strict=True)
    )
    kinds = dict(zip(HUMAN, rates, strict=True))
    return Fidelity(engine, condition, persona, int(total[0]), kinds, words, facts, distance)


def _figures(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, for each row of counts, words and facts a turn, the distance, and all shares."""
    shares = counts[:, 1:] / counts[:, :1]
    words, facts, *kinds = shares.T
    gaps = [
        np.maximum(np.maximum(low - share, share - high), 0.0)
        for share, (low, high) in zip(kinds, HUMAN.values(), strict=True)
    ]
    return np.column_stack([words, facts, sum(gaps) / len(gaps), *kinds])
