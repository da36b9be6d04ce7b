from typing import Any

import pytest

from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.randomness import derive_id
from crab_graph.tools.registry import Owner
from tests.tools.builders import (
    ANA,
    AWAY_MUSEUM,
    AWAY_ROOM,
    BACK_FARE,
    CUSTOMER,
    HOTEL,
    HOTEL_AWAY,
    LATE_ROOM,
    LEO,
    MUSEUM,
    OTHER_FLIGHT_BOOKING,
    OTHER_HOTEL_BOOKING,
    OUT_EARLY,
    OUT_FARE,
    OUT_LAST_SEAT,
    OUT_NOON,
    OUT_SOLD_OUT,
    ROOM,
    SHOW,
    SMALL_ROOM,
    SOLD_OUT_TOUR,
    Episode,
    listed,
)

NIGHTS = {"check_in": "2027-05-03", "check_out": "2027-05-06"}


def seats(*fare_ids: str) -> list[dict[str, str]]:
    return [
        {"fare_id": fare, **person} for fare, person in zip(fare_ids, (ANA, LEO) * 5, strict=False)
    ]


def test_flights_are_found_by_code_or_city_in_order_of_departure() -> None:
    episode = Episode()
    day = {"date": "2027-05-03"}
    result = episode.agent("search_flights_by_route", origin="ORD", destination="PIT", **day)
    by_city = {"origin": "chicago", "destination": "Pittsburgh"}
    assert episode.agent("search_flights_by_route", **by_city, **day) == result
    flights = listed(result, "flights")
    assert [flight["flight_id"] for flight in flights] == [OUT_EARLY, OUT_NOON]
    assert {key: value for key, value in flights[0].items() if key != "fares"} == {
        "flight_id": OUT_EARLY,
        "carrier": "Northbeam",
        "departs": "07:35",
        "arrives": "09:20",
        "time_of_day": "morning",
    }
    asked = {key: result[key] for key in ("origin", "destination", "date")}
    assert asked == {"origin": "Chicago", "destination": "Pittsburgh", **day}


def test_a_day_without_flights_is_an_empty_list() -> None:
    day = {"date": "2027-06-01"}
    result = Episode().agent("search_flights_by_route", origin="ORD", destination="PIT", **day)
    assert (result["flights"]["rows"], result["date"]) == ([], "2027-06-01")


def test_flights_come_with_the_fares_that_have_seats_left() -> None:
    episode = Episode()
    route = {"origin": "ORD", "destination": "PIT", "date": "2027-05-03"}
    found = episode.agent("search_flights_by_route", **route)
    early = listed(found, "flights")[0]
    assert early["fares"] == listed(
        episode.agent("search_available_seats", flight_id=OUT_EARLY), "fares"
    )
    assert [fare["fare_id"] for fare in early["fares"]] == [OUT_FARE, OUT_LAST_SEAT]
    assert early["fares"][0] == {
        "fare_id": OUT_FARE,
        "seat_type": "economy",
        "seat_position": "aisle",
        "fare_name": "Classic",
        "price_per_passenger": "150.00",
        "seats_left": 3,
    }
    assert found["currency"] == "USD"
    episode.book_outbound()
    episode.book_outbound(OUT_FARE[:-1] + "4", OUT_NOON)
    left = listed(episode.agent("search_flights_by_route", **route), "flights")
    assert [[fare["seats_left"] for fare in one["fares"]] for one in left] == [[1, 1], [2]]
    episode.book_outbound(OUT_FARE[:-1] + "4", OUT_NOON)
    left = listed(episode.agent("search_flights_by_route", **route), "flights")
    assert [one["flight_id"] for one in left] == [OUT_EARLY]


def test_what_is_done_to_one_answer_does_not_show_in_the_next() -> None:
    episode = Episode()
    first = episode.agent("search_available_seats", flight_id=OUT_EARLY)
    expected = list(first["fares"]["rows"][0])
    first["fares"]["rows"][0].clear()
    again = episode.agent("search_available_seats", flight_id=OUT_EARLY)
    assert again["fares"]["rows"][0] == expected


