"""The platform's customer tools, and the way out to a human (paper table 6, category Platform)."""

import re
from typing import Annotated

from pydantic import AfterValidator

from crab_graph.errors import ToolCallError
from crab_graph.tools.arguments import Text, shown
from crab_graph.tools.bookings import require_customer
from crab_graph.tools.tables import Row
from crab_graph.tools.tool import ErrorCode, Owner, Result, ToolCall, ToolType, tool

CATEGORY = "Platform"

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


@tool(owner=Owner.AGENT, type=ToolType.R, category=CATEGORY)
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
    shown_columns = ("customer_id", "name", "email", "phone", "address")
    methods = call.tables.find("payment_methods", "customer_id", customer["customer_id"])
    return {
        **{column: customer[column] for column in shown_columns},
        "payment_methods": [
            {column: method[column] for column in ("payment_method_id", "brand", "last4")}
            for method in methods
        ],
    }


def _find_by_email(call: ToolCall, email: str) -> Row:
    for customer in call.tables.rows("customers"):
        if customer["email"].casefold() == email.casefold():
            return customer
    text = f"there is no customer with the email {shown(email)}; ask the user for the customer id"
    raise ToolCallError(ErrorCode.UNKNOWN_ID, text)


@tool(owner=Owner.AGENT, type=ToolType.W, category=CATEGORY)
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


@tool(owner=Owner.AGENT, type=ToolType.G, category=CATEGORY, mutates=True)
def transfer_to_human_agents(call: ToolCall, summary: Text) -> Result:
    """Hand the conversation over to a human agent. Nothing can be changed afterwards.

    Args:
        summary: What the user wants and what was done so far.
    """
    transfer_id = call.next_id("HX", "transfers")
    call.insert("transfers", transfer_id, {"transfer_id": transfer_id, "summary": summary})
    return {"transfer_id": transfer_id, "status": "transferred"}


PLATFORM_TOOLS = (get_customer_information, update_customer, transfer_to_human_agents)
