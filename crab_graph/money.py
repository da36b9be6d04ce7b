"""Money as exact integer cents, and its forms in arguments and results."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Any

CURRENCY = "USD"

_WRITTEN = re.compile(
    r"\s*(?:US\$|USD|\$)?\s*(\d{1,3}(?:,\d{3})+|\d+)(\.\d{1,2})?\s*(?:USD|dollars)?\s*",
    re.IGNORECASE,
)


@lru_cache(4096)  # tools show the same few prices again and again
def format_cents(cents: int) -> str:
    """Return cents as a plain decimal: 30000 → `"300.00"`."""
    return f"{cents / 100:.2f}"  # exact up to 2^53 cents


@lru_cache(4096)
def format_dollars(cents: int) -> str:
    """Return cents as people write them: 123450 → `"$1,234.50"`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def parse_cents(value: Any) -> int:
    """Return the cents of `300`, `300.5`, `"300.00"`, `"$300.00"` or `"300.00 USD"`.

    Raises:
        ValueError: the value is no amount of money, or has more than two decimals.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError(f"not an amount of money: {value!r}")
    match = _WRITTEN.fullmatch(str(value))
    if match is None:
        raise ValueError(f'not an amount of money: {value!r}; write it like "300.00"')
    return int(Decimal(match[1].replace(",", "") + (match[2] or "")) * 100)