def test_booking_a_flight_holds_the_seats_at_the_quoted_price() -> None:
    episode = Episode()
    request = {"flight_id": OUT_EARLY, "seats": [{"fare_id": OUT_FARE}, {"fare_id": OUT_FARE}]}
    quote = episode.agent("get_price_airline_booking", **request)
    assert (quote["price_per_passenger"], quote["total"], quote["seats"]) == ("150.00", "300.00", 2)
    booking_id = episode.book_outbound()
    assert booking_id == derive_id("BK", 8, "S1-001", 1)
    assert episode.available("fares", OUT_FARE) == 1
    details = episode.agent("get_flight_booking_details", booking_id=booking_id)
    assert (details["status"], details["total"]) == ("pending", quote["total"])
    assert [seat["passenger_name"] for seat in details["seats"]] == ["Ana Ruiz", "Leo Ruiz"]


def test_cancelling_a_pending_flight_releases_its_seats_without_a_refund() -> None:
    episode = Episode()
    booking_id = episode.book_outbound()
    result = episode.agent("cancel_flight", booking_id=booking_id)
    assert result == {
        "booking_id": booking_id,
        "status": "cancelled",
        "refunded": "0.00",
        "currency": "USD",
    }
    assert episode.available("fares", OUT_FARE) == 3
    assert episode.agent_error("cancel_flight", booking_id=booking_id)[0] == "already_cancelled"
    assert episode.available("fares", OUT_FARE) == 3


def test_cancelling_a_confirmed_flight_refunds_what_was_charged() -> None:
    episode = Episode()
    booking_id, method_id = episode.book_outbound(), episode.add_card()
    episode.agent("charge_booking", booking_id=booking_id, payment_method_id=method_id)
    result = episode.agent("cancel_flight", booking_id=booking_id)
    assert (result["refunded"], result["status"]) == ("300.00", "cancelled")
    assert result["transaction_id"] == derive_id("TX", 8, "S1-001", 2)


def test_another_customers_flight_can_be_cancelled_and_its_seat_comes_free() -> None:
    episode = Episode()
    episode.agent("cancel_flight", booking_id=OTHER_FLIGHT_BOOKING)
    assert episode.available("fares", OUT_FARE) == 4


def test_rooms_are_listed_that_are_free_every_night_and_hold_the_guests() -> None:
    episode = Episode()
    everyone = episode.agent("search_available_rooms", hotel_id=HOTEL, **NIGHTS)
    assert [room["room_id"] for room in listed(everyone, "rooms")] == [ROOM, SMALL_ROOM]
    assert everyone["nights"] == 3
    pair = episode.agent("search_available_rooms", hotel_id=HOTEL, **NIGHTS, guests=2)
    assert listed(pair, "rooms") == [
        {
            "room_id": ROOM,
            "room_type": "standard",
            "bed_type": "queen",
            "max_occupancy": 2,
            "price_per_night": "120.00",
            "available_from": "2027-05-01",
            "available_until": "2027-05-10",
        }
    ]


def test_hotels_come_with_their_free_rooms_once_the_days_are_given() -> None:
    episode = Episode()
    hotel = {
        "hotel_id": HOTEL,
        "name": "Juniper Court Hotel",
        "district": "Riverside",
        "stars": 4,
    }
    found = episode.agent("search_hotels_by_city", city="PIT")
    assert (listed(found, "hotels"), found["city"]) == ([hotel], "Pittsburgh")
    found = episode.agent("search_hotels_by_city", city="PIT", **NIGHTS, guests=2)
    room = {
        "room_id": ROOM,
        "room_type": "standard",
        "bed_type": "queen",
        "max_occupancy": 2,
        "price_per_night": "120.00",
    }
    assert listed(found, "hotels") == [{**hotel, "rooms": [room]}]
    asked = {"city": "Pittsburgh", **NIGHTS, "nights": 3, "guests": 2, "currency": "USD"}
    assert {key: value for key, value in found.items() if key != "hotels"} == asked
    none = episode.agent("search_hotels_by_city", city="PIT", **NIGHTS, guests=3)
    assert none["hotels"]["rows"] == []


