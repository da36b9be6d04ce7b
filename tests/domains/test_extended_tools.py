"""What the extended toolset adds: cancelling and changing bookings of every kind."""

from typing import Any

import pytest

from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.errors import UnknownName
from crab_graph.settings import Toolset
from crab_graph.tools.ledger import Ledger
from tests.tools.builders import (
    ANA,
    CUSTOMER,
    ELSEWHERE_FARE,
    HOTEL,
    LATE_ROOM,
    LEO,
    MUSEUM,
    OTHER_FLIGHT_BOOKING,
    OTHER_HOTEL_BOOKING,
    OUT_FARE,
    OUT_LAST_SEAT,
    OUT_SOLD_OUT,
    ROOM,
    SHOW,
    SMALL_ROOM,
    Episode,
    listed,
)
from tests.tools.final_state import final_rows

NIGHTS = {"check_in": "2027-05-03", "check_out": "2027-05-06"}


def extended() -> Episode:
    return Episode(toolset=Toolset.EXTENDED)


def book_tickets(episode: Episode, attraction_id: str = MUSEUM, tickets: int = 2) -> str:
    arguments = {"customer_id": CUSTOMER, "attraction_id": attraction_id, "tickets": tickets}
    return str(episode.agent("book_attraction", **arguments)["booking_id"])


def charge(episode: Episode, booking_id: str) -> dict[str, Any]:
    named = {"booking_id": booking_id, "payment_method_id": episode.add_card()}
    return episode.agent("charge_booking", **named)


def seats(*fare_ids: str) -> list[dict[str, str]]:
    return [
        {"fare_id": fare, **person} for fare, person in zip(fare_ids, (ANA, LEO) * 2, strict=False)
    ]


def items(episode: Episode, table: str, booking_id: str) -> list[dict[str, Any]]:
    return list(episode.ledger.find(table, "booking_id", booking_id))


# Cancelling


def test_cancelling_a_hotel_frees_its_room_and_refunds_what_was_charged() -> None:
    episode = extended()
    booking_id = episode.book_room()
    charge(episode, booking_id)
    result = episode.agent("cancel_hotel_booking", booking_id=booking_id)
    assert (result["status"], result["refunded"]) == ("cancelled", "360.00")
    assert episode.book_room() != booking_id
    spending = episode.user("get_trip_spending_summary")
    assert (spending["refunded"], spending["spent"]) == ("360.00", "0.00")


def test_cancelling_an_attraction_gives_its_tickets_back() -> None:
    episode = extended()
    before = episode.available("attractions", MUSEUM)
    booking_id = book_tickets(episode)
    result = episode.agent("cancel_attraction_booking", booking_id=booking_id)
    assert (result["refunded"], "transaction_id" in result) == ("0.00", False)
    assert episode.available("attractions", MUSEUM) == before
    shown = episode.user("get_my_trip_confirmations")["bookings"]
    assert [(one["booking_id"], one["status"]) for one in shown] == [(booking_id, "cancelled")]


def test_a_booking_is_cancelled_once_and_by_the_tool_of_its_kind() -> None:
    episode = extended()
    booking_id = episode.book_room()
    code, message = episode.agent_error("cancel_attraction_booking", booking_id=booking_id)
    assert (code, "is of kind hotel, not attraction" in message) == ("unknown_id", True)
    episode.agent("cancel_hotel_booking", booking_id=booking_id)
    again = episode.agent_error("cancel_hotel_booking", booking_id=booking_id)
    assert again[0] == "already_cancelled"


# Changing what is pending


