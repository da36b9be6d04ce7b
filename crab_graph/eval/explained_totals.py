"""What an unscoped total may be the total of, when it is not the job's (rulebook §2.14, doubt).

Nothing here makes a number right that is of nothing: each explanation needs its words in the
clause, and equals, to the cent, what is booked, paid or open when the message is said.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, takewhile
from typing import NamedTuple

from crab_graph.eval.called_items import called_before
from crab_graph.eval.checks import Evidence, seen
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.reading import Episode
from crab_graph.money import format_dollars
from crab_graph.text.lexicon import pattern
from crab_graph.text.mentions import ReferenceForm, references_within
from crab_graph.text.total_cues import PRE_CHARGE_CUES, CueFamily
from crab_graph.text.totals import TotalStatement

_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|\n|\Z")
_FOR_WHOLE = re.compile(r" for (?:the |your )?(?:whole|entire) (?!bookings?\b)")
"""What stands behind an amount that is of everything."""
_SPOKEN_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNTED = re.compile(
    rf"\bthe (?:(?P<which>last|first) )?(?P<number>{'|'.join(_SPOKEN_NUMBERS)})\b(?! of\b)"
)
"""So many of the things that were listed."""
MOST_TRIED = 5
"""How many different amounts a total is compared with, its own meaning included."""


class Quantity(NamedTuple):
    """Something that a total may be the total of, in words, and what it comes to."""

    what: str
    cents: int


@dataclass(frozen=True, slots=True)
class StatedTotal:
    """A total and the message that states it."""

    message: AgentMessage
    total: TotalStatement

    @property
    def cents(self) -> int:
        """The amount stated."""
        return self.total.amount.cents

    @property
    def summed_cents(self) -> int:
        """What the parts told beside it come to; the amount itself where there are none."""
        return (self.total.parts or self.total.amount).cents

    @property
    def is_consistent(self) -> bool:
        """Whether the parts told beside it, if any, come to it."""
        return self.summed_cents == self.cents

    def told(self, text: str) -> Evidence:
        """Return evidence about it."""
        return seen(f"stated {format_dollars(self.cents)}: {text}", message=self.message.number)

    def explained(self, by: Quantity) -> Evidence:
        """Return evidence that it is taken for something else than the total of the job."""
        return {**self.told(f"read as {by.what}"), "explanation": by.what}

    def unexplained(self, text: str, tried: Iterable[Quantity]) -> Evidence:
        """Return evidence that it is none of what was tried."""
        named = [{"what": one.what, "amount": format_dollars(one.cents)} for one in tried]
        listed = ", ".join(f"{one['what']} {one['amount']}" for one in named)
        return {**self.told(f"{text}; tried: {listed}"), "tried": named}


def inconsistent(stated: StatedTotal) -> Evidence:
    """Return evidence that what is told as the parts of a total does not come to it."""
    return stated.told(f"the parts told beside it come to {format_dollars(stated.summed_cents)}")


def distinct(quantities: Iterable[Quantity], most: int | None = MOST_TRIED) -> list[Quantity]:
    """Return the first quantities of different amounts, at most so many."""
    found: dict[int, Quantity] = {}
    for one in quantities:
        found.setdefault(one.cents, one)
    return list(islice(found.values(), most))


def explanations(episode: Episode, stated: StatedTotal) -> Iterator[Quantity]:
    """Yield what the words of an unscoped total let it be, the most telling first."""
    message, said = stated.message, _ClauseWords(stated)
    is_done = said.says("done") or said.is_led_by_done or _ends_paid_list(stated)
    is_past = is_done and not said.announces
    yield from counted(episode, stated)
    yield from listed_below(episode, stated)
    if said.says("latest") and (paid := _latest(episode, message.seq)) is not None:
        yield Quantity("the last payment", paid)
    if stated.total.is_growing:
        yield from running(episode, stated)
    elif is_past:
        yield Quantity("what was paid so far", paid_between(episode, 0, message.seq))
        if not message.names_whole:
            yield _paid_since(episode, message)
    if said.goes_on_to_say("open"):
        yield Quantity("what is still to be paid", still_open(episode, message.seq))
    if said.says("them") and (named := _said_before(episode, stated)) is not None:
        yield named
        if said.says("supposed"):
            done = paid_between(episode, 0, message.seq)
            yield Quantity(f"{named.what} and what was paid", named.cents + done)
    place = stated.total.amount.start
    slots = called_before(episode, message.utterance.text, place, message.seq)
    prices = whole_prices(episode, message.seq)
    if slots and prices.keys() >= {*slots}:
        yield Quantity(f"the price of {' and '.join(slots)}", sum(prices[one] for one in slots))
    if not said.announces:
        yield from referred_to(episode, message, by_pronoun=said.says("them"))
        if any(at > place for at in message.priced_slots.values()):
            yield from priced_together(episode, message, place)


def counted(episode: Episode, stated: StatedTotal) -> Iterator[Quantity]:
    """Yield what so many of the things cost that the message has priced, by their number."""
    message, place = stated.message, stated.total.amount.start
    said = message.utterance.text[stated.total.clause.start : place]
    found = next(reversed([*_COUNTED.finditer(said)]), None)
    if found is None:
        return
    number = _SPOKEN_NUMBERS[found["number"]]
    before = sorted((at, slot) for slot, at in message.priced_slots.items() if at < place)
    slots = [slot for _, slot in before]
    slots = slots[:number] if found["which"] == "first" else slots[-number:]
    prices = whole_prices(episode, message.seq)
    if len(slots) == number and prices.keys() >= {*slots}:
        yield Quantity(found[0], sum(prices[slot] for slot in slots))


def listed_below(episode: Episode, stated: StatedTotal) -> Iterator[Quantity]:
    """Yield what the things cost that are listed under a line which says what they come to."""
    message, clause = stated.message, stated.total.clause
    said = message.utterance
    head = said.lines[clause.line]
    if not said.text[head.start : head.end].rstrip().endswith(":"):
        return
    items = [*takewhile(lambda line: line.depth > head.depth, said.lines[clause.line + 1 :])]
    named = (references_within(message.references, one.start, one.end) for one in items)
    slots = {slot for own in named for one in own for slot in one.slots}
    prices = whole_prices(episode, message.seq)
    if slots and prices.keys() >= slots:
        yield Quantity("what is listed below it", sum(prices[slot] for slot in slots))


def _ends_paid_list(stated: StatedTotal) -> bool:
    """Tell whether a total stands right behind a list over which is written that it was paid."""
    said, clause = stated.message.utterance, stated.total.clause
    before = said.lines[: clause.line]
    items = [*takewhile(lambda line: line.depth > 0, reversed(before))]
    lead = before[len(before) - len(items) - 1 : len(before) - len(items)]
    done = pattern("totals", "done")
    return bool(items) and any(done.search(said.text, one.start, one.end) for one in lead)


def priced_together(episode: Episode, message: AgentMessage, place: int) -> Iterator[Quantity]:
    """Yield what the slots cost together that a message prices before a place, two at least."""
    prices = whole_prices(episode, message.seq)
    slots = {slot for slot, at in message.priced_slots.items() if at < place}
    if len(slots) > 1 and prices.keys() >= slots:
        yield Quantity("what the message has priced so far", sum(prices[slot] for slot in slots))


def shares(episode: Episode, cents: int, what: str) -> Iterator[Quantity]:
    """Yield what one of those whom the job is for pays of a sum, rounded either way."""
    people = max(len(episode.reading.people), 1)
    yield Quantity(what, cents // people)
    yield Quantity(what, -(-cents // people))


def paid(episode: Episode, message: AgentMessage) -> Iterator[Quantity]:
    """Yield what was paid when a message is said, in all and since the message before."""
    yield Quantity("what was paid so far", paid_between(episode, 0, message.seq))
    yield _paid_since(episode, message)


def paid_earlier(episode: Episode, message: AgentMessage) -> Quantity:
    """Return what was paid until the message before one."""
    paid = paid_between(episode, 0, _seq_before(episode, message))
    return Quantity("what was paid earlier", paid)


def running(episode: Episode, stated: StatedTotal) -> Iterator[Quantity]:
    """Yield what a running total may have come to so far."""
    message, seq = stated.message, stated.message.seq
    paid = Quantity("what was paid so far", paid_between(episode, 0, seq))
    if paid.cents:
        yield paid
    prices = whole_prices(episode, seq)
    place = stated.total.amount.start
    own = {slot for one in stated.total.references for slot in one.slots}
    priced = own | {slot for slot, at in message.priced_slots.items() if at < place}
    named = {slot for slot, at in message.named_slots.items() if at < place}
    chosen = episode.dialogue.approvals_before(seq).approved.keys()
    for what, slots in (
        ("what the message has priced so far", priced),
        ("what was chosen before or priced here", priced | chosen),
        ("what was priced so far", priced | episode.dialogue.priced_until(message)),
        ("what the message has named so far", named),
        ("what was named so far", named | episode.dialogue.named_until(message)),
    ):
        if slots and prices.keys() >= slots:
            yield Quantity(what, sum(prices[slot] for slot in slots))
    booked = episode.history.filling(seq)
    yield Quantity("what is booked so far", sum(prices.get(slot, 0) for slot in booked))
    if not message.names_whole:
        yield _paid_since(episode, message)
    if not paid.cents:
        yield paid


class _ClauseWords:
    """The words of the clause that states a total."""

    def __init__(self, stated: StatedTotal) -> None:
        self._text, self._clause = stated.message.utterance.text, stated.total.clause
        self.announces = stated.total.family is CueFamily.CHARGE or self.says("announced")

    def says(self, key: str) -> bool:
        """Return whether the clause holds words of an entry of the lexicon."""
        return self._says(key, self._clause.start, self._clause.end)

    @property
    def is_led_by_done(self) -> bool:
        """Whether the sentence lists, from a colon on to the clause, what was paid."""
        start, _ = self._sentence()
        lead = self._text.rfind(":", start, self._clause.start)
        is_done = lead > 0 and self._says("done", start, lead)
        return is_done and not self._says("announced", start, lead)

    def goes_on_to_say(self, key: str) -> bool:
        """Return whether the clause, or the sentence behind it, holds such words."""
        return self._says(key, self._clause.start, self._sentence()[1])

    def _says(self, key: str, start: int, end: int) -> bool:
        return pattern("totals", key).search(self._text, start, end) is not None

    def _sentence(self) -> tuple[int, int]:
        """Return where the sentence of the clause begins and ends."""
        ends = [one.span() for one in _SENTENCE_END.finditer(self._text)]
        start = max((after for _, after in ends if after <= self._clause.start), default=0)
        return start, min(at for at, _ in ends if at >= self._clause.end - 1)


def speaks_of_another(stated: StatedTotal) -> bool:
    """Return whether a total is said to be that of something else than what is proposed."""
    return _ClauseWords(stated).says("others")


def is_rival(stated: StatedTotal) -> bool:
    """Return whether a total is said to be that of the cheapest of a kind that is named."""
    return _ClauseWords(stated).says("rivals")


def states_its_own(stated: StatedTotal) -> bool:
    """Return whether a message states, beside that of something else, a total of its own plan."""
    message = stated.message
    if len(message.job_totals(PRE_CHARGE_CUES)) > 1:
        return True
    others = (one.end for one in message.amounts if one != stated.total.amount)
    return any(_FOR_WHOLE.match(message.utterance.text, end) for end in others)


@lru_cache(maxsize=1)
def is_of_booked(episode: Episode, message: AgentMessage) -> bool:
    """Return whether a message speaks of what is booked in the end, and of nothing else by name."""
    booked = {booking.entity_id for booking in episode.active.values()}
    named = {mention.entity_id for mention in message.mentions}
    return named <= booked and bool(named or episode.history.filling(message.seq))


@lru_cache(maxsize=1)
def whole_prices(episode: Episode, seq: float) -> Mapping[str, int]:
    """Return what each slot's one booking costs at a place, or in the end if it comes later."""
    filling = episode.history.filling(seq)
    prices: dict[str, int] = {}
    for slot in episode.reading.slots:
        match filling.get(slot):
            case [booking]:
                prices[slot] = episode.history.cents_before(booking, seq)
            case None if slot in episode.filled:
                prices[slot] = episode.filled[slot].total_cents
    return prices