def test_a_booked_room_is_held_for_its_nights_only() -> None:
    episode = Episode()
    episode.book_room("2027-05-03", "2027-05-06")
    for check_in, check_out, free in [
        ("2027-05-02", "2027-05-03", True),
        ("2027-05-02", "2027-05-04", False),
        ("2027-05-04", "2027-05-05", False),
        ("2027-05-05", "2027-05-07", False),
        ("2027-05-06", "2027-05-08", True),
        ("2027-05-07", "2027-05-09", False),
    ]:
        stay = {"hotel_id": HOTEL, "check_in": check_in, "check_out": check_out}
        rooms = listed(episode.agent("search_available_rooms", **stay), "rooms")
        assert (ROOM in [room["room_id"] for room in rooms]) == free
    quote = {"hotel_id": HOTEL, "room_ids": [ROOM], **NIGHTS}
    assert episode.agent_error("get_price_hotel_booking", **quote)[0] == "sold_out"


def test_several_rooms_are_priced_and_booked_together() -> None:
    episode = Episode()
    stay = {"hotel_id": HOTEL, "room_ids": [ROOM, SMALL_ROOM], **NIGHTS}
    quote = episode.agent("get_price_hotel_booking", **stay)
    assert (quote["total"], quote["nights"]) == ("630.00", 3)
    booked = episode.agent("book_hotel_with_rooms", customer_id=CUSTOMER, **stay, guests=3)
    assert (booked["total"], booked["status"]) == ("630.00", "pending")
    assert len(episode.ledger.inserted("booked_rooms")) == 2


def test_attractions_with_tickets_left_are_listed_by_time() -> None:
    result = Episode().agent("search_attractions_by_city", city="pittsburgh")
    found = listed(result, "attractions")
    assert [row["attraction_id"] for row in found] == [MUSEUM, SHOW]
    assert found[0] == {
        "attraction_id": MUSEUM,
        "name": "Riverside Glass Museum",
        "category": "museum",
        "district": "Riverside",
        "date": "2027-05-04",
        "starts": "09:00",
        "ends": "12:00",
        "time_of_day": "morning",
        "price_per_ticket": "35.00",
        "tickets_left": 4,
    }


@pytest.mark.parametrize(
    ("given", "found", "known"),
    [
        ({"category": "show"}, [SHOW], {"category": "show"}),
        ({"date": "2027-05-04"}, [MUSEUM], {"date": "2027-05-04"}),
        ({"time_of_day": "evening"}, [SHOW], {"time_of_day": "evening"}),
        ({"city": "DEN", "district": "old town"}, [AWAY_MUSEUM], {"district": "Old Town"}),
        ({"max_price": "$35"}, [MUSEUM], {}),
        ({"max_price": 40, "category": "show"}, [], {"category": "show"}),
        ({"time_of_day": "all-day"}, [], {"time_of_day": "all-day"}),
    ],
)
def test_filters_of_attractions_keep_the_list_short_and_are_said_once(
    given: dict[str, Any], found: list[str], known: dict[str, Any]
) -> None:
    result = Episode().agent("search_attractions_by_city", **{"city": "Pittsburgh", **given})
    rows = listed(result, "attractions")
    assert [row["attraction_id"] for row in rows] == found
    assert {key: result[key] for key in known} == known
    assert not {*known, "city"} & set(result["attractions"]["columns"])


def test_words_for_times_of_day_are_said_in_clock_hours_and_mean_the_same() -> None:
    schemas = {
        one["function"]["name"]: one["function"]
        for one in TRAVEL.registry().openai_schemas(Owner.AGENT)
    }
    asked = schemas["search_attractions_by_city"]["parameters"]["properties"]["time_of_day"]
    for text in (
        schemas["search_flights_by_route"]["description"],
        asked["description"],
        TRAVEL.policy("2027-04-20"),
    ):
        assert "morning 06:00-11:59" in text
    assert "all-day takes 00:00-23:59" in asked["description"]


