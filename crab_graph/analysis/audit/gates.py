"""A gate of the validity evidence: a measured value, and what it must be (rulebook §13)."""

from dataclasses import dataclass
from typing import Any

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Gate:
    """One line of the evidence.

    Attributes:
        id: Its name.
        value: What was measured.
        interval: Confidence interval of the value, where it is an estimate.
        gate: What the value must be, in words, such as `= 1`.
        ok: Whether it is.
        note: What was counted, and the first thing that was off.
    """

    id: str
    value: float
    interval: Interval | None
    gate: str
    ok: bool
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the gate as `audit --json` prints it."""
        return {
            "id": self.id,
            "value": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "gate": self.gate,
            "ok": self.ok,
            "note": self.note,
        }