@lru_cache(maxsize=4)
def paid_between(episode: Episode, since: float, until: float) -> int:
    """Return charges less refunds between two places in the trace."""
    charged, refunded = (
        sum(one.cents for one in payments if since < one.seq < until)
        for payments in (episode.history.charges, episode.history.refunds)
    )
    return charged - refunded


def _said_before(episode: Episode, stated: StatedTotal) -> Quantity | None:
    """Return the price of the slots that the sentence before names, on the same line."""
    said, clause = stated.message.utterance, stated.total.clause
    before = said.clause_at(clause.start - 1)
    if before.line != clause.line or before == clause:
        return None
    named = references_within(stated.message.references, before.start, before.end)
    is_whole = any(one.form is ReferenceForm.WHOLE_WORD for one in named)
    slots = dict.fromkeys(slot for one in named for slot in one.slots)
    prices = whole_prices(episode, stated.message.seq)
    if is_whole or not slots or not prices.keys() >= slots.keys():
        return None
    return Quantity(f"the price of {' and '.join(slots)}", sum(prices[one] for one in slots))


def _paid_since(episode: Episode, message: AgentMessage) -> Quantity:
    paid = paid_between(episode, _seq_before(episode, message), message.seq)
    return Quantity("what was paid since the last message", paid)


def _seq_before(episode: Episode, message: AgentMessage) -> int:
    before = episode.dialogue.last_before(message)
    return 0 if before is None else before.seq


def _latest(episode: Episode, seq: float) -> int | None:
    paid = [one.cents for one in episode.history.charges if one.seq < seq]
    return paid[-1] if paid else None


def still_open(episode: Episode, seq: float) -> int:
    """Return what the bookings held at a place come to that were not paid before it."""
    paid = {one.booking_id for one in episode.history.charges if one.seq < seq}
    held = chain.from_iterable(episode.history.filling(seq).values())
    due = (one for one in held if one.booking_id not in paid)
    return sum(episode.history.cents_before(one, seq) for one in due)


def referred_to(episode: Episode, message: AgentMessage, *, by_pronoun: bool) -> Iterator[Quantity]:
    """Yield what exactly those slots cost that a message refers to, where that is not all."""
    if message.names_whole:
        return
    slots = frozenset(message.named_slots)
    if not slots and by_pronoun:
        slots = episode.dialogue.asked_about(message)
    prices = whole_prices(episode, message.seq)
    if slots and prices.keys() >= slots and len(slots) < len(episode.reading.slots):
        told = " and ".join(slot for slot in episode.reading.slots if slot in slots)
        yield Quantity(f"the price of {told}", sum(prices[slot] for slot in slots))
