"""The platform's payment tools (paper table 6, category Payments)."""

from typing import Annotated

from pydantic import Field

from crab_graph.errors import ToolCallError
from crab_graph.money import CURRENCY, format_cents
from crab_graph.tools.arguments import shown
from crab_graph.tools.bookings import (
    BookingStatus,
    TransactionKind,
    captured_cents,
    newest_first,
    require_booking,
    require_customer,
    show_transaction,
    write_transaction,
)
from crab_graph.tools.ledger import BookingTables
from crab_graph.tools.tables import Row
from crab_graph.tools.tool import ErrorCode, Owner, Result, ToolCall, ToolType, tool

CATEGORY = "Payments"
DEFAULT_LIMIT = 10

Limit = Annotated[int, Field(ge=1, le=100)]


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def get_recent_payment_transactions(
    call: ToolCall, customer_id: str, limit: Limit | None = None
) -> Result:
    """List a customer's charges and refunds, the newest first.

    Args:
        customer_id: Customer id.
        limit: How many to list at most; 10 if not given.
    """
    require_customer(call, customer_id)
    rows = [
        row
        for row in newest_first(call.tables, "transactions")
        if row["customer_id"] == customer_id
    ]
    listed = [show_transaction(row) for row in rows[: limit or DEFAULT_LIMIT]]
    return {"customer_id": customer_id, "transactions": listed, "currency": CURRENCY}


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
def get_transaction_details(call: ToolCall, transaction_id: str) -> Result:
    """Show one charge or refund.

    Args:
        transaction_id: Transaction id.
    """
    hint = "list them with get_recent_payment_transactions"
    row = call.require("transactions", transaction_id, "transaction", hint)
    return {
        **show_transaction(row),
        "customer_id": row["customer_id"],
        "currency": CURRENCY,
    }


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
def charge_booking(call: ToolCall, booking_id: str, payment_method_id: str) -> Result:
    """Charge the exact price of a pending booking, once, which confirms it.

    Args:
        booking_id: Booking to be paid.
        payment_method_id: Payment method of the booking's customer, approved by the user.
    """
    booking = require_booking(call, booking_id)
    _check_is_pending(booking)
    method = _require_method(call, payment_method_id, booking["customer_id"])
    total_cents = booking["total_cents"]
    _check_limit(call.tables, method, total_cents)
    transaction_id = write_transaction(
        call, booking, payment_method_id, TransactionKind.CHARGE, total_cents
    )
    call.update("bookings", booking_id, {"status": BookingStatus.CONFIRMED.value})
    return {
        "booking_id": booking_id,
        "status": BookingStatus.CONFIRMED.value,
        "transaction_id": transaction_id,
        "payment_method_id": payment_method_id,
        "amount": format_cents(total_cents),
        "currency": CURRENCY,
    }


def _check_is_pending(booking: Row) -> None:
    name = shown(booking["booking_id"])
    if booking["status"] == BookingStatus.CONFIRMED:
        text = f"booking {name} is charged and confirmed already; do not charge it again"
        raise ToolCallError(ErrorCode.ALREADY_CHARGED, text)
    if booking["status"] == BookingStatus.CANCELLED:
        text = f"booking {name} is cancelled and cannot be charged; book again first"
        raise ToolCallError(ErrorCode.ALREADY_CANCELLED, text)


def _require_method(call: ToolCall, payment_method_id: str, customer_id: str) -> Row:
    method = call.tables.get("payment_methods", payment_method_id)
    if method is None or method["customer_id"] != customer_id:
        text = (
            f"customer {shown(customer_id)} has no payment method {shown(payment_method_id)};"
            " use one listed by get_customer_information, or ask the user to add one"
        )
        raise ToolCallError(ErrorCode.WRONG_CARD, text)
    return method


def _check_limit(tables: BookingTables, method: Row, cents: int) -> None:
    # Only the cards of the task's customer are known here; any other card has no limit.
    card = tables.get("cards", method["card_id"])
    if card is None:
        return
    spent = sum(
        captured_cents(tables, "payment_method_id", registered["payment_method_id"])
        for registered in tables.find("payment_methods", "card_id", card["card_id"])
    )
    if spent + cents > card["limit_cents"]:
        text = (
            f"the card of {shown(method['payment_method_id'])} was declined for"
            f" {format_cents(cents)} {CURRENCY}; ask the user for another payment method"
        )
        raise ToolCallError(ErrorCode.DECLINED, text)


PAYMENT_TOOLS = (get_recent_payment_transactions, get_transaction_details, charge_booking)
