"""Payments: for each bound and conjunct two episodes that differ in it alone, one on each side."""

import pytest

from crab_graph.errors import ToolCallError
from crab_graph.tools.bookings import (
    booked,
    move_stock,
    open_booking,
    require_changeable,
    write_items,
)
from crab_graph.tools.registry import ToolCall
from crab_graph.tools.user_tools import is_confirmations, user_tools
from tests.tools.builders import (
    ANA,
    BIG_CARD,
    CUSTOMER,
    OTHER,
    OTHER_FLIGHT_BOOKING,
    OTHER_HOTEL_BOOKING,
    OTHER_METHOD,
    OUT_EARLY,
    OUT_FARE,
    SMALL_CARD,
    Episode,
    world_with,
)

OWN_BOOKING, OWN_METHOD = "BK-00000003", "PM-00000003"


def limited(cents, **changes):
    """An episode in which the first card bears that much."""

    def change(cards):
        return [{**cards[0], "limit_cents": cents}, *cards[1:]]

    return Episode(world_with(cards=change, **changes))


def charge(episode, booking, method):
    found = episode.agent("charge_booking", booking_id=booking, payment_method_id=method)
    return found["status"]


def refusal(episode, booking, method):
    named = {"booking_id": booking, "payment_method_id": method}
    return episode.agent_error("charge_booking", **named)[0]


@pytest.mark.parametrize("limit", [300_00, 300_01])
def test_a_charge_up_to_the_limit_passes(limit):
    episode = limited(limit)
    assert charge(episode, episode.book_outbound(), episode.add_card()) == "confirmed"


def test_a_charge_beyond_the_limit_by_a_cent_is_declined():
    episode = limited(299_99)
    assert refusal(episode, episode.book_outbound(), episode.add_card()) == "declined"


@pytest.mark.parametrize(("limit", "passes"), [(580_00, True), (579_99, False)])
def test_charges_of_one_card_add_up(limit, passes):
    episode = limited(limit)
    method, first = episode.add_card(), episode.book_outbound()
    second = episode.book_outbound("FA-50005", "FL-20001")
    charge(episode, first, method)
    if passes:
        assert charge(episode, second, method) == "confirmed"
    else:
        assert refusal(episode, second, method) == "declined"


def test_a_refund_frees_the_card_by_what_was_charged_and_no_more():
    episode = limited(300_00)
    method = episode.add_card()
    for _ in range(2):
        booking = episode.book_outbound()
        assert charge(episode, booking, method) == "confirmed"
        assert episode.agent("cancel_flight", booking_id=booking)["refunded"] == "300.00"
    assert episode.ledger.inserted("transactions")[1]["payment_method_id"] == method


def test_what_one_card_bore_is_not_counted_for_another():
    episode = limited(300_00)
    first, second = episode.book_outbound(), episode.book_outbound("FA-50005", "FL-20001")
    charge(episode, second, episode.add_card(SMALL_CARD))
    assert charge(episode, first, episode.add_card()) == "confirmed"


def test_a_card_that_was_registered_twice_has_one_limit():
    def registered(methods):
        card = {"card_id": BIG_CARD, "brand": "Visa", "last4": "4242", "is_default": True}
        own = ({"payment_method_id": f"PM-0000000{at}", "customer_id": CUSTOMER} for at in (3, 4))
        return [*methods, *({**one, **card} for one in own)]

    for limit, passes in ((580_00, True), (579_99, False)):
        episode = limited(limit, payment_methods=registered)
        first, second = episode.book_outbound(), episode.book_outbound("FA-50005", "FL-20001")
        charge(episode, first, "PM-00000003")
        if passes:
            assert charge(episode, second, "PM-00000004") == "confirmed"
        else:
            assert refusal(episode, second, "PM-00000004") == "declined"


def test_a_card_that_is_not_the_customers_own_has_no_limit_here():
    def booked(bookings):
        held = {"booking_id": OWN_BOOKING, "customer_id": OTHER, "kind": "flight"}
        return [
            *bookings,
            {**held, "entity_id": OUT_EARLY, "status": "pending", "total_cents": 10**9},
        ]

    episode = Episode(world_with(bookings=booked))
    assert charge(episode, OWN_BOOKING, OTHER_METHOD) == "confirmed"


def test_a_refund_goes_to_the_method_that_was_charged():
    episode = Episode()
    first, second = episode.add_card(), episode.add_card(SMALL_CARD)
    for method in (second, first):
        booking = episode.book_outbound()
        charge(episode, booking, method)
        episode.agent("cancel_flight", booking_id=booking)
        assert episode.ledger.inserted("transactions")[-1]["payment_method_id"] == method
        detail = episode.ledger.inserted("transactions")[-1]
        assert (detail["kind"], detail["amount_cents"]) == ("refund", 300_00)


