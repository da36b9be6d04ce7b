"""What to book so that exactly one of a domain's checks breaks, found by trying small changes.

Whatever a domain declares, its checks are decided by constraints over what is booked. A change of
a certified solution is looked for that breaks those of one check and no other: other units, a stay
that begins or ends on another day, one value of one offer, everything on another day, dearer
offers, two values of one offer (verification rulebook §13, M06 and M08 to M18).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, permutations, product

from crab_graph.analysis.audit.rehearsal import Item
from crab_graph.dates import day_number, iso_date
from crab_graph.domain.verification import BOOKED_UNITS, TOTAL, DomainCheck
from crab_graph.domains.task import Task
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.tools.tables import World

Items = Mapping[str, Item]
"""What is booked in each slot."""

_NEAR_DAYS = 10
_FAR_DAYS = 90
_FEW = 8


def breaking_items(
    task: Task, booked: Sequence[Item], check_id: str, slot: str | None = None
) -> tuple[Item, ...] | None:
    """Return what to book instead so that one check breaks, and no other; `None` if not found.

    With a slot, it is to break by the units of that one.
    """
    checks = task.domain.grading.checks(task.request, task.graph)
    items = {item.slot.id: item for item in booked}
    target = [
        constraint
        for check in checks
        if check.id == check_id
        for constraint in check.constraints
        if items.keys() >= set(constraint.nodes) and slot in (None, *_units_of(constraint))
    ]
    if not target:
        return None
    values = _values(items)
    for changed in _changes(task, items, target):
        now = values | _values(changed)
        if all(constraint.holds(now) for constraint in target):
            continue
        is_only = _broken(checks, now, items) == {check_id}
        if is_only and all(_fits(task, item) for item in changed.values()):
            return tuple(changed.values())
    return None


def slots_of_units(check: DomainCheck) -> list[str]:
    """Return the slots whose number of units a check is about."""
    return list(dict.fromkeys(chain.from_iterable(map(_units_of, check.constraints))))


def keeps_all(task: Task, booked: Sequence[Item]) -> bool:
    """Return whether all constraints hold of what is booked."""
    items = {item.slot.id: item for item in booked}
    checks = task.domain.grading.checks(task.request, task.graph)
    return not _broken(checks, _values(items), items)


def _units_of(constraint: Constraint) -> list[str]:
    return [node for node, name in constraint.refs if name == BOOKED_UNITS]


def _values(items: Items) -> dict[Ref, Value]:
    return {ref: value for item in items.values() for ref, value in item.values.items()}


def _broken(checks: Sequence[DomainCheck], values: Mapping[Ref, Value], items: Items) -> set[str]:
    return {
        check.id
        for check in checks
        for constraint in check.constraints
        if items.keys() >= set(constraint.nodes) and not constraint.holds(values)
    }


def _fits(task: Task, item: Item) -> bool:
    """Return whether an offer still fits its slot, and could stand in the tables."""
    grading = task.domain.grading
    world = World(
        task_id=task.id,
        today=task.today,
        customer_id=task.customer_id,
        schema=task.domain.tables,
        rows={table: [row] for table, _, row in item.rows()},
    )
    is_there = grading.slot_of(world, task.request, item.entity_id) == item.slot.id
    return is_there and not any(grading.broken_rows(world))


def _changes(task: Task, items: Items, target: Sequence[Constraint]) -> Iterator[Items]:
    """Yield what can be booked otherwise, the smallest changes first, a slot's number each."""
    numbers = {slot: number for number, slot in enumerate(items, start=1)}
    refs = list(dict.fromkeys(ref for constraint in target for ref in constraint.refs))
    slots = list(dict.fromkeys(node for node, _ in refs))
    for slot in (node for node, name in refs if name == BOOKED_UNITS):
        yield from ({slot: item} for item in _other_units(items[slot]))
    for slot in slots:
        for first, last in ((1, 1), (0, -1), (1, 0), (0, 1), (-1, -1)):
            item = items[slot].held(first, last, numbers[slot])
            if item is not None:
                yield {slot: item}
    columns = {ref: list(_other_values(task, items[ref[0]], ref[1])) for ref in refs}
    for (slot, _), found in columns.items():
        for column, value in found:
            yield {slot: items[slot].copied(numbers[slot], **{column: value})}
    yield from _shifts(items, numbers, slots)
    for constraint in target:
        yield from _dearer(items, numbers, constraint)
    for (one, own), (other, others) in combinations(columns.items(), 2):
        if one[0] == other[0]:
            for pair in product(own[:_FEW], others[:_FEW]):
                yield {one[0]: items[one[0]].copied(numbers[one[0]], **dict(pair))}


def _other_units(item: Item) -> Iterator[Item]:
    if item.days is not None:
        return
    if item.count > 1:
        yield replace(item, count=item.count - 1)
    if item.kind.people is None and item.kind.quantity is not None:
        yield replace(item, count=item.count + 1)


def _other_values(task: Task, item: Item, name: str) -> Iterator[tuple[str, Value]]:
    """Yield columns of a property with the values that others have there, the nearest first."""
    row = {**item.entity, **item.offer}
    for column, table in item.columns_of(name).items():
        if column in item.dates and item.days is not None:
            continue  # Such an offer could not be held.
        own = row[column]
        values = {other[column] for other in task.world.rows(table)}
        if column in item.dates:
            today = day_number(own)
            values |= {iso_date(today + step) for step in (-2, -1, 1, 2)}
            ordered = sorted(values, key=lambda day: (abs(day_number(day) - today), day))
        elif isinstance(own, int):
            ordered = sorted(values | {own - 1, own + 1}, key=lambda one: (abs(one - own), one))
        else:
            ordered = sorted(values)
        yield from ((column, value) for value in ordered if value != own)


def _shifts(
    items: Items, numbers: Mapping[str, int], slots: Sequence[str]
) -> Iterator[dict[str, Item]]:
    """Yield some of the items, then all of them, on other days."""
    dated = [slot for slot, item in items.items() if item.dates]
    sizes = range(1, len(dated) + 1)
    for size in sizes if len(dated) <= _FEW else (1, len(dated)):
        most = _FAR_DAYS if size == len(dated) else _NEAR_DAYS
        for group in combinations(dated, size):
            if set(group) & set(slots):
                for days in chain.from_iterable((step, -step) for step in range(1, most + 1)):
                    yield {slot: items[slot].shifted(days, numbers[slot]) for slot in group}


def _dearer(
    items: Items, numbers: Mapping[str, int], constraint: Constraint
) -> Iterator[dict[str, Item]]:
    """Yield dearer offers, of one slot or of two, by which a bound is passed by one cent."""
    if constraint.linear is None or {name for _, name in constraint.refs} != {TOTAL}:
        return
    booked = [items[slot] for slot, _ in constraint.refs if not items[slot].is_free]
    cents = constraint.linear.bound + 1 - sum(item.cents for item in booked)
    for one, other in (*((item, item) for item in booked), *permutations(booked, 2)):
        by_one, by_other = (item.kind.slope(item.units) for item in (one, other))
        for more in range(1 if one is other else by_one):
            rest, remainder = divmod(cents - more * by_other, by_one)
            if remainder == 0 and rest >= 0:
                raised = ((other, more), (one, rest))
                yield {
                    item.slot.id: item.copied(
                        numbers[item.slot.id], price_cents=item.unit_cents + cents_more
                    )
                    for item, cents_more in raised
                }
