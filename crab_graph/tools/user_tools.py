"""The user's own tools, over the private database B_u (paper section 3.2.4 and table 6).

They act for the task's customer, know no domain but by the name of what it books, its job, and are
never shown to the agent.
"""

from collections.abc import Sequence
from dataclasses import replace

from crab_graph.errors import ToolCallError
from crab_graph.money import CURRENCY, format_cents
from crab_graph.tools.arguments import Amount, shown
from crab_graph.tools.bookings import BookingStatus, TransactionKind, newest_first, show_transaction
from crab_graph.tools.platform import DEFAULT_LIMIT, Limit
from crab_graph.tools.registry import ErrorCode, Owner, Result, Tool, ToolCall, ToolType, tool
from crab_graph.tools.tables import Row, picked

_CONFIRMATIONS = "_confirmations"


@tool(owner=Owner.USER, type=ToolType.R, category="Wallet")
def get_my_payment_cards(call: ToolCall) -> Result:
    """List your cards; payment_method_id is null where a card is not on the platform yet."""
    methods = {row["card_id"]: row["payment_method_id"] for row in _my_methods(call)}
    cards = [
        {
            **picked(card, "card_id", "brand", "last4"),
            "limit": format_cents(card["limit_cents"]),
            "is_default": card["is_default"],
            "payment_method_id": methods.get(card["card_id"]),
        }
        for card in call.tables.rows("cards")
    ]
    return {"cards": cards, "currency": CURRENCY}


@tool(owner=Owner.USER, type=ToolType.W, category="Wallet")
def set_default_payment_card(call: ToolCall, card_id: str) -> Result:
    """Make one of your cards the default of your wallet.

    Args:
        card_id: Card to be the default.
    """
    _require_card(call, card_id)
    for card in call.tables.rows("cards"):
        is_default = card["card_id"] == card_id
        if card["is_default"] != is_default:
            call.update("cards", card["card_id"], {"is_default": is_default})
    return {"card_id": card_id, "is_default": True}


@tool(owner=Owner.USER, type=ToolType.R, category="Confirmations")
def _list_confirmations(call: ToolCall) -> Result:
    """List your bookings, in the order in which they were made."""
    return {
        "bookings": [_show_booking(call, row) for row in _my_bookings(call)],
        "currency": CURRENCY,
    }


@tool(owner=Owner.USER, type=ToolType.R, category="Spending")
def _sum_up(call: ToolCall) -> Result:
    """Sum up your bookings: what is confirmed, what is pending, and what your cards paid."""
    bookings = _my_bookings(call)
    transactions = call.tables.find("transactions", "customer_id", call.world.customer_id)
    charged = _sum_of(transactions, "kind", TransactionKind.CHARGE, "amount_cents")
    refunded = _sum_of(transactions, "kind", TransactionKind.REFUND, "amount_cents")
    confirmed = _sum_of(bookings, "status", BookingStatus.CONFIRMED, "total_cents")
    pending = _sum_of(bookings, "status", BookingStatus.PENDING, "total_cents")
    return {
        "confirmed": format_cents(confirmed),
        "pending": format_cents(pending),
        "charged": format_cents(charged),
        "refunded": format_cents(refunded),
        "spent": format_cents(charged - refunded),
        "currency": CURRENCY,
    }


@tool(owner=Owner.USER, type=ToolType.R, category="Card Activity")
def get_recent_card_activity(
    call: ToolCall, card_id: str | None = None, limit: Limit | None = None
) -> Result:
    """List the charges and refunds on your cards, the newest first.

    Args:
        card_id: Only this card; all cards if not given.
        limit: How many to list at most; 10 if not given.
    """
    if card_id is not None:
        _require_card(call, card_id)
    cards = {row["payment_method_id"]: row["card_id"] for row in _my_methods(call)}
    activity = [
        {"card_id": cards[row["payment_method_id"]], **show_transaction(row)}
        for row in newest_first(call.tables, "transactions")
        if row["payment_method_id"] in cards and card_id in (None, cards[row["payment_method_id"]])
    ]
    return {"activity": activity[: limit or DEFAULT_LIMIT], "currency": CURRENCY}


