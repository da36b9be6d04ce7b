"""What a call did to the tables, in a few words per row."""

from collections.abc import Mapping
from typing import Any

from crab_graph.analysis.viewer.exchanges import RowChange
from crab_graph.money import format_dollars

_LONGEST_BRIEF = 90

SIGNS: Mapping[str, str] = {"insert": "+", "update": "~", "add": "~", "remove": "-"}


def describe_change(change: RowChange) -> str:
    """Return the values of a change as words: `kind flight, status pending, total $300.00`.

    Left out: what the key says already, and the customer, who is the same all along.
    """
    shown = {
        name: value
        for name, value in change.values.items()
        if value is not None
        and name != "customer_id"
        and not f"{change.key}/".startswith(f"{value}/")
    }
    if change.op == "add":
        return ", ".join(f"{name} {value:+d}".replace("-", "−") for name, value in shown.items())
    arrow = " → " if change.op == "update" else " "
    return ", ".join(f"{_word(name)}{arrow}{_value(name, value)}" for name, value in shown.items())


def brief_arguments(arguments: Any) -> str:
    """Return a call's arguments in a few words: values alone, `2 items` for a list."""
    if not isinstance(arguments, Mapping):
        return _brief(arguments)
    text = ", ".join(map(_brief, arguments.values()))
    return text if len(text) <= _LONGEST_BRIEF else f"{text[:_LONGEST_BRIEF]}…"


def _brief(value: Any) -> str:
    if isinstance(value, list):
        return _brief(value[0]) if len(value) == 1 else f"{len(value)} items"
    if isinstance(value, Mapping):
        return " ".join(map(_brief, list(value.values())[:2]))
    return str(value)


def _word(name: str) -> str:
    return name.removesuffix("_cents").replace("_", " ")


def _value(name: str, value: Any) -> str:
    if name.endswith("_cents") and isinstance(value, int):
        return format_dollars(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
