"""What tools show of offers: columns of tables as keys of results, and back to engine values."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

from crab_graph.dates import clock_time, day_number
from crab_graph.domain.declaration import Count, Each, Offer, Provider, Stay
from crab_graph.domain.english import spoken
from crab_graph.domain.fields import Choice, Day, Price, Several, Stock
from crab_graph.domain.kind import Kind, Properties
from crab_graph.domain.layout import Nature, field_of, nature
from crab_graph.generation.constraints import Value
from crab_graph.money import format_cents, parse_cents
from crab_graph.tools.fees import before_fees
from crab_graph.tools.registry import Result, ToolCall
from crab_graph.tools.tables import Row, Table

NAME = "name"
BEFORE_FEES = "before_fees"
"""Ends the key of a price without taxes and fees; also a property that only such an offer has."""


class ShownField(NamedTuple):
    """A key of a result: its property, its column, and how its value is made and read."""

    key: str
    name: str
    column: str
    write: Callable[[Any], Any] | None = None
    read: Callable[[Any], Value] | None = None


class RowView:
    """A row of a table as results show it; what is known already may be left out."""

    def __init__(
        self,
        fields: Sequence[ShownField],
        *,
        has_price: bool = False,
        priced: tuple[str, str] | None = None,
    ) -> None:
        """Show these fields of a table.

        With `priced`, its columns with the id and the price, the price is that before fees.
        """
        self.has_price = has_price
        self._fields = {one.key: one for one in fields}
        self._priced = priced

    def show(self, row: Row) -> Result:
        """Return what a result says of one row."""
        return dict(zip(self._fields, self.cells([row])[0], strict=True))

    def columns(self, known: Collection[str] = ()) -> list[str]:
        """Return the keys of all properties but those that are known."""
        return [one.key for one in self._fields.values() if one.name not in known]

    def cells(
        self, rows: Sequence[Row], known: Collection[str] = (), fees: int = 0
    ) -> list[list[Any]]:
        """Return the values of rows under these keys; `fees` are those that a task leaves out."""
        shown = [(one.column, one.write) for one in self._fields.values() if one.name not in known]
        if self._priced is not None:
            key, price = self._priced
            rows = [row | {price: before_fees(row[key], row[price], fees)} for row in rows]
        return [
            [row[column] if write is None else write(row[column]) for column, write in shown]
            for row in rows
        ]

    @property
    def told(self) -> set[str]:
        """The properties that a result's row tells."""
        return {one.name for one in self._fields.values()}

    def read(self, shown: Mapping[str, Any]) -> Properties:
        """Return the properties that values tell by their keys, in engine values."""
        read: Properties = {
            one.name: shown[key] if one.read is None else one.read(shown[key])
            for key, one in self._fields.items()
            if key in shown
        }
        return read | {BEFORE_FEES: 1} if self._priced is not None else read


