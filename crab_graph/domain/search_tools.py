"""Tools that find offers, derived: a search, and a look at what a provider has left (design §7)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from crab_graph.domain.declaration import Stay
from crab_graph.domain.derived_arguments import (
    Argument,
    Values,
    derived_tool,
    is_listed,
    type_of_choice,
)
from crab_graph.domain.english import joined, spoken
from crab_graph.domain.fields import Choice, Price, Several
from crab_graph.domain.holdings import taken_once
from crab_graph.domain.kind import SearchStep
from crab_graph.domain.showing import OfferView, RowView
from crab_graph.domain.stays import Calendar, Days
from crab_graph.errors import ToolCallError
from crab_graph.generation.constraints import Value
from crab_graph.money import CURRENCY
from crab_graph.tools.arguments import Amount, IsoDate
from crab_graph.tools.registry import ErrorCode, Result, Tool, ToolCall, ToolType
from crab_graph.tools.tables import Row

_Test = Callable[[Row], bool]


@dataclass(frozen=True)
class Finder:
    """Finds offers of one kind, for agents that call tools."""

    view: OfferView

    @cached_property
    def calendar(self) -> Calendar | None:
        """When offers can be had, where they are held by the day."""
        holds = self.view.offer.holds
        return Calendar(self.view, holds) if isinstance(holds, Stay) else None

    @property
    def search_name(self) -> str:
        """The tool that lists entities."""
        return self.view.offer.tools.search or f"search_{self.view.kind.entity.name}"

    @property
    def look_name(self) -> str:
        """The tool that lists what is left of an entity; the search where it is its own offer."""
        if not self.view.is_part:
            return self.search_name
        return self.view.offer.tools.look or f"search_{self.view.kind.offer.name}"

    def tools(self) -> Iterator[Tool]:
        """Yield the tools."""
        yield derived_tool(
            self.view.offer,
            self.search_name,
            ToolType.R,
            self._search_text,
            [*self._needed(), *self._optional()],
            self.search,
        )
        if self.view.is_part:
            yield derived_tool(
                self.view.offer,
                self.look_name,
                ToolType.R,
                self._look_text,
                self._look_arguments(),
                self.look,
            )

    def steps(self) -> tuple[SearchStep, ...]:
        """Return how an agent finds an offer."""
        kind, needs = self.view.kind, tuple(self.view.offer.tools.needs)
        narrowed = {
            one.name: self._narrowed(one.name) for one in (*self._needed(), *self._optional())
        }
        search = SearchStep(
            self.search_name, kind.entity.name, narrowed, needs, self.view.found.read
        )
        if not self.view.is_part:
            return (search,)
        arguments = self._look_arguments()
        look = SearchStep(
            self.look_name,
            kind.offer.name,
            {one.name: self._narrowed(one.name) for one in arguments},
            tuple(one.name for one in arguments if one.is_needed),
            self.view.part.read,
        )
        return (search, look)

    @property
    def told(self) -> set[str]:
        """The properties of an offer that an agent can learn: shown, or known as asked for."""
        asked = {*self.view.offer.tools.needs, *self.view.filters()}
        return asked | self.view.found.told | (self.view.part.told if self.view.is_part else set())

    def search(self, call: ToolCall, **given: Any) -> Result:
        """List the entities that fit what is given."""
        calendar, view = self.calendar, self.view
        tests, equal, told = self._wanted(call, given)
        rows = self._rows(call, equal)
        found = [row for row in rows if all(test(row) for test in tests)] if tests else rows
        if calendar is None:
            found = found if view.is_part else self._left(call, found)
        else:
            found = self._free(call, calendar, found, given)
        ordered = sorted(found, key=self._search_order)
        return {**told, **_listed(view.kind.entity.name, view.found, ordered)}

    def look(self, call: ToolCall, **given: Any) -> Result:
        """List what is left of an entity."""
        kind, told = self.view.kind, {self.view.kind.entity.key: given[self.view.kind.entity.key]}
        self.view.require_entity(call, given[kind.entity.key], self.search_name)
        rows: Sequence[Row] = call.tables.find(kind.offer.name, *next(iter(told.items())))
        if self.calendar is not None:
            stay = self.calendar.stay
            days = Days(given[stay.first], given[stay.last])
            told = {**told, self.calendar.units: self.calendar.count(days)}
            people = given[self.view.people] if self.view.people else None
            rows = self.calendar.free(call.tables, rows, days, people)
        else:
            rows = self._left(call, rows)
        ordered = sorted(rows, key=self._look_order)
        return {**told, **_listed(kind.offer.name, self.view.part, ordered)}

    def _needed(self) -> Iterator[Argument]:
        for name in self.view.offer.tools.needs:
            text = spoken(name).capitalize()
            declared = self.view.offer.fields[name]
            if isinstance(declared, Choice) and declared.codes:
                text += ", by name or code"
            yield self._argument(name, text, is_needed=True)

    def _optional(self) -> Iterator[Argument]:
        for name in self.view.filters():
            is_set = isinstance(self.view.offer.fields[name], Several)
            text = f"Only {'with this among its' if is_set else 'this'} {spoken(name)}"
            yield self._argument(name, text, is_needed=False)
        if self.calendar is not None:
            yield from self.calendar.arguments(is_needed=False)
            yield from self.calendar.filters()

    def _argument(self, name: str, text: str, *, is_needed: bool) -> Argument:
        declared = self.view.offer.fields[name]
        if isinstance(declared, Choice | Several):
            return Argument(name, type_of_choice(declared), f"{text}.", is_needed)
        if isinstance(declared, Price):
            text = f"Only what costs at most this per {self.view.offer.unit}."
            return Argument(f"max_{name}", Amount, text, is_needed=False)
        return Argument(name, IsoDate, f"{text}, YYYY-MM-DD.", is_needed)

    def _look_arguments(self) -> list[Argument]:
        key = Argument(self.view.kind.entity.key, str, f"{self.view.entity_noun.capitalize()} id.")
        if self.calendar is None:
            return [key]
        return [key, *self.calendar.arguments(is_needed=True), *self.calendar.filters()]

    def _narrowed(self, argument: str) -> str:
        if self.calendar is not None and argument == self.view.people:
            return self.view.kind.places or argument
        is_bound = argument not in self.view.offer.fields and argument == f"max_{self.view.price}"
        return str(self.view.price) if is_bound else argument

    def _wanted(
        self, call: ToolCall, given: dict[str, Any]
    ) -> tuple[list[_Test], dict[str, Any], Result]:
        """Return tests of rows, the columns that must have a value, and what is told of it."""
        tests: list[_Test] = []
        equal: dict[str, Any] = {}
        told: Result = {}
        view = self.view
        for name in (*view.offer.tools.needs, *view.filters()):
            declared, column = view.offer.fields[name], view.columns[name]
            is_price = isinstance(declared, Price)
            value = given[f"max_{name}" if is_price else name]
            if value is None:
                continue
            if isinstance(declared, Choice | Several):
                value = self._read(call, name, declared, value)
                told |= {name: value} if name in view.offer.tools.needs else {}
            if is_price:
                tests.append(partial(_is_at_most, column, value))
            elif isinstance(declared, Several):
                tests.append(partial(_holds, column, value))
            else:
                equal[column] = value
        return tests, equal, told

    def _read(self, call: ToolCall, name: str, declared: Choice | Several, value: Value) -> Value:
        if is_listed(declared) or not isinstance(value, str):
            return value
        reader, column = self._readers[name], self.view.columns[name]
        return reader.read(
            value,
            lambda: sorted({row[column] for row in call.tables.rows(self.view.kind.entity.name)}),
        )

    @cached_property
    def _search_order(self) -> Callable[[Row], Any]:
        return self.view.order(self.view.kind.entity)

    @cached_property
    def _look_order(self) -> Callable[[Row], Any]:
        return self.view.order(self.view.kind.offer)

    @cached_property
    def _readers(self) -> dict[str, Values]:
        fields = self.view.offer.fields.items()
        return {
            name: Values(name, one) for name, one in fields if isinstance(one, Choice | Several)
        }

    def _rows(self, call: ToolCall, equal: dict[str, Any]) -> list[Row]:
        """Return the entities with all these values, by the narrowest index there is."""
        table, columns = self.view.kind.entity, self.view.kind.entity.columns
        if not equal:
            return list(call.tables.rows(table.name))
        days = [column for column in equal if columns[column] == "DATE"]
        first = next(iter((*days, *equal)))
        rows: Sequence[Row] = call.tables.find(table.name, first, equal[first])
        others = [(column, value) for column, value in equal.items() if column != first]
        for column, value in others:
            rows = [row for row in rows if row[column] == value]
        return list(rows)

    def _left(self, call: ToolCall, rows: Sequence[Row]) -> list[Row]:
        """Return the offers of which something is left."""
        counter, key = self.view.kind.counter, self.view.kind.offer.key
        if counter is not None:
            return [row for row in rows if row[counter] > 0]
        taken = taken_once(call, self.view)
        return [row for row in rows if row[key] not in taken]

    def _free(
        self, call: ToolCall, calendar: Calendar, rows: list[Row], given: dict[str, Any]
    ) -> list[Row]:
        """Return the entities that have an offer free on the days given, for the people given."""
        first, last = given[calendar.stay.first], given[calendar.stay.last]
        people = given[self.view.people] if self.view.people else None
        if (first is None) != (last is None):
            text = f"give {calendar.stay.first} and {calendar.stay.last}, or neither of them"
            raise ToolCallError(ErrorCode.WRONG_DATES, text)
        days = None if first is None else Days(first, last)
        if days is None and people is None:
            return rows
        kind = self.view.kind
        offers = call.tables.rows(kind.offer.name) if self.view.is_part else rows
        free = calendar.free(call.tables, offers, days, people)
        having = {row[kind.entity.key] for row in free}
        return [row for row in rows if row[kind.entity.key] in having]

    @property
    def _search_text(self) -> str:
        view, kind = self.view, self.view.kind
        needs = joined([spoken(name) for name in view.offer.tools.needs])
        by = f" by {needs}" if needs else ""
        listed = spoken(kind.entity.name)
        if view.is_part:
            prices = " and prices" if view.price else ""
            offers = spoken(kind.offer.name).capitalize()
            return f"List {listed}{by}. {offers}{prices}: {self.look_name}."
        left = ", those that are left" if kind.counter else ""
        more = " What else is given keeps the list short." if any(self._optional()) else ""
        return f"List {listed}{by}{left}.{more}"

    @property
    def _look_text(self) -> str:
        view = self.view
        listed = f"List a {view.entity_noun}'s {spoken(view.kind.offer.name)}"
        if self.calendar is not None:
            stay = self.calendar.stay
            unit = view.offer.unit
            return f"{listed} that are free on every {unit} from {stay.first} to {stay.last}."
        return f"{listed} that are left{', with prices' if view.price else ''}."


def _is_at_most(column: str, bound: int, row: Row) -> bool:
    return bool(row[column] <= bound)


def _holds(column: str, value: str, row: Row) -> bool:
    return value in row[column].split(", ")


def _listed(name: str, view: RowView, rows: Sequence[Row]) -> Result:
    currency = {"currency": CURRENCY} if view.has_price else {}
    return {name: [view.show(row) for row in rows], **currency}
