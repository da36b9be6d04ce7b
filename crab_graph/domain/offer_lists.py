"""Lists of offers in results: columns said once, then a row each, and back to properties.

What offers are parts of comes once: the last value of its row is the list of their rows. What was
asked for is said above the list, and in no row.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crab_graph.dates import day_number
from crab_graph.domain.declaration import Stay
from crab_graph.domain.fields import Choice, Day
from crab_graph.domain.kind import Properties
from crab_graph.domain.showing import BEFORE_FEES, OfferView, RowView
from crab_graph.money import CURRENCY
from crab_graph.tools.registry import Result
from crab_graph.tools.tables import Row

_COLUMNS, _ROWS = "columns", "rows"


def as_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], **more: Any) -> Result:
    """Return a list as results show it; `more` stands before its rows."""
    return {_COLUMNS: columns, **more, _ROWS: rows}


def read_table(listed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a list in a result, with their values by column."""
    return [dict(zip(listed[_COLUMNS], row, strict=True)) for row in listed[_ROWS]]


@dataclass(frozen=True)
class OfferList:
    """Lists of what one kind of booking is made of."""

    view: OfferView

    @property
    def part_columns(self) -> str:
        """Key of the columns of the rows within a row."""
        return f"{self.view.offer.name}_columns"

    def show(
        self,
        entities: Sequence[Row],
        known: Collection[str] = (),
        parts: Mapping[str, Sequence[Row]] | None = None,
        *,
        fees: int = 0,
    ) -> Result:
        """Return entities as a result lists them, with their offers, by entity, where given.

        What is known of all of them has no column; prices leave `fees` out, if any.
        """
        view, key = self.view, self.view.kind.entity.key
        found, part = self._views(leaves_fees=fees > 0)
        columns, rows = found.columns(known), found.cells(entities, known, fees)
        more = {}
        if parts is not None:
            columns.append(view.kind.offer.name)
            more[self.part_columns] = part.columns(known)
            for cells, entity in zip(rows, entities, strict=True):
                cells.append(part.cells(parts[entity[key]], known, fees))
        has_price = found.has_price or (parts is not None and part.has_price)
        listed = {view.kind.entity.name: as_table(columns, rows, **more)}
        return {**listed, **_currency(has_price)}

    def show_parts(self, offers: Sequence[Row], *, fees: int = 0) -> Result:
        """Return the offers of one entity as a result lists them; prices leave `fees` out."""
        _, part = self._views(leaves_fees=fees > 0)
        listed = {
            self.view.kind.offer.name: as_table(part.columns(), part.cells(offers, fees=fees))
        }
        return {**listed, **_currency(part.has_price)}

    def read(self, result: Mapping[str, Any]) -> list[Properties]:
        """Return the offers that a result of a search lists, with what was asked for."""
        view, offers = self.view, self.view.kind.offer.name
        listed, shared = result.get(view.kind.entity.name), self._asked(result)
        if listed is None:
            return []
        columns = (*listed[_COLUMNS], *listed.get(self.part_columns, ()))
        leaves_fees = any(str(one).endswith(BEFORE_FEES) for one in columns)
        whole, part = self._views(leaves_fees=leaves_fees)
        found = []
        for row in read_table(listed):
            entity = shared | whole.read(row)
            if view.is_part and offers in row:
                parts = read_table(as_table(listed[self.part_columns], row[offers]))
                found += [entity | part.read(one) for one in parts]
            else:
                found.append(entity)
        return found

    def _views(self, *, leaves_fees: bool) -> tuple[RowView, RowView]:
        """Return how entities and offers are shown."""
        view = self.view
        if leaves_fees:
            return view.found_before_fees, view.part_before_fees
        return view.found, view.part

    def _asked(self, result: Mapping[str, Any]) -> Properties:
        """Return the properties that all offers of a result have, since they were asked for."""
        held, fields = self.view.offer.holds, self.view.offer.fields
        equal = {name for name, field in fields.items() if isinstance(field, Choice | Day)}
        days = {name for name in fields if self.view.is_day(name)}
        if isinstance(held, Stay):
            days |= {held.first, held.last}
        return {
            name: day_number(value) if name in days else value
            for name, value in result.items()
            if name in equal | days
        }


def _currency(has_price: bool) -> Result:
    return {"currency": CURRENCY} if has_price else {}