@dataclass(frozen=True)
class OfferView:
    """An offer with the tables that it stands in, from which its tools are made.

    `people` is the column and argument with the number of people of a stay, where that is asked.
    """

    offer: Offer
    kind: Kind
    people: str | None = None

    @property
    def entity(self) -> Offer | Provider:
        """What is booked: what the offer is part of, or itself."""
        return self.offer.provider or self.offer

    @property
    def noun(self) -> str:
        """What an offer is called."""
        return spoken(self.offer.name)

    @property
    def entity_noun(self) -> str:
        """What is booked is called."""
        return spoken(self.entity.name)

    @property
    def is_part(self) -> bool:
        """Whether a provider has several of them."""
        return self.offer.provider is not None

    @cached_property
    def columns(self) -> Mapping[str, str]:
        """The column of each field, in whichever table."""
        tables = (self.kind.entity, self.kind.offer)
        return {name: column for table in tables for name, column in self.columns_of(table).items()}

    def columns_of(self, table: Table) -> dict[str, str]:
        """Return the columns of the fields that stand in a table, in the order of the fields."""
        held = {self.kind.renamed.get(column, column): column for column in table.columns}
        return {name: held[name] for name in self.offer.fields if name in held}

    def table_of(self, name: str) -> Table:
        """Return the table in which a field stands."""
        in_entity = name in self.columns_of(self.kind.entity)
        return self.kind.entity if in_entity else self.kind.offer

    def is_minute(self, name: str) -> bool:
        """Tell whether a field is a time of the day."""
        return nature(self.offer, name) is Nature.MINUTE

    def is_day(self, name: str) -> bool:
        """Tell whether a field is a day."""
        return nature(self.offer, name) is Nature.DAY

    @cached_property
    def price(self) -> str | None:
        """The field with the price of a unit, if it costs anything."""
        return field_of(self.offer, Price)

    @property
    def price_key(self) -> str:
        """How results call the price of a unit."""
        declared = self.offer.fields.get(self.price or "")
        shown = declared.shown if declared else None
        return shown or f"price_per_{self.offer.unit.replace(' ', '_')}"

    @property
    def may_leave_fees_out(self) -> bool:
        """Whether lists can leave fees out: a tool prices it, and no search goes by its price."""
        return self.offer.tools.price is not None and self.price not in (None, *self.filters())

    def filters(self) -> tuple[str, ...]:
        """Return the fields by which a search may be narrowed down, beside those it needs.

        What is held by the day is asked for by its days, not by when it opens.
        """
        if self.offer.tools.filters is not None:
            return tuple(self.offer.tools.filters)
        asked = (Choice, Several) if isinstance(self.offer.holds, Stay) else (Choice, Several, Day)
        return tuple(
            name
            for name, field in self.offer.fields.items()
            if name not in self.offer.tools.needs and isinstance(field, asked)
        )

    def require_entity(self, call: ToolCall, key: str, search: str) -> Row:
        """Return the row of an entity.

        Raises:
            ToolCallError: there is none of that id; the search finds one.
        """
        hint = f"find {spoken(self.kind.entity.name)} with {search}"
        return call.require(self.kind.entity.name, key, self.entity_noun, hint)

    def order(self, table: Table) -> Callable[[Row], Any]:
        """Return by what rows are ordered: time, then id; what is held by the day by id alone."""
        columns = {} if isinstance(self.offer.holds, Stay) else self.columns_of(table)
        days = [column for name, column in columns.items() if self.is_day(name)]
        minutes = [column for name, column in columns.items() if self.is_minute(name)]
        by = (*days, *minutes, table.key)
        return itemgetter(*by)

    @cached_property
    def found(self) -> RowView:
        """An entity as searches show it."""
        return self._view(self.kind.entity)

    @cached_property
    def found_before_fees(self) -> RowView:
        """An entity as searches show it where they leave fees out."""
        return self._view(self.kind.entity, leaves_fees=True)

    @cached_property
    def part_before_fees(self) -> RowView:
        """An offer as looking at its provider shows it where that leaves fees out."""
        return self._view(self.kind.offer, leaves_fees=True)

    @cached_property
    def whole(self) -> RowView:
        """An entity as bookings of it show it: with all there is of it, but how many are left."""
        return self._view(self.kind.entity, skipped=self._stocks)

    @cached_property
    def held(self) -> RowView:
        """An offer as bookings that hold it show it."""
        return self._view(self.kind.offer, skipped=self._stocks)

    @property
    def _stocks(self) -> tuple[str, ...]:
        fields = self.offer.fields.items()
        return tuple(name for name, one in fields if isinstance(one, Stock))

    @cached_property
    def part(self) -> RowView:
        """An offer as looking at its provider shows it."""
        return self._view(self.kind.offer)

    def _view(
        self, table: Table, skipped: Sequence[str] = (), *, leaves_fees: bool = False
    ) -> RowView:
        shown = self.shown(table, skipped)
        columns = self.columns_of(table)
        has_price = self.price is not None and self.price in columns
        if not (leaves_fees and has_price and self.may_leave_fees_out):
            return RowView(shown, has_price=has_price)
        key, price = f"{self.price_key}_{BEFORE_FEES}", str(self.price)
        shown = [one._replace(key=key) if one.name == price else one for one in shown]
        return RowView(shown, has_price=True, priced=(table.key, columns[price]))

    def shown(self, table: Table, skipped: Sequence[str] = ()) -> list[ShownField]:
        """Return what of a table's rows results show: its id and name first, then its fields."""
        named = [NAME] if NAME in table.columns and NAME not in self.offer.fields else []
        fields = [ShownField(key, key, key) for key in (table.key, *named)]
        return [*fields, *self._fields(table, skipped)]

    def _fields(self, table: Table, skipped: Sequence[str]) -> Iterator[ShownField]:
        columns, shows = self.columns_of(table), self.offer.tools.shows
        for name in columns if shows is None else [one for one in shows if one in columns]:
            if name not in skipped:
                yield self._field(name, columns[name])

    def _field(self, name: str, column: str) -> ShownField:
        declared = self.offer.fields[name]
        key = declared.shown or name
        if isinstance(declared, Stock) and isinstance(self.offer.holds, Each | Count):
            key = declared.shown or f"{self.offer.holds.argument}_left"
        if isinstance(declared, Price):
            return ShownField(self.price_key, name, column, format_cents, parse_cents)
        if self.is_minute(name):
            return ShownField(key, name, column, clock_time, _minute)
        return ShownField(key, name, column, None, day_number if self.is_day(name) else None)


def _minute(time: str) -> int:
    hours, _, minutes = time.partition(":")
    return int(hours) * 60 + int(minutes)
