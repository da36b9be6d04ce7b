"""Choosing a trip among offers: the cheapest valid one."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from crab_graph.agents.reference.offers import (
    AttractionOffer,
    FlightOffer,
    Offers,
    RoomOffer,
    trip_dates,
)
from crab_graph.agents.reference.wishes import Wishes


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
        party = self.party_size
        return (
            self.outbound.cents * party,
            self.back.cents * party,
            self.room.cents * self.nights,
            self.attraction.cents * party,
        )

    @property
    def total(self) -> int:
        """What the trip costs."""
        return sum(self.amounts)


Offer = TypeVar("Offer", FlightOffer, RoomOffer)
Planner = Callable[[Offers, Wishes], Plan | None]


def cheapest_plan(offers: Offers, wishes: Wishes) -> Plan | None:
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
