"""Items that a story of a plan seems to give to each other's slots: the reading that fits is meant.

`Transvale takes you out on the 3rd` has no word of a list of labels. Where two things of one kind
are shown, one each, and their days are those wanted only the other way round, they are that way; of
two that seem to be for the same slot one is for the other.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations

from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.stated_plans import Showing, StatedPlan
from crab_graph.personas.wordbook import ConflictKind


def turned_right(plan: StatedPlan, briefing: UserBriefing) -> StatedPlan:
    """Return a plan with two of its items changed about, or dealt, where they fit only so."""
    dated = {
        key
        for key, words in briefing.lexicon.facts.items()
        if words.conflict is not None and words.conflict.kind is ConflictKind.DATE
    }
    wrong = contradictions(plan, briefing)
    turned = [] if dated.isdisjoint(wrong) else list(_turned(plan, briefing))
    for other in (*turned, *_dealt(plan, briefing)) if wrong else ():
        left = contradictions(other, briefing)
        if dated.isdisjoint(left) and len(left) < len(wrong):
            return other
    return plan


def _turned(plan: StatedPlan, briefing: UserBriefing) -> Iterator[StatedPlan]:
    """Yield a plan with the only items of two slots of one kind changed about."""
    kinds = {slot.id: slot.id_prefix for slot in briefing.slots}
    alone = {slot: own[0] for slot, own in plan.candidates.items() if len(own) == 1}
    for one, two in combinations(alone, 2):
        if kinds[one] == kinds[two] and alone[one].item and alone[two].item:
            moved = {one: (_moved(alone[two], one),), two: (_moved(alone[one], two),)}
            yield replace(plan, candidates={**plan.candidates, **moved})


def _dealt(plan: StatedPlan, briefing: UserBriefing) -> Iterator[StatedPlan]:
    """Yield a plan with one each of the two items that a message gives to one slot.

    The other slot of their kind has none but what was shown for it before.
    """
    kinds = {slot.id: slot.id_prefix for slot in briefing.slots}
    for one, two in permutations(plan.candidates, 2):
        own, other = plan.candidates[one], plan.candidates[two]
        is_new = len(own) == 2 and all(item.item and not item.option for item in own)
        is_old = not any(item.item in plan.said for item in other)
        if kinds[one] == kinds[two] and is_new and is_old:
            for first, second in permutations(own):
                yield replace(
                    plan,
                    candidates={**plan.candidates, one: (first,), two: (_moved(second, two),)},
                )


def _moved(showing: Showing, slot: str) -> Showing:
    return replace(showing, slot=slot)
