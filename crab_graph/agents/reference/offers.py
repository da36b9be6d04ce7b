"""What can be booked, as the agent's searches show it, and which searches are still missing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from crab_graph.agents.reference.conversation import Call, Conversation
from crab_graph.agents.reference.wishes import Wishes
from crab_graph.dates import day_number, iso_date
from crab_graph.money import parse_cents


class FlightOffer(NamedTuple):
    """A fare row with a seat for everyone."""

    cents: int
    flight_id: str
    fare_id: str
    carrier: str
    date: str
    departs: str
    arrives: str
    seat_type: str
    seat_position: str


class RoomOffer(NamedTuple):
    """A room that is free for the whole stay."""

    cents: int
    hotel_id: str
    room_id: str
    name: str
    stars: int
    district: str
    room_type: str
    bed_type: str


class AttractionOffer(NamedTuple):
    """An attraction with a ticket for everyone."""

    cents: int
    attraction_id: str
    name: str
    category: str
    district: str
    starts: str
    ends: str


@dataclass(frozen=True, slots=True)
class Offers:
    """All that fits the wishes about single items, by date where dates matter.

    Attributes:
        outbound: Outbound fares by date.
        back: Return fares by date.
        rooms: Rooms by day of arrival, for the whole stay.
        attractions: Attractions.
    """

    outbound: dict[str, list[FlightOffer]]
    back: dict[str, list[FlightOffer]]
    rooms: dict[str, list[RoomOffer]]
    attractions: list[AttractionOffer]


def trip_dates(wishes: Wishes) -> list[tuple[str, str]]:
    """Return every pair of departure and return date the user allows."""
    if wishes.departure is None or wishes.nights is None:
        return []
    first, last = (day_number(day) for day in wishes.departure)
    nights = wishes.nights
    return [(iso_date(day), iso_date(day + nights)) for day in range(first, last + 1)]


def missing_searches(conversation: Conversation, wishes: Wishes) -> list[Call]:
    """Return the searches whose results are needed next; none when all are there.

    The first batch lists flights, hotels and attractions; the second looks into those that fit.
    """
    first = list(_first_searches(wishes))
    missing = [call for call in first if conversation.result(call) is None]
    if missing:
        return missing
    second = list(_second_searches(conversation, wishes))
    return [call for call in second if conversation.result(call) is None]


def read_offers(conversation: Conversation, wishes: Wishes) -> Offers:
    """Gather all offers that meet the wishes about single items from the searches' results."""
    offers = Offers({}, {}, {}, list(_attractions(conversation, wishes)))
    for leave, back in trip_dates(wishes):
        offers.outbound[leave] = list(_fares(conversation, wishes, leave, is_return=False))
        offers.back[back] = list(_fares(conversation, wishes, back, is_return=True))
        offers.rooms[leave] = list(_rooms(conversation, wishes, leave, back))
    return offers


def _first_searches(wishes: Wishes) -> Iterator[Call]:
    for leave, _ in trip_dates(wishes):
        yield _route(wishes, leave, is_return=False)
    for _, back in trip_dates(wishes):
        yield _route(wishes, back, is_return=True)
    yield Call("search_hotels_by_city", {"city": wishes.destination})
    yield _attraction_search(wishes)


def _second_searches(conversation: Conversation, wishes: Wishes) -> Iterator[Call]:
    for leave, back in trip_dates(wishes):
        outbound = list(_flights(conversation, wishes, leave, is_return=False))
        homeward = list(_flights(conversation, wishes, back, is_return=True))
        if not outbound or not homeward:
            continue
        for flight in (*outbound, *homeward):
            yield Call("search_available_seats", {"flight_id": flight["flight_id"]})
        for hotel in _hotels(conversation, wishes):
            yield _room_search(hotel["hotel_id"], leave, back, wishes)


