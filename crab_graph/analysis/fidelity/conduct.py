"""What users did, case by case, each beside what its condition lets be expected of it (§3.3).

A case is one occasion on which a user could keep to its condition: a fact told, an answer, a wrong
plan. What is expected follows from the fields by which the user was set; a dimension that is on
must show, whatever its fields say.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import NamedTuple

from crab_graph.analysis.fidelity.heard_turns import HeardTurn, Lived
from crab_graph.analysis.fidelity.progress import idle_before_giving_up
from crab_graph.analysis.fidelity.statements import (
    false_play_backs,
    is_affirmed,
    read_objections,
)
from crab_graph.analysis.fidelity.turn_rates import SHORT_WORDS, count_doubts
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import FactLevel, How
from crab_graph.personas.condition import Dimension
from crab_graph.personas.indirect_values import FEWEST_INDIRECT, indirect_keys

_TRACE = 0.01
"""Of a rate that is to be there at all the least, of one that is not the most."""
_AROUND = (0.5, 2.5)
_DRAWN = (0.4, 1.6)
"""What a mean over few cases may be of the rate it was drawn at, and before it of the words set."""


class Band(NamedTuple):
    """Where the mean of values should lie, by its ends; `is_drawn` where it is but likely to.

    The values themselves should where `is_of_each`.
    """

    low: float
    high: float
    is_drawn: bool = False
    is_of_each: bool = False


class Case(NamedTuple):
    """What a user did on one occasion, and what is expected of it: nothing where nothing set it."""

    value: float
    band: Band | None


_HELD_BACK, _TOLD_AT_ONCE = Band(0.0, 0.1), Band(0.5, 1.0)
_ALWAYS, _NOTICED = Band(1.0, 1.0), Band(0.97, 1.0)
_NEVER, _HARDLY = Band(0.0, 0.0), Band(0.0, 0.05)

Cases = Callable[[Lived], Iterator[Case]]


def volunteered(lived: Lived) -> Iterator[Case]:
    """Of each detail told, whether nothing had asked for it."""
    band = None
    if lived.behavior is not None:
        band = _HELD_BACK if lived.behavior.two_levels else _TOLD_AT_ONCE
    for one in lived.turns:
        for told in one.told:
            if lived.facts[told.key].level is not FactLevel.DETAIL:
                continue
            is_prompted = one.is_open or told.key in one.prompted
            yield Case(one.is_opening or not is_prompted, band)


def facts_per_answer(lived: Lived) -> Iterator[Case]:
    """Of each answer that tells details, how many are new.

    Where answers spread over two turns, what one turn left out the next may tell beside its own.
    """
    behavior, left = lived.behavior, 0.0
    for one in lived.turns[1:]:
        new = [told for told in one.told if lived.facts[told.key].level is FactLevel.DETAIL]
        if not new:
            continue
        number, band = lived.briefing.count_details(told.key for told in new), None
        if behavior is not None:
            limit = behavior.facts_per_answer or inf
            band = Band(1.0, limit + left, is_of_each=True)
            left = min(max(limit + left - number, 0.0), limit) if behavior.spreads else 0.0
        yield Case(number, band)


def indirect(lived: Lived) -> Iterator[Case]:
    """Of each fact told exactly that can be said otherwise, whether the words are not plain."""
    band, behavior = None, lived.behavior or Behavior()
    can_be = indirect_keys(lived.briefing, replace(behavior, indirect=1.0), 0, direct=())
    if lived.behavior is not None and can_be:
        is_on = lived.has(Dimension.D1)
        least = min(FEWEST_INDIRECT / len(can_be), 1.0)
        rate = max(behavior.indirect, least) if behavior.indirect else 0.0
        band = _drawn(rate, is_on=is_on) if rate or is_on else _HARDLY
    for one in lived.turns:
        for told in one.told:
            # What is said to be right was told by the agent.
            is_said = told.how == How.EXACT and told.key not in one.played.right
            if is_said and told.key in can_be:
                yield Case(not one.states(told.key), band)


def unanswered(lived: Lived) -> Iterator[Case]:
    """Of each message that asks for facts, whether the answer gives none, and asks nothing back."""
    for one in lived.turns:
        if one.is_opening or not one.asked or one.played.states:
            continue
        told = {telling.key for telling in one.told}
        is_given = bool(told & one.asked) or bool(one.states(*one.asked)) or one.calls
        yield Case(not (is_given or "?" in one.said), _HARDLY)


def hedged(lived: Lived) -> Iterator[Case]:
    """Of each fact told, whether its turn has a mark of doubt for it, one mark being for one."""
    band = _doubt_band(lived)
    for one in lived.turns:
        marks = count_doubts(one.said)
        for place in range(len(one.told)):
            yield Case(place < marks, band)


def vague(lived: Lived) -> Iterator[Case]:
    """Of each fact told, whether it was vague or wrong at first, as the record has it."""
    band = _vague_band(lived)
    for one in lived.turns:
        for told in one.told:
            if told.how:
                yield Case(told.how != How.EXACT, band)


def corrected(lived: Lived) -> Iterator[Case]:
    """Of each fact that was vague or wrong at first and came up again, whether it was put right."""
    for one in lived.turns:
        for told in one.told:
            if told.how not in {How.VAGUE, How.WRONG}:
                continue
            later = [other for other in lived.turns if other.number > told.turn]
            again = [other for other in later if _comes_up(told.key, other)]
            if again:
                # What was put right before it came up by its own words need not be once more.
                is_settled = told.settled is not None and told.settled <= again[-1].number
                is_right = is_settled or any(other.states(told.key) for other in again)
                yield Case(is_right, _ALWAYS)


def objected(lived: Lived) -> Iterator[Case]:
    """Of each plan that shows a wish missed, whether it was not approved.

    A wish that the user has told can be overlooked, unless it was objected to before.
    """
    behavior = lived.behavior
    for one in read_objections(lived):
        missed = len(one.plan.missed)
        is_sure = behavior is None or not one.is_new
        overlooked = 0.0 if is_sure or behavior is None else behavior.overlooks**missed
        yield Case(not one.is_approved, _drawn_without(overlooked))


def named(lived: Lived) -> Iterator[Case]:
    """Of each first objection to a plan, whether it says what is wrong."""
    behavior = lived.behavior
    for one in read_objections(lived):
        if one.is_new and not one.is_approved:
            hinted = 0.0 if behavior is None else 1 - behavior.names_errors
            yield Case(one.says_what, _drawn_without(hinted))


def refusals(lived: Lived) -> Iterator[Case]:
    """Of each plan with a wish missed that was corrected before, whether the user then gave up."""
    for one in read_objections(lived):
        if one.times:
            band = None
            if lived.behavior is not None:
                limit = lived.behavior.refusals
                expected = float(limit is not None and one.times >= limit)
                band = Band(expected, expected, is_of_each=True)
            yield Case(one.ends, band)


def affirmed(lived: Lived) -> Iterator[Case]:
    """Of each recap with something wrong, whether it was said to be right."""
    for recap in false_play_backs(lived):
        yield Case(is_affirmed(recap), _NEVER)


def repeats(lived: Lived) -> Iterator[Case]:
    """Of each turn of some length, whether it was said before, word for word.

    To silence, or to what was said before, there is nothing else to say.
    """
    heard: set[str] = {""}
    before: set[str] = set()
    for one in lived.turns:
        said, message = _plain(one.said), _plain(one.heard)
        is_new = one.is_opening or message not in heard
        if is_new and len(said.split()) > SHORT_WORDS:
            yield Case(said in before, _HARDLY)
        before.add(said)
        heard.add(message)


def words(lived: Lived) -> Iterator[Case]:
    """Of each turn, its words."""
    band = None
    if lived.behavior is not None:
        least, most = _AROUND
        band = Band(least * lived.behavior.words, most * lived.behavior.words)
    for one in lived.turns:
        if one.said:
            yield Case(len(one.said.split()), band)


def patience(lived: Lived) -> Iterator[Case]:
    """Of a user that gave up, the agent's messages in a row that brought nothing."""
    idle = idle_before_giving_up(lived)
    if idle is not None:
        band = None
        if lived.behavior is not None:
            held = lived.behavior.patience
            # It warns before it leaves, be it a turn late.
            band = Band(held, held + 1, is_of_each=True)
        yield Case(idle, band)


