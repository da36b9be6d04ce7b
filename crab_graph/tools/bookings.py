"""The life of a booking: opened as pending, charged once, cancelled with a refund (section 3.1).

What it takes, such as places or days, are its items; while it is pending they can be others.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from crab_graph.errors import ToolCallError
from crab_graph.money import CURRENCY, format_cents
from crab_graph.tools.arguments import shown
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.registry import ErrorCode, Result, ToolCall
from crab_graph.tools.tables import Row, picked


class BookingStatus(StrEnum):
    """Where a booking stands."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"
    UNCONFIRMED = "unconfirmed"


class TransactionKind(StrEnum):
    """Which way the money went."""

    CHARGE = "charge"
    REFUND = "refund"


def require_customer(call: ToolCall, customer_id: str) -> Row:
    """Return a customer's row."""
    hint = "ask the user for the customer id or the email"
    return call.require("customers", customer_id, "customer", hint)


def require_booking(call: ToolCall, booking_id: str) -> Row:
    """Return a booking's row."""
    hint = "use the booking_id that book_* returned"
    return call.require("bookings", booking_id, "booking", hint)


def require_booking_of(call: ToolCall, booking_id: str, kind: str) -> Row:
    """Return the row of a booking of some kind."""
    booking = require_booking(call, booking_id)
    if booking["kind"] != kind:
        text = f"booking {shown(booking_id)} is of kind {booking['kind']}, not {kind}"
        raise ToolCallError(ErrorCode.UNKNOWN_ID, f"{text}; give one of kind {kind}")
    return booking


def require_changeable(call: ToolCall, booking_id: str, kind: str, *, is_free: bool = False) -> Row:
    """Return the row of a booking whose items can still be others: a pending one, or a free one.

    What was charged is what was approved, so a charged booking is only cancelled, with its refund.
    """
    booking = require_booking_of(call, booking_id, kind)
    if booking["status"] == BookingStatus.CONFIRMED and not is_free:
        text = f"booking {shown(booking_id)} is charged and confirmed, and cannot be changed"
        raise ToolCallError(ErrorCode.ALREADY_CHARGED, f"{text}; cancel it and book anew")
    if booking["status"] == BookingStatus.CANCELLED:
        text = f"booking {shown(booking_id)} is cancelled and cannot be changed; book anew"
        raise ToolCallError(ErrorCode.ALREADY_CANCELLED, text)
    return booking


def open_booking(
    call: ToolCall, *, customer_id: str, kind: str, entity_id: str, total_cents: int | None
) -> str:
    """Write a booking, and return its id: pending, or confirmed where there is nothing to pay."""
    booking_id = call.next_id("BK", "bookings")
    row: Row = {"booking_id": booking_id, "customer_id": customer_id}
    row |= {"kind": kind, "entity_id": entity_id, "status": _status_of(total_cents)}
    call.insert("bookings", booking_id, {**row, "total_cents": total_cents or 0})
    return booking_id


def _status_of(total_cents: int | None) -> str:
    status = BookingStatus.CONFIRMED if total_cents is None else BookingStatus.PENDING
    return status.value


def write_items(call: ToolCall, table: str, booking_id: str, items: Iterable[Row]) -> None:
    """Write what a booking takes, items without their key and the booking's, instead of before."""
    key_column = call.world.keys[table]
    for row in call.tables.find(table, "booking_id", booking_id):
        call.remove(table, row[key_column], row)
    for number, item in enumerate(items, start=1):
        key = f"{booking_id}/{number}"
        call.insert(table, key, {key_column: key, "booking_id": booking_id, **item})


def move_stock(
    call: ToolCall, table: str, released: Mapping[str, int], taken: Mapping[str, int]
) -> None:
    """Count in the offers of a table what a booking gives back and what it takes instead."""
    for key in dict.fromkeys((*released, *taken)):
        delta = released.get(key, 0) - taken.get(key, 0)
        if delta:
            call.add(table, key, "available", delta)


def booked(booking_id: str, total_cents: int | None, **details: Any) -> Result:
    """Return the result of tools that book, or change a booking; without a total it is free."""
    result = {"booking_id": booking_id, "status": _status_of(total_cents), **details}
    return result if total_cents is None else result | priced(total_cents)


def priced(total_cents: int) -> Result:
    """Return the total of a booking as results show it."""
    return {"total": format_cents(total_cents), "currency": CURRENCY}


def cancel_booking(call: ToolCall, booking: Row) -> Result:
    """Cancel a booking, refund what was captured for it, and return the tool's result.

    Raises:
        ToolCallError: it is cancelled already.
    """
    booking_id = booking["booking_id"]
    if booking["status"] == BookingStatus.CANCELLED:
        text = f"booking {shown(booking_id)} is cancelled already; nothing is left to do"
        raise ToolCallError(ErrorCode.ALREADY_CANCELLED, text)
    call.update("bookings", booking_id, {"status": BookingStatus.CANCELLED.value})
    captured = captured_cents(call.tables, "booking_id", booking_id)
    result: Result = {"booking_id": booking_id, "status": BookingStatus.CANCELLED.value}
    if captured:
        charge = call.tables.find("transactions", "booking_id", booking_id)[0]
        method_id = charge["payment_method_id"]
        result["transaction_id"] = write_transaction(
            call, booking, method_id, TransactionKind.REFUND, captured
        )
    return {**result, "refunded": format_cents(captured), "currency": CURRENCY}


def captured_cents(tables: BookingTables, column: str, value: str) -> int:
    """Return charges minus refunds over the transactions with that booking or payment method."""
    signs = {TransactionKind.CHARGE: 1, TransactionKind.REFUND: -1}
    rows = tables.find("transactions", column, value)
    return sum(signs[row["kind"]] * row["amount_cents"] for row in rows)


def write_transaction(
    call: ToolCall, booking: Row, payment_method_id: str, kind: TransactionKind, cents: int
) -> str:
    """Write a charge or a refund, and return its id."""
    transaction_id = call.next_id("TX", "transactions")
    row: Row = {"transaction_id": transaction_id, **picked(booking, "booking_id", "customer_id")}
    row |= {"payment_method_id": payment_method_id, "kind": kind.value, "amount_cents": cents}
    call.insert("transactions", transaction_id, row)
    return transaction_id


def show_transaction(row: Row) -> Result:
    """Return a transaction as tools show it."""
    shown_row = picked(row, "transaction_id", "booking_id", "payment_method_id", "kind")
    return {**shown_row, "amount": format_cents(row["amount_cents"])}


def newest_first(tables: BookingTables, table: str) -> list[Row]:
    """Return the rows of a table: the episode's, the last one first, then the initial ones."""
    inserted = tables.inserted(table)
    return [*reversed(inserted), *tables.world.rows(table)]
