"""What a user does with its own tools: cards, confirmations, approvals (paper table 6)."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crab_graph.money import format_cents, parse_cents
from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.understanding import Reading
from crab_graph.text.amounts import stated_amounts
from crab_graph.text.lexicon import fragment
from crab_graph.text.utterance import starting_within

Message = Mapping[str, Any]

CARDS = "get_my_payment_cards"
ADD = "add_payment_method_to_platform"
APPROVE = "record_payment_approval"
CARD_FACT = "payment_card"
METHOD_ID = "PM-"
BOOKING_ID = "BK-"

_ONE_UNIT = re.compile(rf"\s*(?:[/×*]|{fragment('marks', 'unit')})")
"""What makes the amount before it the price of one unit."""


class PrivateCall(NamedTuple):
    """A call of one of the user's own tools."""

    name: str
    arguments: dict[str, Any]


class Booking(NamedTuple):
    """A booking as the user's confirmations show it."""

    booking_id: str
    entity_id: str
    status: str
    cents: int


class Approval(NamedTuple):
    """A payment approval that was recorded."""

    booking_id: str
    payment_method_id: str
    cents: int


class Refusal(NamedTuple):
    """A booking that is not approved, since the agent stated another amount than is due."""

    booking_id: str
    due: int
    stated: int


@dataclass(frozen=True, slots=True)
class Wallet:
    """What the user has seen with its own tools since the agent's last message.

    `confirmations` is the tool that lists its bookings, `wanted` the id of the card it means to pay
    with, `added` what adding one returned; `earlier` are the approvals recorded before, and
    `latest` is the id of the card that it put on the platform last, now or before. With `is_spare`
    the card that it means takes the place of one that was declined. `only` are the bookings that a
    request for approvals means by words beside those it names by id; none where it does not.
    `withdrawn` are those that the agent makes anew, so that they are not to be paid.
    """

    confirmations: str
    wanted: str | None
    called: frozenset[str]
    cards: tuple[Mapping[str, Any], ...]
    bookings: tuple[Booking, ...]
    added: Mapping[str, Any] | None
    recorded: tuple[Approval, ...]
    earlier: tuple[Approval, ...]
    errors: tuple[str, ...]
    latest: str | None = None
    is_spare: bool = False
    only: frozenset[str] = frozenset()
    withdrawn: frozenset[str] = frozenset()

    @property
    def pending(self) -> tuple[Booking, ...]:
        """The bookings that wait for payment."""
        waiting = (booking for booking in self.bookings if booking.status == "pending")
        return tuple(one for one in waiting if one.booking_id not in self.withdrawn)

    @property
    def held(self) -> list[str]:
        """The items of the bookings that stand."""
        standing = (one for one in self.bookings if one.booking_id not in self.withdrawn)
        return [one.entity_id for one in standing if one.status in {"pending", "confirmed"}]

    @property
    def card(self) -> Mapping[str, Any] | None:
        """The card to pay with: the one the user means to use, else its default, else any."""
        wanted = [card for card in self.cards if card["card_id"] == self.wanted]
        default = [card for card in self.cards if card.get("is_default")]
        return next(iter((*wanted, *default, *self.cards)), None)

    @property
    def method_id(self) -> str | None:
        """The payment method of that card, if it is on the platform."""
        if self.added is not None:
            return str(self.added["payment_method_id"])
        return None if self.card is None else self.card.get("payment_method_id")

    def names_other_card(self, reading: Reading) -> bool:
        """Tell whether a message names the payment method of another of the user's cards.

        That of a card that has just been declined is named for that, and not as the one to take. In
        place of a declined one the user takes what bears all, whatever else is named.
        """
        if self.is_spare:
            return False
        mine = self.card
        own = str(mine.get("last4")) if mine is not None else ""
        if own and reading.asks_card and own in reading.utterance.text:
            # Who asks to add the right card may say which one is there instead.
            return False
        others = {card.get("payment_method_id") for card in self.cards if card is not mine}
        if self.earlier and reading.tells_of_failed_card:
            others.discard(self.earlier[-1].payment_method_id)
        return not others.isdisjoint(reading.ids)


