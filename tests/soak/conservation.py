"""What is conserved whatever is called: places, days, tickets and money of any declared domain.

After each call only what its events touch is looked at again, so that a check costs as much as the
call; `check_all` looks at everything, and must find nothing more.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from crab_graph.domain.contract import Domain
from crab_graph.domain.kind import Kind
from crab_graph.tools.bookings import BookingStatus, TransactionKind, captured_cents
from crab_graph.tools.ledger import Event, Ledger
from crab_graph.tools.tables import Row

FIXED_COLUMNS = frozenset({"price_cents", "limit_cents"})
"""What a thing costs, and what a card bears; no call changes them."""


class Leak(AssertionError):
    """Something was made of nothing, or lost."""


def require(is_so: bool, *words: object) -> None:
    """Raise a `Leak` of these words unless it is so."""
    if not is_so:
        raise Leak(" ".join(map(str, words)))


class Conservation:
    """The accounts of one episode's tables."""

    def __init__(self, domain: Domain, start: Ledger) -> None:
        """Note what there was in the beginning."""
        self._kinds = {kind.name: kind for kind in domain.kinds.values()}
        self._by_items = {kind.items: kind for kind in self._kinds.values()}
        self._by_offer = {kind.offer.name: kind for kind in self._kinds.values()}
        self._start = start

    def check(self, before: Ledger, after: Ledger, events: Sequence[Event]) -> None:
        """Look at what the events of one call touch.

        Raises:
            Leak: something is not conserved.
        """
        if not events:
            return
        for event in events:
            changed = {*event.get("set", ()), event.get("column")}
            require(not changed & FIXED_COLUMNS, "a price or a limit is changed:", event)
        bookings = {one for event in events for one in self._bookings_of(event, before, after)}
        rows = [row for one in bookings if (row := after.get("bookings", one)) is not None]
        for row in rows:
            self._check_booking(after, row)
        self._check_flow(before, after, bookings, events)
        for offer in {
            *self._offers_in(events),
            *self._held(before, rows),
            *self._held(after, rows),
        }:
            self._check_offer(after, *offer)
        for card in {row["card_id"] for row in self._methods(after, events)}:
            self._check_card(after, card)

    def check_all(self, tables: Ledger) -> None:
        """Look at everything.

        Raises:
            Leak: something is not conserved.
        """
        for row in tables.rows("bookings"):
            self._check_booking(tables, row)
        for kind in self._kinds.values():
            for row in tables.rows(kind.offer.name):
                self._check_offer(tables, kind.name, row[kind.offer.key])
        for card in tables.rows("cards"):
            self._check_card(tables, card["card_id"])
        owed = sum(map(_owed, tables.rows("bookings"))) - sum(
            map(_owed, self._start.rows("bookings"))
        )
        paid = sum(map(_paid, tables.rows("transactions"))) - sum(
            map(_paid, self._start.rows("transactions"))
        )
        require(owed == paid, "bookings are confirmed for", owed, "and", paid, "is paid")

    def _bookings_of(self, event: Event, before: Ledger, after: Ledger) -> Iterator[str]:
        table, key = event["table"], event["key"]
        if table == "bookings":
            yield key
        elif table in self._by_items or table == "transactions":
            row = after.get(table, key) or before.get(table, key)
            if row is not None:
                yield row["booking_id"]

    def _offers_in(self, events: Iterable[Event]) -> Iterator[tuple[str, str]]:
        for event in events:
            if event["table"] in self._by_offer:
                yield self._by_offer[event["table"]].name, event["key"]

    def _held(self, tables: Ledger, bookings: Iterable[Row]) -> Iterator[tuple[str, str]]:
        for row in bookings:
            kind = self._kinds[row["kind"]]
            for item in tables.find(kind.items, "booking_id", row["booking_id"]):
                yield kind.name, item[kind.offer.key]

    def _methods(self, tables: Ledger, events: Iterable[Event]) -> Iterator[Row]:
        for event in events:
            row = tables.get(event["table"], event["key"])
            if event["table"] == "transactions" and row is not None:
                row = tables.get("payment_methods", row["payment_method_id"])
            elif event["table"] != "payment_methods":
                continue
            if row is not None:
                yield row

    def _check_booking(self, tables: Ledger, row: Row) -> None:
        """See that a booking costs what it holds, and is paid once, where it is confirmed."""
        kind, name = self._kinds[row["kind"]], row["booking_id"]
        known = self._start.get("bookings", name)
        items = tables.find(kind.items, "booking_id", name)
        if known is None:
            require(bool(items), "booking", name, "holds nothing")
            total = kind.total(tables, items)
            require(row["total_cents"] == total, name, "costs", total, "not", row["total_cents"])
        if not kind.is_free:
            paid = captured_cents(tables, "booking_id", name)
            require(paid == _owed(row), name, "is", row["status"], "and", paid, "is paid of it")

    def _check_flow(
        self, before: Ledger, after: Ledger, bookings: Iterable[str], events: Iterable[Event]
    ) -> None:
        """See that as much money moves as bookings become confirmed, or are cancelled."""
        moved = sum(
            _paid(event["row"])
            for event in events
            if event["table"] == "transactions" and event["op"] == "insert"
        )
        owed = sum(
            _owed(after.get("bookings", name)) - _owed(before.get("bookings", name))
            for name in bookings
        )
        require(moved == owed, moved, "is moved for bookings worth", owed)

    def _check_offer(self, tables: Ledger, kind_name: str, key: str) -> None:
        """See that no place of an offer is lost or sold twice, nor a day of it."""
        kind = self._kinds[kind_name]
        row, first = tables.get(kind.offer.name, key), self._start.get(kind.offer.name, key)
        if row is None or first is None:
            raise Leak(f"{kind_name} {key} is there no more, or was not before")
        items = list(_active(tables, kind, key))
        if kind.counter is not None:
            left, held = row[kind.counter], sum(map(kind.units, items))
            begun = _active(self._start, kind, key)
            total = first[kind.counter] + sum(map(kind.units, begun))
            require(left >= 0, kind_name, key, "has", left, "left")
            require(left + held == total, kind_name, key, f"has {left} + {held} of {total}")
        elif kind.interval is not None:
            _check_days(kind, key, items, self._start)
        else:
            made = [one for one in items if self._start.get("bookings", one["booking_id"]) is None]
            is_single = kind.quantity is None and kind.people is None
            require(not is_single or len(made) <= 1, kind_name, key, "is booked twice")

    def _check_card(self, tables: Ledger, card_id: str) -> None:
        """See that a card bears what was charged to it, under whatever method."""
        card = tables.get("cards", card_id)
        if card is None:
            return
        methods = tables.find("payment_methods", "card_id", card_id)
        require(len(methods) <= 1, "card", card_id, "is registered", len(methods), "times")
        spent = sum(
            captured_cents(tables, "payment_method_id", one["payment_method_id"]) for one in methods
        )
        require(0 <= spent <= card["limit_cents"], "card", card_id, "bears", spent)


def _owed(booking: Row | None) -> int:
    is_confirmed = booking is not None and booking["status"] == BookingStatus.CONFIRMED
    return booking["total_cents"] if booking is not None and is_confirmed else 0


def _paid(transaction: Row) -> int:
    cents: int = transaction["amount_cents"]
    return cents if transaction["kind"] == TransactionKind.CHARGE else -cents


def _active(tables: Ledger, kind: Kind, key: str) -> Iterator[Row]:
    for item in tables.find(kind.items, kind.offer.key, key):
        booking = tables.get("bookings", item["booking_id"])
        if booking is not None and booking["status"] != BookingStatus.CANCELLED:
            yield item


def _check_days(kind: Kind, key: str, items: Iterable[Row], start: Ledger) -> None:
    first, last = kind.interval or ("", "")
    stays = sorted((item[first], item[last], item["booking_id"]) for item in items)
    for begins, ends, _ in stays:
        require(begins < ends, kind.name, key, "is held from", begins, "until", ends)
    for earlier, later in pairwise(stays):
        require(earlier[1] <= later[0], kind.name, key, "is held twice:", earlier, later)
