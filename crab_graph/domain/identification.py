"""Which slot a booking is for, and solutions as ids: by what says which offers are meant."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from crab_graph.dates import MINUTES_A_DAY, clock_time, iso_date
from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.declaration import Declaration, Offer, Slot
from crab_graph.domain.fields import Later, Several
from crab_graph.domain.kind import Kind
from crab_graph.domain.layout import Nature, column_of, nature
from crab_graph.domain.verification import TOTAL, Job
from crab_graph.generation.constraints import Value
from crab_graph.generation.search import Solution
from crab_graph.money import format_dollars
from crab_graph.tools.tables import Row, World


def slot_ids(kind: Kind) -> tuple[str, ...]:
    """Return the ids that say what fills a slot: of what is booked, and of what is sold of it."""
    return tuple(dict.fromkeys((kind.entity.key, kind.offer.key)))


def describer(blueprint: Blueprint) -> Callable[[Solution], dict[str, Any]]:
    """Return what describes a solution by ids; what is held by the day with its days."""
    stays = {slot.id: slot.stay for slot in blueprint.declaration.slots if slot.stay is not None}

    def describe(solution: Solution) -> dict[str, Any]:
        found: dict[str, Any] = {
            slot: {key: solution[slot][key] for key in slot_ids(kind)}
            for slot, kind in blueprint.slot_kinds.items()
        }
        for slot, held in stays.items():
            for column, ref in ((held.first, held.begins), (held.last, held.ends)):
                owner, name = ref.split(".")
                found[slot][column] = iso_date(int(solution[owner][name]))
        return found

    return describe


def solution_reader(blueprint: Blueprint) -> Callable[[Job], dict[str, dict[str, str]]]:
    """Return what reads the ids of bookings that fill each slot once, as solutions have them."""
    show = value_shower(blueprint)

    def read(job: Job) -> dict[str, dict[str, str]]:
        return {
            slot: {
                name: show(name, job.slots[slot][0].properties[name])
                for name in (*slot_ids(kind), *(kind.interval or ()))
            }
            for slot, kind in blueprint.slot_kinds.items()
        }

    return read


def value_shower(blueprint: Blueprint) -> Callable[[str, Value], str]:
    """Return what shows a property's value in words: dates, times of the day, dollars."""
    natures = {TOTAL: Nature.MONEY, "first_day": Nature.DAY, "last_day": Nature.DAY}
    for name, offer in blueprint.offers.items():
        natures |= {field: nature(offer, field) for field in offer.fields}
        natures |= dict.fromkeys(blueprint.kinds[name].interval or (), Nature.DAY)

    def show(name: str, value: Value) -> str:
        match natures.get(name):
            case Nature.DAY:
                return iso_date(int(value))
            case Nature.MINUTE:
                return clock_time(int(value))
            case Nature.MONEY:
                return format_dollars(int(value))
        return str(value)

    return show


class _Meant(NamedTuple):
    """One thing that says which offers a slot means: a column's value, or the want that has it."""

    column: str
    value: Value
    key: str
    is_set: bool

    def fits(self, row: Row, request: Any) -> bool:
        """Whether a row is meant, where the request says anything of it."""
        wanted = getattr(request, self.key) if self.key else self.value
        stored = row[self.column]
        return wanted is None or (wanted in stored.split(", ") if self.is_set else stored == wanted)


def meant_by(declaration: Declaration, slot: Slot) -> dict[str, Value | None]:
    """Return the fields that say which offers a slot means; `None` where a want says the value."""
    wanted = (ref.split(".") for want in declaration.wants if want.role for ref in want.on)
    return {**slot.role, **{name: None for owner, name in wanted if owner == slot.id}}


def slot_finder(blueprint: Blueprint) -> Callable[[World, Any, str], str | None]:
    """Return what finds the slot that an entity fits, from `(world, request, entity id)`."""
    declaration = blueprint.declaration
    by_table: dict[str, list[tuple[str, list[_Meant]]]] = {}
    for slot in declaration.slots:
        table = blueprint.slot_kinds[slot.id].entity.name
        by_table.setdefault(table, []).append((slot.id, [*_meant(declaration, slot)]))

    def find(world: World, request: Any, entity_id: str) -> str | None:
        for table, slots in by_table.items():
            row = world.get(table, entity_id)
            if row is not None:
                fitting = (
                    slot for slot, meant in slots if all(one.fits(row, request) for one in meant)
                )
                return next(fitting, None)
        return None

    return find


def _meant(declaration: Declaration, slot: Slot) -> Iterator[_Meant]:
    keys = {
        ref.split(".")[1]: want.key
        for want in declaration.wants
        if want.role
        for ref in want.on
        if ref.split(".")[0] == slot.id
    }
    for name, value in meant_by(declaration, slot).items():
        is_set = isinstance(slot.offer.fields[name], Several)
        fixed = "" if value is None else value
        yield _Meant(column_of(slot.offer, name), fixed, keys.get(name, ""), is_set)


def breakage_finder(blueprint: Blueprint) -> Callable[[World], Iterator[str]]:
    """Return what finds rows that cannot be: times that are none, an end before its beginning."""
    looked_at = [
        (kind, table, offer, names)
        for name, kind in blueprint.kinds.items()
        for table in dict.fromkeys((kind.entity.name, kind.offer.name))
        if (names := _fallible(offer := blueprint.offers[name], kind, table))
    ]

    def find(world: World) -> Iterator[str]:
        for kind, table, offer, names in looked_at:
            for key, row in world.tables[table].items():
                for name in names:
                    if not _is_right(offer, name, row):
                        value = row[column_of(offer, name)]
                        yield f"{kind.name} {key} cannot have the {name} {value}"

    return find


def _fallible(offer: Offer, kind: Kind, table: str) -> list[str]:
    columns = next(one.columns for one in (kind.entity, kind.offer) if one.name == table)
    return [
        name
        for name, field in offer.fields.items()
        if column_of(offer, name) in columns
        and (nature(offer, name) is Nature.MINUTE or isinstance(field, Later))
    ]


def _is_right(offer: Offer, name: str, row: Mapping[str, Any]) -> bool:
    value, field = row[column_of(offer, name)], offer.fields[name]
    if nature(offer, name) is Nature.MINUTE and not 0 <= value < MINUTES_A_DAY:
        return False
    before = row.get(column_of(offer, field.after)) if isinstance(field, Later) else None
    return before is None or bool(before <= value)
