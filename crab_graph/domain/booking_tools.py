"""Tools that price, book, show, cancel and change bookings of one kind, derived (design §7)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crab_graph.domain.declaration import Stay, Tools
from crab_graph.domain.derived_arguments import Argument, derived_tool
from crab_graph.domain.english import spoken
from crab_graph.domain.holdings import Orders
from crab_graph.domain.kind import BookingTerms, KindTools, PriceStep, book, cancel, rebook
from crab_graph.domain.search_tools import Finder
from crab_graph.domain.showing import OfferView
from crab_graph.money import format_cents, parse_cents
from crab_graph.settings import Toolset
from crab_graph.text.articles import with_article
from crab_graph.tools.bookings import (
    priced,
    require_booking_of,
    require_changeable,
    require_customer,
)
from crab_graph.tools.registry import Result, Tool, ToolCall, ToolType
from crab_graph.tools.tables import Row, picked

_CUSTOMER = Argument("customer_id", str, "Customer id.")


@dataclass(frozen=True)
class KindDesk:
    """All tools of one kind of booking."""

    finder: Finder
    orders: Orders

    @property
    def view(self) -> OfferView:
        """What is sold."""
        return self.finder.view

    @property
    def _named(self) -> Tools:
        return self.view.offer.tools

    @property
    def kind_noun(self) -> str:
        """What a booking of it is called."""
        return spoken(self.view.kind.name)

    @property
    def book_name(self) -> str:
        """The tool that books."""
        return self._named.book or f"book_{self.view.kind.name}"

    @property
    def cancel_name(self) -> str | None:
        """The tool that cancels, in the toolsets that have it."""
        return self._or_default(self._named.cancel, f"cancel_{self.view.kind.name}_booking")

    @property
    def change_name(self) -> str | None:
        """The tool that changes a booking; none where there is nothing that could be otherwise."""
        if not self.orders.arguments(to_change=True):
            return None
        return self._or_default(self._named.change, f"change_{self.view.kind.name}_booking")

    @property
    def price_name(self) -> str | None:
        """The tool that prices what could be booked, where there is one."""
        return None if self.view.price is None else self._named.price

    @staticmethod
    def _or_default(name: str | None, default: str) -> str | None:
        return default if name == "" else name

    def can(self, what: str, toolset: Toolset) -> bool:
        """Tell whether bookings can be cancelled, or changed, with a toolset."""
        name = self.cancel_name if what == "cancel" else self.change_name
        return name is not None and (
            toolset is Toolset.EXTENDED or what not in self._named.extended
        )

    def can_mend_slips(self, toolset: Toolset) -> bool:
        """Tell whether a booking is for people by name, can be looked up, and be cancelled."""
        is_named, is_shown = self.view.kind.people is not None, self._named.details is not None
        return is_named and is_shown and self.can("cancel", toolset)

    def kind_tools(self) -> KindTools:
        """Return how agents find and book it."""
        tools = self.finder.step(), self.book_name, self.arguments, self.cancel_name
        price = None
        if self.view.may_leave_fees_out:
            price = PriceStep(str(self.price_name), self.price_arguments, self.read_price)
        return KindTools(*tools, self._named.details, price)

    def arguments(self, terms: BookingTerms) -> dict[str, Any]:
        """Return the arguments with which it is booked."""
        return {"customer_id": terms.customer_id, **self.orders.terms(terms)}

    def price_arguments(self, terms: BookingTerms) -> dict[str, Any]:
        """Return the arguments with which one unit of an offer is priced, for whomever."""
        taken = {argument.name for argument in self.orders.arguments(to_price=True)}
        given = self.orders.terms(terms._replace(people=((),), units=1))
        return {name: value for name, value in given.items() if name in taken}

    def read_price(self, result: Mapping[str, Any]) -> int:
        """Return the cents of one unit that pricing it tells."""
        held = result.get(self.view.kind.offer.name)
        told = held[0] if isinstance(held, list) else result
        return parse_cents(told[self.view.price_key])

    def tools(self, toolset: Toolset) -> Iterator[Tool]:
        """Yield the tools of a toolset."""
        yield from self.finder.tools()
        if self.price_name is not None:
            yield self._price_tool(self.price_name)
        yield self._book_tool(toolset)
        if self._named.details is not None:
            text = f"Show {with_article(self.kind_noun)} booking with all that it holds."
            yield self._of_booking(self._named.details, ToolType.R, text, self.details)
        if self.can("cancel", toolset):
            refunds = "" if self.view.price is None else ", and what was charged is refunded"
            text = f"Cancel {with_article(self.kind_noun)} booking: {self._released}{refunds}."
            yield self._of_booking(str(self.cancel_name), ToolType.W, text, self.cancel)
        if self.can("change", toolset):
            yield self._change_tool(str(self.change_name))

    def price(self, call: ToolCall, **given: Any) -> Result:
        """Price an order without booking it."""
        view, order = self.view, self.orders.order(call, given)
        told = dict(order.told)
        if isinstance(view.offer.holds, Stay) and view.is_part:
            key = view.kind.offer.key
            told.pop(f"{key}s")
            told[view.kind.offer.name] = [
                {key: row[key], view.price_key: _unit_price(row)} for row in order.offers
            ]
        else:
            told[view.price_key] = _unit_price(order.offers[0])
        told = {name: value for name, value in told.items() if value is not None}
        return {**told, **priced(view.kind.total(call.tables, order.items))}

    def book(self, call: ToolCall, **given: Any) -> Result:
        """Book an order."""
        require_customer(call, given["customer_id"])
        order = self.orders.order(call, given)
        customer_id = given["customer_id"]
        return book(call, self.view.kind, customer_id, order.entity_id, order.items, **order.told)

    def details(self, call: ToolCall, booking_id: str) -> Result:
        """Show a booking."""
        view, kind = self.view, self.view.kind
        booking = require_booking_of(call, booking_id, kind.name)
        entity = view.require_entity(call, booking["entity_id"], self.finder.search_name)
        items = [
            self._item(call, row) for row in call.tables.find(kind.items, "booking_id", booking_id)
        ]
        about = picked(booking, "booking_id", "customer_id", "status")
        shown = {**about, **view.whole.show(entity), **self._shown_items(items)}
        return shown if kind.is_free else shown | priced(booking["total_cents"])

    def cancel(self, call: ToolCall, booking_id: str) -> Result:
        """Cancel a booking."""
        return cancel(call, self.view.kind, booking_id)

    def change(self, call: ToolCall, booking_id: str, **given: Any) -> Result:
        """Let a booking hold something else."""
        kind = self.view.kind
        changed = require_changeable(call, booking_id, kind.name, is_free=kind.is_free)
        order = self.orders.order(call, given, changed)
        return rebook(call, kind, booking_id, order.items, **order.told)

    def _item(self, call: ToolCall, row: Row) -> Result:
        kind = self.view.kind
        offer = call.tables.get(kind.offer.name, row[kind.offer.key])
        own = {} if offer is None or not self.view.is_part else self.view.held.show(offer)
        skipped = {call.world.keys[kind.items], "booking_id", kind.offer.key}
        held = {name: value for name, value in row.items() if name not in skipped}
        return {**own, **held}

    def _shown_items(self, items: list[Result]) -> Result:
        """Return what is held: a list where there may be several, else one thing."""
        each = self.view.kind.people is not None
        if each:
            return {self.orders.taken.replace(" ", "_"): items}
        if self.view.is_part and isinstance(self.view.offer.holds, Stay):
            return {self.view.kind.offer.name: items}
        return items[0] if items else {}

    def _price_tool(self, name: str) -> Tool:
        text = f"Price {self.orders.taken}, without booking."
        arguments = self.orders.arguments(to_price=True)
        return self._tool(name, ToolType.R, text, arguments, self.price)

    def _book_tool(self, toolset: Toolset) -> Tool:
        what = self.orders.taken
        takes = f"Book {what}" if what != self.view.noun else f"Book {with_article(what)}"
        if self.view.price is None:
            text = f"{takes}. The booking is confirmed at once"
        elif self.can("cancel", toolset):
            text = f"{takes}. The booking is pending, and holds the {what}, until it is charged"
        else:
            text = f"{takes}. The booking is pending until it is charged"
        text += "." if self.can("cancel", toolset) else ", and cannot be cancelled."
        arguments = [_CUSTOMER, *self.orders.arguments()]
        return self._tool(self.book_name, ToolType.W, text, arguments, self.book)

    def _change_tool(self, name: str) -> Tool:
        noun = self.kind_noun
        text = f"Change what {with_article(noun)} booking holds. It keeps its id"
        if self.view.price is None:
            text = f"{text}; what it holds now is free for it."
        else:
            text += (
                ", and its total changes; what it holds now is free for it. What is charged already"
                " can only be cancelled and booked anew."
            )
        pending = "" if self.view.price is None else "pending "
        booking = self._booking(f"{pending}{noun} booking")
        arguments = [booking, *self.orders.arguments(to_change=True)]
        return self._tool(name, ToolType.W, text, arguments, self.change)

    def _of_booking(self, name: str, type: ToolType, text: str, run: Any) -> Tool:
        return self._tool(name, type, text, [self._booking(f"{self.kind_noun} booking")], run)

    @staticmethod
    def _booking(noun: str) -> Argument:
        return Argument("booking_id", str, f"Booking id of {with_article(noun)}.")

    def _tool(
        self, name: str, type: ToolType, text: str, arguments: list[Argument], run: Any
    ) -> Tool:
        return derived_tool(self.view.offer, name, type, text, arguments, run)

    @property
    def _released(self) -> str:
        taken = self.orders.taken
        return f"its {taken} {'is' if taken == self.view.noun else 'are'} released"


def _unit_price(row: Row) -> str:
    return format_cents(row["price_cents"])