def test_seats_are_changed_in_place_with_a_new_total() -> None:
    episode = extended()
    before = episode.available("fares", OUT_FARE)
    booking_id = episode.book_outbound()
    result = episode.agent("modify_flight_seats", booking_id=booking_id, seats=seats(OUT_LAST_SEAT))
    assert (result["booking_id"], result["status"]) == (booking_id, "pending")
    assert (result["fare_id"], result["seats"], result["total"]) == (OUT_LAST_SEAT, 1, "155.00")
    assert episode.available("fares", OUT_FARE) == before
    assert episode.available("fares", OUT_LAST_SEAT) == 0
    details = episode.agent("get_flight_booking_details", booking_id=booking_id)
    assert [one["passenger_name"] for one in details["seats"]] == [ANA["passenger_name"]]
    assert details["total"] == "155.00"
    assert charge(episode, booking_id)["amount"] == "155.00"


def test_what_a_booking_holds_is_free_for_itself() -> None:
    episode = extended()
    flight = episode.book_outbound()
    result = episode.agent("modify_flight_seats", booking_id=flight, seats=seats(*[OUT_FARE] * 3))
    assert (result["seats"], episode.available("fares", OUT_FARE)) == (3, 0)
    hotel = episode.book_room()
    later = {"check_in": "2027-05-04", "check_out": "2027-05-08", "guests": 2}
    result = episode.agent("modify_hotel_booking", booking_id=hotel, room_ids=[ROOM], **later)
    assert (result["nights"], result["total"]) == (4, "480.00")
    museum = book_tickets(episode, tickets=3)
    result = episode.agent("modify_attraction_booking", booking_id=museum, tickets=4)
    assert (result["total"], episode.available("attractions", MUSEUM)) == ("140.00", 0)


def test_rooms_dates_and_guests_are_changed_and_the_old_nights_come_free() -> None:
    episode = extended()
    booking_id = episode.book_room()
    stay = {"check_in": "2027-05-04", "check_out": "2027-05-06", "guests": 3}
    rooms = [LATE_ROOM, SMALL_ROOM]
    result = episode.agent("modify_hotel_booking", booking_id=booking_id, room_ids=rooms, **stay)
    assert result["total"] == "600.00"
    held = items(episode, "booked_rooms", booking_id)
    assert [(row["room_id"], row["check_in"], row["guests"]) for row in held] == [
        (LATE_ROOM, "2027-05-04", 3),
        (SMALL_ROOM, "2027-05-04", 3),
    ]
    found = episode.agent("search_available_rooms", hotel_id=HOTEL, **NIGHTS)
    assert ROOM in {room["room_id"] for room in listed(found, "rooms")}


def test_the_final_tables_show_a_changed_booking_as_if_booked_so_at_once() -> None:
    changed, at_once = extended(), extended()
    booking_id = changed.book_room(check_in="2027-05-01", check_out="2027-05-02")
    arguments = {"room_ids": [ROOM], **NIGHTS, "guests": 2}
    changed.agent("modify_hotel_booking", booking_id=booking_id, **arguments)
    flight = changed.book_outbound()
    changed.agent("modify_flight_seats", booking_id=flight, seats=seats(OUT_FARE))
    at_once.book_room()
    arguments = {"customer_id": CUSTOMER, "flight_id": "FL-10002", "seats": seats(OUT_FARE)}
    at_once.agent("book_flight_with_seats", **arguments)
    assert final_rows(changed.ledger) == final_rows(at_once.ledger)
    folded = Ledger.fold(changed.ledger.world, changed.ledger.events)
    assert final_rows(folded) == final_rows(changed.ledger)


