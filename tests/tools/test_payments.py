import pytest

from crab_graph.randomness import derive_id
from tests.tools.builders import (
    BACK,
    BACK_FARE,
    BIG_CARD,
    CUSTOMER,
    OTHER,
    OTHER_FLIGHT_BOOKING,
    OTHER_METHOD,
    SMALL_CARD,
    Episode,
    world_with,
)


def charge(episode: Episode, booking_id: str, method_id: str) -> dict[str, object]:
    return episode.agent("charge_booking", booking_id=booking_id, payment_method_id=method_id)


def charge_error(episode: Episode, booking_id: str, method_id: str) -> str:
    arguments = {"booking_id": booking_id, "payment_method_id": method_id}
    return episode.agent_error("charge_booking", **arguments)[0]


def test_a_charge_takes_the_exact_price_once_and_confirms() -> None:
    episode = Episode()
    booking_id, method_id = episode.book_outbound(), episode.add_card()
    assert charge(episode, booking_id, method_id) == {
        "booking_id": booking_id,
        "status": "confirmed",
        "transaction_id": derive_id("TX", 8, "S1-001", 1),
        "payment_method_id": method_id,
        "amount": "300.00",
        "currency": "USD",
    }
    assert charge_error(episode, booking_id, method_id) == "already_charged"


def test_a_charge_needs_a_pending_booking_and_a_method_of_its_customer() -> None:
    episode = Episode()
    booking_id, method_id = episode.book_outbound(), episode.add_card()
    assert charge_error(episode, "BK-404", method_id) == "unknown_id"
    assert charge_error(episode, booking_id, "PM-404") == "wrong_card"
    assert charge_error(episode, booking_id, BIG_CARD) == "wrong_card"
    assert charge_error(episode, booking_id, OTHER_METHOD) == "wrong_card"
    episode.agent("cancel_flight", booking_id=booking_id)
    assert charge_error(episode, booking_id, method_id) == "already_cancelled"


def test_a_cards_limit_is_cumulative_over_what_was_not_refunded() -> None:
    episode = Episode()
    outbound, back = episode.book_outbound(), episode.book_outbound(BACK_FARE, BACK)
    method_id = episode.add_card(SMALL_CARD)
    charge(episode, outbound, method_id)
    assert charge_error(episode, back, method_id) == "declined"
    episode.agent("cancel_flight", booking_id=outbound)
    assert charge(episode, back, method_id)["status"] == "confirmed"


def test_a_charge_up_to_the_limit_itself_passes() -> None:
    limit = 335_00
    episode = Episode(world_with(cards=lambda cards: [{**cards[1], "limit_cents": limit}]))
    method_id = episode.add_card(SMALL_CARD)
    room = episode.book_room("2027-05-03", "2027-05-06")
    assert charge_error(episode, room, method_id) == "declined"
    fitting = episode.agent(
        "book_attraction", customer_id=CUSTOMER, attraction_id="AT-10001", tickets=1
    )["booking_id"]
    for booking_id in (fitting, episode.book_outbound()):
        assert charge(episode, booking_id, method_id)["status"] == "confirmed"
    charged = episode.ledger.inserted("transactions")
    assert sum(row["amount_cents"] for row in charged) == limit
    last = episode.agent(
        "book_attraction", customer_id=CUSTOMER, attraction_id="AT-20001", tickets=1
    )["booking_id"]
    assert charge_error(episode, last, method_id) == "declined"


def test_transactions_are_listed_newest_first_and_by_customer() -> None:
    episode = Episode()
    method_id = episode.add_card()
    outbound, back = episode.book_outbound(), episode.book_outbound(BACK_FARE, BACK)
    charge(episode, outbound, method_id)
    charge(episode, back, method_id)
    episode.agent("cancel_flight", booking_id=back)
    mine = episode.agent("get_recent_payment_transactions", customer_id=CUSTOMER)["transactions"]
    assert [(row["kind"], row["amount"]) for row in mine] == [
        ("refund", "280.00"),
        ("charge", "280.00"),
        ("charge", "300.00"),
    ]
    newest = episode.agent("get_recent_payment_transactions", customer_id=CUSTOMER, limit=1)
    assert newest["transactions"] == mine[:1]
    detail = episode.agent("get_transaction_details", transaction_id=mine[0]["transaction_id"])
    assert detail == {**mine[0], "customer_id": CUSTOMER, "currency": "USD"}
    others = episode.agent("get_recent_payment_transactions", customer_id=OTHER)["transactions"]
    assert [row["amount"] for row in others] == ["150.00", "90.00"]


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("get_recent_payment_transactions", {"customer_id": "CU-0"}, "unknown_id"),
        (
            "get_recent_payment_transactions",
            {"customer_id": OTHER, "limit": 0},
            "invalid_arguments",
        ),
        ("get_transaction_details", {"transaction_id": "TX-0"}, "unknown_id"),
    ],
)
def test_transactions_that_are_not_there_are_errors(
    name: str, arguments: dict[str, object], code: str
) -> None:
    assert Episode().agent_error(name, **arguments)[0] == code


def test_another_customers_booking_can_be_cancelled_and_is_refunded_to_them() -> None:
    episode = Episode()
    result = episode.agent("cancel_flight", booking_id=OTHER_FLIGHT_BOOKING)
    assert result["refunded"] == "150.00"
    refund = episode.ledger.inserted("transactions")[0]
    assert (refund["customer_id"], refund["payment_method_id"]) == (OTHER, OTHER_METHOD)
