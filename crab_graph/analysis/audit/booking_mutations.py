"""Changes of what is booked: a slot left out, one too many, and each declared check broken alone.

They are the rulebook's M01 to M18, M42 and M44, for whatever slots and checks a domain declares:
`M:D13` breaks the check D13.
"""

from collections.abc import Iterator
from dataclasses import replace

from crab_graph.analysis.audit.breaking import breaking_items, slots_of_units
from crab_graph.analysis.audit.telling import Edit, Operator, Telling, operator
from crab_graph.dates import day_number, iso_date
from crab_graph.domain.verification import Role
from crab_graph.domains.task import Task

SURPLUS = 10
"""Number of the copy that comes second in a slot; those in the slots have smaller ones."""


def booking_mutations(task: Task) -> Iterator[Operator]:
    """Yield the changes of what is booked that a task's domain gives rise to."""
    kinds = {slot.id: task.domain.kinds[slot.kind] for slot in task.domain.slots}
    filled = []
    for check in task.domain.grading.checks(task.request, task.graph):
        of_units = slots_of_units(check)
        if check.role is Role.SLOT_FILLED and check.slot is not None:
            filled.append((check.id, check.slot))
            yield operator(f"M:{check.id}", _without(check.slot, offers=True), check.id)
        elif of_units:
            for slot in of_units:
                if kinds[slot].quantity is not None or kinds[slot].people is not None:
                    yield operator(f"M:{check.id}:{slot}", _broken(check.id, slot), check.id)
        else:
            yield operator(f"M:{check.id}", _broken(check.id), check.id)
    yield operator("M05", _second_booking, Role.SURPLUS)
    if any(kind.people is not None for kind in kinds.values()):
        yield operator("M07", _born_otherwise, Role.PERSON)
    for check_id, slot in filled[:1]:
        yield operator("M42", _without(slot, offers=False), check_id, Role.ENDED_PARTIAL)


def _without(slot: str, *, offers: bool) -> Edit:
    return lambda telling: replace(telling.without(slot), offers_transfer=offers)


def _second_booking(telling: Telling) -> Telling:
    second = telling.items[0].copied(SURPLUS)
    return replace(telling, surplus=(second,), offers_transfer=True)


def _born_otherwise(telling: Telling) -> Telling | None:
    """Book for somebody with another date of birth, where bookings say for whom they are."""
    named = [item for item in telling.items if item.kind.people is not None and item.people]
    if not named:
        return None
    (name, born), *others = named[0].people
    other = iso_date(day_number(born) + 1)
    return telling.swapped(replace(named[0], people=((name, other), *others)))


def _broken(check_id: str, slot: str | None = None) -> Edit:
    """Return the edit that books what breaks one check alone."""

    def edit(telling: Telling) -> Telling | None:
        changed = breaking_items(telling.task, telling.items, check_id, slot)
        return None if changed is None else telling.swapped(*changed)

    return edit
