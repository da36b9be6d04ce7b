"""Facts that a user was asked for and kept to itself (rulebook §10, U3)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from crab_graph.eval.dialogue import UserMessage
from crab_graph.eval.episode import Episode
from crab_graph.eval.user_error import TRIP, UserError
from crab_graph.personas.behavior import behavior_of
from crab_graph.personas.condition import Dimension, Persona, ResolvedCondition
from crab_graph.personas.lexicon import UserBriefing
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.understanding import understand
from crab_graph.text.lexicon import pattern

_ASKED = 2


@dataclass(frozen=True, slots=True)
class UserConduct:
    """What a transcript does not hold of a user: its condition, and the record of what it told.

    Attributes:
        facts_per_answer: Most facts one answer gives under its condition; `None` for all.
        told: Number of the visible message that first told each fact.
        is_limit_known: Whether the former is known; that of a persona of a file is not.
    """

    facts_per_answer: int | None
    told: Mapping[str, int]
    is_limit_known: bool = True

    @classmethod
    def from_record(
        cls, persona: str, dimensions: Iterable[str], facts: Iterable[Mapping[str, Any]]
    ) -> Self | None:
        """Return the conduct that a record tells, `None` where it does not.

        Args:
            persona: The persona; how one of a file of its own behaves is not known here.
            dimensions: The dimensions that were switched on; the same holds for those of a file.
            facts: The facts with the turns in which they were told.
        """
        told = {fact["key"]: fact["turn"] for fact in facts if fact["turn"] is not None}
        dimensions = tuple(dimensions)
        is_built_in = persona in set(Persona) and set(dimensions) <= set(Dimension)
        if not told:
            return None
        if not is_built_in:
            return cls(None, told, is_limit_known=False)
        condition = ResolvedCondition("", Persona(persona), dimensions)
        return cls(behavior_of(condition).disclosure.facts_per_answer, told)


def withheld_facts(episode: Episode, conduct: UserConduct | None) -> Iterator[UserError]:
    """U3: asked for twice, each time with fewer new facts than the condition allows; never told.

    Without a record of the user's conduct both are read from what it said: an answer then withholds
    only where it evades in so many words and states no fact at all, the least any condition gives.
    """
    told = None if conduct is None else conduct.told
    if conduct is not None and not conduct.is_limit_known:
        conduct = None
    task = episode.reading.task
    evading = {one.number for one in episode.dialogue.user if conduct is None and _evades(one)}
    if conduct is None and len(evading) < _ASKED:
        return
    briefing = task.domain.briefing(task.domain.slots, task.facts, task.id, task.today)
    known = conduct or UserConduct(1, told or _read_told(episode, briefing))
    kept = [fact.key for fact in task.facts if fact.key not in known.told]
    if not kept:
        return
    keys = {fact.key for fact in task.facts}
    refused: Counter[str] = Counter()
    for request, answer in episode.dialogue.answers:
        if conduct is None and answer.number not in evading:
            continue
        asked = keys & set(understand(request.text, briefing.lexicon, briefing.slots).asked)
        new = [key for key in asked if known.told.get(key, answer.number) >= answer.number]
        gave = sum(turn == answer.number for turn in known.told.values())
        limit = known.facts_per_answer
        if gave >= (len(new) if limit is None else min(len(new), limit)):
            continue
        for key in kept:
            refused[key] += key in new
            if key in new and refused[key] == _ASKED:
                covers = episode.reading.grading.covered_checks.get(key, frozenset()) | TRIP
                yield UserError("U3", answer.number, f"withheld {key}, asked for twice", covers)


def _evades(message: UserMessage) -> bool:
    text = message.utterance.text
    return not text or pattern("attribution", "evasions").search(text) is not None


def _read_told(episode: Episode, briefing: UserBriefing) -> dict[str, int]:
    """Return the visible message in which the user's own words first tell each fact."""
    told: dict[str, int] = {}
    asked = {answer.number: request.text for request, answer in episode.dialogue.answers}
    for message in episode.dialogue.user:
        heard = understand(asked.get(message.number, ""), briefing.lexicon, briefing.slots).asked
        for key in stated_facts(message.text, briefing, heard):
            told.setdefault(key, message.number)
    return told
