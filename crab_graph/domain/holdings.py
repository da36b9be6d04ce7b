"""How bookings hold offers: what their tools are given, and what is seen to before they book.

Each way of holding (`Each`, `Count`, `Single`, `Stay`) says which arguments name what is booked,
and turns them into an order, or refuses with what to do about it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import Field, create_model

from crab_graph.domain.declaration import Count, Each, Single
from crab_graph.domain.derived_arguments import Argument
from crab_graph.domain.english import spoken
from crab_graph.domain.fields import Capacity
from crab_graph.domain.kind import BookingTerms, held_by
from crab_graph.domain.layout import column_of, field_of
from crab_graph.domain.showing import OfferView
from crab_graph.errors import ToolCallError
from crab_graph.tools.arguments import IsoDate, Text, ToolArguments, shown
from crab_graph.tools.bookings import BookingStatus
from crab_graph.tools.registry import ErrorCode, Result, ToolCall
from crab_graph.tools.tables import Row
from crab_graph.tools.world_faults import sold_offers


class Order(NamedTuple):
    """What a booking is to hold, and what results tell of it; rows of offers come in its order."""

    entity_id: str
    items: list[Row]
    offers: list[Row]
    told: Result


class Orders(Protocol):
    """One way of holding offers of a kind."""

    @property
    def taken(self) -> str:
        """What a booking takes, in words."""

    def arguments(self, *, to_price: bool = False, to_change: bool = False) -> list[Argument]:
        """Return what names an order; what is to be changed names its entity itself."""

    def order(self, call: ToolCall, given: Mapping[str, Any], changed: Row | None = None) -> Order:
        """Return the order that is meant; a booking to be changed is no obstacle to itself.

        Raises:
            ToolCallError: it cannot be met.
        """

    def terms(self, terms: BookingTerms) -> dict[str, Any]:
        """Return the arguments for what is to be booked."""


@dataclass(frozen=True)
class Shop:
    """What ways of holding have in common: the offers, and how they are found."""

    view: OfferView
    search: str
    look: str

    @property
    def offer_id(self) -> Argument:
        """The argument that names an offer."""
        return Argument(self.view.kind.offer.key, str, f"{self.view.noun.capitalize()} id.")

    @property
    def entity_id(self) -> Argument:
        """The argument that names a provider."""
        noun = self.view.entity_noun.capitalize()
        return Argument(self.view.kind.entity.key, str, f"{noun} id.")

    @property
    def listed_by(self) -> str:
        """The tools that list offers."""
        return " or ".join(dict.fromkeys((self.search, self.look)))

    def named(self, given: Mapping[str, Any], changed: Row | None) -> str:
        """Return the id of the entity that a call is about."""
        key = self.view.kind.entity.key
        return str(given[key] if changed is None else changed["entity_id"])

    def require(self, call: ToolCall, key: str, entity_id: str | None) -> Row:
        """Return the row of an offer, once it is seen to be one of the entity.

        Raises:
            ToolCallError: it is not.
        """
        kind, noun = self.view.kind, self.view.noun
        row = call.tables.get(kind.offer.name, key)
        if row is not None and entity_id in (None, row[kind.entity.key]):
            if key in sold_offers(call.tables):
                text = f"{noun} {shown(key)} is not left any more; choose another {noun}"
                raise ToolCallError(ErrorCode.SOLD_OUT, text)
            return row
        text = f"there is no {noun} {shown(key)}"
        if entity_id is not None and self.view.is_part:
            text = f"{self.view.entity_noun} {shown(entity_id)} has no {noun} {shown(key)}"
        elif entity_id is not None:
            text = f"the booking is of {noun} {shown(entity_id)}, not {shown(key)}"
        raise ToolCallError(ErrorCode.UNKNOWN_ID, f"{text}; see {self.look}")

    def check_left(self, row: Row, units: int, noun: str, held: int) -> None:
        """See that so many units of an offer are left; some are held by a booking to be changed.

        Raises:
            ToolCallError: there are fewer, or one booking cannot hold so many.
        """
        kind, offer = self.view.kind, self.view.noun
        key = shown(row[kind.offer.key])
        other = f"choose another {offer}"
        if self.view.is_part and self.view.entity_noun != offer:
            other += f" or {self.view.entity_noun}"
        if kind.counter is not None and units > (left := row[kind.counter] + held):
            text = f"{offer} {key} has {left} {noun} left, not {shown(units)}; {other}"
            if isinstance(self.view.offer.holds, Single):
                text = f"{offer} {key} is not left any more; {other}"
            raise ToolCallError(ErrorCode.SOLD_OUT, text)
        if self._capacity is not None and units > (most := row[self._capacity]):
            text = f"{offer} {key} is for {most} {noun} at most, not {shown(units)}; {other}"
            raise ToolCallError(ErrorCode.WRONG_PARTY, text)

    @cached_property
    def _capacity(self) -> str | None:
        """The column that says how many units one booking can hold."""
        capacity = field_of(self.view.offer, Capacity)
        is_of_units = capacity is not None and self.view.kind.places is None
        return column_of(self.view.offer, str(capacity)) if is_of_units else None


@dataclass(frozen=True)
class PersonOrders:
    """A unit for each person: a list of offer id, name and birth date."""

    shop: Shop
    each: Each
    person: str

    @property
    def taken(self) -> str:
        """What a booking takes, in words."""
        return spoken(self.each.argument)

    def arguments(self, *, to_price: bool = False, to_change: bool = False) -> list[Argument]:
        """Return what names an order."""
        key = self.shop.view.kind.offer.key
        text = f"One entry for each {self.person}, all with one {key}."
        if to_change:
            text = f"All its {self.taken} from now on, one entry for each {self.person}, one {key}."
        model = self._priced if to_price else self._named
        entries = Argument(self.each.argument, list[model], text)  # type: ignore[valid-type]
        is_named = self.shop.view.is_part and not to_change
        return [self.shop.entity_id, entries] if is_named else [entries]

    @cached_property
    def _named(self) -> type[ToolArguments]:
        return self._entry({self.each.name: (Text, ...), self.each.birth_date: (IsoDate, ...)})

    @cached_property
    def _priced(self) -> type[ToolArguments]:
        # To price what is booked later, names may be given, and need not be.
        return self._entry(
            {self.each.name: (Text | None, None), self.each.birth_date: (IsoDate | None, None)}
        )

    def _entry(self, fields: dict[str, Any]) -> type[ToolArguments]:
        key = self.shop.view.kind.offer.key
        text = f"{key} from {self.shop.listed_by}, the same for all"
        offer = {key: (Annotated[str, Field(description=text)], ...)}
        model: type[ToolArguments] = create_model(
            f"{self.shop.view.offer.name}_entry", __base__=ToolArguments, **{**offer, **fields}
        )
        return model

    def order(self, call: ToolCall, given: Mapping[str, Any], changed: Row | None = None) -> Order:
        """Return the order that is meant."""
        view, entries = self.shop.view, [one.model_dump() for one in given[self.each.argument]]
        key, entity = view.kind.offer.key, None
        if view.is_part:
            entity = self.shop.named(given, changed)
            view.require_entity(call, entity, self.shop.search)
        elif changed is not None:
            entity = changed["entity_id"]
        keys = [entry[key] for entry in entries]
        if not keys:
            text = f"no {self.taken} given; give one entry for each {self.person}"
            raise ToolCallError(ErrorCode.WRONG_PARTY, text)
        if len(set(keys)) > 1:
            text = f"the {self.taken} of one booking must all have the same {key}"
            raise ToolCallError(ErrorCode.MIXED_OFFERS, f"{text}; book one {view.noun} for all")
        row = self.shop.require(call, keys[0], entity)
        held = _held(call, view, changed)[keys[0]]
        self.shop.check_left(row, len(keys), self.taken, held)
        ids = {name: row[name] for name in dict.fromkeys((view.kind.entity.key, key))}
        told = {**ids, self.each.argument: len(keys)}
        return Order(row[view.kind.entity.key], entries, [row], told)

    def terms(self, terms: BookingTerms) -> dict[str, Any]:
        """Return the arguments for what is to be booked."""
        view, names = self.shop.view, (self.each.name, self.each.birth_date)
        offer = {view.kind.offer.key: terms.offer_id}
        # Who is only priced has no name.
        entries = [offer | dict(zip(names, one, strict=False)) for one in terms.people]
        entity = {view.kind.entity.key: terms.entity_id} if view.is_part else {}
        return {**entity, self.each.argument: entries}


@dataclass(frozen=True)
class UnitOrders:
    """A number of units of one offer, or one offer once."""

    shop: Shop
    count: Count | None
    person: str | None = None

    @property
    def taken(self) -> str:
        """What a booking takes, in words."""
        return self.shop.view.noun if self.count is None else spoken(self.count.argument)

    def arguments(self, *, to_price: bool = False, to_change: bool = False) -> list[Argument]:
        """Return what names an order."""
        del to_price
        found = [self.shop.offer_id]
        if to_change:
            text = f"What it holds from now on, of the same {self.shop.view.entity_noun}."
            found = [self.shop.offer_id._replace(text=text)] if self.shop.view.is_part else []
        if self.count is not None:
            now = " from now on" if to_change else ""
            each = f", one for each {self.person}" if self.person else ""
            found.append(Argument(self.count.argument, int, f"How many {self.taken}{now}{each}."))
        return found

    def order(self, call: ToolCall, given: Mapping[str, Any], changed: Row | None = None) -> Order:
        """Return the order that is meant."""
        view, key = self.shop.view, self.shop.view.kind.offer.key
        entity = None if changed is None else changed["entity_id"]
        row = self.shop.require(call, given.get(key, entity), entity)
        units = 1 if self.count is None else given[self.count.argument]
        if units < 1:
            text = f"argument '{self.taken}' must be at least 1"
            raise ToolCallError(ErrorCode.WRONG_PARTY, text)
        held = _held(call, view, changed)[row[key]]
        self.shop.check_left(row, units, self.taken, held)
        if row[key] in taken_once(call, view, changed):
            text = f"{view.noun} {shown(row[key])} is booked already; choose another {view.noun}"
            raise ToolCallError(ErrorCode.SOLD_OUT, text)
        item = {key: row[key]}
        if self.count is not None:
            item[self.count.argument] = units
        ids = {name: row[name] for name in dict.fromkeys((view.kind.entity.key, key))}
        return Order(row[view.kind.entity.key], [item], [row], ids | item)

    def terms(self, terms: BookingTerms) -> dict[str, Any]:
        """Return the arguments for what is to be booked."""
        key = self.shop.view.kind.offer.key
        units = {} if self.count is None else {self.count.argument: terms.units}
        return {key: terms.offer_id, **units}


def taken_once(call: ToolCall, view: OfferView, changed: Row | None = None) -> set[str]:
    """Return the offers that can be booked once, and are, in the episode."""
    kind = view.kind
    if kind.counter is not None or not isinstance(view.offer.holds, Single):
        return set()
    own = None if changed is None else changed["booking_id"]
    return {
        item[kind.offer.key]
        for row in call.tables.inserted("bookings")
        if row["kind"] == kind.name
        and row["status"] != BookingStatus.CANCELLED
        and row["booking_id"] != own
        for item in call.tables.find(kind.items, "booking_id", row["booking_id"])
    }


def _held(call: ToolCall, view: OfferView, changed: Row | None) -> Counter[str]:
    """Return how many units of each offer a booking that is to be changed holds."""
    return Counter() if changed is None else held_by(call.tables, view.kind, changed["booking_id"])
