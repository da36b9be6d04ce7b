"""Tools that find offers, derived: a search, and a look at what a provider has left (design §7).

A search lists providers with their offers; what is held by the day once the days are given.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from crab_graph.domain.clock_words import clock_words
from crab_graph.domain.declaration import Stay
from crab_graph.domain.derived_arguments import Argument, derived_tool
from crab_graph.domain.english import joined, spoken
from crab_graph.domain.holdings import taken_once
from crab_graph.domain.kind import SearchStep
from crab_graph.domain.narrowing import Narrowing
from crab_graph.domain.offer_lists import OfferList
from crab_graph.domain.showing import OfferView
from crab_graph.domain.stays import Calendar, Days
from crab_graph.errors import ToolCallError
from crab_graph.tools.registry import ErrorCode, Result, Tool, ToolCall, ToolType
from crab_graph.tools.tables import Row
from crab_graph.tools.world_faults import sold_offers


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
            self._search_arguments(),
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

    def step(self) -> SearchStep:
        """Return how an agent finds offers."""
        stay = None if self.calendar is None else self.calendar.stay
        needed = (*self.view.offer.tools.needs, *((stay.first, stay.last) if stay else ()))
        arguments = {one.name: self._narrowed(one.name) for one in self._search_arguments()}
        return SearchStep(self.search_name, arguments, needed, self._list.read)

    @property
    def told(self) -> set[str]:
        """The properties of an offer that an agent can learn: shown, or known as asked for."""
        asked = {*self.view.offer.tools.needs, *self.view.filters()}
        return asked | self.view.found.told | (self.view.part.told if self.view.is_part else set())

    def search(self, call: ToolCall, **given: Any) -> Result:
        """List the entities that fit what is given, with their offers."""
        view, kind = self.view, self.view.kind
        asked = self._narrowing.read(call, given)
        days, people = self._days(given), given.get(view.people or "")
        told, known = {**asked.told, **self._told(days, people)}, asked.known
        if days is not None and self.calendar is not None:
            # What is listed is open on all of them.
            known = {*known, self.calendar.stay.opens, self.calendar.stay.closes}
        found: Sequence[Row] = asked.select(call.tables, kind.entity)
        parts: dict[str, list[Row]] | None = None
        if view.is_part:
            keys = [entity[kind.entity.key] for entity in found]
            named = [call.tables.find(kind.offer.name, kind.entity.key, key) for key in keys]
            offers = asked.among(kind.offer, list(chain.from_iterable(named)))
            parts = self._by_entity(self._left(call, offers, days, people))
            found = [entity for entity in found if entity[kind.entity.key] in parts]
            if self.calendar is not None and days is None:
                parts = None
        else:
            found = self._left(call, found, days, people)
        ordered = sorted(found, key=self._search_order)
        return {**told, **self._list.show(ordered, known, parts, fees=call.world.fees)}

    def look(self, call: ToolCall, **given: Any) -> Result:
        """List what is left of an entity."""
        kind, key = self.view.kind, self.view.kind.entity.key
        self.view.require_entity(call, given[key], self.search_name)
        days, people = self._days(given), given.get(self.view.people or "")
        rows = call.tables.find(kind.offer.name, key, given[key])
        left = sorted(self._left(call, rows, days, people), key=self._look_order)
        told = {key: given[key], **self._told(days, people)}
        return {**told, **self._list.show_parts(left, fees=call.world.fees)}

    @cached_property
    def _list(self) -> OfferList:
        return OfferList(self.view)

    @cached_property
    def _narrowing(self) -> Narrowing:
        return Narrowing(self.view)

    def _search_arguments(self) -> list[Argument]:
        found = [*self._narrowing.needed(), *self._narrowing.optional()]
        if self.calendar is not None:
            found += [*self.calendar.arguments(is_needed=False), *self.calendar.filters()]
        return found

    def _look_arguments(self) -> list[Argument]:
        key = Argument(self.view.kind.entity.key, str, f"{self.view.entity_noun.capitalize()} id.")
        if self.calendar is None:
            return [key]
        return [key, *self.calendar.arguments(is_needed=True), *self.calendar.filters()]

    def _narrowed(self, argument: str) -> str:
        if self.calendar is not None and argument == self.view.people:
            return self.view.kind.places or argument
        return self._narrowing.bound(argument)

    @cached_property
    def _search_order(self) -> Callable[[Row], Any]:
        return self.view.order(self.view.kind.entity)

    @cached_property
    def _look_order(self) -> Callable[[Row], Any]:
        return self.view.order(self.view.kind.offer)

    def _days(self, given: dict[str, Any]) -> Days | None:
        """Return the days given, where offers are held by the day.

        Raises:
            ToolCallError: one of them is missing.
        """
        if self.calendar is None:
            return None
        stay = self.calendar.stay
        first, last = given[stay.first], given[stay.last]
        if (first is None) != (last is None):
            text = f"give {stay.first} and {stay.last}, or neither of them"
            raise ToolCallError(ErrorCode.WRONG_DATES, text)
        return None if first is None else Days(first, last)

    def _by_entity(self, offers: Sequence[Row]) -> dict[str, list[Row]]:
        """Return offers by what they are parts of, in order."""
        found: dict[str, list[Row]] = {}
        for row in sorted(offers, key=self._look_order):
            found.setdefault(row[self.view.kind.entity.key], []).append(row)
        return found

    def _told(self, days: Days | None, people: int | None) -> Result:
        """Return what results tell of the days and the people asked for.

        Raises:
            ToolCallError: they are not possible.
        """
        told: Result = {}
        if self.calendar is not None and days is not None:
            stay, units = self.calendar.stay, self.calendar.units
            told = {stay.first: days.first, stay.last: days.last, units: self.calendar.count(days)}
        if self.calendar is not None and people is not None:
            self.calendar.check_people(people)
            told[str(self.view.people)] = people
        return told

    def _left(
        self, call: ToolCall, rows: Sequence[Row], days: Days | None, people: int | None
    ) -> Sequence[Row]:
        """Return the offers of which something is left, on all days and for the people given."""
        counter, key = self.view.kind.counter, self.view.kind.offer.key
        if sold := sold_offers(call.tables):
            rows = [row for row in rows if row[key] not in sold]
        if self.calendar is not None:
            has_asked = days is not None or people is not None
            return self.calendar.free(call.tables, rows, days, people) if has_asked else rows
        if counter is not None:
            return [row for row in rows if row[counter] > 0]
        taken = taken_once(call, self.view)
        return [row for row in rows if row[key] not in taken]

    @property
    def _search_text(self) -> str:
        view, kind = self.view, self.view.kind
        needs = joined([spoken(name) for name in view.offer.tools.needs])
        text = f"List {spoken(kind.entity.name)}{f' by {needs}' if needs else ''}"
        offers, prices = spoken(kind.offer.name), " and their prices" if view.price else ""
        if view.is_part and self.calendar is None:
            text += f", each with the {offers} that are left{prices}."
        elif view.is_part and self.calendar is not None:
            stay, unit = self.calendar.stay, view.offer.unit
            text += (
                f". Given {stay.first} and {stay.last}, each with the {offers} that are free on"
                f" every {unit} between{prices}."
            )
        else:
            text += ", those that are left." if kind.counter else "."
        has_more = any(self._narrowing.optional())
        more = " What else is given keeps the list short." if has_more else ""
        return f"{text}{more}{self._hours}{self._columns}"

    @property
    def _hours(self) -> str:
        """What words for times of the day mean, where no argument says it."""
        asked = (*self.view.offer.tools.needs, *self.view.filters())
        return "".join(
            f" {one.field} goes by {one.shown}: {one.text}."
            for one in clock_words(self.view.offer)
            if one.field not in asked
        )

    @property
    def _columns(self) -> str:
        """How a list is read."""
        text = " `columns` names the values of each row"
        if not self.view.is_part:
            return f"{text}."
        columns, offers = self._list.part_columns, spoken(self.view.kind.offer.name)
        return f"{text}, `{columns}` those of each row of {offers} in it."

    @property
    def _look_text(self) -> str:
        view = self.view
        listed = f"List a {view.entity_noun}'s {spoken(view.kind.offer.name)}"
        if self.calendar is not None:
            stay = self.calendar.stay
            unit = view.offer.unit
            return f"{listed} that are free on every {unit} from {stay.first} to {stay.last}."
        return f"{listed} that are left{', with prices' if view.price else ''}."
