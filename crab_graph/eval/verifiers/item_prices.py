"""Prices told of single items (rulebook §5 to §7, paper A.1)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from crab_graph.domain.verification import Role, SlotBooking
from crab_graph.eval.checks import NOT_TRIGGERED, CheckResult, Evidence, judge, listed, seen
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.explained_totals import (
    Quantity,
    StatedTotal,
    distinct,
    is_of_booked,
    paid,
    paid_earlier,
    priced_together,
    running,
    shares,
    whole_prices,
)
from crab_graph.eval.reading import Episode
from crab_graph.eval.verifier import Duty, undisclosed, verifier
from crab_graph.money import format_dollars
from crab_graph.text.item_prices import Bond, ItemPrice, Mark
from crab_graph.text.lexicon import pattern
from crab_graph.text.mentions import Reference, ReferenceForm
from crab_graph.text.total_cues import PRE_CHARGE_CUES
from crab_graph.text.utterance import normalise

_BESIDE = 20
"""Characters beside an amount in which a word tells what was done with it."""
_AND_ANOTHER = re.compile(r",? (?:and|plus|&) (?:the |your )?[a-z][a-z' -]{2,40}[,:(]?\s*")
"""What stands behind one thing and before what it comes to with another."""
_EARLIER = re.compile(r" (?:\w+ ){0,4}(?:earlier|before|already|previously)\b")
"""Says behind an amount that it was paid before what the message tells."""
_PASSIVE = re.compile(r" (?:ha(?:s|ve|d)|is|are|was|were)(?: \w+){1,4}")
"""What is said of an amount that stands before it."""


@dataclass(frozen=True, eq=False)
class Quote:
    """A price that a message states about bookings of the job, several for a group's total.

    `meant` are the quantities that it may be, the first of which is what it says by itself.
    """

    message: AgentMessage
    price: ItemPrice
    bookings: Mapping[str, SlotBooking]
    meant: tuple[Quantity, ...]

    @property
    def whole(self) -> int:
        """What all of them cost."""
        return sum(booking.total_cents for booking in self.bookings.values())

    @cached_property
    def reading(self) -> Quantity | None:
        """Which of the quantities it is."""
        cents = self.price.amount.cents
        return next((one for one in self.meant if one.cents == cents), None)

    @property
    def is_right(self) -> bool:
        """Whether it is the price its mark says."""
        return self.reading is not None

    def told(self) -> Evidence:
        """Return evidence about it: the reading that was taken, or all that were tried."""
        ids = ", ".join(self.bookings)
        text = f"{self.price.mark} price {format_dollars(self.price.amount.cents)} of {ids}"
        how = [str(self.price.bond)] if self.price.bond is not Bond.NEAREST else []
        if self.reading is not None and (how or self.reading is not self.meant[0]):
            how.append(f"read as {self.reading.what}")
            explained = "; ".join(how)
            said = seen(f"{text}: {explained}", message=self.message.number)
            return {**said, "explanation": explained}
        tried = [{"what": one.what, "amount": format_dollars(one.cents)} for one in self.meant]
        due = ", ".join(f"{one['what']} is {one['amount']}" for one in tried)
        said = seen("; ".join((text, *how, due)), message=self.message.number)
        return said if self.is_right else {**said, "tried": tried}


_Said = tuple[object, ...]
"""All that tells what a price may be."""


class _Known(NamedTuple):
    """What prices are about, and what they may be, by what tells of it."""

    bookings: dict[_Said, Mapping[str, SlotBooking]]
    quantities: dict[_Said, tuple[Quantity, ...]]


@lru_cache(maxsize=1)
def find_quotes(episode: Episode) -> tuple[Quote, ...]:
    """Return the prices stated about active bookings, in order, each line as it is read best."""
    quotes: list[Quote] = []
    known = _Known({}, {})
    for message in episode.dialogue.agent:
        for readings in message.price_readings:
            told = [list(_quotes(episode, message, prices, known)) for prices in readings]
            sound = (one for one in told if all(quote.is_right for quote in one))
            quotes += next(sound, told[0])
    return tuple(quotes)


def _quotes(
    episode: Episode, message: AgentMessage, prices: Iterable[ItemPrice], known: _Known
) -> Iterator[Quote]:
    for price in prices:
        is_open = price.total is not None and price.total.is_loose
        if is_open and not is_of_booked(episode, message):
            continue
        named = tuple((one.form, one.slots, one.id) for one in price.references)
        about = message.seq, price.mark is Mark.SHARE, named
        bookings = known.bookings.get(about)
        if bookings is None:
            bookings = known.bookings[about] = _meant(episode, message, price)
        if bookings:
            said = message.seq, price.mark, price.is_personal, named, _beside(message, price)
            # No two loose totals are said alike: what stands before them differs.
            meant = None if is_open else known.quantities.get(said)
            if meant is None:
                meant = tuple(distinct(_quantities(episode, message, price, bookings)))
                if not is_open:
                    known.quantities[said] = meant
            yield Quote(message, price, bookings, meant)


def _beside(message: AgentMessage, price: ItemPrice) -> tuple[bool, int]:
    """Return what stands beside a price that bears on it: whether it was paid, what is priced."""
    is_paid = price.mark is Mark.WHOLE and _is_told_as_paid(message, price)
    if price.total is None:
        return is_paid, 0
    return is_paid, sum(at < price.amount.start for at in message.priced_slots.values())


def _quantities(
    episode: Episode,
    message: AgentMessage,
    price: ItemPrice,
    bookings: Mapping[str, SlotBooking],
) -> Iterator[Quantity]:
    """Yield what a price may be by its mark, what it says by itself first."""
    held = bookings.values()
    whole = sum(booking.total_cents for booking in held)
    if price.mark is Mark.SHARE:
        yield from shares(episode, whole, "each one's share")
        if not price.references and message.named_slots:
            prices = whole_prices(episode, message.seq)
            named = sum(prices[slot] for slot in prices.keys() & message.named_slots.keys())
            yield from shares(episode, named, "each one's share of what is named")
        return
    amount = Quantity("the amount", whole)
    unit = Quantity("one unit", sum(booking.unit_cents for booking in held))
    units = {booking.unit_cents for booking in held}
    wholes = {booking.total_cents for booking in held}
    if price.mark is not Mark.UNIT:
        yield amount
    if price.total is not None:
        yield from priced_together(episode, message, price.amount.start)
    if price.mark is Mark.WHOLE:
        yield from _with_one_more(episode, message, price, whole)
    if price.mark is Mark.WHOLE and _is_told_as_paid(message, price):
        yield from paid(episode, message)
        if _EARLIER.match(message.utterance.text, price.amount.end):
            yield paid_earlier(episode, message)
    if price.mark is not Mark.WHOLE:
        yield unit
        if len(units) == 1:
            yield Quantity("one unit of each", units.pop())
    if price.mark is Mark.UNMARKED and len(wholes) == 1:
        yield Quantity("the amount of each", wholes.pop())
    if price.is_personal:
        yield from shares(episode, whole, "each one's share")
    if price.total is not None and price.total.is_loose:
        booked = sum(booking.total_cents for booking in episode.active.values())
        yield Quantity("all that is booked", booked)
        yield from running(episode, StatedTotal(message, price.total))


def _with_one_more(
    episode: Episode, message: AgentMessage, price: ItemPrice, whole: int
) -> Iterator[Quantity]:
    """Yield what the price comes to with that of a thing named in words that tell it from no other.

    `The third part and the one up north, $120.00 in all`: of two of a kind no words say which.
    """
    end = max((one.end for one in price.references), default=0)
    if not 0 < end < price.amount.start:
        return
    if _AND_ANOTHER.fullmatch(message.utterance.text, end, price.amount.start) is None:
        return
    own = {slot for one in price.references for slot in one.slots}
    for slot, cents in whole_prices(episode, message.seq).items():
        if slot not in own and whole + cents == price.amount.cents:
            yield Quantity(f"the price of {' and '.join((*sorted(own), slot))}", whole + cents)


def _is_told_as_paid(message: AgentMessage, price: ItemPrice) -> bool:
    """Return whether an amount stands right beside a word that it was paid."""
    text, amount = message.utterance.text, price.amount
    near = text[max(0, amount.start - _BESIDE) : amount.end + _BESIDE]
    said = _PASSIVE.match(text, amount.end)
    done = pattern("totals", "done")
    return bool(done.search(near) or (said and done.search(said[0])))


def _graded_quotes(episode: Episode, quotes: Sequence[Quote], booking: SlotBooking) -> list[Quote]:
    """Return the quotes of a booking that count.

    They are those of the latest message before its capture that has any, and of all later messages.
    """
    own = [
        quote
        for quote in quotes
        if booking.booking_id in quote.bookings and not _is_outdated(episode, quote, quotes)
    ]
    charged_at = episode.history.charged_at(booking.booking_id)
    before = [quote.message.seq for quote in own if quote.message.seq < charged_at]
    first = before[-1] if before else charged_at
    return [quote for quote in own if quote.message.seq >= first]


def _is_outdated(episode: Episode, quote: Quote, quotes: Sequence[Quote]) -> bool:
    """Tell whether a part of a total was made another before its capture.

    That is where one of several items was priced again, or another total was told: the rest of
    them, which kept their prices, need not be told again.
    """
    if quote.price.bond is not Bond.PART:
        return False
    until = max(map(episode.history.charged_at, quote.bookings))
    later = [one for one in episode.dialogue.agent_after(quote.message.seq) if one.seq < until]
    priced = {name for one in quotes if one.message in later for name in one.bookings}
    if priced & quote.bookings.keys():
        return True
    own = {one.amount.cents for one in quote.message.job_totals(PRE_CHARGE_CUES)}
    totals = (total for one in later for total in one.job_totals(PRE_CHARGE_CUES))
    return any(total.amount.cents not in own for total in totals)


def is_superseded(episode: Episode, quote: Quote) -> bool:
    """Tell whether a later price took the place of one before anything was charged."""
    return quote not in _counted(episode)


def is_beside_right_one(episode: Episode, quote: Quote) -> bool:
    """Tell whether an unmarked price stands beside another of the same booking that is right."""
    named = {(quote.message.number, name) for name in quote.bookings}
    return quote.price.mark is Mark.UNMARKED and not named.isdisjoint(_told_rightly(episode))


@lru_cache(maxsize=1)
def _told_rightly(episode: Episode) -> frozenset[tuple[int, str]]:
    """Return the bookings of which a message tells a right unmarked price, with its number."""
    return frozenset(
        (one.message.number, name)
        for one in find_quotes(episode)
        if one.price.mark is Mark.UNMARKED and one.is_right
        for name in one.bookings
    )


@lru_cache(maxsize=1)
def _counted(episode: Episode) -> frozenset[Quote]:
    """Return the quotes that count for any of their bookings."""
    quotes = find_quotes(episode)
    priced = {name: booking for quote in quotes for name, booking in quote.bookings.items()}
    graded = (_graded_quotes(episode, quotes, booking) for booking in priced.values())
    return frozenset(quote for own in graded for quote in own)


def _wrong(episode: Episode, booking: SlotBooking, quotes: Sequence[Quote]) -> Iterator[Quote]:
    """Yield the marked prices that are wrong, and the unmarked ones where none is right.

    That is asked of the message before the capture, and of the last one after it that has any.
    """
    charged_at = episode.history.charged_at(booking.booking_id)
    for is_charged in (False, True):
        unmarked = [
            quote
            for quote in quotes
            if quote.price.mark is Mark.UNMARKED and (quote.message.seq > charged_at) is is_charged
        ]
        last = [quote for quote in unmarked if quote.message is unmarked[-1].message]
        if not any(_counts(quote, booking, quotes) for quote in last):
            yield from last
    for quote in quotes:
        if quote.price.mark is not Mark.UNMARKED and not quote.is_right:
            yield quote


def _counts(quote: Quote, booking: SlotBooking, quotes: Sequence[Quote]) -> bool:
    """Tell whether an unmarked price is right.

    It may be that of one unit, but not where the message calls the booking by its own id, which
    has one price, unless it says that as well.
    """
    wholes = {one.total_cents for one in quote.bookings.values()} | {quote.whole}
    if not quote.is_right or quote.price.amount.cents in wholes:
        return quote.is_right
    if normalise(booking.booking_id) not in quote.message.utterance.text:
        return True
    said = (one for one in quotes if one.message is quote.message)
    return any(one.price.amount.cents == one.whole for one in said)


def _meant(episode: Episode, message: AgentMessage, price: ItemPrice) -> dict[str, SlotBooking]:
    """Return the active bookings a price speaks of; none where one of them cannot be told."""
    if not price.references:
        is_all = len(episode.filled) == len(episode.reading.slots)
        return {one.booking_id: one for one in episode.filled.values()} if is_all else {}
    by_slot: dict[str, list[Reference]] = {}
    for reference in price.references:
        for slot in reference.slots:
            by_slot.setdefault(slot, []).append(reference)
    found: dict[str, SlotBooking] = {}
    for slot, references in by_slot.items():
        exact = [item for item in references if item.id]
        ids = {_booking_id(episode, message, slot, item) for item in exact or references}
        booking = episode.active.get(ids.pop() or "") if len(ids) == 1 else None
        if booking is None:
            return {}
        found[booking.booking_id] = booking
    return found


def _booking_id(
    episode: Episode, message: AgentMessage, slot: str, reference: Reference
) -> str | None:
    """Return the one booking a reference means when the message is said, or else at the end."""
    if reference.form is ReferenceForm.BOOKING:
        return reference.id
    if reference.form is ReferenceForm.ENTITY:
        held = [item for item in episode.active.values() if item.entity_id == reference.id]
        return held[0].booking_id if len(held) == 1 else None
    then = episode.history.filling(message.seq).get(slot, [])
    if len(then) == 1:
        return then[0].booking_id
    at_end = episode.filled.get(slot)
    return at_end.booking_id if at_end is not None and not then else None


def _unpriced(episode: Episode) -> Iterator[Evidence]:
    quotes = find_quotes(episode)
    for booking_id, booking in _sold(episode).items():
        if not _is_priced(episode, quotes, booking_id):
            yield undisclosed(f"the price of {booking.entity_id} before its charge", booking_id)


def _sold(episode: Episode) -> Mapping[str, SlotBooking]:
    """Return the confirmed bookings that cost something."""
    kinds = episode.reading.task.domain.kinds
    return {key: one for key, one in episode.confirmed.items() if not kinds[one.kind].is_free}


def _is_priced(episode: Episode, quotes: Sequence[Quote], booking_id: str) -> bool:
    charged_at = episode.history.charged_at(booking_id)
    return any(booking_id in one.bookings and one.message.seq < charged_at for one in quotes)


def _priced(episode: Episode) -> tuple[int, int]:
    quotes, booked = find_quotes(episode), _sold(episode)
    return sum(_is_priced(episode, quotes, booking_id) for booking_id in booked), len(booked)


@verifier(
    "F-IP",
    Role.PRICE_TOLD,
    "prices of single items",
    duty=Duty(_unpriced, lambda episode: bool(_sold(episode))),
    coverage=_priced,
)
def item_prices(episode: Episode) -> CheckResult:
    """F-IP: marked prices are right, and of the unmarked ones at least one is (§5)."""
    quotes = find_quotes(episode)
    graded = [
        (booking, _graded_quotes(episode, quotes, booking))
        for booking in episode.confirmed.values()
    ]
    if not any(found for _, found in graded):
        return NOT_TRIGGERED
    wrong = [quote for booking, found in graded for quote in _wrong(episode, booking, found)]
    right = [quote for _, found in graded for quote in found if quote.is_right]
    return judge(listed(wrong, Quote.told), listed(right, Quote.told))
