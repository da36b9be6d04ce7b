"""What the world breaks while a job is being booked, as an agent that is careful takes it.

A look-up that timed out is made again, a price that has expired is looked up anew, what was sold is
left out of the next plan, and a booking without confirmation is looked up. What changes what the
customer gets or pays is told before anything else is booked.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crab_graph.agents.reference.conversation import Action, Conversation, Observation, quoted
from crab_graph.agents.reference.handbook import Handbook
from crab_graph.domain.kind import Kind, KindTools
from crab_graph.domain.showing import BEFORE_FEES
from crab_graph.money import format_dollars
from crab_graph.tools.registry import Owner

Row = dict[str, Any]

_RETRIES = re.compile(r"\b(?:again|once more|another (?:go|try)|retry)\b")
_SOLD, _EXPIRED = "sold_out", "price_expired"


@dataclass(frozen=True)
class Mishaps:
    """What has gone wrong in a conversation through nobody's fault, and what is left of a plan."""

    handbook: Handbook
    conversation: Conversation

    @cached_property
    def refused(self) -> list[Observation]:
        """The bookings that came to nothing, in order: sold by then, or at a price of before."""
        tried = self.conversation.of(*self.handbook.booking_tools)
        return [one for one in tried if one.result.get("error") in (_SOLD, _EXPIRED)]

    @cached_property
    def sold(self) -> frozenset[str]:
        """Ids of offers that are not left any more."""
        return frozenset(quoted(one.result) for one in self.refused if _is(one, _SOLD))

    @cached_property
    def booked(self) -> frozenset[str]:
        """All words with which something is booked, ids of its offers among them."""
        made = standing(self.handbook, self.conversation)
        return frozenset(word for one in made for word in words_of(one.call.arguments))

    def left(self, rows: Iterable[Row], key: str, *, is_rethought: bool = False) -> list[Row]:
        """Return the offers of a slot that a plan can have: what is booked of them, if anything.

        Of a plan that is rethought, what is booked may go.
        """
        found = [row for row in rows if row[key] not in self.sold] if self.sold else list(rows)
        if not self.refused or is_rethought:
            return found
        return [row for row in found if row[key] in self.booked] or found

    def look_ups(self) -> list[Action]:
        """Return the calls that confirm what was booked and not confirmed."""
        calls = []
        for one in self.conversation.of(*self.handbook.booking_tools):
            tools = self._booked_by(one)[1]
            if one.result.get("status") == "unconfirmed" and tools.details is not None:
                calls.append(Action(tools.details, {"booking_id": one.result["booking_id"]}))
        return [call for call in calls if self.conversation.result(call) is None]

    def news(self, say: Callable[..., str], chosen: Collection[str]) -> str:
        """Return what the customer must know before anything else is booked; or nothing.

        What has got dearer matters where it is among the offers chosen.
        """
        told: dict[str, str] = {}
        for one in self.refused:
            offer, shown = quoted(one.result), list(self._shown(one))
            prices = [format_dollars(row["price"]) for row in shown if "price" in row]
            if not shown:
                continue
            name, key = shown[0].get("name"), shown[0][self._booked_by(one)[0].entity.key]
            what = key if name is None else f"{name} ({key})"
            if _is(one, _SOLD):
                told[offer] = say("sold", what=what)
            elif offer in chosen and prices and prices[0] != prices[-1]:
                told[offer] = say("dearer", what=what, before=prices[0], now=prices[-1])
        return "".join(f"{text}\n\n" for text in told.values())

    def _shown(self, refused: Observation) -> Iterator[Row]:
        """Yield what look-ups have shown of an offer whose booking was refused, in order.

        Where lists leave fees out it is priced by the calls that told the whole.
        """
        kind, tools = self._booked_by(refused)
        offer, whole = quoted(refused.result), list[int]()
        if tools.price is not None:
            told = (one for one in self.conversation.of(tools.price.tool) if one.is_ok)
            asked = (one for one in told if offer in words_of(one.call.arguments))
            whole = [tools.price.read(one.result) for one in asked]
        for one in self.conversation.of(tools.search.tool):
            for row in tools.search.read(one.result):
                if row[kind.offer.key] == offer:
                    is_whole = BEFORE_FEES not in row
                    yield from [row] if is_whole else [row | {"price": cents} for cents in whole]

    def _booked_by(self, booking: Observation) -> tuple[Kind, KindTools]:
        """Return the kind of what a call books, and its tools."""
        book = self.handbook
        known = ((book.kind_of(slot), book.tools_of(slot)) for slot in book.domain.slots)
        return next(one for one in known if one[1].book == booking.call.name)


def cancelling(book: Handbook) -> dict[str, str]:
    """Return the tool that cancels, where there is one, by the tool that books."""
    known = book.domain.registry().names(Owner.AGENT)
    tools = [book.tools_of(slot) for slot in book.domain.slots]
    pairs = ((one.book, one.cancel) for one in tools)
    return {own: cancel for own, cancel in pairs if cancel is not None and cancel in known}


def standing(book: Handbook, conversation: Conversation) -> list[Observation]:
    """Return the bookings that were made and not cancelled."""
    made = conversation.of(*book.booking_tools)
    gone = {
        one.call.arguments["booking_id"]
        for one in conversation.of(*cancelling(book).values())
        if one.is_ok
    }
    return [one for one in made if one.is_ok and one.result["booking_id"] not in gone]


def wants_retry(answer: str) -> bool:
    """Tell whether a customer wants the same card to be tried again."""
    return _RETRIES.search(answer.casefold()) is not None


def _is(one: Observation, error: str) -> bool:
    return bool(one.result.get("error") == error)


def words_of(value: Any) -> Iterator[str]:
    """Yield every text in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from words_of(one)
