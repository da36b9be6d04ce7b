"""Facts that a user was asked for and kept to itself (rulebook §10, U3)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from crab_graph.eval.episode import Episode
from crab_graph.eval.user_errors import UserError, answers
from crab_graph.personas.behavior import behavior_of
from crab_graph.personas.condition import Dimension, Persona, ResolvedCondition
from crab_graph.personas.understanding import understand

_TRIP = frozenset({"D01", "D02", "D03", "D04"})
_ASKED = 2


@dataclass(frozen=True, slots=True)
class UserConduct:
    """What a transcript does not hold of a user: its condition, and the record of what it told.

    Attributes:
        facts_per_answer: Most facts one answer gives under its condition; `None` for all.
        told: Number of the visible message that first told each fact.
    """

    facts_per_answer: int | None
    told: Mapping[str, int]

    @classmethod
    def from_record(
        cls, persona: str, dimensions: Iterable[str], facts: Iterable[Mapping[str, Any]]
    ) -> Self | None:
        """Return the conduct that a record tells, `None` where it does not.

        Args:
            persona: The persona; how one of a file of its own behaves is not known here.
            dimensions: The dimensions that were switched on.
            facts: The facts with the turns in which they were told.
        """
        told = {fact["key"]: fact["turn"] for fact in facts if fact["turn"] is not None}
        if not told or persona not in set(Persona):
            return None
        condition = ResolvedCondition("", Persona(persona), tuple(map(Dimension, dimensions)))
        return cls(behavior_of(condition).disclosure.facts_per_answer, told)


def withheld_facts(episode: Episode, conduct: UserConduct) -> Iterator[UserError]:
    """U3: asked for twice, each time with fewer new facts than the condition allows; never told."""
    task = episode.reading.task
    kept = [fact.key for fact in task.facts if fact.key not in conduct.told]
    if not kept:
        return
    briefing = task.domain.briefing(task.domain.slots, task.facts, task.id, task.today)
    known = {fact.key for fact in task.facts}
    refused: Counter[str] = Counter()
    for request, answer in answers(episode):
        asked = known & set(understand(request.text, briefing.lexicon, briefing.slots).asked)
        new = [key for key in asked if conduct.told.get(key, answer.number) >= answer.number]
        gave = sum(turn == answer.number for turn in conduct.told.values())
        limit = conduct.facts_per_answer
        if gave >= (len(new) if limit is None else min(len(new), limit)):
            continue
        for key in kept:
            refused[key] += key in new
            if key in new and refused[key] == _ASKED:
                covers = episode.reading.grading.covered_checks.get(key, frozenset()) | _TRIP
                yield UserError("U3", answer.number, f"withheld {key}, asked for twice", covers)
