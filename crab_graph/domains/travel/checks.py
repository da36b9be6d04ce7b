"""The travel domain's part in grading: which constraints decide which check (rulebook §4)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from crab_graph.dates import MINUTES_A_DAY, clock_time, iso_date
from crab_graph.domain.derived_claims import claims
from crab_graph.domain.verification import DomainCheck, Grading, Job, Role
from crab_graph.domains.travel.declared import TRAVEL_DECLARATION
from crab_graph.domains.travel.names import CITIES, read_data
from crab_graph.domains.travel.offers import (
    ATTRACTION,
    HOTEL,
    OUTBOUND,
    RETURN,
    SLOTS,
    kinds_of_slots,
)
from crab_graph.domains.travel.request import WISHES, TravelRequest
from crab_graph.domains.travel.wording import travel_vocabulary
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Ref, Value, at_least, bounded_sum, equals
from crab_graph.money import format_dollars
from crab_graph.tools.tables import World

_NODE_CHECKS = {OUTBOUND: "D08", RETURN: "D09", HOTEL: "D10", ATTRACTION: "D11"}
_WINDOW = "departure_window"
_STAY: Mapping[Ref, Ref] = {
    (OUTBOUND, "date"): (HOTEL, "check_in"),
    (RETURN, "date"): (HOTEL, "check_out"),
}
"""The stay as booked stands in for the days of the flights, which D12 to D14 grade."""


def deciding_constraints(
    request: TravelRequest, graph: ConstraintGraph
) -> dict[str, tuple[Constraint, ...]]:
    """Return the constraints that decide a task's checks, by id."""
    edges = {edge.name: edge for edge in graph.edge_constraints}

    def named(*names: str) -> tuple[Constraint, ...]:
        return tuple(edges[name] for name in names if name in edges)

    # Where a flight leaves on the wrong day is D12's, room for the party D06's.
    wishes = {
        check: tuple(
            item
            for item in graph.node_constraints(slot)
            if item.name not in (_WINDOW, f"{slot}_party")
        )
        for slot, check in _NODE_CHECKS.items()
    }
    window = (item for item in graph.node_constraints(OUTBOUND) if item.name == _WINDOW)
    weights, budget = {(slot, "total"): 1 for slot in SLOTS}, request.budget_cents
    sentence = "the trip is within the budget"
    return {
        "D06": _party_constraints(request.party_size),
        **wishes,
        "D12": tuple(window),
        "D13": named("trip_length"),
        "D14": (_CHECK_IN,),
        "D15": tuple(
            replace(edge, parameters=tuple(_STAY.get(ref, ref) for ref in edge.parameters))
            for edge in named("trip_length", "stay_covers_trip")
        ),
        "D16": named("attraction_fits_trip"),
        "D17": () if budget is None else (bounded_sum("total_budget", weights, budget, sentence),),
        "D18": named("same_carrier"),
        "D25": named("same_district"),
    }


_CHECK_IN = Constraint(
    "check_in_on_arrival",
    ((HOTEL, "check_in"), (OUTBOUND, "date")),
    equals,
    sentence="the stay begins on the day of arrival",
)


def _party_constraints(size: int) -> tuple[Constraint, ...]:
    counted = [
        Constraint(f"{slot}_party", ((slot, "units"),), equals, {"required": size})
        for slot in (OUTBOUND, RETURN, ATTRACTION)
    ]
    one_offer = [
        Constraint(f"{slot}_one_offer", ((slot, "is_one_offer"),), equals, {"required": 1})
        for slot in (OUTBOUND, RETURN, HOTEL)
    ]
    room = Constraint("hotel_party", ((HOTEL, "places"),), at_least, {"minimum": size})
    return (*counted, *one_offer, room)


def slot_of(world: World, request: TravelRequest, entity_id: str) -> str | None:
    """Return the slot an entity fits by its route or its city."""
    flight = world.get("flights", entity_id)
    if flight is not None:
        origin, destination = CITIES[request.origin].code, CITIES[request.destination].code
        legs = {(origin, destination): OUTBOUND, (destination, origin): RETURN}
        return legs.get((flight["origin"], flight["destination"]))
    for table, slot in (("hotels", HOTEL), ("attractions", ATTRACTION)):
        row = world.get(table, entity_id)
        if row is not None and row["city"] == request.destination:
            return slot
    return None


def solution_of(job: Job) -> dict[str, dict[str, str]]:
    """Return the ids of a trip whose slots are filled once, as certified solutions have them."""
    return {
        slot: {
            name: show_value(name, job.slots[slot][0].properties[name])
            for name in dict.fromkeys((kind.entity.key, kind.offer.key, *(kind.interval or ())))
        }
        for slot, kind in kinds_of_slots().items()
    }


def show_value(name: str, value: Value) -> str:
    """Return a property's value in words: days as dates, minutes as times, cents as dollars."""
    if name in {"date", "check_in", "check_out", "available_from", "available_until"}:
        return iso_date(int(value))
    if name in {"departure", "arrival", "start", "end"}:
        return clock_time(int(value))
    return format_dollars(int(value)) if name in {"price", "total"} else str(value)


def broken_rows(world: World) -> Iterator[str]:
    """Yield the flights that do not land on the day on which they leave."""
    for key, row in world.tables["flights"].items():
        if not 0 <= row["departure_minute"] < row["arrival_minute"] < MINUTES_A_DAY:
            yield f"flight {key} does not land on the day of its departure"


_CHECKS = read_data("checks.toml")
_TITLES = _CHECKS["titles"]
_IN_NODES = {check: slot for slot, check in _NODE_CHECKS.items()}
_ROLES = {
    "D06": Role.UNITS,
    **dict.fromkeys(_IN_NODES, Role.WISH),
    "D12": Role.WINDOW,
    "D17": Role.BUDGET,
}
_DECLARED = (
    *(
        DomainCheck(f"D{number:02d}", Role.SLOT_FILLED, _TITLES[f"D{number:02d}"], slot=slot)
        for number, slot in enumerate(SLOTS, start=1)
    ),
    *(
        DomainCheck(check, _ROLES.get(check, Role.EDGE), title, slot=_IN_NODES.get(check))
        for check, title in _TITLES.items()
        if check > "D04"
    ),
)

_COVERED = {
    fact: frozenset(Role(check) if check in set(Role) else check for check in checks)
    for fact, checks in _CHECKS["covered"].items()
}

_DECIDING: Mapping[str, frozenset[str]] = {
    **{key: checks for key, checks in _COVERED.items() if Role.ENDED_PARTIAL not in checks},
    "departure_date": frozenset({"D12"}),
    "nights": frozenset({"D13", "D15"}),
    "party_size": frozenset({"D06"}),
}
"""Of the checks that a wrong fact can fail, those that compare a booking with that fact itself."""

TRAVEL_GRADING = Grading(
    vocabulary=travel_vocabulary,
    declared=_DECLARED,
    constraints=deciding_constraints,
    slot_of=slot_of,
    solution_of=solution_of,
    claims=claims(TRAVEL_DECLARATION),
    covered_checks=_COVERED,
    deciding_checks=_DECIDING,
    charging_facts=frozenset({"payment_card"}),
    show_value=show_value,
    profile_facts={"name": "traveller_names", "email": "email", "date_of_birth": "birth_dates"},
    broken_rows=broken_rows,
    wished={
        key: frozenset((slot, wish.name) for slot in wish.slots) for key, wish in WISHES.items()
    },
    modules=("crab_graph.domains.travel",),
)
