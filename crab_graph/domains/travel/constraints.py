"""The travel constraints: what the user asks of each entity and the six edge types (design §4)."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from crab_graph.dates import MINUTES_A_DAY, day_number
from crab_graph.domain.kind import bounded_cost
from crab_graph.domains.travel.names import CITIES
from crab_graph.domains.travel.offers import (
    ATTRACTION,
    HOTEL,
    OUTBOUND,
    RETURN,
    SLOTS,
    TRAVEL_SLOTS,
    kinds_of_slots,
)
from crab_graph.domains.travel.request import WISHES, TravelRequest
from crab_graph.generation.constraint_graph import ConstraintGraph, Node
from crab_graph.generation.constraints import Constraint, at_least, equals, within
from crab_graph.money import format_dollars

NODES = tuple(Node(slot.id, slot.kind) for slot in TRAVEL_SLOTS)


def trip_length(departure_date: Any, return_date: Any, nights: Any) -> Any:
    """The return flight leaves `nights` days after the outbound flight."""
    return return_date == departure_date + nights


def stay_covers_trip(
    first_night: Any, last_day: Any, available_from: Any, available_until: Any
) -> Any:
    """The room is available every night of `[first_night, last_day)`."""
    return (available_from <= first_night) & (available_until >= last_day)


def attraction_fits_trip(
    departure_date: Any,
    arrival: Any,
    return_date: Any,
    departure: Any,
    date: Any,
    start: Any,
    end: Any,
) -> Any:
    """The slot starts at or after the arrival and ends at or before the return departure."""
    begins = date * MINUTES_A_DAY + start
    ends = date * MINUTES_A_DAY + end
    landed = departure_date * MINUTES_A_DAY + arrival
    leaves = return_date * MINUTES_A_DAY + departure
    return (begins >= landed) & (ends <= leaves)


def build_graph(request: TravelRequest) -> ConstraintGraph:
    """Return the constraint graph of a request."""
    of_slots = chain.from_iterable(_of_slot(request, slot) for slot in SLOTS)
    return ConstraintGraph(NODES, (*of_slots, *_edges(request)))


def _of_slot(request: TravelRequest, slot: str) -> Iterator[Constraint]:
    def required(name: str, value: int | str, sentence: str, *, structural: bool) -> Constraint:
        ref, wanted = (slot, name), {"required": value}
        return Constraint(f"{slot}_{name}", (ref,), equals, wanted, sentence, structural=structural)

    start, end = request.origin, request.destination
    if slot in (OUTBOUND, RETURN):
        start, end = (start, end) if slot == OUTBOUND else (end, start)
        yield required("origin", CITIES[start].code, f"leaves from {start}", structural=True)
        yield required("destination", CITIES[end].code, f"goes to {end}", structural=True)
    else:
        yield required("city", end, f"is in {end}", structural=True)
    if slot == OUTBOUND:
        first, last = request.departure_first, request.departure_last
        window = {"first": day_number(first), "last": day_number(last)}
        sentence = f"departs between {first} and {last}"
        yield Constraint("departure_window", ((slot, "date"),), within, window, sentence)
    for field, wish in WISHES.items():
        value = getattr(request, field)
        if value is None or slot not in wish.slots:
            continue
        sentence = wish.sentence.format(value)
        if isinstance(value, int):
            name, ref = f"{slot}_{wish.name}", (slot, wish.name)
            yield Constraint(name, (ref,), at_least, {"minimum": value}, sentence)
        else:
            wanted = day_number(value) if wish.name == "date" else value
            yield required(wish.name, wanted, sentence, structural=False)
    size, kind = request.party_size, kinds_of_slots()[slot]
    ref = (slot, kind.places or "available")
    yield Constraint(f"{slot}_party", (ref,), at_least, {"minimum": size}, f"has room for {size}")


def _edges(request: TravelRequest) -> Iterator[Constraint]:
    nights, budget = request.nights, request.budget_cents
    days = ((OUTBOUND, "date"), (RETURN, "date"))
    sentence = f"returns {nights} nights after the departure"
    yield Constraint("trip_length", days, trip_length, {"nights": nights}, sentence)
    stay = ((HOTEL, "available_from"), (HOTEL, "available_until"))
    sentence = "the room is available every night of the trip"
    yield Constraint("stay_covers_trip", (*days, *stay), stay_covers_trip, sentence=sentence)
    between = (
        *((OUTBOUND, name) for name in ("date", "arrival")),
        *((RETURN, name) for name in ("date", "departure")),
        *((ATTRACTION, name) for name in ("date", "start", "end")),
    )
    sentence = "the attraction lies between arrival and return departure"
    yield Constraint("attraction_fits_trip", between, attraction_fits_trip, sentence=sentence)
    if budget is not None:
        sentence = f"the whole trip costs at most {format_dollars(budget)}"
        yield bounded_cost("total_budget", kinds_of_slots(), request, budget, sentence)
    if request.same_carrier:
        refs = ((OUTBOUND, "carrier"), (RETURN, "carrier"))
        yield Constraint("same_carrier", refs, equals, sentence="both flights are with one carrier")
    if request.same_district:
        refs = ((HOTEL, "district"), (ATTRACTION, "district"))
        sentence = "the attraction is in the hotel's district"
        yield Constraint("same_district", refs, equals, sentence=sentence)
