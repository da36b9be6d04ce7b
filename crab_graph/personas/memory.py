"""What a user remembers from turn to turn: its state."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from crab_graph.personas.briefing import DisclosureRecord
from crab_graph.personas.error_reactions import ErrorRecord
from crab_graph.personas.pointed_questions import asked_throughout
from crab_graph.personas.understanding import Reading

_COUNTS = ("idle", "warned", "owes", "insisted", "approved", "asked_back", "promises")
OPEN = "open"
"""That the agent has asked for whatever is left."""

_NEWS = {
    "booking": "asks_booking",
    "approval": "asks_approval",
    "card": "asks_card",
    "offer": "offers_transfer",
    "done": "claims_done",
    OPEN: "is_open_question",
}
"""What a message does that is news the first time, under the name the memory keeps."""
_NO_NEWS = frozenset({"go_on", "if_complete", "still_there", "repeat", "one_by_one"})
"""What a message means that asks for nothing in particular."""
ACTS = frozenset(_NEWS)
"""The names of these in what the memory keeps."""


def news(reading: Reading) -> frozenset[str]:
    """Return what a message brings: items, amounts, facts it asks for, requests and offers."""
    acts = frozenset(name for name, act in _NEWS.items() if getattr(reading, act))
    amounts = (f"${cents}" for cents in reading.amounts)
    asked = (f"?{key}" for key in (*reading.asked, *reading.checked))
    throughout = (f"?{key} throughout" for key in asked_throughout(reading))
    is_news = reading.meant and reading.meant not in _NO_NEWS
    meaning = (f"means {reading.meant}",) if is_news else ()
    return acts.union(reading.ids, amounts, asked, throughout, meaning)


@dataclass(frozen=True, slots=True)
class UserMemory:
    """The user's state.

    `seen` is what the agent's messages have brought so far, `declined` the facts asked for on which
    the user said that it has no wish, `noted` what the agent has played back rightly of either;
    `idle` counts the turns in a row without progress, `asked_back` those in which the user asked
    what a question means; `later` are the facts that it says with its next turn. `promises` says
    whether it has just said that it comes to the rest of what was asked, and `warned` whether it
    has announced that it will leave.
    """

    record: DisclosureRecord = field(default_factory=DisclosureRecord)
    seen: frozenset[str] = frozenset()
    declined: frozenset[str] = frozenset()
    noted: frozenset[str] = frozenset()
    idle: int = 0
    warned: bool = False
    owes: bool = False
    insisted: int = 0
    approved: bool = False
    asked_back: int = 0
    later: tuple[str, ...] = ()
    promises: bool = False
    errors: ErrorRecord = field(default_factory=ErrorRecord)

    @classmethod
    def from_json(cls, state: Mapping[str, Any]) -> Self:
        """Read the memory from the state of an episode; an empty state is a new user."""
        record = DisclosureRecord(tuple(state.get("disclosed", ())))
        counts = {name: state[name] for name in _COUNTS if name in state}
        later, errors = tuple(state.get("later", ())), ErrorRecord(tuple(state.get("errors", ())))
        seen, declined, noted = (
            frozenset(state.get(name, ())) for name in ("seen", "declined", "noted")
        )
        return cls(record, seen, declined, noted, later=later, errors=errors, **counts)

    def as_json(self) -> dict[str, Any]:
        """Return the memory as state."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        lists: dict[str, Any] = {"seen": sorted(self.seen), "declined": sorted(self.declined)}
        lists |= {"noted": sorted(self.noted)} if self.noted else {}
        lists |= {"later": list(self.later)} if self.later else {}
        lists |= {"errors": list(self.errors.rows)} if self.errors.rows else {}
        return {"disclosed": list(self.record.rows), **lists, **counts}

    def with_declined(self, keys: Iterable[str]) -> frozenset[str]:
        """Return `declined` after the user has said that it has no wish on some facts."""
        again = (f"{key} again" for key in keys if key in self.declined)
        return self.declined.union(keys, again)

    def has_declined_again(self, key: str) -> bool:
        """Tell whether the user has said more than once that it has no wish on a fact."""
        return f"{key} again" in self.declined

    def fresh(self, reading: Reading) -> frozenset[str]:
        """Return what a message brings for the first time."""
        return news(reading) - self.seen
