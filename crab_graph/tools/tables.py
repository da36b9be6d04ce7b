"""The tables every domain shares: the platform's and the user's private ones (section 3.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the booking store.

    Attributes:
        name: Table name in DuckDB.
        key: The string column that is its primary key.
        columns: Column names and SQL types, the key first.
        private: Whether it belongs to the user's private database, which no agent tool may show.
    """

    name: str
    key: str
    columns: Mapping[str, str]
    private: bool = False


def _text(*names: str) -> dict[str, str]:
    return {name: "VARCHAR" for name in names}


PLATFORM_TABLES = (
    Table(
        "customers",
        "customer_id",
        {**_text("customer_id", "name", "email", "phone", "address"), "date_of_birth": "DATE"},
    ),
    Table(
        "payment_methods",
        "payment_method_id",
        {
            **_text("payment_method_id", "customer_id", "card_id", "brand", "last4"),
            "is_default": "BOOLEAN",
        },
    ),
    Table(
        "bookings",
        "booking_id",
        {
            **_text("booking_id", "customer_id", "kind", "entity_id", "status"),
            "total_cents": "BIGINT",
        },
    ),
    Table(
        "transactions",
        "transaction_id",
        {
            **_text("transaction_id", "booking_id", "customer_id", "payment_method_id", "kind"),
            "amount_cents": "BIGINT",
        },
    ),
    Table("transfers", "transfer_id", _text("transfer_id", "summary")),
)

PRIVATE_TABLES = (
    Table(
        "cards",
        "card_id",
        {**_text("card_id", "brand", "last4"), "limit_cents": "BIGINT", "is_default": "BOOLEAN"},
        private=True,
    ),
    Table(
        "approvals",
        "approval_id",
        {**_text("approval_id", "booking_id", "payment_method_id"), "amount_cents": "BIGINT"},
        private=True,
    ),
)
