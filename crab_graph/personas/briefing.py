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
    """One thing the user wants; `word` is what it is called when spoken of."""

    id: str
    id_prefix: str
    word: str


@dataclass(frozen=True, slots=True)
class UserBriefing:
    """What one simulated user knows, in values only; the domain builds it.

    Randomness is derived from `task_id`, among other things; `today` is a date in ISO form.
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

    What it knows is what it wants in the end; its behaviour says in what share of tasks it is so.
    """
    rng = derive_rng("first wish", briefing.task_id)
    if rng.random() >= behavior.changes_mind:
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
