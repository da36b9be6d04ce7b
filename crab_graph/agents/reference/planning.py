"""What can be booked, as the searches show it, and the cheapest valid trip of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple, TypeVar

from crab_graph.agents.reference.conversation import Action, Conversation
from crab_graph.agents.reference.wishes import Wishes
from crab_graph.dates import day_number, iso_date
from crab_graph.domains.travel.offers import KINDS
from crab_graph.money import parse_cents

Row = Mapping[str, Any]


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


Offer = TypeVar("Offer", FlightOffer, RoomOffer, AttractionOffer)


class Shortlist(NamedTuple):
    """All that fits the wishes about single items: fares by date, rooms by day of arrival."""

    outbound: dict[str, list[FlightOffer]]
    back: dict[str, list[FlightOffer]]
    rooms: dict[str, list[RoomOffer]]
    attractions: list[AttractionOffer]


class Plan(NamedTuple):
    """A complete trip."""

    outbound: FlightOffer
    back: FlightOffer
    room: RoomOffer
    attraction: AttractionOffer
    party_size: int
    nights: int

    @property
    def offers(self) -> tuple[FlightOffer | RoomOffer | AttractionOffer, ...]:
        """What it is made of, in the order in which it is booked."""
        return self.outbound, self.back, self.room, self.attraction

    @property
    def amounts(self) -> list[int]:
        """What each booking costs, in cents: outbound, return, hotel, attraction."""
        kinds = ("flight", "flight", "hotel", "attraction")
        return [
            KINDS[kind].cost(offer.cents, self)
            for kind, offer in zip(kinds, self.offers, strict=True)
        ]

    @property
    def total(self) -> int:
        """What the trip costs."""
        return sum(self.amounts)


def trip_dates(wishes: Wishes) -> list[tuple[str, str]]:
    """Return every pair of departure and return date the user allows."""
    if wishes.departure is None or wishes.nights is None:
        return []
    first, last = (day_number(day) for day in wishes.departure)
    nights = wishes.nights
    return [(iso_date(day), iso_date(day + nights)) for day in range(first, last + 1)]


class TripSearch(NamedTuple):
    """The searches that a trip needs, and what those made so far have shown."""

    conversation: Conversation
    wishes: Wishes

    def missing(self) -> list[Action]:
        """Return the searches whose results are needed next; none when all are there.

        The first batch lists flights, hotels and attractions; the second looks into those that fit.
        """
        dates = trip_dates(self.wishes)
        flights = [self._route(leave, is_return=False) for leave, _ in dates]
        flights += [self._route(back, is_return=True) for _, back in dates]
        for batch in ([*flights, self._hotels, self._attractions], self._second()):
            missing = [call for call in batch if self.conversation.result(call) is None]
            if missing:
                return missing
        return []

    def shortlist(self) -> Shortlist:
        """Gather all offers that meet the wishes about single items from the results."""
        wishes, dates = self.wishes, trip_dates(self.wishes)
        return Shortlist(
            {leave: list(self._fares(leave, is_return=False)) for leave, _ in dates},
            {back: list(self._fares(back, is_return=True)) for _, back in dates},
            {leave: list(self._rooms(leave, back)) for leave, back in dates},
            [
                _offer(AttractionOffer, item["price_per_ticket"], item)
                for item in self._listed(self._attractions, "attractions")
                if item["available"] >= self._party
                and wishes.attraction_category in (None, item["category"])
                and wishes.attraction_time_of_day in (None, item["time_of_day"])
            ],
        )

    def _second(self) -> Iterator[Action]:
        for leave, back in trip_dates(self.wishes):
            outbound = self._flights(leave, is_return=False)
            homeward = self._flights(back, is_return=True)
            if outbound and homeward:
                yield from (_seats(flight) for flight in (*outbound, *homeward))
                yield from (self._stay(hotel, leave, back) for hotel in self._fitting_hotels())

    @property
    def _party(self) -> int:
        return self.wishes.party_size or 1

    @property
    def _hotels(self) -> Action:
        return Action("search_hotels_by_city", {"city": self.wishes.destination})

    @property
    def _attractions(self) -> Action:
        wanted = {"date": self.wishes.attraction_date, "category": self.wishes.attraction_category}
        given = {name: value for name, value in wanted.items() if value is not None}
        return Action("search_attractions_by_city", {"city": self.wishes.destination, **given})

    def _route(self, day: str, *, is_return: bool) -> Action:
        ends = (self.wishes.origin, self.wishes.destination)
        origin, destination = reversed(ends) if is_return else ends
        given = {"origin": origin, "destination": destination, "date": day}
        return Action("search_flights_by_route", given)

    def _stay(self, hotel: Row, leave: str, back: str) -> Action:
        dates = {"check_in": leave, "check_out": back, "guests": self.wishes.party_size}
        return Action("search_available_rooms", {"hotel_id": hotel["hotel_id"], **dates})

    def _listed(self, call: Action, key: str) -> list[Row]:
        return list((self.conversation.result(call) or {}).get(key, ()))

    def _flights(self, day: str, *, is_return: bool) -> list[Row]:
        wishes = self.wishes
        wanted = wishes.return_time_of_day if is_return else wishes.outbound_time_of_day
        flights = self._listed(self._route(day, is_return=is_return), "flights")
        return [flight for flight in flights if wanted in (None, flight["time_of_day"])]

    def _fitting_hotels(self) -> list[Row]:
        least = self.wishes.hotel_stars or 0
        return [one for one in self._listed(self._hotels, "hotels") if one["stars"] >= least]

    def _fares(self, day: str, *, is_return: bool) -> Iterator[FlightOffer]:
        for flight in self._flights(day, is_return=is_return):
            for fare in self._listed(_seats(flight), "fares"):
                if (
                    fare["available"] >= self._party
                    and self.wishes.seat_type in (None, fare["seat_type"])
                    and self.wishes.seat_position in (None, fare["seat_position"])
                ):
                    yield _offer(FlightOffer, fare["price"], flight, fare, {"date": day})

    def _rooms(self, leave: str, back: str) -> Iterator[RoomOffer]:
        for hotel in self._fitting_hotels():
            for room in self._listed(self._stay(hotel, leave, back), "rooms"):
                if (
                    room["max_occupancy"] >= self._party
                    and self.wishes.room_type in (None, room["room_type"])
                    and self.wishes.bed_type in (None, room["bed_type"])
                ):
                    yield _offer(RoomOffer, room["price_per_night"], room, hotel)


def cheapest_plan(offers: Shortlist, wishes: Wishes) -> Plan | None:
    """Return the cheapest trip that meets every wish; `None` proves that there is none.

    Within one pair of dates only the carrier and the time of landing or take-off of a fare matter
    to the rest, and only the district of a room: the cheapest of each kind stands for all others.
    """
    best: Plan | None = None
    attractions = sorted(offers.attractions)
    for leave, back in trip_dates(wishes):
        outbound = _cheapest_by(offers.outbound[leave], lambda o: (o.carrier, o.arrives))
        homeward = _cheapest_by(offers.back[back], lambda o: (o.carrier, o.departs))
        rooms = _cheapest_by(offers.rooms[leave], lambda o: (o.district,))
        for out, home, room in product(outbound, homeward, rooms):
            if wishes.same_carrier and out.carrier != home.carrier:
                continue
            attraction = next(
                (
                    one
                    for one in attractions
                    if out.arrives <= one.starts
                    and one.ends <= home.departs
                    and not (wishes.same_district and one.district != room.district)
                ),
                None,
            )
            if attraction is not None:
                party, nights = wishes.party_size or 1, wishes.nights or 1
                plan = Plan(out, home, room, attraction, party, nights)
                best = plan if best is None or plan.total < best.total else best
    is_too_dear = best and wishes.budget is not None and best.total > wishes.budget
    return None if is_too_dear else best


def _cheapest_by(offers: Iterable[Offer], kind: Callable[[Offer], tuple[str, ...]]) -> list[Offer]:
    best: dict[tuple[str, ...], Offer] = {}
    for offer in sorted(offers):
        best.setdefault(kind(offer), offer)
    return list(best.values())


def _seats(flight: Row) -> Action:
    return Action("search_available_seats", {"flight_id": flight["flight_id"]})


def _offer(kind: type[Offer], price: str, *rows: Row) -> Offer:
    """Return an offer made of the rows that describe it; what stands in two is the last one's."""
    known = {name: value for row in rows for name, value in row.items()}
    return kind(parse_cents(price), *(known[name] for name in kind._fields[1:]))
