"""What in a stated plan contradicts a joint wish: its predicate, on what the plan says.

What is not said can be anything, so that a plan contradicts it only where no reading is right.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from crab_graph.dates import day_number
from crab_graph.personas.briefing import Fact, UserBriefing
from crab_graph.personas.stated_plans import StatedPlan
from crab_graph.personas.stated_values import choices_in, days_in
from crab_graph.personas.wordbook import FactWords, JointTruth, ValueForm

_MOST = 2_000
"""Readings of a plan that are tried."""


def joint_misses(plan: StatedPlan, briefing: UserBriefing) -> Iterator[str]:
    """Yield the keys of the joint wishes that a stated plan contradicts."""
    for fact, truth in _truths(briefing):
        told = [*_answers(plan, fact, truth, briefing)]
        if told and not any(told):
            yield fact.key


def joint_hits(plan: StatedPlan, briefing: UserBriefing) -> Iterator[str]:
    """Yield the keys of the joint wishes that a stated plan plainly fits.

    Which of some values is the cheaper one no plan shows.
    """
    decided = (one for one in _truths(briefing) if one[0].key not in briefing.lexicon.undecided)
    for fact, truth in decided:
        told = [*_answers(plan, fact, truth, briefing)]
        if told and all(told):
            yield fact.key


def _truths(briefing: UserBriefing) -> Iterator[tuple[Fact, JointTruth]]:
    for fact in briefing.facts:
        truth = briefing.lexicon.truths.get(fact.key)
        if truth is not None:
            yield fact, truth


def _answers(
    plan: StatedPlan, fact: Fact, truth: JointTruth, briefing: UserBriefing
) -> Iterator[bool]:
    """Yield what the condition answers to each reading of a plan; nothing where it is silent."""
    known = {one.key: one.value for one in briefing.facts}
    if not known.keys() >= set(truth.given):
        return
    constants = {name: known[name] for name in truth.given}
    texts = {slot: _text_of(plan, slot) for slot, _ in truth.reads}
    values = [[*_values(texts[slot], words, briefing)] for slot, words in truth.reads]
    if not any(texts.values()) or not all(values):
        return
    for chosen in islice(product(*values), _MOST):
        yield bool(truth.holds(*chosen, **constants))


def _text_of(plan: StatedPlan, slot: str) -> str:
    """Return what a plan says of a slot for which it shows one thing."""
    shown = plan.candidates.get(slot, ())
    if len(shown) != 1:
        return ""
    return " ; ".join(part.text for part in (*shown[0].named, *shown[0].earlier))


def _values(text: str, words: FactWords, briefing: UserBriefing) -> Sequence[Any]:
    """Return the values that a text says, or all that it leaves open; none where that is any."""
    if words.form is ValueForm.DATE:
        return [day_number(day) for day in dict.fromkeys(days_in(text, briefing.today))]
    found: Mapping[str, None] = dict.fromkeys(sorted(choices_in(text, words)))
    return [*(found or words.cues)]