def test_a_pending_booking_is_cancelled_without_a_refund():
    episode = Episode()
    booking = episode.book_outbound()
    result = episode.agent("cancel_flight", booking_id=booking)
    assert (result["refunded"], "transaction_id" in result) == ("0.00", False)
    assert episode.ledger.inserted("transactions") == ()
    assert episode.agent_error("cancel_flight", booking_id=booking)[0] == "already_cancelled"
    assert [row["status"] for row in episode.ledger.inserted("bookings")] == ["cancelled"]


def test_a_charge_is_for_a_booking_that_is_pending():
    episode = Episode()
    booking, method = episode.book_outbound(), episode.add_card()
    assert charge(episode, booking, method) == "confirmed"
    assert refusal(episode, booking, method) == "already_charged"
    episode.agent("cancel_flight", booking_id=booking)
    assert refusal(episode, booking, method) == "already_cancelled"
    assert [row["kind"] for row in episode.ledger.inserted("transactions")] == ["charge", "refund"]


def test_what_a_charge_writes():
    episode = Episode()
    booking, method = episode.book_outbound(), episode.add_card()
    charge(episode, booking, method)
    (row,) = episode.ledger.inserted("transactions")
    del row["transaction_id"]
    assert row == {
        "booking_id": booking,
        "customer_id": CUSTOMER,
        "payment_method_id": method,
        "kind": "charge",
        "amount_cents": 300_00,
    }


@pytest.mark.parametrize(("limit", "passes"), [(0, False), (1, True), (100, True), (101, False)])
@pytest.mark.parametrize("owner", ["agent", "user"])
def test_lists_hold_from_one_to_a_hundred_entries(owner, limit, passes):
    episode = Episode()
    name, named = {
        "agent": ("get_recent_payment_transactions", {"customer_id": OTHER}),
        "user": ("get_recent_card_activity", {}),
    }[owner]
    if passes:
        getattr(episode, owner)(name, **named, limit=limit)
    else:
        error = getattr(episode, f"{owner}_error")(name, **named, limit=limit)
        assert error[0] == "invalid_arguments"


def test_lists_hold_ten_entries_if_not_told_otherwise():
    def transactions(rows):
        charge = {**rows[0], "booking_id": OTHER_FLIGHT_BOOKING}
        return [{**charge, "transaction_id": f"TX-000001{at:02}"} for at in range(12)]

    episode = Episode(world_with(transactions=transactions))

    def listed(**limit):
        name = "get_recent_payment_transactions"
        return len(episode.agent(name, customer_id=OTHER, **limit)["transactions"])

    assert (listed(), listed(limit=11), listed(limit=12), listed(limit=13)) == (10, 11, 12, 12)


def test_card_activity_holds_ten_entries_if_not_told_otherwise():
    def methods(rows):
        return [
            *rows,
            {
                **rows[0],
                "payment_method_id": OWN_METHOD,
                "customer_id": CUSTOMER,
                "card_id": BIG_CARD,
            },
        ]

    def transactions(rows):
        charge = {**rows[0], "payment_method_id": OWN_METHOD}
        return [{**charge, "transaction_id": f"TX-000001{at:02}"} for at in range(12)]

    episode = Episode(world_with(payment_methods=methods, transactions=transactions))

    def listed(**limit):
        return len(episode.user("get_recent_card_activity", **limit)["activity"])

    assert (listed(), listed(limit=11), listed(limit=12)) == (10, 11, 12)


def test_card_activity_is_of_the_own_cards_all_of_them_or_one():
    episode = Episode()
    big, small = episode.add_card(), episode.add_card(SMALL_CARD)
    charge(episode, episode.book_outbound(), small)
    charge(episode, episode.book_outbound("FA-50005", "FL-20001"), big)

    def cards(**one):
        activity = episode.user("get_recent_card_activity", **one)["activity"]
        return [row["card_id"] for row in activity]

    assert cards() == [BIG_CARD, SMALL_CARD]
    assert cards(card_id=BIG_CARD) == [BIG_CARD]
    assert cards(card_id=SMALL_CARD) == [SMALL_CARD]


def test_spending_counts_the_customers_own_bookings_and_transactions():
    def refund(rows):
        return [*rows, {**rows[0], "transaction_id": "TX-00000009", "kind": "refund"}]

    episode = Episode(world_with(transactions=refund))
    booking, method = episode.book_outbound(), episode.add_card()
    charge(episode, booking, method)
    other = episode.book_outbound("FA-50005", "FL-20001")
    charge(episode, other, method)
    episode.agent("cancel_flight", booking_id=other)
    spent = episode.user("get_trip_spending_summary")
    assert [spent[key] for key in ("confirmed", "pending", "charged", "refunded", "spent")] == [
        *("300.00", "0.00", "580.00", "280.00", "300.00")
    ]


