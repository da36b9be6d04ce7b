"""What a user remembers from turn to turn: its state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from crab_graph.personas.briefing import DisclosureRecord
from crab_graph.personas.understanding import Reading

_COUNTS = ("idle", "insisted", "approved", "asked_back")
_NEWS = {
    "booking": "asks_booking",
    "approval": "asks_approval",
    "card": "asks_card",
    "offer": "offers_transfer",
    "done": "claims_done",
}
"""What a message does that is news the first time, under the name the memory keeps."""


@dataclass(frozen=True, slots=True)
class UserMemory:
    """The user's state.

    `seen` are ids, amounts and offers that the agent has named so far; `idle` counts the turns in a
    row without progress, `asked_back` those in which the user asked what a question means.
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
        record = DisclosureRecord(tuple(state.get("disclosed", ())))
        counts = {name: state[name] for name in _COUNTS if name in state}
        return cls(record, frozenset(state.get("seen", ())), **counts)

    def as_json(self) -> dict[str, Any]:
        """Return the memory as state."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        return {"disclosed": list(self.record.rows), "seen": sorted(self.seen), **counts}

    def fresh(self, reading: Reading) -> frozenset[str]:
        """Return what a message names for the first time: items, amounts, requests and offers."""
        acts = frozenset(name for name, act in _NEWS.items() if getattr(reading, act))
        amounts = (f"${cents}" for cents in reading.amounts)
        return acts.union(reading.ids, amounts) - self.seen
