"""A change of mind (D6): one detail that a user first wants otherwise than its facts say.

The task stays certified for what the user wants in the end. The choice is a function of the task
alone, so that all conditions and trials of a task meet the same change.
"""

from dataclasses import replace

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.facts import Fact, FactLevel
from crab_graph.personas.lexicon import UserBriefing
from crab_graph.randomness import derive_rng

_WAITS_RATE = 0.75


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
