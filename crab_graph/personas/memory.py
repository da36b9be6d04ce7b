"""What a user carries from turn to turn, as JSON in the state of the episode."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from crab_graph.personas.disclosure import DisclosureRecord
from crab_graph.personas.understanding import Reading


@dataclass(frozen=True, slots=True)
class UserMemory:
    """The user's state.

    Attributes:
        record: What was said when and why.
        seen: Ids, amounts and offers the agent has named so far.
        idle: Turns in a row without progress.
        insisted: How often the user asked the agent to look again.
        approved: Whether it ever approved a plan.
        asked_back: How often in a row the user asked what a question means.
    """

    record: DisclosureRecord = field(default_factory=DisclosureRecord)
    seen: frozenset[str] = frozenset()
    idle: int = 0
    insisted: int = 0
    approved: bool = False
    asked_back: int = 0

    @classmethod
    def from_json(cls, state: Mapping[str, Any]) -> Self:
        """Read the memory from the state of an episode; an empty state is a new user."""
        return cls(
            record=DisclosureRecord.from_json(state.get("disclosed", ())),
            seen=frozenset(state.get("seen", ())),
            idle=state.get("idle", 0),
            insisted=state.get("insisted", 0),
            approved=state.get("approved", False),
            asked_back=state.get("asked_back", 0),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the memory as state."""
        return {
            "disclosed": self.record.as_json(),
            "seen": sorted(self.seen),
            "idle": self.idle,
            "insisted": self.insisted,
            "approved": self.approved,
            "asked_back": self.asked_back,
        }

    def fresh(self, reading: Reading) -> frozenset[str]:
        """Return what a message names for the first time: items, amounts, requests and offers."""
        tokens = {*reading.ids, *(f"${cents}" for cents in reading.amounts)}
        flags = {
            "booking": reading.asks_booking,
            "approval": reading.asks_approval,
            "card": reading.asks_card,
            "offer": reading.offers_transfer,
            "done": reading.claims_done,
        }
        tokens |= {name for name, is_set in flags.items() if is_set}
        return frozenset(tokens) - self.seen

    def after(self, reading: Reading, *, gave: bool) -> Self:
        """Return the memory after a turn; `gave` says that the user's own side moved."""
        fresh = self.fresh(reading)
        idle = 0 if fresh or gave else self.idle + 1
        return replace(self, seen=self.seen | fresh, idle=idle)

    def has_seen_items(self, prefixes: tuple[str, ...], reading: Reading) -> bool:
        """Tell whether the agent has named anything that could be booked, or a price."""
        starts = (*(f"{prefix}-" for prefix in prefixes), "$")
        return any(token.startswith(starts) for token in self.seen | self.fresh(reading))