def test_the_user_sees_the_new_total_and_approves_that() -> None:
    episode = extended()
    booking_id = book_tickets(episode, SHOW, 1)
    episode.agent("modify_attraction_booking", booking_id=booking_id, tickets=2)
    (shown,) = episode.user("get_my_trip_confirmations")["bookings"]
    assert (shown["status"], shown["total"]) == ("pending", "130.00")
    assert episode.user("get_trip_spending_summary")["pending"] == "130.00"


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("modify_flight_seats", {"seats": []}, "wrong_party"),
        ("modify_flight_seats", {"seats": seats(OUT_FARE, OUT_LAST_SEAT)}, "mixed_offers"),
        ("modify_flight_seats", {"seats": seats(OUT_SOLD_OUT)}, "sold_out"),
        ("modify_flight_seats", {"seats": seats(*[OUT_FARE] * 4)}, "sold_out"),
        ("modify_flight_seats", {"seats": seats(ELSEWHERE_FARE)}, "unknown_id"),
        ("modify_hotel_booking", {"room_ids": [SMALL_ROOM], **NIGHTS, "guests": 2}, "wrong_party"),
        ("modify_hotel_booking", {"room_ids": [LATE_ROOM], **NIGHTS, "guests": 2}, "wrong_dates"),
        ("modify_hotel_booking", {"room_ids": ["RM-20001"], **NIGHTS, "guests": 2}, "unknown_id"),
        (
            "modify_hotel_booking",
            {"room_ids": [ROOM], "check_in": "2027-05-07", "check_out": "2027-05-09", "guests": 2},
            "sold_out",
        ),
        ("modify_attraction_booking", {"tickets": 0}, "wrong_party"),
        ("modify_attraction_booking", {"tickets": 5}, "sold_out"),
    ],
)
def test_a_change_that_cannot_be_met_is_refused_and_leaves_the_booking(
    name: str, arguments: dict[str, Any], code: str
) -> None:
    episode = extended()
    bookings = {
        "modify_flight_seats": episode.book_outbound(),
        "modify_hotel_booking": episode.book_room(),
        "modify_attraction_booking": book_tickets(episode),
    }
    before = final_rows(episode.ledger)
    assert episode.agent_error(name, booking_id=bookings[name], **arguments)[0] == code
    assert final_rows(episode.ledger) == before


def test_a_charged_or_cancelled_booking_is_not_changed() -> None:
    episode = extended()
    booking_id = book_tickets(episode)
    charge(episode, booking_id)
    arguments = {"booking_id": booking_id, "tickets": 1}
    code, message = episode.agent_error("modify_attraction_booking", **arguments)
    assert code == "already_charged"
    assert message.endswith("cancel it and book anew")
    episode.agent("cancel_attraction_booking", booking_id=booking_id)
    assert episode.agent_error("modify_attraction_booking", **arguments)[0] == "already_cancelled"


def test_earlier_bookings_of_others_are_charged_and_so_not_changed() -> None:
    episode = extended()
    flight = {"booking_id": OTHER_FLIGHT_BOOKING, "seats": seats(OUT_FARE)}
    assert episode.agent_error("modify_flight_seats", **flight)[0] == "already_charged"
    stay = {"booking_id": OTHER_HOTEL_BOOKING, "room_ids": [ROOM], **NIGHTS, "guests": 1}
    assert episode.agent_error("modify_hotel_booking", **stay)[0] == "already_charged"


# What an agent is told


def test_the_policy_says_what_can_be_cancelled_and_changed_under_each_toolset() -> None:
    parity = TRAVEL.policy("2027-01-10")
    more = TRAVEL.with_toolset("extended").policy("2027-01-10")
    assert "Hotel and attraction bookings cannot be cancelled." in parity
    assert "cannot be cancelled" not in more
    assert "Every booking can be cancelled" in more
    differing = {part for text in (parity, more) for part in text.split("\n## ")}
    assert len(differing) == len(parity.split("\n## ")) + 1
    assert "{" not in parity + more


def test_a_domain_goes_from_one_toolset_to_the_other_and_back() -> None:
    more = TRAVEL.with_toolset("extended")
    assert (TRAVEL.toolset, more.toolset) == (Toolset.PARITY, Toolset.EXTENDED)
    back = more.with_toolset("parity")
    assert back.registry() is TRAVEL.registry()
    assert back.with_toolset("extended").registry() is more.registry()
    assert TRAVEL.with_toolset("parity") is TRAVEL


def test_an_unknown_toolset_is_named() -> None:
    with pytest.raises(UnknownName, match="unknown toolset 'extendet'; did you mean extended"):
        TRAVEL.with_toolset("extendet")
