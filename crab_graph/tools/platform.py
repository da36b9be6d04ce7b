"""The platform's tools for customers and payments, and the way out to a human (paper table 6)."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from crab_graph.errors import ToolCallError
from crab_graph.money import CURRENCY, format_cents
from crab_graph.tools.arguments import Text, shown
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
from crab_graph.tools.registry import ErrorCode, Owner, Result, ToolCall, ToolType, tool
from crab_graph.tools.tables import Row, picked
from crab_graph.tools.world_faults import UNCONFIRMED

DEFAULT_LIMIT = 10

Limit = Annotated[int, Field(ge=1, le=100)]

_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")
_PHONE = re.compile(r"\+?[0-9(][0-9 ().-]*[0-9]")
_MIN_DIGITS, _MAX_DIGITS = 7, 15


def _checked_email(text: str) -> str:
    if not _EMAIL.fullmatch(text):
        raise ValueError("not an email address, such as name@example.com")
    return text


def _checked_phone(text: str) -> str:
    digits = sum(character.isdigit() for character in text)
    if not _PHONE.fullmatch(text) or not _MIN_DIGITS <= digits <= _MAX_DIGITS:
        raise ValueError("not a phone number, such as 312-555-0142")
    return text


Email = Annotated[str, AfterValidator(_checked_email)]
Phone = Annotated[str, AfterValidator(_checked_phone)]


@tool(owner=Owner.AGENT, type=ToolType.R, category="Platform")
def get_customer_information(
    call: ToolCall, customer_id: str | None = None, email: str | None = None
) -> Result:
    """Look up a customer, with the payment methods registered on the platform.

    Args:
        customer_id: Customer id; give this or the email.
        email: Email address of the customer.
    """
    if customer_id is None and email is None:
        raise ToolCallError(ErrorCode.INVALID_ARGUMENTS, "give customer_id or email")
    if customer_id is None:
        customer = _find_by_email(call, email or "")
    else:
        customer = require_customer(call, customer_id)
    if email is not None and customer["email"].casefold() != email.casefold():
        text = (
            f"customer {shown(customer['customer_id'])} has another email; give only one of the two"
        )
        raise ToolCallError(ErrorCode.UNKNOWN_ID, text)
    rows = call.tables.find("payment_methods", "customer_id", customer["customer_id"])
    methods = [picked(row, "payment_method_id", "brand", "last4") for row in rows]
    return {
        **picked(customer, "customer_id", "name", "email", "phone", "address"),
        "payment_methods": methods,
    }


def _find_by_email(call: ToolCall, email: str) -> Row:
    for customer in call.tables.rows("customers"):
        if customer["email"].casefold() == email.casefold():
            return customer
    text = f"there is no customer with the email {shown(email)}; ask the user for the customer id"
    raise ToolCallError(ErrorCode.UNKNOWN_ID, text)


@tool(owner=Owner.AGENT, type=ToolType.W, category="Platform")
def update_customer(
    call: ToolCall,
    customer_id: str,
    phone: Phone | None = None,
    email: Email | None = None,
    address: Text | None = None,
) -> Result:
    """Change a customer's contact data; what is not given stays as it is.

    Args:
        customer_id: Customer id.
        phone: New phone number.
        email: New email address.
        address: New postal address.
    """
    require_customer(call, customer_id)
    given = {"phone": phone, "email": email, "address": address}
    values = {column: value for column, value in given.items() if value is not None}
    if not values:
        text = "nothing to change; give phone, email or address"
        raise ToolCallError(ErrorCode.INVALID_ARGUMENTS, text)
    call.update("customers", customer_id, dict(values))
    return {"customer_id": customer_id, "updated": values}


@tool(owner=Owner.AGENT, type=ToolType.G, category="Platform", mutates=True)
def transfer_to_human_agents(call: ToolCall, summary: Text) -> Result:
    """Hand the conversation over to a human agent. Nothing can be changed afterwards.

    Args:
        summary: What the user wants and what was done so far.
    """
    transfer_id = call.next_id("HX", "transfers")
    call.insert("transfers", transfer_id, {"transfer_id": transfer_id, "summary": summary})
    return {"transfer_id": transfer_id, "status": "transferred"}


PLATFORM_TOOLS = (get_customer_information, update_customer, transfer_to_human_agents)


@tool(owner=Owner.AGENT, type=ToolType.R, category="Payments")
def get_recent_payment_transactions(
    call: ToolCall, customer_id: str, limit: Limit | None = None
) -> Result:
    """List a customer's charges and refunds, the newest first.

    Args:
        customer_id: Customer id.
        limit: How many to list at most; 10 if not given.
    """
    require_customer(call, customer_id)
    rows = newest_first(call.tables, "transactions")
    listed = [show_transaction(row) for row in rows if row["customer_id"] == customer_id]
    recent = listed[: limit or DEFAULT_LIMIT]
    return {"customer_id": customer_id, "transactions": recent, "currency": CURRENCY}


@tool(owner=Owner.AGENT, type=ToolType.R, category="Payments")
def get_transaction_details(call: ToolCall, transaction_id: str) -> Result:
    """Show one charge or refund.

    Args:
        transaction_id: Transaction id.
    """
    hint = "list them with get_recent_payment_transactions"
    row = call.require("transactions", transaction_id, "transaction", hint)
    return {**show_transaction(row), **picked(row, "customer_id"), "currency": CURRENCY}


@tool(owner=Owner.AGENT, type=ToolType.W, category="Payments")
def charge_booking(call: ToolCall, booking_id: str, payment_method_id: str) -> Result:
    """Charge the exact price of a pending booking, once, which confirms it.

    Args:
        booking_id: Booking to be paid.
        payment_method_id: Payment method of the booking's customer, approved by the user.
    """
    booking = require_booking(call, booking_id)
    name = shown(booking_id)
    if booking["status"] == BookingStatus.CONFIRMED:
        text = f"booking {name} is charged and confirmed already; do not charge it again"
        raise ToolCallError(ErrorCode.ALREADY_CHARGED, text)
    if booking["status"] == BookingStatus.CANCELLED:
        text = f"booking {name} is cancelled and cannot be charged; book again first"
        raise ToolCallError(ErrorCode.ALREADY_CANCELLED, text)
    if booking["status"] == BookingStatus.UNCONFIRMED:
        text = f"booking {name} is not confirmed yet and cannot be charged; look it up first"
        raise ToolCallError(UNCONFIRMED, text)
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
