"""Kinds of bookings: where their offers stand, what one costs, and how bookings hold stock.

All of it is stated once, in a `Kind`, for everybody who asks. The price is made of operators only,
as the predicates of constraints are (design §3): it takes Python numbers, NumPy arrays and SQL
terms, so that tools, readers of final tables, budgets, certified costs, reference agents and checks
call the same rule.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import Any, NamedTuple

from crab_graph.dates import day_number
from crab_graph.generation.constraints import Constraint, bounded_sum
from crab_graph.tools.bookings import (
    booked,
    cancel_booking,
    move_stock,
    open_booking,
    require_booking_of,
    write_items,
)
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.registry import Result, ToolCall
from crab_graph.tools.tables import EntityTable, Row, Table, picked

Properties = dict[str, int | str]

_NAME, _COUNTER, _PRICE = "name", "available", "price_cents"


class ReadProperty(NamedTuple):
    """Where a property stands: its column, and whether that is a date, whose value is its day."""

    name: str
    column: str
    is_day: bool

    def value(self, row: Row) -> Any:
        """Return the property's engine value in a row."""
        return day_number(row[self.column]) if self.is_day else row[self.column]


class SearchStep(NamedTuple):
    """The look-up by which an agent finds offers of a kind.

    Attributes:
        tool: Its name.
        arguments: The property that each argument narrows down, values of properties being what it
            takes; days go as ISO dates. Days of a stay stand under the columns of `Kind.interval`,
            of which agents know those they book; `Kind.places` and `price` are bounded, from below
            and from above.
        needed: Arguments without which it does not show offers.
        read: The properties of the offers that a result shows, in engine values, ids and `name`
            among them, and what was asked for.
    """

    tool: str
    arguments: Mapping[str, str]
    needed: tuple[str, ...]
    read: Callable[[Mapping[str, Any]], list[Properties]]


class BookingTerms(NamedTuple):
    """What is to be booked, for whom: people are names and birth dates, days the first and last."""

    customer_id: str
    entity_id: str
    offer_id: str
    units: int
    people: tuple[tuple[str, ...], ...] = ()
    days: tuple[str, str] | None = None
    party: int = 1


class PriceStep(NamedTuple):
    """The call that tells what one unit of an offer costs.

    Attributes:
        tool: Its name.
        arguments: What it is called with; terms need no people, nor a customer.
        read: The cents of one unit that a result tells.
    """

    tool: str
    arguments: Callable[[BookingTerms], dict[str, Any]]
    read: Callable[[Mapping[str, Any]], int]