def read_wallet(messages: Sequence[Message], since: int, briefing: UserBriefing) -> Wallet:
    """Gather what the user's own calls have shown; `since` is the index of the agent's message."""
    users = (message for message in messages if message.get("role") == "user")
    calls = {call["id"]: call for message in users for call in message.get("tool_calls") or ()}
    shown: dict[str, dict[str, Any]] = {}
    recorded: list[Approval] = []
    earlier: list[Approval] = []
    errors: list[str] = []
    called: set[str] = set()
    latest: str | None = None
    for index, message in enumerate(messages):
        if message.get("role") != "tool" or message.get("tool_call_id") not in calls:
            continue
        call, result = calls[message["tool_call_id"]], json.loads(message["content"])
        if index > since:
            called.add(call["name"])
        if "error" in result:
            errors += [str(result.get("message", result["error"]))] if index > since else []
        elif call["name"] == APPROVE:
            asked = call["arguments"]
            cents = parse_cents(asked["amount"])
            approval = Approval(asked["booking_id"], asked["payment_method_id"], cents)
            (recorded if index > since else earlier).append(approval)
        else:
            latest = call["arguments"]["card_id"] if call["name"] == ADD else latest
            if index > since:
                shown[call["name"]] = result
    card = briefing.fact(CARD_FACT)
    rows = shown.get(briefing.confirmations, {}).get("bookings", ())
    return Wallet(
        confirmations=briefing.confirmations,
        wanted=None if card is None else card.value["card_id"],
        called=frozenset(called),
        cards=tuple(shown.get(CARDS, {}).get("cards", ())),
        bookings=tuple(
            Booking(row["booking_id"], row["entity_id"], row["status"], parse_cents(row["total"]))
            for row in rows
        ),
        added=shown.get(ADD),
        recorded=tuple(recorded),
        earlier=tuple(earlier),
        errors=tuple(errors),
        latest=latest,
    )


def next_calls(
    reading: Reading,
    wallet: Wallet,
    refused: Sequence[Refusal],
    *,
    is_due: bool = False,
    only_card: bool = False,
    is_declined: bool = False,
) -> list[PrivateCall]:
    """Return the calls the user makes next for a request about payment; none when it is through.

    Where it `is_due` the user pays without a request; with `only_card` it approves nothing now;
    where a card `is_declined` it looks for another one.

    Reads come first, then the card is put on the platform where it is not, then every pending
    booking that was asked for is approved at its exact amount, all in one batch.
    """
    approves = (reading.asks_approval or is_due) and not only_card
    looks = reading.asks_wallet or is_due or (is_declined and bool(wallet.earlier))
    reads = [CARDS] if looks else []
    reads += [wallet.confirmations] if approves or wallet.earlier else []
    missing = [PrivateCall(name, {}) for name in reads if name not in wallet.called]
    if missing:
        return missing
    if wallet.names_other_card(reading) and not is_due:
        return []
    card, method_id = wallet.card, wallet.method_id
    needs_method = reading.asks_card or reading.asks_method_id or wallet.is_spare
    needs_method = needs_method or (approves and bool(wallet.pending))
    if needs_method and method_id is None and ADD not in wallet.called:
        return [] if card is None else [PrivateCall(ADD, {"card_id": card["card_id"]})]
    if not approves or method_id is None or APPROVE in wallet.called:
        return []
    skipped = {refusal.booking_id for refusal in refused}
    method = {"payment_method_id": method_id}
    return [
        PrivateCall(APPROVE, {"booking_id": name, **method, "amount": format_cents(cents)})
        for name, _, _, cents in to_approve(reading, wallet)
        if name not in skipped and Approval(name, method_id, cents) not in wallet.earlier
    ]


def to_approve(reading: Reading, wallet: Wallet) -> list[Booking]:
    """Return the pending bookings that a request is about: those it names, else all of them."""
    names = wallet.only.union(reading.ids)
    named = [booking for booking in wallet.pending if booking.booking_id in names]
    return named if named or named_bookings(reading) else list(wallet.pending)


def named_bookings(reading: Reading) -> list[str]:
    """Return the ids of the bookings that a message names."""
    return [one for one in reading.ids if one.startswith(BOOKING_ID)]


def refusals(wallet: Wallet, reading: Reading) -> list[Refusal]:
    """Return the bookings for which a message states another amount than the confirmations show."""
    utterance = reading.utterance
    of_items = [
        amount for amount in reading.stated if not _ONE_UNIT.match(utterance.text, amount.end)
    ]
    due = to_approve(reading, wallet)
    found: dict[str, Refusal] = {}
    for clause, amounts in stated_amounts(utterance, of_items).items():
        words = utterance.text[clause.start : clause.end].upper()
        # The right amount may be joined to another by a dash, as a range would be.
        named = {one.cents for one in starting_within(reading.stated, clause.start, clause.end)}
        for booking in due:
            if booking.booking_id in words and booking.cents not in named:
                # Of several bookings in a clause an amount stands behind its own.
                place = clause.start + words.index(booking.booking_id)
                ends = [clause.start + words.find(one.booking_id) for one in wallet.bookings]
                end = min((one for one in ends if one > place), default=clause.end)
                own = [one for one in amounts if place < one.start < end]
                wrong = (own or amounts)[-1].cents
                found[booking.booking_id] = Refusal(booking.booking_id, booking.cents, wrong)
    return list(found.values())


def misstated_total(
    totals: Sequence[int], planned: Iterable[str], wallet: Wallet, items: int
) -> int | None:
    """Return a stated total that is not what the bookings add up to.

    It can only be told while every one of the wanted items is booked and none is paid, and of no
    plan that has an item in the place of one that is booked.
    """
    due = sum(booking.cents for booking in wallet.pending)
    is_right = not totals or due in totals or len(wallet.pending) != items
    return None if is_right or not {*wallet.held}.issuperset(planned) else totals[-1]
