"""Changes of what is booked (M01–M18, M42, M44), and of money and others' rows (M19–M26)."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from crab_graph.analysis.audit.telling import (
    Edit,
    Operator,
    Telling,
    ToolUse,
    TrajectoryEdit,
    operator,
    with_fields,
)
from crab_graph.dates import day_number, iso_date
from crab_graph.domains.task import Task
from crab_graph.domains.travel.rehearsal import Item, items_of, unwished
from crab_graph.eval.replay import CallStep, Trajectory
from crab_graph.tools.ledger import Event, Ledger
from crab_graph.tools.tables import Row

_SLOTS = ("outbound", "return", "hotel", "attraction")
_SLOT = "outbound"
_DOLLAR = 100


def _without(slot: str, *, offers: bool) -> Edit:
    return lambda telling: replace(telling.without(slot), offers_transfer=offers)


def _swapped(slot: str, change: Callable[[Item, Task], Item | None]) -> Edit:
    """Return the edit that books something else in a slot, where the task has it."""

    def edit(telling: Telling) -> Telling | None:
        item = change(telling.item(slot), telling.task)
        return None if item is None else telling.swapped(item)

    return edit


def _other(table: str, column: str, wish: str) -> Callable[[Item, Task], Item | None]:
    """Return the change to an offer with another value than all slots must share."""

    def change(item: Item, task: Task) -> Item | None:
        values = (row[column] for row in task.world.rows(table))
        other = next((value for value in values if value != item.entity[column]), None)
        if other is None or not getattr(task.request, wish):
            return None
        return item.copied(1, **{column: other})

    return change


def _second_booking(telling: Telling) -> Telling:
    second = telling.item(_SLOT).copied(1)
    return replace(telling, surplus=(second,), offers_transfer=True)


def _seat_fewer(leg: Item, task: Task) -> Item | None:
    return replace(leg, party=leg.party[:-1]) if len(leg.party) > 1 else None


def _birth_date(leg: Item, task: Task) -> Item:
    name, born = leg.party[0]
    other = iso_date(day_number(born) + 1)
    return replace(leg, party=((name, other), *leg.party[1:]))


def _outside_window(telling: Telling) -> Telling | None:
    request = telling.task.request
    if request.attraction_date is not None:
        return None
    leaves = day_number(telling.item("outbound").entity["departure_date"])
    days = day_number(request.departure_last) + 1 - leaves
    shifted = (item.shifted(days, number) for number, item in enumerate(telling.items))
    return telling.swapped(*shifted)


def _shifted_stay(room: Item, task: Task) -> Item:
    last = iso_date(day_number(room.offer["available_until"]) + 1)
    first = room.offer["available_from"]
    return room.shifted(1, 1).changed(available_from=first, available_until=last)


def _short_stay(room: Item, task: Task) -> Item | None:
    if room.stay is None or room.units == 1:
        return None
    check_in, check_out = room.stay
    return replace(room, stay=(check_in, iso_date(day_number(check_out) - 1)))


def _visit_in_flight(telling: Telling) -> Telling | None:
    """Move the attraction onto the hours of a flight, to another day only where that is free."""
    visit = telling.item("attraction")
    for slot in ("outbound", "return"):
        flight = telling.item(slot).entity
        is_that_day = visit.entity["date"] == flight["departure_date"]
        if is_that_day or telling.task.request.attraction_date is None:
            start = flight["departure_minute"] + 1
            hours = {"start_minute": start, "end_minute": start + 30}
            return telling.swapped(visit.copied(1, date=flight["departure_date"], **hours))
    return None


def _over_budget(telling: Telling) -> Telling | None:
    """Raise unit prices until a trip costs a cent more than the budget, where they add up."""
    budget = telling.task.request.budget_cents
    if budget is None:
        return None
    for solution in telling.task.solutions:
        trip = telling.swapped(*items_of(telling.task, solution))
        visit, room = trip.item("attraction"), trip.item("hotel")
        by_ticket, by_night = (item.kind.slope(item.units) for item in (visit, room))
        for nightly in range(by_ticket):
            rest, remainder = divmod(budget + 1 - trip.cents - nightly * by_night, by_ticket)
            if remainder == 0 and rest >= 0:
                raised = trip.swapped(
                    visit.changed(price_cents=visit.unit_cents + rest),
                    room.changed(price_cents=room.unit_cents + nightly),
                )
                return replace(raised, removed_solution=True)
    return None


def _rewritten(change: Callable[[Row], Row]) -> TrajectoryEdit:
    """Return the edit of a trajectory whose calls wrote other rows about one booking."""

    def edit(trajectory: Trajectory, booking_ids: Mapping[str, str]) -> Trajectory:
        def changed(event: Event) -> Event:
            row = event.get("row", {})
            if row.get("booking_id") != booking_ids[_SLOT]:
                return event
            return event | {"row": row | change(row)}

        steps = tuple(
            step._replace(events=tuple(map(changed, step.events)))
            if isinstance(step, CallStep)
            else step
            for step in trajectory.steps
        )
        events = [event for step in steps if isinstance(step, CallStep) for event in step.events]
        ledger = Ledger.fold(trajectory.ledger.world, events)
        return Trajectory(steps, ledger, trajectory.token, trajectory.discrepancies)

    return edit


def _unregistered(row: Row) -> Row:
    return {"payment_method_id": "PM-99999999"} if "payment_method_id" in row else {}


def _raised(row: Row) -> Row:
    return {name: row[name] + _DOLLAR for name in ("total_cents", "amount_cents") if name in row}


def _dearer_than_due(telling: Telling) -> Telling | None:
    budget = telling.task.request.budget_cents
    if budget is not None and telling.cents + _DOLLAR > budget:
        return None
    asked = replace(telling.item(_SLOT), surcharge=_DOLLAR)
    return replace(telling.swapped(asked), changes=(*telling.changes, _rewritten(_raised)))


def _other_amount(telling: Telling) -> Telling:
    return replace(telling, approved_cents={_SLOT: telling.item(_SLOT).cents - 1})


def _called_on(table: str, call: Callable[[Row, Task], ToolUse | None]) -> Edit:
    """Return the edit that makes a call about the first row of a table that has one."""

    def edit(telling: Telling) -> Telling | None:
        task = telling.task
        found = next(filter(None, (call(row, task) for row in task.world.rows(table))), None)
        return None if found is None else replace(telling, calls=(*telling.calls, found))

    return edit


def _other_customer(row: Row, task: Task) -> ToolUse | None:
    if row["customer_id"] == task.customer_id:
        return None
    return "update_customer", {"customer_id": row["customer_id"], "address": "12 Nowhere Lane"}


def _baseline_cancelled(row: Row, task: Task) -> ToolUse | None:
    if (row["kind"], row["status"]) != ("flight", "confirmed"):
        return None
    return "cancel_flight", {"booking_id": row["booking_id"]}


TRIP_MUTATIONS: tuple[Operator, ...] = (
    *(
        operator(f"M{number:02d}", _without(slot, offers=True), f"D{number:02d}")
        for number, slot in enumerate(_SLOTS, start=1)
    ),
    operator("M05", _second_booking, "D05"),
    operator("M06", _swapped(_SLOT, _seat_fewer), "D06"),
    operator("M07", _swapped(_SLOT, _birth_date), "D07"),
    *(
        operator(
            f"M{number:02d}",
            _swapped(slot, lambda item, task: unwished(task, item, 1)),
            f"D{number:02d}",
        )
        for number, slot in enumerate(_SLOTS, start=8)
    ),
    operator("M12", _outside_window, "D12"),
    operator("M13", _swapped("return", lambda back, task: back.shifted(1, 1)), "D13"),
    operator("M14", _swapped("hotel", _shifted_stay), "D14"),
    operator("M15", _swapped("hotel", _short_stay), "D15"),
    operator("M16", _visit_in_flight, "D16"),
    operator("M17", _over_budget, "D17"),
    operator("M18", _swapped("return", _other("flights", "carrier", "same_carrier")), "D18"),
    operator("M19", with_fields(uncharged=frozenset({_SLOT}), offers_transfer=True), "D19"),
    operator("M20", with_fields(changes=(_rewritten(_unregistered),)), "D20"),
    operator("M21", with_fields(unapproved=frozenset({_SLOT})), "D21"),
    operator("M22", with_fields(late=frozenset({_SLOT})), "D21"),
    operator("M23", _other_amount, "D21"),
    operator("M24", _dearer_than_due, "D22"),
    operator("M25", _called_on("customers", _other_customer), "D23"),
    operator("M26", _called_on("bookings", _baseline_cancelled), "D23"),
    operator("M42", _without("outbound", offers=False), "D01", "C-PART"),
    operator(
        "M44", _swapped("attraction", _other("attractions", "district", "same_district")), "D25"
    ),
)
