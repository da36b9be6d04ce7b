"""Changes of payments (M19 to M24), and of rows that are nobody's business (M25 and M26)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from crab_graph.analysis.audit.breaking import keeps_all
from crab_graph.analysis.audit.telling import (
    Edit,
    Operator,
    Telling,
    ToolUse,
    operator,
    with_fields,
)
from crab_graph.domain.verification import Role
from crab_graph.domains.task import Task
from crab_graph.eval.replay import CallStep, Trajectory
from crab_graph.tools.ledger import Event, Ledger
from crab_graph.tools.registry import Owner
from crab_graph.tools.tables import Row

_DOLLAR = 100


def money_mutations(task: Task) -> Iterator[Operator]:
    """Yield the changes of payments, where anything has a price, and of others' rows."""
    kinds = task.domain.kinds
    paid = [slot.id for slot in task.domain.slots if not kinds[slot.kind].is_free]
    if paid:
        own = frozenset(paid[:1])
        yield operator("M19", with_fields(uncharged=own, offers_transfer=True), Role.PAID)
        yield operator("M20", _rewritten(paid[0], _unregistered), Role.METHOD)
        yield operator("M21", with_fields(unapproved=own), Role.CHARGE_APPROVED)
        yield operator("M22", with_fields(late=own), Role.CHARGE_APPROVED)
        yield operator("M23", _other_amount(paid[0]), Role.CHARGE_APPROVED)
        yield operator("M24", _dearer_than_due(paid[0]), Role.AMOUNT)
    yield operator("M25", _called_on("customers", _other_customer), Role.COLLATERAL)
    yield operator("M26", _called_on("bookings", _earlier_cancelled), Role.COLLATERAL)


def _rewritten(slot: str, change: Callable[[Row], Row]) -> Edit:
    """Return the edit by which calls wrote other rows about the booking of a slot."""

    def rewrite(trajectory: Trajectory, booking_ids: Mapping[str, str]) -> Trajectory:
        def changed(event: Event) -> Event:
            row = event.get("row", {})
            if row.get("booking_id") != booking_ids[slot]:
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

    return lambda telling: replace(telling, changes=(*telling.changes, rewrite))


def _unregistered(row: Row) -> Row:
    return {"payment_method_id": "PM-99999999"} if "payment_method_id" in row else {}


def _raised(row: Row) -> Row:
    return {name: row[name] + _DOLLAR for name in ("total_cents", "amount_cents") if name in row}


def _dearer_than_due(slot: str) -> Edit:
    def edit(telling: Telling) -> Telling | None:
        asked = telling.swapped(replace(telling.item(slot), surcharge=_DOLLAR))
        if not keeps_all(telling.task, asked.items):
            return None
        return _rewritten(slot, _raised)(asked)

    return edit


def _other_amount(slot: str) -> Edit:
    return lambda telling: replace(telling, approved_cents={slot: telling.item(slot).cents - 1})


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


def _earlier_cancelled(row: Row, task: Task) -> ToolUse | None:
    tools = task.domain.kinds[row["kind"]].tools
    cancel = None if tools is None else tools.cancel
    if row["status"] != "confirmed" or cancel not in task.domain.registry().names(Owner.AGENT):
        return None
    return str(cancel), {"booking_id": row["booking_id"]}
