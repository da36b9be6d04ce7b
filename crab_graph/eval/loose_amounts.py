"""Amounts of a closing that are of nothing: no total, no item's price, yet said to the customer.

A rule that looks for words misses what is worded anew (`your card is $1,100.00 lighter`), so what
no other rule judges is held against all that such an amount may be (rulebook §15): an honest one
comes to something that was booked, paid, left or asked for.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from crab_graph.domain.verification import SlotBooking
from crab_graph.eval.checks import Evidence, seen
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.explained_totals import (
    MOST_TRIED,
    Quantity,
    distinct,
    is_of_booked,
    paid,
    priced_together,
    referred_to,
    shares,
    still_open,
)
from crab_graph.eval.reading import Episode
from crab_graph.money import format_dollars
from crab_graph.text.amounts import Amount, find_amounts, stated_amounts
from crab_graph.text.item_prices import Bond, ItemPrice, Mark
from crab_graph.text.lexicon import pattern
from crab_graph.text.mentions import ReferenceForm, references_within
from crab_graph.text.total_cues import ALL_CUES, SUMMARY_CUES
from crab_graph.text.utterance import Clause

_OF_OTHERS = (("summary", "future"), ("summary", "negators"), ("totals", "conditions"))
"""Words of a clause that speaks of what may come, or denies."""


def false_amounts(episode: Episode) -> Iterator[Evidence]:
    """Yield each amount told after the last booking write that is of nothing, once one has paid."""
    if not episode.history.charges:
        return
    for message in episode.dialogue.agent_after(episode.history.last_write):
        if not is_of_booked(episode, message):
            continue
        for amount, is_of_all in _loose(message):
            if is_of_all:
                may_be = [*_whole(episode, message)]
            else:
                before = priced_together(episode, message, amount.start)
                may_be = [*_quantities(episode, message), *before]
            meant = distinct(may_be, most=None)
            if amount.cents not in {one.cents for one in meant}:
                told = f"told {format_dollars(amount.cents)}: nothing that it can be comes to that"
                tried = [
                    {"what": one.what, "amount": format_dollars(one.cents)}
                    for one in meant[:MOST_TRIED]
                ]
                yield {**seen(told, message=message.number), "tried": tried}


def _loose(message: AgentMessage) -> Iterator[tuple[Amount, bool]]:
    """Yield the amounts of a message that its totals and marked prices of items leave over.

    An unmarked price beside an item is left, too: of several one has to be the item's, and the
    others may be of anything. With each stands whether it can only be that of everything: the one
    amount of a clause that speaks of the whole, the lot or the like.
    """
    prices = [one for ways in message.price_readings for own in ways for one in own]
    of_items = {one.amount for one in prices}
    judged = _judged(message, [one.amount for one in prices if not _is_unmarked(one)])
    for clause, stated in stated_amounts(message.utterance, message.amounts).items():
        words = message.utterance.words(clause)
        if "?" in words or any(pattern(*key).search(words) for key in _OF_OTHERS):
            continue
        is_of_item = _is_of_item(message, clause)
        is_of_all = len(stated) == 1 and pattern("totals", "entire").search(words) is not None
        for amount in stated:
            before = bisect_right(judged, amount.start, key=lambda one: one.start) - 1
            is_left = before < 0 or judged[before].end < amount.end
            if is_left and (not is_of_item or amount in of_items):
                yield amount, is_of_all and not is_of_item


def _judged(message: AgentMessage, priced: Sequence[Amount]) -> list[Amount]:
    """Return the amounts that some other rule judges, in text order."""
    totals = message.job_totals(SUMMARY_CUES) if message.is_summary(has_charged=True) else []
    told = [one.amount for one in (*totals, *message.growing_totals(ALL_CUES))]
    return sorted((*priced, *told), key=lambda one: one.start)


def _is_unmarked(price: ItemPrice) -> bool:
    return price.mark is Mark.UNMARKED and price.bond is Bond.NEAREST


def _is_of_item(message: AgentMessage, clause: Clause) -> bool:
    """Tell whether a clause refers to an item, or a kind of items."""
    own = references_within(message.references, clause.start, clause.end)
    return any(one.form is not ReferenceForm.WHOLE_WORD for one in own)


def _whole(episode: Episode, message: AgentMessage) -> Iterator[Quantity]:
    yield from paid(episode, message)
    yield from _of_group(episode, "all that is booked", list(episode.active.values()))


def _quantities(episode: Episode, message: AgentMessage) -> Iterator[Quantity]:
    """Yield what an amount of nothing in particular may be, the most telling first."""
    booked = episode.active.values()
    yield from _whole(episode, message)
    yield Quantity("what is still to be paid", still_open(episode, message.seq))
    yield from referred_to(episode, message, by_pronoun=True)
    for one in booked:
        yield from _of_group(episode, f"the price of {one.entity_id}", [one])
        yield Quantity(f"one unit of {one.entity_id}", one.unit_cents)
    for kind in sorted({one.kind for one in booked}):
        yield from _of_group(episode, f"each {kind}", [one for one in booked if one.kind == kind])
        yield from _of_group(
            episode, f"all but {kind}", [one for one in booked if one.kind != kind]
        )
    yield Quantity("nothing", 0)
    yield from _paid_in_a_row(episode)
    yield from _asked_for(episode)


def _of_group(episode: Episode, what: str, booked: Sequence[SlotBooking]) -> Iterator[Quantity]:
    whole = sum(one.total_cents for one in booked)
    yield Quantity(what, whole)
    yield from shares(episode, whole, f"each one's share of {what}")


def _paid_in_a_row(episode: Episode) -> Iterator[Quantity]:
    """Yield what payments that followed one another came to, as each of two instalments."""
    charges = [one.cents for one in episode.history.charges]
    for first in range(len(charges)):
        for cents in accumulate(charges[first:]):
            yield Quantity("payments that followed one another", cents)


def _asked_for(episode: Episode) -> Iterator[Quantity]:
    """Yield the budget and what the customer spoke of, and what is left of these."""
    budget = getattr(episode.reading.task.request, "budget_cents", None)
    said = [] if budget is None else [budget]
    for message in episode.dialogue.user:
        said += [amount.cents for amount in find_amounts(message.utterance)]
    for cents in dict.fromkeys(said):
        yield Quantity("what the customer asked for", cents)
        yield Quantity("what is left of that", cents - episode.captured)
