"""What a user knows, in two levels of disclosure (paper A.3, information control)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


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