def test_confirmations_list_own_bookings_that_were_there_and_none_of_others():
    def booked(bookings):
        held = {"booking_id": OWN_BOOKING, "customer_id": CUSTOMER, "kind": "flight"}
        return [*bookings, {**held, "entity_id": OUT_EARLY, "status": "pending", "total_cents": 1}]

    episode = Episode(world_with(bookings=booked))
    made = episode.book_outbound()
    listed = episode.user("get_my_trip_confirmations")["bookings"]
    assert [row["booking_id"] for row in listed] == [OWN_BOOKING, made]
    assert all("name" not in row for row in listed)


def test_the_default_card_moves_alone():
    episode = Episode()
    result = episode.user("set_default_payment_card", card_id=SMALL_CARD)
    assert result == {"card_id": SMALL_CARD, "is_default": True}
    defaults = {row["card_id"]: row["is_default"] for row in episode.ledger.rows("cards")}
    assert defaults == {BIG_CARD: False, SMALL_CARD: True}
    assert len(episode.ledger.events) == 2


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("get_my_trip_confirmations", True),
        ("get_my_payment_cards", False),
        ("get_trip_confirmations", False),
    ],
)
def test_confirmations_are_known_by_how_their_name_begins_and_ends(name, is_one):
    assert is_confirmations(name) is is_one


def test_where_nothing_costs_anything_there_are_confirmations_alone():
    assert [one.name for one in user_tools("job", is_free=True)] == ["get_my_job_confirmations"]
    assert len(user_tools("job")) == len(user_tools("job", is_free=False)) == 7


@pytest.mark.parametrize(
    ("phone", "passes"),
    [
        ("555-0101", True),
        ("555-010", False),
        ("1" * 15, True),
        ("1" * 16, False),
        ("+1 (312) 555-0142", True),
        ("555-0101 ext", False),
        ("call 5550101", False),
    ],
)
def test_a_phone_number_has_seven_to_fifteen_digits_and_nothing_else(phone, passes):
    episode = Episode()
    named = {"customer_id": CUSTOMER, "phone": phone}
    if passes:
        assert episode.agent("update_customer", **named)["updated"] == {"phone": phone}
    else:
        assert episode.agent_error("update_customer", **named)[0] == "invalid_arguments"


def test_a_customer_is_found_by_id_or_email_and_by_both_where_they_agree():
    episode = Episode()

    def found(**named):
        return episode.agent("get_customer_information", **named)["customer_id"]

    def missed(**named):
        return episode.agent_error("get_customer_information", **named)[0]

    assert found(customer_id=CUSTOMER) == CUSTOMER
    assert found(email="ANA@example.com") == found(email="ana@EXAMPLE.com") == CUSTOMER
    assert found(email="bo@example.com") == OTHER
    assert found(customer_id=CUSTOMER, email="Ana@example.com") == CUSTOMER
    assert missed(customer_id=CUSTOMER, email="bo@example.com") == "unknown_id"
    assert missed(email="nobody@example.com") == "unknown_id"
    assert missed(customer_id="CU-0") == "unknown_id"
    assert missed() == "invalid_arguments"
    assert (
        episode.agent_error("update_customer", customer_id="CU-0", phone="555-0101")[0]
        == "unknown_id"
    )
    assert episode.agent_error("update_customer", customer_id=CUSTOMER)[0] == "invalid_arguments"


def test_after_a_transfer_nothing_can_be_booked_any_more():
    episode = Episode()
    done = episode.agent("transfer_to_human_agents", summary="The rest.")
    (row,) = episode.ledger.inserted("transfers")
    assert row == {"transfer_id": done["transfer_id"], "summary": "The rest."}
    again = episode.agent_error("transfer_to_human_agents", summary="Again.")
    assert again[0] == "conversation_transferred"
    seats = [{"fare_id": OUT_FARE, **ANA}]
    named = {"customer_id": CUSTOMER, "flight_id": OUT_EARLY, "seats": seats}
    assert episode.agent_error("book_flight_with_seats", **named)[0] == "conversation_transferred"
    assert episode.agent("get_customer_information", customer_id=CUSTOMER)["name"] == "Ana Ruiz"


def test_only_flights_are_cancelled_by_the_tool_for_flights():
    error = Episode().agent_error("cancel_flight", booking_id=OTHER_HOTEL_BOOKING)
    assert error[0] == "unknown_id"


def test_what_a_refund_frees_does_not_count_twice():
    episode = limited(300_00)
    method, first = episode.add_card(), episode.book_outbound()
    charge(episode, first, method)
    episode.agent("cancel_flight", booking_id=first)
    assert charge(episode, episode.book_outbound(), method) == "confirmed"
    assert refusal(episode, episode.book_outbound("FA-50005", "FL-20001"), method) == "declined"