@tool(owner=Owner.USER, type=ToolType.W, category="Approvals")
def record_payment_approval(
    call: ToolCall, booking_id: str, payment_method_id: str, amount: Amount
) -> Result:
    """Approve that one booking is charged to one payment method, for an exact amount.

    Args:
        booking_id: One of your bookings.
        payment_method_id: One of your payment methods on the platform.
        amount: Amount you approve, such as "300.00".
    """
    booking = call.tables.get("bookings", booking_id)
    if booking is None or booking["customer_id"] != call.world.customer_id:
        text = f"you have no booking {shown(booking_id)}; see your confirmations"
        raise ToolCallError(ErrorCode.UNKNOWN_ID, text)
    if booking["status"] == BookingStatus.CANCELLED:
        text = f"booking {shown(booking_id)} is cancelled; there is nothing to approve"
        raise ToolCallError(ErrorCode.ALREADY_CANCELLED, text)
    if all(row["payment_method_id"] != payment_method_id for row in _my_methods(call)):
        text = (
            f"you have no payment method {shown(payment_method_id)} on the platform; see"
            " get_my_payment_cards, or add a card with add_payment_method_to_platform"
        )
        raise ToolCallError(ErrorCode.WRONG_CARD, text)
    approval_id = call.next_id("AP", "approvals")
    named = {"approval_id": approval_id, "booking_id": booking_id}
    named["payment_method_id"] = payment_method_id
    call.insert("approvals", approval_id, {**named, "amount_cents": amount})
    money = {"amount": format_cents(amount), "currency": CURRENCY}
    return {**named, **money, "status": "recorded"}


@tool(owner=Owner.USER, type=ToolType.W, category="Platform")
def add_payment_method_to_platform(call: ToolCall, card_id: str) -> Result:
    """Register one of your cards on the platform, so that it can be charged.

    Args:
        card_id: Card to be registered; a card registered already keeps its payment method.
    """
    card = _require_card(call, card_id)
    for method in _my_methods(call):
        if method["card_id"] == card_id:
            return _show_method(method)
    method_id = call.derived_id("PM", "payment_methods", card_id)
    method = {
        "payment_method_id": method_id,
        "customer_id": call.world.customer_id,
        **picked(card, "card_id", "brand", "last4", "is_default"),
    }
    call.insert("payment_methods", method_id, method)
    return _show_method(method)


def _show_method(method: Row) -> Result:
    return picked(method, "payment_method_id", "card_id", "brand", "last4")


def _show_booking(call: ToolCall, booking: Row) -> Result:
    shown_booking = picked(booking, "booking_id", "kind", "entity_id")
    entity = call.entities.get(booking["kind"])
    if entity is not None and entity.name_column is not None:
        row = call.tables.get(entity.table, booking["entity_id"])
        if row is not None:
            shown_booking["name"] = row[entity.name_column]
    total = format_cents(booking["total_cents"])
    return {**shown_booking, "status": booking["status"], "total": total}


def _my_methods(call: ToolCall) -> tuple[Row, ...]:
    return call.tables.find("payment_methods", "customer_id", call.world.customer_id)


def _my_bookings(call: ToolCall) -> list[Row]:
    mine = call.world.customer_id
    initial = [row["booking_id"] for row in call.world.rows("bookings")]
    made = [row["booking_id"] for row in call.tables.inserted("bookings")]
    rows = (call.tables.get("bookings", booking_id) for booking_id in (*initial, *made))
    return [row for row in rows if row is not None and row["customer_id"] == mine]


def _require_card(call: ToolCall, card_id: str) -> Row:
    return call.require("cards", card_id, "card in your wallet", "see get_my_payment_cards")


def _sum_of(rows: Sequence[Row], column: str, value: str, amount_column: str) -> int:
    return sum(row[amount_column] for row in rows if row[column] == value)


def confirmations_name(job: str) -> str:
    """Return the tool that lists the user's bookings, by what all of them are called."""
    return f"get_my_{_written(job)}{_CONFIRMATIONS}"


def is_confirmations(name: str) -> bool:
    """Tell whether a tool is the one that lists the user's bookings, of whatever domain."""
    return name.startswith("get_my_") and name.endswith(_CONFIRMATIONS)


def user_tools(job: str, *, is_free: bool = False) -> tuple[Tool, ...]:
    """Return the user's tools; where nothing costs anything only its confirmations."""
    confirmations = replace(_list_confirmations, name=confirmations_name(job))
    if is_free:
        return (confirmations,)
    return (
        get_my_payment_cards,
        set_default_payment_card,
        confirmations,
        replace(_sum_up, name=f"get_{_written(job)}_spending_summary"),
        get_recent_card_activity,
        record_payment_approval,
        add_payment_method_to_platform,
    )


def _written(job: str) -> str:
    return job.casefold().replace(" ", "_")
