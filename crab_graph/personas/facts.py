"""What a user knows, in two levels of disclosure, and what it said of it when (paper A.3)."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self


class FactLevel(StrEnum):
    """When a fact may be said: upfront, or only when the agent asks."""

    BASIC = "basic"
    DETAIL = "detail"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing the user knows about the task.

    Attributes:
        key: Stable name, such as `hotel_stars`.
        value: A JSON value; dates are ISO strings, a date window is `[first, last]`, money is
            `"1500.00"`.
        level: `basic` facts may be volunteered, `detail` facts wait for a question.
        slot: Id of the node the fact is about, or `None` when it concerns the whole task.
    """

    key: str
    value: Any
    level: FactLevel
    slot: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the fact in the form that `task --json` prints."""
        return {"key": self.key, "value": self.value, "level": str(self.level), "slot": self.slot}


class Reason(StrEnum):
    """Why a fact was said."""

    VOLUNTEERED = "volunteered"
    ASKED = "asked"
    CORRECTED = "corrected"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Disclosure:
    """One telling of one fact in a visible message.

    `value` is what was said instead of the fact, where the user changes its mind later.
    """

    key: str
    turn: int
    reason: Reason
    value: Any = None

    def as_json(self) -> dict[str, Any]:
        """Return the telling in the form user state keeps."""
        row = {"key": self.key, "turn": self.turn, "reason": str(self.reason)}
        return row if self.value is None else {**row, "value": self.value}


@dataclass(frozen=True, slots=True)
class DisclosureRecord:
    """Every telling so far, in order; a fact that is repeated stands once for each telling."""

    entries: tuple[Disclosure, ...] = ()

    @classmethod
    def from_json(cls, rows: Iterable[dict[str, Any]]) -> Self:
        """Read the record from user state."""
        return cls(tuple(Disclosure(**{**row, "reason": Reason(row["reason"])}) for row in rows))

    def as_json(self) -> list[dict[str, Any]]:
        """Return the record in the form user state keeps."""
        return [entry.as_json() for entry in self.entries]

    def with_told(self, key: str, turn: int, reason: Reason, value: Any = None) -> Self:
        """Return the record after telling a fact, or `value` instead of it."""
        return type(self)((*self.entries, Disclosure(key, turn, reason, value)))

    def is_settled(self, key: str) -> bool:
        """Tell whether a fact itself was said, not another wish instead."""
        return any(entry.key == key and entry.value is None for entry in self.entries)

    def has(self, key: str) -> bool:
        """Tell whether a fact was ever said."""
        return any(entry.key == key for entry in self.entries)

    def times(self, key: str) -> int:
        """Return how often a fact was said."""
        return sum(entry.key == key for entry in self.entries)

    def corrections(self, key: str) -> int:
        """Return how often a fact was said to correct the agent."""
        return sum(e.key == key and e.reason is Reason.CORRECTED for e in self.entries)
