from crab_graph.dates import day_number
from crab_graph.domain.contract import Domain
from crab_graph.domain.verification import Job, Person
from crab_graph.domains.travel.domain import TRAVEL
from tests.tools.builders import (
    ANA,
    AWAY_ROOM,
    BACK,
    BACK_FARE,
    CUSTOMER,
    ELSEWHERE,
    ELSEWHERE_FARE,
    HOTEL,
    HOTEL_AWAY,
    LEO,
    MUSEUM,
    NOON_FARE,
    OTHER,
    OUT_EARLY,
    OUT_FARE,
    OUT_NOON,
    ROOM,
    SMALL_ROOM,
    Episode,
)

REQUEST = TRAVEL.request_type.model_validate(
    {
        "origin": "Chicago",
        "destination": "Pittsburgh",
        "first_day": "2027-05-03",
        "last_day": "2027-05-03",
        "nights": 3,
        "party_size": 2,
    }
)


def read(episode: Episode, domain: Domain = TRAVEL) -> Job:
    return domain.read_job(episode.ledger, REQUEST, CUSTOMER)


def book_whole_trip(episode: Episode) -> dict[str, str]:
    museum = episode.agent("book_attraction", customer_id=CUSTOMER, attraction_id=MUSEUM, tickets=2)
    return {
        "return": episode.book_outbound(BACK_FARE, BACK),
        "outbound": episode.book_outbound(),
        "hotel": episode.book_room(),
        "attraction": museum["booking_id"],
    }


def test_each_booking_fills_the_slot_that_its_route_or_city_tells() -> None:
    episode = Episode()
    booked = book_whole_trip(episode)
    trip = read(episode)
    assert list(trip.slots) == ["outbound", "return", "hotel", "attraction"]
    filled = {slot: [b.booking_id for b in bookings] for slot, bookings in trip.slots.items()}
    assert filled == {slot: [booking_id] for slot, booking_id in booked.items()}
    assert trip.surplus == ()


def test_a_flight_booking_tells_offer_amounts_and_travellers() -> None:
    episode = Episode()
    book_whole_trip(episode)
    (flight,) = read(episode).slots["outbound"]
    assert flight.properties == {
        "flight_id": OUT_EARLY,
        "fare_id": OUT_FARE,
        "origin": "Chicago",
        "destination": "Pittsburgh",
        "carrier": "Northbeam",
        "date": day_number("2027-05-03"),
        "departure": 455,
        "arrival": 560,
        "time_of_day": "morning",
        "seat_type": "economy",
        "seat_position": "aisle",
        "fare_name": "Classic",
        "price": 15_000,
        "available": 3,
    }
    assert (flight.unit_cents, flight.units, flight.due_cents) == (15_000, 2, 30_000)
    assert (flight.places, flight.is_one_offer, flight.status) == (2, True, "pending")
    assert flight.people == (
        Person(ANA["passenger_name"], ANA["date_of_birth"]),
        Person(LEO["passenger_name"], LEO["date_of_birth"]),
    )


def test_a_hotel_booking_tells_its_nights_and_an_attraction_its_tickets() -> None:
    episode = Episode()
    book_whole_trip(episode)
    slots = read(episode).slots
    (hotel,), (museum,) = slots["hotel"], slots["attraction"]
    assert hotel.properties == {
        "hotel_id": HOTEL,
        "room_id": ROOM,
        "city": "Pittsburgh",
        "district": "Riverside",
        "stars": 4,
        "room_type": "standard",
        "bed_type": "queen",
        "max_occupancy": 2,
        "available_from": day_number("2027-05-01"),
        "nights_open": 9,
        "available_until": day_number("2027-05-10"),
        "price": 12_000,
        "check_in": day_number("2027-05-03"),
        "check_out": day_number("2027-05-06"),
    }
    assert (hotel.name, hotel.unit_cents, hotel.units) == ("Juniper Court Hotel", 12_000, 3)
    assert (hotel.due_cents, hotel.places) == (36_000, 2)
    assert (museum.name, museum.units, museum.due_cents) == ("Riverside Glass Museum", 2, 7_000)
    assert museum.properties["start"] == 540
    assert museum.properties["available"] == 4


def test_a_second_booking_in_a_slot_is_surplus() -> None:
    episode = Episode()
    first, second = episode.book_outbound(), episode.book_outbound(NOON_FARE, OUT_NOON)
    trip = read(episode)
    assert [booking.booking_id for booking in trip.slots["outbound"]] == [first, second]
    assert [booking.booking_id for booking in trip.surplus] == [second]


def test_a_booking_elsewhere_fits_no_slot_and_is_surplus() -> None:
    episode = Episode()
    episode.book_outbound(ELSEWHERE_FARE, ELSEWHERE)
    episode.agent(
        "book_hotel_with_rooms",
        customer_id=CUSTOMER,
        hotel_id=HOTEL_AWAY,
        room_ids=[AWAY_ROOM],
        check_in="2027-05-03",
        check_out="2027-05-06",
        guests=2,
    )
    trip = read(episode)
    assert not any(trip.slots.values())
    assert [(booking.kind, booking.slot) for booking in trip.surplus] == [
        ("flight", None),
        ("hotel", None),
    ]


def test_cancelled_initial_and_other_customers_bookings_are_not_part_of_the_trip() -> None:
    episode = Episode()
    cancelled = episode.book_outbound()
    episode.agent("cancel_flight", booking_id=cancelled)
    seat = {"fare_id": NOON_FARE, **ANA}
    episode.agent("book_flight_with_seats", customer_id=OTHER, flight_id=OUT_NOON, seats=[seat])
    trip = read(episode)
    assert not any(trip.slots.values())
    assert trip.surplus == ()
    assert not TRAVEL.read_job(episode.ledger, REQUEST, OTHER).surplus


def test_a_cancelled_booking_gives_its_slot_to_the_next() -> None:
    episode = Episode()
    episode.agent("cancel_flight", booking_id=episode.book_outbound())
    again = episode.book_outbound(NOON_FARE, OUT_NOON)
    trip = read(episode)
    assert [booking.booking_id for booking in trip.slots["outbound"]] == [again]
    assert trip.surplus == ()


def test_two_rooms_are_not_one_offer() -> None:
    episode = Episode()
    episode.agent(
        "book_hotel_with_rooms",
        customer_id=CUSTOMER,
        hotel_id=HOTEL,
        room_ids=[ROOM, SMALL_ROOM],
        check_in="2027-05-03",
        check_out="2027-05-05",
        guests=3,
    )
    (hotel,) = read(episode).slots["hotel"]
    assert (hotel.is_one_offer, hotel.places) == (False, 3)
    assert (hotel.unit_cents, hotel.units, hotel.due_cents) == (21_000, 2, 42_000)
