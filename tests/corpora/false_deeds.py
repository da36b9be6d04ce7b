"""Mutations of deeds: what is booked, approved and charged is not what was told."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from crab_graph.domain.verification import Role
from crab_graph.money import format_cents
from crab_graph.randomness import derive_rng
from crab_graph.tools.registry import Owner
from tests.corpora.happened import Happened, Sold
from tests.corpora.mutation import (
    Lie,
    call_of,
    kind,
    one_call,
    run_again,
    with_arguments,
    without_call,
)
from tests.corpora.transcripts import Message

APPROVE, CHARGE = "record_payment_approval", "charge_booking"
ADD = "add_payment_method_to_platform"


def _again(
    happened: Happened, messages: tuple[Message, ...], needed: str = ""
) -> Callable[[], tuple[Message, ...] | None]:
    return partial(run_again, happened.task, happened, messages, needed)


def _put(messages: tuple[Message, ...], place: int, *new: Message) -> tuple[Message, ...]:
    return (*messages[:place], *new, *messages[place:])


@kind(Role.PAID, Role.SUMMARY_TOLD)
def paid_that_was_not_paid(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        _, call = call_of(happened, CHARGE, item)
        yield (
            f"{item.word} never charged",
            _again(happened, without_call(happened.messages, call["id"])),
        )


@kind(Role.CHARGE_APPROVED)
def charge_never_approved(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        _, call = call_of(happened, APPROVE, item)
        yield (
            f"{item.word} not approved",
            _again(happened, without_call(happened.messages, call["id"])),
        )


@kind(Role.CHARGE_APPROVED)
def charge_before_its_approval(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        _, call = call_of(happened, APPROVE, item)
        owner, later = Owner.USER, item.charged + 1
        moved = _put(
            happened.messages, later, one_call(owner, "late", APPROVE, **call["arguments"])
        )
        yield (
            f"{item.word} approved after the charge",
            _again(happened, without_call(moved, call["id"])),
        )


@kind(Role.CHARGE_APPROVED)
def approval_of_another_booking(happened: Happened) -> Iterator[Lie]:
    for item, other in zip(happened.sold, happened.sold[1:], strict=False):
        place, call = call_of(happened, APPROVE, item)
        if other.made < place:
            messages = with_arguments(happened.messages, call["id"], booking_id=other.booking_id)
            yield f"approval of {item.word} is of {other.word}", _again(happened, messages)


@kind(Role.CHARGE_APPROVED)
def approval_of_one_cent_less(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        _, call = call_of(happened, APPROVE, item)
        amount = format_cents(item.whole - 1)
        changed = with_arguments(happened.messages, call["id"], amount=amount)
        yield f"{amount} approved", partial(tuple, changed)


@kind(Role.CHARGE_APPROVED)
def one_approval_stretched_over_two(happened: Happened) -> Iterator[Lie]:
    for item, other in zip(happened.sold, happened.sold[1:], strict=False):
        (_, call), (_, second) = (call_of(happened, APPROVE, one) for one in (item, other))
        both = format_cents(item.whole + other.whole)
        messages = with_arguments(happened.messages, call["id"], amount=both)
        yield (
            f"{both} approved for {item.word}, {other.word} charged with it",
            _again(happened, without_call(messages, second["id"])),
        )


@kind(Role.CHARGE_APPROVED, Role.METHOD)
def charge_of_another_card(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        _, call = call_of(happened, CHARGE, item)
        used = call["arguments"]["payment_method_id"]
        for card in _other_cards(happened, used, item.whole):
            added = one_call(Owner.USER, "other_card", ADD, card_id=card)
            messages = with_arguments(
                happened.messages, call["id"], payment_method_id="@other_card"
            )
            yield (
                f"{item.word} charged to {card}",
                _again(happened, _put(messages, item.made + 1, added), call["id"]),
            )


def _other_cards(happened: Happened, used: str, cents: int) -> Iterator[str]:
    ledger = happened.episode.trajectory.ledger
    method = ledger.get("payment_methods", used) or {}
    taken = {row["card_id"] for row in ledger.rows("payment_methods")}
    for row in happened.task.world.rows("cards"):
        if row["limit_cents"] >= cents and row["card_id"] not in taken | {method["card_id"]}:
            yield row["card_id"]


@kind(Role.ID_TOLD, Role.NAME_TOLD)
def another_item_booked_than_named(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        others = happened.others(item)
        derive_rng(0, "booked", happened.transcript.name, item.slot).shuffle(others)
        for other in others[:6]:
            yield from _booked_instead(happened, item, other)


def _booked_instead(happened: Happened, item: Sold, other: str) -> Iterator[Lie]:
    """Yield the same call for another entity, with each of its offers."""
    domain = happened.task.domain.kinds[item.kind]
    call = _booking(happened, item)
    offers = [other]
    if domain.offer is not domain.entity:
        rows = happened.task.world.find(domain.offer.name, domain.entity.key, other)
        offers = [row[domain.offer.key] for row in rows]
    for offer in offers:
        arguments = _exchanged(happened, item, call["arguments"], other, offer)
        changed = with_arguments(happened.messages, call["id"], **arguments)
        what = f"{item.word}: {other} booked instead of {item.entity_id}"
        yield what, _again(happened, changed, call["id"])


def _booking(happened: Happened, item: Sold) -> dict[str, Any]:
    """Return the call that booked an item."""
    return next(
        call
        for message in happened.messages
        for call in message.get("tool_calls") or ()
        if f'"booking_id":"{item.booking_id}"' in happened.results[call["id"]].content
        and call["name"].startswith("book_")
    )


def _exchanged(happened: Happened, item: Sold, arguments: Any, entity: str, offer: str) -> Any:
    """Return the arguments of a booking with other ids of entity and offer."""
    domain = happened.task.domain.kinds[item.kind]
    offers = happened.task.world.tables[domain.offer.name]

    def exchange(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: exchange(one) for name, one in value.items()}
        if isinstance(value, list):
            return [exchange(one) for one in value]
        if value == item.entity_id:
            return entity
        return offer if value in offers else value

    return exchange(arguments)


@kind(Role.PRICE_TOLD, Role.TOTAL_TOLD, Role.SUMMARY_TOLD, Role.WISH, Role.BUDGET)
def another_offer_booked_than_priced(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        domain = happened.task.domain.kinds[item.kind]
        if domain.offer is domain.entity:
            continue
        call = _booking(happened, item)
        rows = happened.task.world.find(domain.offer.name, domain.entity.key, item.entity_id)
        for row in rows:
            if row["price_cents"] != item.unit:
                offer = row[domain.offer.key]
                arguments = _exchanged(happened, item, call["arguments"], item.entity_id, offer)
                changed = with_arguments(happened.messages, call["id"], **arguments)
                yield f"{item.word}: {offer} booked", _again(happened, changed, call["id"])


@kind(Role.UNITS, Role.EDGE)
def one_unit_fewer_booked(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        call = _booking(happened, item)
        for name, value in call["arguments"].items():
            shorter = None
            if name in ("tickets", "sessions") and value > 1:
                shorter = value - 1
            if name == "seats" and len(value) > 1:
                shorter = value[:-1]
            if shorter is not None:
                changed = with_arguments(happened.messages, call["id"], **{name: shorter})
                yield f"{item.word}: {name} {shorter}", _again(happened, changed)


@kind(Role.PERSON)
def another_person_booked(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        call = _booking(happened, item)
        seats = call["arguments"].get("seats")
        if seats:
            wrong = [{**seats[0], "passenger_name": "Peter Stranger"}, *seats[1:]]
            changed = with_arguments(happened.messages, call["id"], seats=wrong)
            yield f"{item.word}: for Peter Stranger", _again(happened, changed)


@kind(Role.SURPLUS)
def booked_twice(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        call = _booking(happened, item)
        again = one_call(Owner.AGENT, "again", call["name"], **call["arguments"])
        yield (
            f"{item.word} booked twice",
            _again(happened, _put(happened.messages, happened.last_write + 1, again), "again"),
        )


@kind(Role.COLLATERAL)
def customer_changed_unasked(happened: Happened) -> Iterator[Lie]:
    customer = happened.task.profile.customer_id
    call = one_call(
        Owner.AGENT, "changed", "update_customer", customer_id=customer, phone="555-0000"
    )
    changed = _put(happened.messages, happened.last_write + 1, call)
    yield "another telephone number", lambda: changed


@kind(Role.SLOT_FILLED, Role.SUMMARY_TOLD)
def cancelled_before_the_summary(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        tools = happened.task.domain.kinds[item.kind].tools
        if tools is not None and tools.cancel is not None:
            call = one_call(Owner.AGENT, "cancel", tools.cancel, booking_id=item.booking_id)
            yield (
                f"{item.word} cancelled",
                _again(happened, _put(happened.messages, happened.last_write + 1, call), "cancel"),
            )
