"""Orders of offers by the day: what is free on all days, and large enough for all people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crab_graph.domain.derived_arguments import Argument
from crab_graph.domain.english import spoken
from crab_graph.domain.holdings import Order, Shop
from crab_graph.domain.kind import BookingTerms
from crab_graph.domain.stays import Calendar, Days
from crab_graph.errors import ToolCallError
from crab_graph.text.articles import with_article
from crab_graph.tools.arguments import shown
from crab_graph.tools.registry import ErrorCode, ToolCall
from crab_graph.tools.tables import Row


@dataclass(frozen=True)
class StayOrders:
    """Offers by the day: several of one provider, or one that is sold as it stands."""

    shop: Shop
    calendar: Calendar

    @property
    def _ids(self) -> str:
        return f"{self.shop.view.kind.offer.key}s"

    @property
    def taken(self) -> str:
        """What a booking takes, in words."""
        return spoken(self.shop.view.kind.offer.name)

    def arguments(self, *, to_price: bool = False, to_change: bool = False) -> list[Argument]:
        """Return what names an order."""
        view = self.shop.view
        found = []
        if view.is_part:
            text = f"{self.taken.capitalize()} from {self.shop.listed_by}."
            if to_change:
                text = f"All its {self.taken} from now on, of the same {view.entity_noun}."
            found = [] if to_change else [self.shop.entity_id]
            found.append(Argument(self._ids, list[str], text))
        elif not to_change:
            found = [self.shop.offer_id]
        found += self.calendar.arguments(is_needed=True)
        if view.people is not None and not to_price:
            together = f", in all {self.taken} together" if view.is_part else ""
            found.append(Argument(view.people, int, f"How many people it is for{together}."))
        return found

    def order(self, call: ToolCall, given: Mapping[str, Any], changed: Row | None = None) -> Order:
        """Return the order that is meant."""
        view, calendar = self.shop.view, self.calendar
        kind, first, last = view.kind, calendar.stay.first, calendar.stay.last
        days = Days(given[first], given[last])
        units = calendar.count(days)
        entity = self.shop.named(given, changed)
        rows = self._rows(call, given, entity, days, changed)
        people = given.get(view.people) if view.people else None
        if people is not None:
            self._check_places(rows, people)
        held: Row = {first: days.first, last: days.last}
        if view.people is not None:
            held[view.people] = people
        items = [{kind.offer.key: row[kind.offer.key], **held} for row in rows]
        keys = [row[kind.offer.key] for row in rows]
        ids = {self._ids: keys} if view.is_part else {}
        told = {kind.entity.key: entity, **ids, **held, calendar.units: units}
        return Order(entity, items, rows, told)

    def _rows(
        self,
        call: ToolCall,
        given: Mapping[str, Any],
        entity: str,
        days: Days,
        changed: Row | None,
    ) -> list[Row]:
        view = self.shop.view
        view.require_entity(call, entity, self.shop.search)
        keys: Sequence[str] = given[self._ids] if view.is_part else [entity]
        if not keys:
            text = f"no {self.taken} given; give {self._ids} from {self.shop.look}"
            raise ToolCallError(ErrorCode.WRONG_PARTY, text)
        if len(set(keys)) < len(keys):
            noun = view.noun
            text = f"argument '{self._ids}' names {with_article(noun)} twice; name each {noun} once"
            raise ToolCallError(ErrorCode.INVALID_ARGUMENTS, text)
        booking_id = None if changed is None else changed["booking_id"]
        held = self.calendar.held(call.tables, days, booking_id)
        rows = []
        for key in keys:
            row = self.shop.require(call, key, entity)
            self.calendar.require(row, days, held)
            rows.append(row)
        return rows

    def _check_places(self, rows: Sequence[Row], people: int) -> None:
        self.calendar.check_people(people)
        column = self.shop.view.kind.places
        if column is None:
            return
        places = sum(row[column] for row in rows)
        if people > places:
            text = f"these {self.taken} hold {places} people, not {shown(people)}"
            raise ToolCallError(ErrorCode.WRONG_PARTY, f"{text}; choose larger {self.taken}")

    def terms(self, terms: BookingTerms) -> dict[str, Any]:
        """Return the arguments for what is to be booked."""
        view, stay = self.shop.view, self.calendar.stay
        if terms.days is None:
            raise ValueError(f"a booking of kind '{view.kind.name}' has a first and a last day")
        named: dict[str, Any] = {view.kind.entity.key: terms.entity_id}
        if view.is_part:
            named[self._ids] = [terms.offer_id]
        named |= {stay.first: terms.days[0], stay.last: terms.days[1]}
        return named | ({} if view.people is None else {view.people: terms.party})
