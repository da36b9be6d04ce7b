"""A gate of the validity evidence: a measured value, and what it must be (rulebook §13)."""

from collections.abc import Sequence
from typing import NamedTuple

from crab_graph.eval.intervals import exact_interval


class Gate(NamedTuple):
    """One line of the evidence: what was measured."""

    id: str
    value: float
    interval: tuple[float, float] | None
    """Its 95 % interval, where one is possible."""
    gate: str
    """What the value must be, in words, such as `= 1`."""
    ok: bool
    note: str = ""
    """What was counted, and the first thing that was off."""


def rate_gate(name: str, total: int, failed: Sequence[str], note: str) -> Gate:
    """Return the gate of a rate that must be 1; each failure is a line of its own."""
    passed = total - len(failed)
    value = passed / total if total else 0.0
    interval = exact_interval(passed, total).ends
    return Gate(name, value, interval, "= 1", value == 1.0, _told(note, failed))


def none_gate(name: str, count: int, note: str, failed: Sequence[str] = ()) -> Gate:
    """Return the gate of what must never be."""
    return Gate(name, count, None, "= 0", count == 0, _told(note, failed))


def _told(note: str, failed: Sequence[str]) -> str:
    return f"{note}; first off: {failed[0]}" if failed else note