def test_a_booking_takes_stock_and_gives_it_back():
    episode = Episode()
    before = episode.available("fares", OUT_FARE)
    booking = episode.book_outbound()
    assert episode.available("fares", OUT_FARE) == before - 2
    assert [row["item_key"] for row in episode.ledger.inserted("booked_fares")] == [
        f"{booking}/1",
        f"{booking}/2",
    ]
    episode.agent("cancel_flight", booking_id=booking)
    assert episode.available("fares", OUT_FARE) == before


def test_the_result_of_a_booking_says_what_it_costs():
    named = {"customer_id": CUSTOMER, "attraction_id": "AT-10001", "tickets": 2}
    result = Episode().agent("book_attraction", **named)
    found = [result[key] for key in ("status", "total", "currency")]
    assert found == ["pending", "70.00", "USD"]


@pytest.mark.parametrize(
    ("total", "status", "stored"),
    [(None, "confirmed", 0), (0, "pending", 0), (1, "pending", 1), (300_00, "pending", 300_00)],
)
def test_a_booking_without_a_price_is_confirmed_at_once(total, status, stored):
    call = ToolCall(Episode().ledger)
    named = {"customer_id": CUSTOMER, "kind": "flight", "entity_id": OUT_EARLY}
    booking_id = open_booking(call, **named, total_cents=total)
    (event,) = call.events
    row = {"booking_id": booking_id, **named, "status": status, "total_cents": stored}
    assert event["row"] == row
    shown = booked(booking_id, total, seats=2)
    assert (shown["status"], shown["seats"], "total" in shown) == (status, 2, total is not None)


def test_items_are_written_instead_of_those_before():
    episode = Episode()
    call = ToolCall(episode.ledger)
    write_items(
        call, "booked_fares", OTHER_FLIGHT_BOOKING, [{"fare_id": "FA-1"}, {"fare_id": "FA-2"}]
    )
    told = [(event["op"], event["key"], event["row"]["booking_id"]) for event in call.events]
    key = OTHER_FLIGHT_BOOKING
    assert told == [
        ("remove", f"{key}/1", key),
        ("insert", f"{key}/1", key),
        ("insert", f"{key}/2", key),
    ]


@pytest.mark.parametrize(
    ("released", "taken", "moved"),
    [
        ({}, {"a": 2}, {"a": -2}),
        ({"a": 2}, {}, {"a": 2}),
        ({"a": 2}, {"a": 2}, {}),
        ({"a": 3}, {"a": 2}, {"a": 1}),
        ({"a": 1}, {"b": 1}, {"a": 1, "b": -1}),
        ({}, {}, {}),
    ],
)
def test_stock_moves_by_what_is_given_back_less_what_is_taken(released, taken, moved):
    call = ToolCall(Episode().ledger)
    move_stock(call, "fares", released, taken)
    assert {event["key"]: event["delta"] for event in call.events} == moved
    assert all(event["column"] == "available" for event in call.events)


@pytest.mark.parametrize(
    ("status", "free", "code"),
    [
        ("pending", False, None),
        ("confirmed", False, "already_charged"),
        ("confirmed", True, None),
        ("cancelled", False, "already_cancelled"),
        ("cancelled", True, "already_cancelled"),
    ],
)
def test_what_can_still_be_changed(status, free, code):
    def standing(bookings):
        return [{**bookings[0], "status": status}, *bookings[1:]]

    call = ToolCall(Episode(world_with(bookings=standing)).ledger)
    if code is None:
        assert require_changeable(call, OTHER_FLIGHT_BOOKING, "flight", is_free=free)
    else:
        with pytest.raises(ToolCallError) as refused:
            require_changeable(call, OTHER_FLIGHT_BOOKING, "flight", is_free=free)
        assert refused.value.code == code
    with pytest.raises(ToolCallError):
        require_changeable(call, OTHER_FLIGHT_BOOKING, "hotel", is_free=free)


def test_what_costs_something_is_changed_only_while_it_is_pending():
    call = ToolCall(Episode().ledger)
    with pytest.raises(ToolCallError):
        require_changeable(call, OTHER_FLIGHT_BOOKING, "flight")


@pytest.mark.parametrize(
    ("email", "passes"), [("ana@example.org", True), ("ana@example", False), ("ana", False)]
)
def test_an_email_has_a_name_and_a_domain(email, passes):
    episode = Episode()
    named = {"customer_id": CUSTOMER, "email": email}
    if passes:
        assert episode.agent("update_customer", **named)["updated"] == {"email": email}
    else:
        assert episode.agent_error("update_customer", **named)[0] == "invalid_arguments"
