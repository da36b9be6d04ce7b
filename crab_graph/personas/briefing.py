"""What one simulated user knows, and the one detail that it first wants otherwise (D6)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.facts import Fact, FactLevel
from crab_graph.personas.wordbook import DomainLexicon
from crab_graph.randomness import derive_rng

_WAITS_RATE = 0.75


@dataclass(frozen=True, slots=True)
class BriefedSlot:
    """One thing the user wants.

    Attributes:
        id: The slot's id.
        id_prefix: Prefix of the ids of what fills it.
        word: What it is called when spoken of.
    """

    id: str
    id_prefix: str
    word: str


@dataclass(frozen=True, slots=True)
class UserBriefing:
    """What one simulated user knows, in values only; the domain builds it.

    Attributes:
        facts: The user's knowledge.
        lexicon: The domain's words.
        slots: The things the user wants.
        task_id: Id of the task, one of the parts that randomness is derived from.
        today: Today's date, ISO.
    """

    facts: tuple[Fact, ...]
    lexicon: DomainLexicon
    slots: Sequence[BriefedSlot]
    task_id: str
    today: str

    def fact(self, key: str) -> Fact | None:
        """Return the fact with that key, if the user has it."""
        return next((fact for fact in self.facts if fact.key == key), None)

    def ordered_keys(self) -> list[str]:
        """Return the keys the user has, in the order they are told."""
        mine = {fact.key for fact in self.facts}
        known = [key for key in self.lexicon.facts if key in mine]
        return known + sorted(mine - set(known))


def first_wish(briefing: UserBriefing, behavior: Behavior) -> Fact | None:
    """Return the detail that a user changes its mind about, with the value it wants first.

    Args:
        briefing: What the user knows, which is what it wants in the end.
        behavior: How it behaves, which says in what share of tasks a user changes its mind.
    """
    rng = derive_rng("first wish", briefing.task_id)
    if rng.random() >= behavior.clarification.changes_mind:
        return None
    choices = []
    for fact in briefing.facts:
        words = briefing.lexicon.facts.get(fact.key)
        others = [] if words is None else [one for one in words.others if one != fact.value]
        if others and fact.level is FactLevel.DETAIL:
            choices.append((fact, others))
    if not choices:
        return None
    fact, others = rng.choice(choices)
    return replace(fact, value=rng.choice(others))


def waits_for_plan(briefing: UserBriefing) -> bool:
    """Tell whether the change comes with the agent's plan only, or with its next question."""
    return derive_rng("change of mind", briefing.task_id).random() < _WAITS_RATE


def with_first_wish(briefing: UserBriefing, first: Fact) -> UserBriefing:
    """Return what a user says it wants before it changes its mind."""
    facts = tuple(first if fact.key == first.key else fact for fact in briefing.facts)
    return replace(briefing, facts=facts)
