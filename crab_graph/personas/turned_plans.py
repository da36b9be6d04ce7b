"""Items that a story of a plan seems to give to each other's slots: the reading that fits is meant.

`Transvale takes you out on the 3rd` has no word of a list of labels. Where two things of one kind
are shown, one each, and their days are those wanted only the other way round, they are that way; of
two that seem to be for the same slot one is for the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.stated_plans import Showing, StatedPlan
from crab_graph.personas.stated_values import days_in
from crab_graph.personas.wordbook import ConflictKind


def turned_right(plan: StatedPlan, briefing: UserBriefing) -> StatedPlan:
    """Return a plan with two of its items changed about, or dealt, where they fit only so."""
    conflicts = {key: one.conflict for key, one in briefing.lexicon.facts.items() if one.conflict}
    dated = {key for key, one in conflicts.items() if one.kind is ConflictKind.DATE}
    lengths = {key for key, one in conflicts.items() if one.between}
    wrong = contradictions(plan, briefing)
    for other in () if dated.isdisjoint(wrong) else _turned(plan, briefing):
        left = contradictions(other, briefing)
        if dated.isdisjoint(left) and len(left) < len(wrong):
            return other
    dealt = ((contradictions(other, briefing), other) for other in _dealt(plan, briefing))
    fits = [(left, other) for left, other in dealt if not {*left} & (dated | lengths)]
    return min(fits, key=lambda one: len(one[0]), default=(wrong, plan))[1]


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

    They are of different days, and the other slot of their kind has none but what was shown for it
    before.
    """
    kinds = {slot.id: slot.id_prefix for slot in briefing.slots}
    for one, two in permutations(kinds, 2):
        own, other = plan.candidates.get(one, ()), plan.candidates.get(two, ())
        is_new = len(own) == 2 and all(item.item and not item.option for item in own)
        is_old = not any(item.item in plan.said for item in other)
        if kinds[one] == kinds[two] and is_new and is_old and _are_apart(own, briefing):
            for first, second in permutations(own):
                yield replace(
                    plan,
                    candidates={**plan.candidates, one: (first,), two: (_moved(second, two),)},
                )


def _are_apart(showings: Sequence[Showing], briefing: UserBriefing) -> bool:
    """Tell whether items are told with days, and each with others."""
    texts = (" ; ".join(one.text for one in item.named) for item in showings)
    days = [{*days_in(text, briefing.today)} for text in texts]
    return all(days) and days[0].isdisjoint(*days[1:])


def _moved(showing: Showing, slot: str) -> Showing:
    return replace(showing, slot=slot)
