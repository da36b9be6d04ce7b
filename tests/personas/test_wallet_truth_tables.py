"""The user's wallet: for each conjunct two requests that differ in it alone, one on each side."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.own_tools import (
    ADD,
    APPROVE,
    CARDS,
    Approval,
    Booking,
    PrivateCall,
    Refusal,
    Wallet,
    misstated_total,
    next_calls,
    read_wallet,
    refusals,
    to_approve,
)
from crab_graph.personas.payment_habits import (
    PaymentHabit,
    first_ones,
    is_due,
    payment_habit,
    with_other_card,
)
from crab_graph.personas.understanding import Reading
from crab_graph.randomness import derive_rng
from tests.eval.builders import small_task

LISTS = "get_my_trip_confirmations"
MINE = {"card_id": "CD-1", "last4": "4242", "limit": "900.00", "payment_method_id": "PM-1"}
SPARE = {"card_id": "CD-2", "last4": "5454", "limit": "100.00", "payment_method_id": "PM-2"}
BARE = {**MINE, "payment_method_id": None}
FIRST = Booking("BK-1", "FL-1", "pending", 300_00)
SECOND = Booking("BK-2", "FL-2", "pending", 250_00)
PAID = Booking("BK-3", "FL-3", "confirmed", 100_00)
WALLET = Wallet(
    confirmations=LISTS,
    wanted="CD-1",
    called=frozenset({CARDS, LISTS}),
    cards=(MINE, {**SPARE, "is_default": True}),
    bookings=(FIRST, SECOND, PAID),
    added=None,
    recorded=(),
    earlier=(),
    errors=(),
)


def asking(*acts: str, ids: tuple[str, ...] = (), **more: Any) -> Reading:
    """A message of which it is known what it asks: `approval`, `card`, `method`, `method_id`."""
    wants = {f"asks_{act}": act in acts for act in ("approval", "card", "method", "method_id")}
    wallet = any(wants.values())
    told = {"tells_of_failed_card": False, "utterance": SimpleNamespace(text=""), **more}
    told = {"holds_off": False, **told}
    return cast(Reading, SimpleNamespace(**wants, asks_wallet=wallet, ids=ids, **told))


def approval(booking: Booking, method: str = "PM-1") -> PrivateCall:
    amount = f"{booking.cents / 100:.2f}"
    named = {"booking_id": booking.booking_id, "payment_method_id": method, "amount": amount}
    return PrivateCall(APPROVE, named)


BOTH = [approval(FIRST), approval(SECOND)]
ADDS = [PrivateCall(ADD, {"card_id": "CD-1"})]
READS_CARDS, READS_LISTS = PrivateCall(CARDS, {}), PrivateCall(LISTS, {})


def with_card(card: dict[str, Any]) -> Wallet:
    return replace(WALLET, cards=(card, *WALLET.cards[1:]))


@pytest.mark.parametrize(
    ("reading", "wallet", "calls"),
    [
        (asking("approval"), WALLET, BOTH),
        (asking(), WALLET, []),
        (asking("approval"), replace(WALLET, called=frozenset()), [READS_CARDS, READS_LISTS]),
        (asking("approval"), replace(WALLET, called=frozenset({CARDS})), [READS_LISTS]),
        (asking("approval"), replace(WALLET, called=frozenset({LISTS})), [READS_CARDS]),
        (asking("card"), replace(WALLET, called=frozenset()), [READS_CARDS]),
        (asking("method"), replace(WALLET, called=frozenset()), [READS_CARDS]),
        (asking(), replace(WALLET, called=frozenset()), []),
        (asking("approval"), replace(WALLET, called=WALLET.called | {APPROVE}), []),
        (asking("card"), WALLET, []),
        (asking("card"), with_card(BARE), ADDS),
        (asking("method"), with_card(BARE), []),
        (asking("method", "method_id"), with_card(BARE), ADDS),
        (asking("approval"), with_card(BARE), ADDS),
        (asking("approval"), replace(with_card(BARE), bookings=(PAID,)), []),
        (asking("card"), replace(with_card(BARE), called=WALLET.called | {ADD}), []),
        (asking("card"), replace(WALLET, cards=()), []),
        (asking("approval"), replace(with_card(BARE), called=WALLET.called | {ADD}), []),
        (
            asking("approval"),
            replace(
                with_card(BARE), called=WALLET.called | {ADD}, added={"payment_method_id": "PM-9"}
            ),
            [approval(FIRST, "PM-9"), approval(SECOND, "PM-9")],
        ),
        (asking("approval", ids=("BK-2",)), WALLET, BOTH[1:]),
        (asking("approval", ids=("BK-3",)), WALLET, []),
        (asking("approval", ids=("FL-1",)), WALLET, BOTH),
        (asking("approval", ids=("PM-1",)), WALLET, BOTH),
        (asking("approval", ids=("PM-2",)), WALLET, []),
        (
            asking("approval"),
            replace(WALLET, earlier=(Approval("BK-1", "PM-1", 300_00),)),
            BOTH[1:],
        ),
        (asking("approval"), replace(WALLET, earlier=(Approval("BK-1", "PM-2", 300_00),)), BOTH),
        (asking("approval"), replace(WALLET, earlier=(Approval("BK-1", "PM-1", 299_00),)), BOTH),
        (asking("approval"), replace(WALLET, earlier=(Approval("BK-2", "PM-1", 300_00),)), BOTH),
        (asking("approval"), replace(WALLET, bookings=()), []),
    ],
)
def test_what_the_user_does_next_with_its_own_tools(reading, wallet, calls):
    assert next_calls(reading, wallet, ()) == calls


def test_what_was_refused_is_not_approved():
    assert next_calls(asking("approval"), WALLET, [Refusal("BK-1", 300_00, 299_00)]) == BOTH[1:]


def test_what_is_due_is_paid_unasked_also_where_another_card_is_named():
    unread = replace(WALLET, called=frozenset())
    for due, calls in ((True, [READS_CARDS, READS_LISTS]), (False, [])):
        assert next_calls(asking(), unread, (), is_due=due) == calls
    for due, calls in ((True, BOTH), (False, [])):
        assert next_calls(asking("approval", ids=("PM-2",)), WALLET, (), is_due=due) == calls


@pytest.mark.parametrize(("only_card", "calls"), [(False, BOTH), (True, [])])
def test_with_only_the_card_nothing_is_approved(only_card, calls):
    assert next_calls(asking("approval"), WALLET, (), only_card=only_card) == calls
    adds = next_calls(asking("card"), with_card(BARE), (), only_card=only_card)
    assert adds == ADDS
    asked = next_calls(asking("approval"), with_card(BARE), (), only_card=only_card)
    assert asked == ([] if only_card else ADDS)


@pytest.mark.parametrize(
    ("earlier", "calls"), [((), []), ((Approval("BK-1", "PM-1", 1),), [READS_LISTS])]
)
def test_confirmations_are_looked_at_again_after_an_earlier_approval(earlier, calls):
    wallet = replace(WALLET, called=frozenset({CARDS}), earlier=earlier)
    assert next_calls(asking("card"), wallet, ()) == calls


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        ((), [FIRST, SECOND]),
        (("BK-1",), [FIRST]),
        (("BK-1", "BK-9"), [FIRST]),
        (("BK-9",), []),
        (("BK-3",), []),
        (("HT-1",), [FIRST, SECOND]),
    ],
)
def test_a_request_is_about_the_pending_bookings_it_names_or_about_all(ids, found):
    assert to_approve(asking("approval", ids=ids), WALLET) == found


@pytest.mark.parametrize(
    ("wallet", "card", "method"),
    [
        (WALLET, "CD-1", "PM-1"),
        (replace(WALLET, wanted="CD-2"), "CD-2", "PM-2"),
        (replace(WALLET, wanted=None), "CD-2", "PM-2"),
        (replace(WALLET, wanted=None, cards=(MINE, SPARE)), "CD-1", "PM-1"),
        (with_card(BARE), "CD-1", None),
        (replace(WALLET, added={"payment_method_id": "PM-9"}), "CD-1", "PM-9"),
        (replace(WALLET, cards=()), None, None),
    ],
)
def test_which_card_is_paid_with(wallet, card, method):
    assert (wallet.card and wallet.card["card_id"], wallet.method_id) == (card, method)


@pytest.mark.parametrize(
    ("ids", "is_other"), [(("PM-2",), True), (("PM-1",), False), (("PM-9",), False), ((), False)]
)
def test_another_card_is_named_by_its_method(ids, is_other):
    assert WALLET.names_other_card(asking(ids=ids)) is is_other


@pytest.mark.parametrize(
    ("tells", "earlier", "is_other"),
    [
        (True, (Approval("BK-1", "PM-2", 300_00),), False),
        (True, (Approval("BK-1", "PM-1", 300_00),), True),
        (False, (Approval("BK-1", "PM-2", 300_00),), True),
        (True, (), True),
    ],
)
def test_a_card_just_declined_is_named_for_that(tells, earlier, is_other):
    wallet = replace(WALLET, earlier=earlier)
    reading = asking(ids=("PM-2",), tells_of_failed_card=tells)
    assert wallet.names_other_card(reading) is is_other


# --- reading what was shown


def call(number, name, owner="user", **arguments):
    calls = [{"id": f"c{number}", "name": name, "arguments": arguments}]
    return {"role": owner, "content": "", "tool_calls": calls}


def result(number, **content):
    return {"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(content)}


ROW = {"booking_id": "BK-1", "entity_id": "FL-1", "status": "pending", "total": "300.00"}
ASKED = {"booking_id": "BK-1", "payment_method_id": "PM-1", "amount": "300.00"}


def read(*messages, since=-1):
    return read_wallet(messages, since, small_task().briefing)


def test_what_own_calls_showed_since_the_agents_message_counts():
    messages = [
        call(1, CARDS),
        result(1, cards=[MINE]),
        call(2, LISTS),
        result(2, bookings=[ROW]),
        call(3, ADD, card_id="CD-1"),
        result(3, payment_method_id="PM-1"),
    ]
    wallet = read(*messages)
    assert wallet.cards == (MINE,) and wallet.bookings == (FIRST,)
    assert wallet.added == {"payment_method_id": "PM-1"}
    assert wallet.called == {CARDS, LISTS, ADD} and wallet.confirmations == LISTS
    card = small_task().briefing.fact("payment_card")
    assert card is not None and wallet.wanted == card.value["card_id"]
    before = read(*messages, since=5)
    assert (before.cards, before.bookings, before.added, before.called) == (
        (),
        (),
        None,
        frozenset(),
    )
    half = read(*messages, since=1)
    assert (half.cards, half.bookings) == ((), (FIRST,))
    assert read(*messages, since=3).called == {ADD}


def test_calls_of_others_and_messages_between_show_nothing():
    messages = [
        call(1, CARDS, owner="assistant"),
        result(1, cards=[MINE]),
        {"role": "assistant", "content": "Hello"},
        call(2, LISTS),
        {"role": "assistant", "tool_call_id": "c2", "content": "no result"},
        {"role": "tool", "tool_call_id": "c9", "content": "{}"},
        result(2, bookings=[ROW]),
    ]
    wallet = read(*messages)
    assert (wallet.cards, wallet.bookings, wallet.called) == ((), (FIRST,), {LISTS})


def test_approvals_are_recorded_now_or_earlier():
    messages = [call(1, APPROVE, **ASKED), result(1, status="recorded")]
    done = (Approval("BK-1", "PM-1", 300_00),)
    for since, found in ((-1, (done, ())), (0, (done, ())), (1, ((), done))):
        wallet = read(*messages, since=since)
        assert (wallet.recorded, wallet.earlier) == found, since


def test_errors_are_told_of_the_present_turn():
    messages = [
        call(1, APPROVE, **ASKED),
        result(1, error="wrong_card", message="you have no payment method"),
        call(2, APPROVE, **ASKED),
        result(2, error="unknown_id"),
    ]
    for since, errors in (
        (-1, ("you have no payment method", "unknown_id")),
        (1, ("unknown_id",)),
        (3, ()),
    ):
        wallet = read(*messages, since=since)
        assert (wallet.errors, wallet.recorded, wallet.earlier) == (errors, (), ())


# --- amounts that are not due


def heard(text):
    briefing = small_task().briefing
    return Reading(text, briefing.lexicon, briefing.slots)


WAITING = replace(
    WALLET,
    bookings=(
        Booking("BK-10000001", "FL-1", "pending", 300_00),
        Booking("BK-10000002", "FL-2", "pending", 250_00),
    ),
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Please approve $300.00 for BK-10000001.", []),
        ("Please approve $299.00 for BK-10000001.", [("BK-10000001", 300_00, 299_00)]),
        ("Please approve $299.00 for BK-10000002.", [("BK-10000002", 250_00, 299_00)]),
        ("Please approve $299.00.", []),
        ("Please approve BK-10000001.", []),
        ("Please approve $299.00 for BK-10000009.", []),
        ("Please approve BK-10000001: $150.00 per passenger.", []),
        ("Please approve BK-10000001: $150.00 x 2 = $300.00.", []),
        ("Please approve BK-10000001: $200.00 and $199.00.", [("BK-10000001", 300_00, 199_00)]),
        (
            "Please approve $1.00 for BK-10000001.\nPlease approve $2.00 for BK-10000002.",
            [("BK-10000001", 300_00, 1_00), ("BK-10000002", 250_00, 2_00)],
        ),
        ("Please approve $300.00 for BK-10000001.\nThat was $299.00 before.", []),
    ],
)
def test_a_booking_is_refused_where_another_amount_than_is_due_is_stated_for_it(text, found):
    assert [tuple(one) for one in refusals(WAITING, heard(text))] == found


@pytest.mark.parametrize(
    ("totals", "planned", "items", "wrong"),
    [
        ((), (), 2, None),
        ((550_00,), (), 2, None),
        ((549_00,), (), 2, 549_00),
        ((549_00,), tuple(WALLET.held), 2, 549_00),
        # A plan with another item in the place of one that is booked is not what is booked.
        ((549_00,), (WALLET.held[0], "HT-00000"), 2, None),
        ((549_00, 550_00), (), 2, None),
        ((549_00, 548_00), (), 2, 548_00),
        ((549_00,), (), 3, None),
        ((549_00,), (), 1, None),
    ],
)
def test_a_total_is_wrong_where_all_items_wait_and_add_up_to_another(totals, planned, items, wrong):
    assert misstated_total(totals, planned, WALLET, items) == wrong


# --- how people pay who do not do it in one go


def test_how_a_user_pays_is_drawn_in_the_shares_of_its_behavior():
    briefing = small_task().briefing
    for seed in range(40):
        drawn = derive_rng("payment habit", seed, briefing.task_id).random()
        for parts, other, habit in (
            (drawn, 0.0, PaymentHabit.AT_ONCE),
            (drawn + 0.001, 0.0, PaymentHabit.IN_PARTS),
            (0.0, drawn, PaymentHabit.AT_ONCE),
            (0.0, drawn + 0.001, PaymentHabit.OTHER_CARD),
            (drawn / 2, drawn / 2 + 0.001, PaymentHabit.OTHER_CARD),
        ):
            shares = SimpleNamespace(pays_in_parts=parts, tries_other_card=other)
            assert payment_habit(briefing, cast(Behavior, shares), seed) == habit


NOT_YET = (BARE, {**SPARE, "payment_method_id": None})
LOW = replace(WALLET, cards=NOT_YET)


@pytest.mark.parametrize(
    ("wallet", "ids", "text", "wanted"),
    [
        (LOW, (), "", "CD-2"),
        (replace(LOW, cards=(MINE, SPARE)), (), "", "CD-1"),
        (LOW, ("PM-1",), "", "CD-1"),
        (LOW, ("BK-1",), "", "CD-2"),
        (LOW, (), "the visa ending in 4242", "CD-1"),
        (LOW, (), "the mastercard ending in 5454", "CD-2"),
        (replace(LOW, earlier=(Approval("BK-9", "PM-1", 1),)), (), "", "CD-1"),
        (replace(LOW, bookings=(PAID,)), (), "", "CD-1"),
        (replace(LOW, cards=()), (), "", "CD-1"),
        (replace(LOW, cards=NOT_YET[:1]), (), "", "CD-1"),
        (replace(LOW, cards=(BARE, {**SPARE, "limit": "550.00"})), (), "", "CD-1"),
        (replace(LOW, cards=(BARE, {**SPARE, "limit": "549.99"})), (), "", "CD-2"),
        (replace(LOW, cards=(BARE, {"card_id": "CD-2"})), (), "", "CD-1"),
        (
            replace(LOW, cards=(*NOT_YET, {"card_id": "CD-3", "limit": "50.00"})),
            *((), "", "CD-3"),
        ),
        (
            replace(LOW, cards=({**BARE, "limit": "10.00"}, *NOT_YET[1:])),
            *((), "", "CD-2"),
        ),
    ],
)
def test_a_card_that_does_not_bear_all_is_tried_before_any_is_named_or_used(
    wallet, ids, text, wanted
):
    said = SimpleNamespace(text=text)
    assert with_other_card(wallet, asking(ids=ids, utterance=said)).wanted == wanted


@pytest.mark.parametrize(
    ("habit", "tells", "earlier", "owes", "due"),
    [
        (PaymentHabit.OTHER_CARD, True, True, False, True),
        (PaymentHabit.IN_PARTS, True, True, False, False),
        (PaymentHabit.OTHER_CARD, False, True, False, False),
        (PaymentHabit.OTHER_CARD, True, False, False, False),
        (PaymentHabit.AT_ONCE, False, False, True, True),
    ],
)
def test_what_is_owed_or_was_declined_is_paid_unasked(habit, tells, earlier, owes, due):
    done = (Approval("BK-1", "PM-2", 300_00),) if earlier else ()
    wallet = replace(WALLET, earlier=done)
    assert is_due(asking(tells_of_failed_card=tells), wallet, habit, owes=owes) is due


@pytest.mark.parametrize(("number", "made"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_who_pays_in_parts_approves_the_first_half_at_first(number, made):
    calls = [approval(Booking(f"BK-{at}", "FL-1", "pending", 1)) for at in range(number)]
    assert first_ones(calls, WALLET, PaymentHabit.IN_PARTS) == calls[:made]
    assert first_ones(calls, WALLET, PaymentHabit.AT_ONCE) == calls
    again = replace(WALLET, earlier=(Approval("BK-9", "PM-1", 1),))
    assert first_ones(calls, again, PaymentHabit.IN_PARTS) == calls


def test_reads_and_cards_are_not_put_off():
    for calls in ([READS_CARDS, READS_LISTS], ADDS):
        assert first_ones(calls, WALLET, PaymentHabit.IN_PARTS) == calls