class KindTools(NamedTuple):
    """How agents find, book and cancel offers of a kind; reference agents and the audit do so.

    Attributes:
        search: The look-up that shows all of an offer.
        book: The tool that books.
        arguments: What it is called with.
        cancel: The tool that cancels a booking, by its `booking_id`, in toolsets that have it.
        details: The tool that shows a booking, by its `booking_id`, if there is one.
        price: The call that prices an offer, where lists may leave fees out.
    """

    search: SearchStep
    book: str
    arguments: Callable[[BookingTerms], dict[str, Any]]
    cancel: str | None = None
    details: str | None = None
    price: PriceStep | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of booking.

    Attributes:
        name: As the bookings table stores it, such as `appointment`; also the type of its nodes.
        unit: What one unit is called, such as `night`.
        count: The field of a request that says how many units it needs; one by default.
        entity: Table of what is booked, such as doctors; a column `name` names it to people.
        offer: Table of what is sold of it, such as appointments; the same where it is sold as it
            stands. A column `available` counts what is left.
        items: Table of what bookings hold; its rows name their booking and the offer.
        renamed: What constraints call a column that has another name, or other units, there.
        bundle: Properties whose shared values make offers parts of one entity.
        prefixes: Prefix and number of digits of the ids of entities, and of offers.
        quantity: Column of an item that says how many units it holds; one where there is none.
        interval: Columns of an item with first and last day, where an offer is held by the day.
        places: Column of an offer that says how many people it is for; one a unit by default.
        people: Columns of an item with the name and the birth date of whom it is for.
        price: The cents of a number of units of one offer, from `(price of a unit, units)`; linear
            in the former.
        tools: How agents find and book it.
    """

    name: str
    unit: str
    count: str | None
    entity: Table
    offer: Table
    items: str
    renamed: Mapping[str, str] = field(default_factory=dict)
    bundle: tuple[str, ...] = ()
    prefixes: Sequence[tuple[str, int]] = ()
    quantity: str | None = None
    interval: tuple[str, str] | None = None
    places: str | None = None
    people: tuple[str, str] | None = None
    price: Callable[[Any, Any], Any] = mul
    tools: KindTools | None = None

    @property
    def named(self) -> EntityTable:
        """Where its entities stand, and their names."""
        return EntityTable(self.entity.name, _NAME if _NAME in self.entity.columns else None)

    @property
    def is_free(self) -> bool:
        """Whether its offers have no price: a booking is confirmed at once, nothing is charged."""
        return _PRICE not in self.offer.columns

    @property
    def counter(self) -> str | None:
        """The column of an offer that counts what is left of it."""
        return _COUNTER if _COUNTER in self.offer.columns else None

    def readings(self, table: Table) -> Iterator[ReadProperty]:
        """Yield the properties that stand in the table of its entities or of its offers."""
        for column, type_ in table.columns.items():
            if column != _NAME:
                yield ReadProperty(self.renamed.get(column, column), column, type_ == "DATE")

    def properties(self, entity: Row, offer: Row) -> Properties:
        """Return what constraints can ask of an offer, in engine values."""
        rows = ((self.entity, entity), (self.offer, offer))
        return {one.name: one.value(row) for table, row in rows for one in self.readings(table)}

    @property
    def source(self) -> str:
        """A SELECT of the offers of the task `$task`, with a column for each property."""
        readings = dict.fromkeys((*self.readings(self.entity), *self.readings(self.offer)))
        # `date_diff` counts days since 1970-01-01: a date is a day number in the constraint engine.
        columns = ", ".join(
            f"date_diff('day', DATE '1970-01-01', {one.column})::INTEGER AS \"{one.name}\""
            if one.is_day
            else f'{one.column} AS "{one.name}"'
            for one in readings
        )
        joined = f" JOIN {self.entity.name} USING (task_id, {self.entity.key})"
        rows = self.offer.name + (joined if self.offer is not self.entity else "")
        return f"SELECT {columns} FROM {rows} WHERE task_id = $task"  # noqa: S608

    def cost(self, unit_price: Any, request: object) -> Any:
        """Return the cents of as many units of an offer as a request needs."""
        return 0 if self.is_free else self.price(unit_price, self.wanted(request))

    def wanted(self, request: object) -> int:
        """Return how many units of an offer a request needs."""
        return 1 if self.count is None else int(getattr(request, self.count))

    def slope(self, units: int) -> int:
        """Return by how much a booking gets dearer with each cent on the price of a unit.

        Raises:
            ValueError: that is not the same at every price.
        """
        first, second, third = (int(self.price(cents, units)) for cents in range(3))
        if third - second != second - first:
            raise ValueError(f"the price of kind '{self.name}' is not linear in that of a unit")
        return second - first

    def units(self, item: Row) -> int:
        """Return how many units an item holds."""
        if self.interval is not None:
            first, last = (day_number(item[column]) for column in self.interval)
            return last - first
        return 1 if self.quantity is None else int(item[self.quantity])

    def units_by_offer(self, items: Iterable[Row]) -> Counter[str]:
        """Return how many units items hold of each offer."""
        held: Counter[str] = Counter()
        for item in items:
            held[item[self.offer.key]] += self.units(item)
        return held

    def total(self, tables: BookingTables, items: Iterable[Row]) -> int:
        """Return what items cost together, in cents."""
        if self.is_free:
            return 0
        return sum(
            int(self.price(row[_PRICE], units))
            for key, units in self.units_by_offer(items).items()
            if (row := tables.get(self.offer.name, key)) is not None
        )


def bounded_cost(
    name: str, kinds: Mapping[str, Kind], request: object, bound: int, sentence: str
) -> Constraint:
    """Return the constraint that the offers of some nodes together cost no more than `bound`.

    Of each node the kind of its offer is given, whose property `price` is that of one unit.
    """
    sold = {node: kind for node, kind in kinds.items() if not kind.is_free}
    weights = {(node, "price"): kind.slope(kind.wanted(request)) for node, kind in sold.items()}
    free_of_price = sum(int(kind.cost(0, request)) for kind in sold.values())
    return bounded_sum(name, weights, bound - free_of_price, sentence)


def book(
    call: ToolCall, kind: Kind, customer_id: str, entity_id: str, items: Sequence[Row], **told: Any
) -> Result:
    """Open a booking that holds these items; what else is to be told of it joins the result.

    It is pending until it is charged; where there is nothing to charge it is confirmed at once.
    """
    total = None if kind.is_free else kind.total(call.tables, items)
    booking_id = open_booking(
        call, customer_id=customer_id, kind=kind.name, entity_id=entity_id, total_cents=total
    )
    _hold(call, kind, booking_id, items)
    return booked(booking_id, total, **told)


def rebook(
    call: ToolCall, kind: Kind, booking_id: str, items: Sequence[Row], **told: Any
) -> Result:
    """Let a booking hold these items in the place of those it held."""
    total = None if kind.is_free else kind.total(call.tables, items)
    if total is not None:
        call.update("bookings", booking_id, {"total_cents": total})
    _hold(call, kind, booking_id, items)
    return booked(booking_id, total, **told)


def cancel(call: ToolCall, kind: Kind, booking_id: str) -> Result:
    """Cancel a booking: what it holds is released, and what was charged is refunded."""
    result = cancel_booking(call, require_booking_of(call, booking_id, kind.name))
    if kind.counter is not None:
        move_stock(call, kind.offer.name, held_by(call.tables, kind, booking_id), {})
    return picked(result, "booking_id", "status") if kind.is_free else result


def held_by(tables: BookingTables, kind: Kind, booking_id: str) -> Counter[str]:
    """Return how many units of each offer a booking holds."""
    return kind.units_by_offer(tables.find(kind.items, "booking_id", booking_id))


def _hold(call: ToolCall, kind: Kind, booking_id: str, items: Sequence[Row]) -> None:
    before = held_by(call.tables, kind, booking_id)
    write_items(call, kind.items, booking_id, items)
    if kind.counter is not None:
        move_stock(call, kind.offer.name, before, kind.units_by_offer(items))
