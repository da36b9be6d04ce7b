"""What a user does about errors: overlooks or sees them, corrects, gives up (D4, paper §3.3).

It stands between what a message contradicts and what the user says. What is overlooked is approved;
what is played back to be checked is never overlooked.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from random import Random
from typing import Any, NamedTuple

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.understanding import Reading

_FEWEST_WORDS = 3


class Reaction(StrEnum):
    """What a user did about a wrong detail."""

    OVERLOOKED = "overlooked"
    HINTED = "hinted"
    CORRECTED = "corrected"
    GAVE_UP = "gave_up"


class ErrorRecord(NamedTuple):
    """Every reaction to an error so far: rows with the key of the fact, the turn and what it was.

    A hint says that something is wrong, and not what.
    """

    rows: tuple[Mapping[str, Any], ...] = ()

    def with_reaction(self, key: str, turn: int, act: Reaction) -> "ErrorRecord":
        """Return the record after one more."""
        return ErrorRecord((*self.rows, {"key": key, "turn": turn, "act": str(act)}))

    def corrected(self, key: str | None = None) -> int:
        """Return how often the user corrected one fact, or any."""
        acts = (row for row in self.rows if row["act"] == Reaction.CORRECTED)
        return sum(key in (None, row["key"]) for row in acts)

    @property
    def overlooked(self) -> frozenset[str]:
        """The facts that the user did not see were contradicted."""
        acts = (row for row in self.rows if row["act"] == Reaction.OVERLOOKED)
        return frozenset(str(row["key"]) for row in acts)

    @property
    def hinted(self) -> str | None:
        """The fact that the user's last reaction only hinted at."""
        last = self.rows[-1] if self.rows else None
        return str(last["key"]) if last and last["act"] == Reaction.HINTED else None


_ADMITS = re.compile(
    r"\b(?:different|separate) (?:\w+ )?\w+s\b|\bnot the same\b|\bonly (?:plan|trip|option|way)\b"
    r"|\bdiffers? from\b|\b(?:al|even )?though you\b|\binstead of (?:the|your)\b"
    r"|\bnot (?:as|what) you\b|\b(?:one|only) (?:catch|drawback|compromise|downside|exception)\b"
    r"|\btrade-?off\b|\bdeviat\w+|\bin spite of\b|\bclose enough\b"
    r"|\b(?:over|above|beyond|exceed\w*) (?:your|the) (?:\S+ )?(?:budget|limit|maximum)\b"
    r"|\brather than (?:an? |the |your )"
    r"|\b(?:don.t|doesn.t|do not|does not|can.t|cannot|could not|couldn.t) (?:meet|match|keep)\b"
)
"""Says that what is put is not as it was wished."""


class Sight(NamedTuple):
    """The contradictions of a message that a user sees, and those that it overlooks."""

    seen: tuple[str, ...]
    overlooked: tuple[str, ...] = ()


def look_over(
    conflicts: Sequence[str],
    reading: Reading,
    behavior: Behavior,
    errors: ErrorRecord,
    told: Collection[str],
    draw: Callable[[str], Random],
) -> Sight:
    """Return what of the contradictions of a message a user sees; `told` are what it said exactly.

    Whoever has corrected a detail looks at it the next time; what was overlooked stays so, but for
    one to whom it is said that something is not as it was wished.
    """
    if reading.confirms or _ADMITS.search(reading.utterance.text):
        return Sight(tuple(conflicts))
    may_miss = [key for key in conflicts if key in told and not errors.corrected(key)]
    may_miss = may_miss if reading.asks_booking else []
    overlooked = tuple(
        key
        for key in conflicts
        if key in errors.overlooked
        or (key in may_miss and draw(f"overlook {key}").random() < behavior.overlooks)
    )
    return Sight(tuple(key for key in conflicts if key not in overlooked), overlooked)


def gives_up(key: str, behavior: Behavior, errors: ErrorRecord) -> bool:
    """Tell whether a detail was wrong too often."""
    return behavior.refusals is not None and errors.corrected(key) >= behavior.refusals


def warns(key: str, behavior: Behavior, errors: ErrorRecord) -> bool:
    """Tell whether a user gives up when a detail that it corrects now is wrong again."""
    return behavior.refusals is not None and errors.corrected(key) + 1 >= behavior.refusals


def shortened(behavior: Behavior, errors: ErrorRecord) -> Behavior:
    """Return how a user behaves after errors: with each it says less, and less politely."""
    left = (1 - behavior.shortens) ** errors.corrected()
    if left == 1:
        return behavior
    return replace(
        behavior,
        words=max(_FEWEST_WORDS, round(behavior.words * left)),
        short=1 - (1 - behavior.short) * left,
        polite=behavior.polite * left,
    )


def reactions_of(rows: Iterable[Mapping[str, Any]], key: str) -> str | None:
    """Return what a user did about errors in one fact, such as `corrected 7, gave_up 9`."""
    mine = [f"{row['act']} {row['turn']}" for row in rows if row["key"] == key]
    return ", ".join(mine) or None