def test_booking_an_attraction_holds_its_tickets() -> None:
    episode = Episode()
    tickets = {"customer_id": CUSTOMER, "attraction_id": MUSEUM, "tickets": 3}
    booked = episode.agent("book_attraction", **tickets)
    assert (booked["total"], booked["status"]) == ("105.00", "pending")
    assert episode.available("attractions", MUSEUM) == 1
    assert episode.agent_error("book_attraction", **tickets)[0] == "sold_out"


def test_ids_do_not_depend_on_the_failed_calls_in_between() -> None:
    plain, troubled = Episode(), Episode()
    troubled.agent_error("book_attraction", customer_id="CU-0", attraction_id=MUSEUM, tickets=1)
    troubled.agent_error("cancel_flight", booking_id="BK-0")
    for episode in (plain, troubled):
        episode.book_outbound()
    troubled.agent_error("book_attraction", customer_id=CUSTOMER, attraction_id=MUSEUM, tickets=0)
    for episode in (plain, troubled):
        episode.book_room()
    assert plain.ledger.events == troubled.ledger.events


FLIGHT_ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("search_flights_by_route", {"origin": "XYZ", "destination": "PIT"}, "unknown_id"),
    ("search_flights_by_route", {"origin": "ORD", "destination": "Atlantis"}, "unknown_id"),
    ("search_available_seats", {"flight_id": "FL-0"}, "unknown_id"),
    ("get_price_airline_booking", {"flight_id": "FL-0", "seats": seats(OUT_FARE)}, "unknown_id"),
    ("get_price_airline_booking", {"seats": []}, "wrong_party"),
    ("get_price_airline_booking", {"seats": seats("FA-0")}, "unknown_id"),
    ("get_price_airline_booking", {"seats": seats(BACK_FARE)}, "unknown_id"),
    ("get_price_airline_booking", {"seats": seats(OUT_FARE, OUT_LAST_SEAT)}, "mixed_offers"),
    ("get_price_airline_booking", {"seats": seats(*[OUT_FARE] * 4)}, "sold_out"),
    ("book_flight_with_seats", {"customer_id": "CU-0", "seats": seats(OUT_FARE)}, "unknown_id"),
    ("book_flight_with_seats", {"seats": []}, "wrong_party"),
    ("book_flight_with_seats", {"seats": seats(OUT_FARE, OUT_LAST_SEAT)}, "mixed_offers"),
    ("book_flight_with_seats", {"seats": seats(OUT_SOLD_OUT)}, "sold_out"),
    ("book_flight_with_seats", {"seats": seats(*[OUT_LAST_SEAT] * 2)}, "sold_out"),
    ("book_flight_with_seats", {"seats": [{"fare_id": OUT_FARE}]}, "invalid_arguments"),
    (
        "book_flight_with_seats",
        {"seats": [{"fare_id": OUT_FARE, **ANA, "date_of_birth": "2 April 1990"}]},
        "invalid_arguments",
    ),
    ("get_flight_booking_details", {"booking_id": "BK-0"}, "unknown_id"),
    ("get_flight_booking_details", {"booking_id": OTHER_HOTEL_BOOKING}, "unknown_id"),
    ("cancel_flight", {"booking_id": "BK-0"}, "unknown_id"),
    ("cancel_flight", {"booking_id": OTHER_HOTEL_BOOKING}, "unknown_id"),
]
FLIGHT_DEFAULTS: dict[str, dict[str, Any]] = {
    "search_flights_by_route": {"date": "2027-05-03"},
    "get_price_airline_booking": {"flight_id": OUT_EARLY},
    "book_flight_with_seats": {"customer_id": CUSTOMER, "flight_id": OUT_EARLY},
}


@pytest.mark.parametrize(("name", "arguments", "code"), FLIGHT_ERRORS)
def test_a_flight_call_that_cannot_be_met_is_an_error(
    name: str, arguments: dict[str, Any], code: str
) -> None:
    given = {**FLIGHT_DEFAULTS.get(name, {}), **arguments}
    assert Episode().agent_error(name, **given)[0] == code