CASES: Mapping[str, Cases] = {
    one.__name__: one
    for one in (
        volunteered,
        facts_per_answer,
        indirect,
        unanswered,
        hedged,
        vague,
        corrected,
        objected,
        named,
        refusals,
        affirmed,
        repeats,
        words,
        patience,
    )
}
"""How the cases of each figure are found, by its key."""


def _comes_up(key: str, one: HeardTurn) -> bool:
    return key in one.prompted


def _doubt_band(lived: Lived) -> Band | None:
    """Return the band of the share of facts that are told with doubt."""
    behavior = lived.behavior
    if behavior is None:
        return None
    known = len(lived.facts)
    doubts = min(behavior.doubts, known)
    return _drawn(
        (doubts + behavior.uncertain * (known - doubts)) / known, is_on=lived.has(Dimension.D3)
    )


def _vague_band(lived: Lived) -> Band | None:
    """Return the band of the share of facts that are vague or wrong when first told."""
    behavior = lived.behavior
    if behavior is None:
        return None
    rate = min(behavior.doubts / len(lived.facts), 1.0)
    return _drawn(rate, is_on=lived.has(Dimension.D3))


def _drawn(rate: float, *, is_on: bool) -> Band:
    """Return the band of a rate, which has to show where its dimension is on."""
    if rate == 0 and not is_on:
        return Band(0.0, _TRACE)
    least, most = _DRAWN
    return Band(max(least * rate, _TRACE), max(most * rate, _TRACE), is_drawn=True)


def _drawn_without(rate: float) -> Band:
    """Return the band of what is always so but for a rate at which it is not."""
    least, most = _DRAWN
    if rate == 0:
        return _NOTICED
    return Band(max(1 - most * rate, 0.0), 1 - least * rate, is_drawn=True)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", text.casefold()).split())
