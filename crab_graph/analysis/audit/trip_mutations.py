"""Mutations of what is booked: M01–M18, M42 and M44."""

from collections.abc import Callable
from dataclasses import replace

from crab_graph.analysis.audit.operator import Operator, operator
from crab_graph.analysis.audit.telling import Telling
from crab_graph.dates import day_number, iso_date
from crab_graph.domains.travel.rehearsal import items_of, unwished

Edit = Callable[[Telling], Telling | None]
_MINUTES_OF_VISIT = 30


def _missing(slot: str, *, offers: bool) -> Edit:
    def edit(telling: Telling) -> Telling:
        return replace(telling.without(slot), offers_transfer=offers)

    return edit


def _second_booking(telling: Telling) -> Telling:
    second = telling.item("outbound").copied(1)
    return replace(telling, surplus=(second,), offers_transfer=True)


def _seat_fewer(telling: Telling) -> Telling | None:
    leg = telling.item("outbound")
    if len(leg.party) == 1:
        return None
    return telling.swapped(replace(leg, party=leg.party[:-1]))


def _birth_date(telling: Telling) -> Telling:
    leg = telling.item("outbound")
    name, born = leg.party[0]
    other = iso_date(day_number(born) + 1)
    return telling.swapped(replace(leg, party=((name, other), *leg.party[1:])))


def _unwished(slot: str) -> Edit:
    def edit(telling: Telling) -> Telling | None:
        item = unwished(telling.task, telling.item(slot), 1)
        return None if item is None else telling.swapped(item)

    return edit


def _outside_window(telling: Telling) -> Telling | None:
    request = telling.task.request
    if request.attraction_date is not None:
        return None
    leaves = day_number(telling.item("outbound").entity["departure_date"])
    days = day_number(request.departure_last) + 1 - leaves
    shifted = (item.shifted(days, number) for number, item in enumerate(telling.items))
    return telling.swapped(*shifted)


def _later_return(telling: Telling) -> Telling:
    back = telling.item("return")
    return telling.swapped(back.shifted(1, 1))


def _shifted_stay(telling: Telling) -> Telling:
    room = telling.item("hotel")
    last = iso_date(day_number(room.offer["available_until"]) + 1)
    shifted = room.shifted(1, 1)
    first = room.offer["available_from"]
    return telling.swapped(shifted.changed(available_from=first, available_until=last))


def _short_stay(telling: Telling) -> Telling | None:
    room = telling.item("hotel")
    if room.stay is None or room.units == 1:
        return None
    check_in, check_out = room.stay
    earlier = iso_date(day_number(check_out) - 1)
    return telling.swapped(replace(room, stay=(check_in, earlier)))


def _visit_in_flight(telling: Telling) -> Telling | None:
    """Move the attraction onto the hours of a flight, to another day only where that is free."""
    visit = telling.item("attraction")
    for slot in ("outbound", "return"):
        flight = telling.item(slot).entity
        is_that_day = visit.entity["date"] == flight["departure_date"]
        if is_that_day or telling.task.request.attraction_date is None:
            start = flight["departure_minute"] + 1
            hours = {"start_minute": start, "end_minute": start + _MINUTES_OF_VISIT}
            moved = visit.copied(1, date=flight["departure_date"], **hours)
            return telling.swapped(moved)
    return None


def _over_budget(telling: Telling) -> Telling | None:
    """Raise unit prices until a trip costs a cent more than the budget, where they add up."""
    budget = telling.task.request.budget_cents
    if budget is None:
        return None
    for solution in telling.task.solutions:
        trip = telling.swapped(*items_of(telling.task, solution))
        raised = _raised(trip, budget + 1 - trip.cents)
        if raised is not None:
            return replace(raised, removed_solution=True)
    return None


def _raised(telling: Telling, cents: int) -> Telling | None:
    visit, room = telling.item("attraction"), telling.item("hotel")
    by_ticket, by_night = (item.kind.slope(item.units) for item in (visit, room))
    for nightly in range(by_ticket):
        rest, remainder = divmod(cents - nightly * by_night, by_ticket)
        if remainder == 0 and rest >= 0:
            return telling.swapped(
                visit.changed(price_cents=visit.unit_cents + rest),
                room.changed(price_cents=room.unit_cents + nightly),
            )
    return None


def _other_carrier(telling: Telling) -> Telling | None:
    if not telling.task.request.same_carrier:
        return None
    back = telling.item("return")
    carriers = (row["carrier"] for row in telling.task.world.rows("flights"))
    other = next((name for name in carriers if name != back.entity["carrier"]), None)
    return None if other is None else telling.swapped(back.copied(1, carrier=other))


def _other_district(telling: Telling) -> Telling | None:
    if not telling.task.request.same_district:
        return None
    visit = telling.item("attraction")
    districts = (row["district"] for row in telling.task.world.rows("attractions"))
    other = next((name for name in districts if name != visit.entity["district"]), None)
    return None if other is None else telling.swapped(visit.copied(1, district=other))


_SLOTS = ("outbound", "return", "hotel", "attraction")

TRIP_MUTATIONS: tuple[Operator, ...] = (
    *(
        operator(f"M{number:02d}", _missing(slot, offers=True), f"D{number:02d}")
        for number, slot in enumerate(_SLOTS, start=1)
    ),
    operator("M05", _second_booking, "D05"),
    operator("M06", _seat_fewer, "D06"),
    operator("M07", _birth_date, "D07"),
    *(
        operator(f"M{number:02d}", _unwished(slot), f"D{number:02d}")
        for number, slot in enumerate(_SLOTS, start=8)
    ),
    operator("M12", _outside_window, "D12"),
    operator("M13", _later_return, "D13"),
    operator("M14", _shifted_stay, "D14"),
    operator("M15", _short_stay, "D15"),
    operator("M16", _visit_in_flight, "D16"),
    operator("M17", _over_budget, "D17"),
    operator("M18", _other_carrier, "D18"),
    operator("M42", _missing("outbound", offers=False), "D01", "C-PART"),
    operator("M44", _other_district, "D25"),
)