HOTEL_ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"hotel_id": "HT-0"}, "unknown_id"),
    ({"room_ids": []}, "wrong_party"),
    ({"room_ids": ["RM-0"]}, "unknown_id"),
    ({"room_ids": [AWAY_ROOM]}, "unknown_id"),
    ({"room_ids": [ROOM, ROOM]}, "invalid_arguments"),
    ({"room_ids": ROOM}, "invalid_arguments"),
    ({"room_ids": [LATE_ROOM]}, "wrong_dates"),
    ({"check_out": "2027-05-11"}, "wrong_dates"),
    ({"check_out": "2027-05-03"}, "wrong_dates"),
    ({"check_out": "2027-05-01"}, "wrong_dates"),
    ({"check_in": "2027-05-07", "check_out": "2027-05-09"}, "sold_out"),
]


@pytest.mark.parametrize(("arguments", "code"), HOTEL_ERRORS)
def test_a_stay_that_cannot_be_met_is_neither_priced_nor_booked(
    arguments: dict[str, Any], code: str
) -> None:
    stay = {"hotel_id": HOTEL, "room_ids": [ROOM], **NIGHTS, **arguments}
    assert Episode().agent_error("get_price_hotel_booking", **stay)[0] == code
    booking = {"customer_id": CUSTOMER, **stay, "guests": 2}
    assert Episode().agent_error("book_hotel_with_rooms", **booking)[0] == code


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("book_hotel_with_rooms", {"guests": 3}, "wrong_party"),
        ("book_hotel_with_rooms", {"guests": 0}, "wrong_party"),
        ("book_hotel_with_rooms", {"guests": 2, "customer_id": "CU-0"}, "unknown_id"),
    ],
)
def test_a_stay_is_for_a_known_customer_and_a_party_that_fits(
    name: str, arguments: dict[str, Any], code: str
) -> None:
    stay = {"customer_id": CUSTOMER, "hotel_id": HOTEL, "room_ids": [ROOM], **NIGHTS, **arguments}
    assert Episode().agent_error(name, **stay)[0] == code


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("search_hotels_by_city", {"city": "Atlantis"}, "unknown_id"),
        ("search_available_rooms", {"hotel_id": "HT-0", **NIGHTS}, "unknown_id"),
        ("search_available_rooms", {"hotel_id": HOTEL, **NIGHTS, "guests": 0}, "wrong_party"),
        (
            "search_available_rooms",
            {"hotel_id": HOTEL_AWAY, "check_in": "2027-05-06", "check_out": "2027-05-03"},
            "wrong_dates",
        ),
        ("search_attractions_by_city", {"city": "Atlantis"}, "unknown_id"),
        ("search_attractions_by_city", {"city": "Denver", "category": "zoo"}, "invalid_arguments"),
        ("book_attraction", {"tickets": 1, "customer_id": "CU-0"}, "unknown_id"),
        ("book_attraction", {"tickets": 1, "attraction_id": "AT-0"}, "unknown_id"),
        ("book_attraction", {"tickets": 0}, "wrong_party"),
        ("book_attraction", {"tickets": -2}, "wrong_party"),
        ("book_attraction", {"tickets": 5}, "sold_out"),
        ("book_attraction", {"tickets": 1, "attraction_id": SOLD_OUT_TOUR}, "sold_out"),
        ("book_attraction", {"tickets": "2"}, "invalid_arguments"),
    ],
)
def test_a_call_for_hotels_or_attractions_that_cannot_be_met_is_an_error(
    name: str, arguments: dict[str, Any], code: str
) -> None:
    if name == "book_attraction":
        arguments = {"customer_id": CUSTOMER, "attraction_id": MUSEUM, **arguments}
    assert Episode().agent_error(name, **arguments)[0] == code


def test_an_unknown_place_points_to_the_list_of_airports() -> None:
    for name, arguments in [
        ("search_flights_by_route", {"origin": "X", "destination": "Y", "date": "2027-05-03"}),
        ("search_hotels_by_city", {"city": "X"}),
    ]:
        assert "list_all_airports" in Episode().agent_error(name, **arguments)[1]