def _route(wishes: Wishes, day: str, *, is_return: bool) -> Call:
    ends = (wishes.destination, wishes.origin) if is_return else (wishes.origin, wishes.destination)
    arguments = {"origin": ends[0], "destination": ends[1], "date": day}
    return Call("search_flights_by_route", arguments)


def _attraction_search(wishes: Wishes) -> Call:
    arguments = {"city": wishes.destination}
    if wishes.attraction_date is not None:
        arguments["date"] = wishes.attraction_date
    if wishes.attraction_category is not None:
        arguments["category"] = wishes.attraction_category
    return Call("search_attractions_by_city", arguments)


def _room_search(hotel_id: str, leave: str, back: str, wishes: Wishes) -> Call:
    arguments = {"hotel_id": hotel_id, "check_in": leave, "check_out": back}
    return Call("search_available_rooms", arguments | {"guests": wishes.party_size})


def _listed(conversation: Conversation, call: Call, key: str) -> list[dict[str, Any]]:
    result = conversation.result(call)
    return list(result.get(key, ())) if result else []


def _flights(
    conversation: Conversation, wishes: Wishes, day: str, *, is_return: bool
) -> Iterator[dict[str, Any]]:
    wanted = wishes.return_time_of_day if is_return else wishes.outbound_time_of_day
    for flight in _listed(conversation, _route(wishes, day, is_return=is_return), "flights"):
        if wanted in (None, flight["time_of_day"]):
            yield flight


def _hotels(conversation: Conversation, wishes: Wishes) -> Iterator[dict[str, Any]]:
    call = Call("search_hotels_by_city", {"city": wishes.destination})
    for hotel in _listed(conversation, call, "hotels"):
        if hotel["stars"] >= (wishes.hotel_stars or 0):
            yield hotel


def _fares(
    conversation: Conversation, wishes: Wishes, day: str, *, is_return: bool
) -> Iterator[FlightOffer]:
    for flight in _flights(conversation, wishes, day, is_return=is_return):
        call = Call("search_available_seats", {"flight_id": flight["flight_id"]})
        for fare in _listed(conversation, call, "fares"):
            if (
                wishes.seat_type in (None, fare["seat_type"])
                and wishes.seat_position in (None, fare["seat_position"])
                and fare["available"] >= (wishes.party_size or 1)
            ):
                yield FlightOffer(
                    parse_cents(fare["price"]),
                    flight["flight_id"],
                    fare["fare_id"],
                    flight["carrier"],
                    day,
                    flight["departs"],
                    flight["arrives"],
                    fare["seat_type"],
                    fare["seat_position"],
                )


def _rooms(
    conversation: Conversation, wishes: Wishes, leave: str, back: str
) -> Iterator[RoomOffer]:
    for hotel in _hotels(conversation, wishes):
        call = _room_search(hotel["hotel_id"], leave, back, wishes)
        for room in _listed(conversation, call, "rooms"):
            if (
                wishes.room_type in (None, room["room_type"])
                and wishes.bed_type in (None, room["bed_type"])
                and room["max_occupancy"] >= (wishes.party_size or 1)
            ):
                yield RoomOffer(
                    parse_cents(room["price_per_night"]),
                    hotel["hotel_id"],
                    room["room_id"],
                    hotel["name"],
                    hotel["stars"],
                    hotel["district"],
                    room["room_type"],
                    room["bed_type"],
                )


def _attractions(conversation: Conversation, wishes: Wishes) -> Iterator[AttractionOffer]:
    listed: Iterable[dict[str, Any]] = _listed(
        conversation, _attraction_search(wishes), "attractions"
    )
    for item in listed:
        if (
            wishes.attraction_category in (None, item["category"])
            and wishes.attraction_time_of_day in (None, item["time_of_day"])
            and item["available"] >= (wishes.party_size or 1)
        ):
            yield AttractionOffer(
                parse_cents(item["price_per_ticket"]),
                item["attraction_id"],
                item["name"],
                item["category"],
                item["district"],
                item["starts"],
                item["ends"],
            )
