"""What can be booked, as the searches show it, and the cheapest valid trip of it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from crab_graph.agents.reference.conversation import Action, Conversation
from crab_graph.agents.reference.wishes import Wishes
from crab_graph.dates import day_number, iso_date
from crab_graph.domains.travel.offers import KINDS
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
class Shortlist:
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


def missing_searches(conversation: Conversation, wishes: Wishes) -> list[Action]:
    """Return the searches whose results are needed next; none when all are there.

    The first batch lists flights, hotels and attractions; the second looks into those that fit.
    """
    first = list(_first_searches(wishes))
    missing = [call for call in first if conversation.result(call) is None]
    if missing:
        return missing
    second = list(_second_searches(conversation, wishes))
    return [call for call in second if conversation.result(call) is None]


def read_offers(conversation: Conversation, wishes: Wishes) -> Shortlist:
    """Gather all offers that meet the wishes about single items from the searches' results."""
    offers = Shortlist({}, {}, {}, list(_attractions(conversation, wishes)))
    for leave, back in trip_dates(wishes):
        offers.outbound[leave] = list(_fares(conversation, wishes, leave, is_return=False))
        offers.back[back] = list(_fares(conversation, wishes, back, is_return=True))
        offers.rooms[leave] = list(_rooms(conversation, wishes, leave, back))
    return offers


def _first_searches(wishes: Wishes) -> Iterator[Action]:
    for leave, _ in trip_dates(wishes):
        yield _route(wishes, leave, is_return=False)
    for _, back in trip_dates(wishes):
        yield _route(wishes, back, is_return=True)
    yield Action("search_hotels_by_city", {"city": wishes.destination})
    yield _attraction_search(wishes)


def _second_searches(conversation: Conversation, wishes: Wishes) -> Iterator[Action]:
    for leave, back in trip_dates(wishes):
        outbound = list(_flights(conversation, wishes, leave, is_return=False))
        homeward = list(_flights(conversation, wishes, back, is_return=True))
        if not outbound or not homeward:
            continue
        for flight in (*outbound, *homeward):
            yield Action("search_available_seats", {"flight_id": flight["flight_id"]})
        for hotel in _hotels(conversation, wishes):
            yield _room_search(hotel["hotel_id"], leave, back, wishes)


def _route(wishes: Wishes, day: str, *, is_return: bool) -> Action:
    ends = (wishes.destination, wishes.origin) if is_return else (wishes.origin, wishes.destination)
    arguments = {"origin": ends[0], "destination": ends[1], "date": day}
    return Action("search_flights_by_route", arguments)


def _attraction_search(wishes: Wishes) -> Action:
    arguments = {"city": wishes.destination}
    if wishes.attraction_date is not None:
        arguments["date"] = wishes.attraction_date
    if wishes.attraction_category is not None:
        arguments["category"] = wishes.attraction_category
    return Action("search_attractions_by_city", arguments)


def _room_search(hotel_id: str, leave: str, back: str, wishes: Wishes) -> Action:
    arguments = {"hotel_id": hotel_id, "check_in": leave, "check_out": back}
    return Action("search_available_rooms", arguments | {"guests": wishes.party_size})


def _listed(conversation: Conversation, call: Action, key: str) -> list[dict[str, Any]]:
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
    call = Action("search_hotels_by_city", {"city": wishes.destination})
    for hotel in _listed(conversation, call, "hotels"):
        if hotel["stars"] >= (wishes.hotel_stars or 0):
            yield hotel


def _fares(
    conversation: Conversation, wishes: Wishes, day: str, *, is_return: bool
) -> Iterator[FlightOffer]:
    for flight in _flights(conversation, wishes, day, is_return=is_return):
        call = Action("search_available_seats", {"flight_id": flight["flight_id"]})
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


class Plan(NamedTuple):
    """A complete trip."""

    outbound: FlightOffer
    back: FlightOffer
    room: RoomOffer
    attraction: AttractionOffer
    party_size: int
    nights: int

    @property
    def amounts(self) -> tuple[int, int, int, int]:
        """What each booking costs, in cents: outbound, return, hotel, attraction."""
        return (
            KINDS["flight"].cost(self.outbound.cents, self),
            KINDS["flight"].cost(self.back.cents, self),
            KINDS["hotel"].cost(self.room.cents, self),
            KINDS["attraction"].cost(self.attraction.cents, self),
        )

    @property
    def total(self) -> int:
        """What the trip costs."""
        return sum(self.amounts)


Offer = TypeVar("Offer", FlightOffer, RoomOffer)
Planner = Callable[[Shortlist, Wishes], Plan | None]


def cheapest_plan(offers: Shortlist, wishes: Wishes) -> Plan | None:
    """Return the cheapest trip that meets every wish; `None` proves that there is none.

    Within one pair of dates only the carrier and the time of landing or take-off of a fare matter
    to the rest, and only the district of a room: the cheapest of each kind stands for all others.
    """
    best: Plan | None = None
    for leave, back in trip_dates(wishes):
        outbound = _cheapest_by(offers.outbound[leave], lambda o: (o.carrier, o.arrives))
        homeward = _cheapest_by(offers.back[back], lambda o: (o.carrier, o.departs))
        rooms = _cheapest_by(offers.rooms[leave], lambda o: (o.district,))
        attractions = sorted(offers.attractions)
        for out in outbound:
            for home in homeward:
                if wishes.same_carrier and out.carrier != home.carrier:
                    continue
                for plan in _stays(out, home, rooms, attractions, wishes):
                    if best is None or plan.total < best.total:
                        best = plan
    return best if best is None or _is_affordable(best, wishes) else None


def _cheapest_by(offers: Iterable[Offer], kind: Callable[[Offer], tuple[str, ...]]) -> list[Offer]:
    best: dict[tuple[str, ...], Offer] = {}
    for offer in sorted(offers):
        best.setdefault(kind(offer), offer)
    return list(best.values())


def _stays(
    out: FlightOffer,
    home: FlightOffer,
    rooms: list[RoomOffer],
    attractions: list[AttractionOffer],
    wishes: Wishes,
) -> Iterator[Plan]:
    for room in rooms:
        attraction = _first_fitting(out, home, room, attractions, wishes)
        if attraction is not None:
            yield Plan(out, home, room, attraction, wishes.party_size or 1, wishes.nights or 1)


def _first_fitting(
    out: FlightOffer,
    home: FlightOffer,
    room: RoomOffer,
    attractions: list[AttractionOffer],
    wishes: Wishes,
) -> AttractionOffer | None:
    for attraction in attractions:
        if attraction.starts < out.arrives or attraction.ends > home.departs:
            continue
        if not wishes.same_district or attraction.district == room.district:
            return attraction
    return None


def _is_affordable(plan: Plan, wishes: Wishes) -> bool:
    return wishes.budget is None or plan.total <= wishes.budget
