from typing import Any

import pytest

from tests.tools.builders import (
    BIG_CARD,
    CUSTOMER,
    HOTEL,
    OTHER_CARD,
    OTHER_FLIGHT_BOOKING,
    OTHER_METHOD,
    OUT_EARLY,
    SMALL_CARD,
    Episode,
)


def test_cards_show_their_limit_and_whether_they_are_on_the_platform() -> None:
    episode = Episode()
    method_id = episode.add_card(SMALL_CARD)
    big, small = episode.user("get_my_payment_cards")["cards"]
    assert (big["card_id"], big["limit"], big["payment_method_id"]) == (BIG_CARD, "1000.00", None)
    assert (small["brand"], small["last4"], small["payment_method_id"]) == (
        "Mastercard",
        "5454",
        method_id,
    )


def test_adding_a_card_again_returns_the_same_method_and_writes_nothing() -> None:
    episode = Episode()
    method_id = episode.add_card()
    events = episode.ledger.events
    assert episode.add_card() == method_id
    assert episode.ledger.events == events


def test_one_card_at_a_time_is_the_default() -> None:
    episode = Episode()
    episode.user("set_default_payment_card", card_id=SMALL_CARD)
    cards = episode.user("get_my_payment_cards")["cards"]
    assert [card["card_id"] for card in cards if card["is_default"]] == [SMALL_CARD]
    events = episode.ledger.events
    episode.user("set_default_payment_card", card_id=SMALL_CARD)
    assert episode.ledger.events == events


def test_confirmations_list_the_customers_own_bookings_in_the_order_made() -> None:
    episode = Episode()
    flight, hotel = episode.book_outbound(), episode.book_room()
    assert episode.user("get_my_trip_confirmations")["bookings"] == [
        {
            "booking_id": flight,
            "kind": "flight",
            "entity_id": OUT_EARLY,
            "status": "pending",
            "total": "300.00",
        },
        {
            "booking_id": hotel,
            "kind": "hotel",
            "entity_id": HOTEL,
            "name": "Juniper Court Hotel",
            "status": "pending",
            "total": "360.00",
        },
    ]


def test_the_spending_summary_tells_paid_from_pending() -> None:
    episode = Episode()
    flight, method_id = episode.book_outbound(), episode.add_card()
    episode.book_room()
    episode.agent("charge_booking", booking_id=flight, payment_method_id=method_id)
    assert episode.user("get_trip_spending_summary") == {
        "confirmed": "300.00",
        "pending": "360.00",
        "charged": "300.00",
        "refunded": "0.00",
        "spent": "300.00",
        "currency": "USD",
    }
    episode.agent("cancel_flight", booking_id=flight)
    assert episode.user("get_trip_spending_summary")["spent"] == "0.00"


def test_card_activity_is_newest_first_and_by_card() -> None:
    episode = Episode()
    flight, method_id = episode.book_outbound(), episode.add_card()
    episode.agent("charge_booking", booking_id=flight, payment_method_id=method_id)
    episode.agent("cancel_flight", booking_id=flight)
    activity = episode.user("get_recent_card_activity")["activity"]
    assert [(row["card_id"], row["kind"]) for row in activity] == [
        (BIG_CARD, "refund"),
        (BIG_CARD, "charge"),
    ]
    assert episode.user("get_recent_card_activity", card_id=SMALL_CARD)["activity"] == []
    assert len(episode.user("get_recent_card_activity", limit=1)["activity"]) == 1


@pytest.mark.parametrize(
    "amount", [300, 300.0, "300", "300.00", "$300.00", "300.00 USD", "USD 300"]
)
def test_an_approval_reads_amounts_in_every_written_form(amount: Any) -> None:
    episode = Episode()
    booking_id, method_id = episode.book_outbound(), episode.add_card()
    result = episode.user(
        "record_payment_approval",
        booking_id=booking_id,
        payment_method_id=method_id,
        amount=amount,
    )
    assert (result["amount"], result["status"]) == ("300.00", "recorded")
    assert episode.ledger.inserted("approvals")[0]["amount_cents"] == 30_000


@pytest.mark.parametrize(
    "amount", ["", "much", "300.001", -300, 0, True, None, "3e2", float("nan"), "9" * 40, [300]]
)
def test_an_approval_refuses_what_is_no_amount(amount: Any) -> None:
    episode = Episode()
    booking_id, method_id = episode.book_outbound(), episode.add_card()
    arguments = {"booking_id": booking_id, "payment_method_id": method_id, "amount": amount}
    code, message = episode.user_error("record_payment_approval", **arguments)
    assert code == "invalid_arguments"
    assert "'amount'" in message


def test_an_approval_may_name_another_amount_or_come_after_the_charge() -> None:
    episode = Episode()
    booking_id, method_id = episode.book_outbound(), episode.add_card()
    named = {"booking_id": booking_id, "payment_method_id": method_id}
    episode.agent("charge_booking", **named)
    first = episode.user("record_payment_approval", **named, amount="299.00")
    second = episode.user("record_payment_approval", **named, amount="300.00")
    assert first["approval_id"] != second["approval_id"]


def test_an_approval_is_for_the_users_own_booking_and_method() -> None:
    episode = Episode()
    booking_id, method_id = episode.book_outbound(), episode.add_card()
    for booking, method, code in [
        ("BK-404", method_id, "unknown_id"),
        (OTHER_FLIGHT_BOOKING, method_id, "unknown_id"),
        (booking_id, OTHER_METHOD, "wrong_card"),
        (booking_id, BIG_CARD, "wrong_card"),
    ]:
        arguments = {"booking_id": booking, "payment_method_id": method, "amount": 300}
        assert episode.user_error("record_payment_approval", **arguments)[0] == code
    episode.agent("cancel_flight", booking_id=booking_id)
    arguments = {"booking_id": booking_id, "payment_method_id": method_id, "amount": 300}
    assert episode.user_error("record_payment_approval", **arguments)[0] == "already_cancelled"


@pytest.mark.parametrize(
    "name",
    ["add_payment_method_to_platform", "set_default_payment_card", "get_recent_card_activity"],
)
def test_only_the_users_own_cards_are_known(name: str) -> None:
    assert Episode().user_error(name, card_id=OTHER_CARD)[0] == "unknown_id"


def test_wallet_tools_act_for_the_tasks_customer() -> None:
    episode = Episode()
    episode.add_card()
    method = episode.ledger.inserted("payment_methods")[0]
    assert method["customer_id"] == CUSTOMER
