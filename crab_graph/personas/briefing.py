"""What one simulated user knows, in two levels of disclosure, and said of it (paper A.3)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.wordbook import DomainLexicon, ValueForm
from crab_graph.randomness import derive_rng
from crab_graph.tools.user_tools import confirmations_name

_WAITS_RATE = 0.75


class FactLevel(StrEnum):
    """When a fact may be said: upfront, or only when the agent asks."""

    BASIC = "basic"
    DETAIL = "detail"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing the user knows about the task, under a stable key such as `gp_time_of_day`.

    The value is JSON: dates are ISO strings, a date window is `[first, last]`, money `"1500.00"`.
    `slot` is the id of the node it is about, or `None` when it concerns the whole task.
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


class How(StrEnum):
    """How a fact was said: as it is, without a sharp edge, or otherwise than it is."""

    EXACT = "exact"
    VAGUE = "vague"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Saying:
    """How a user says one fact otherwise than plainly.

    `value` and `phrase` are the words that stand in its templates, `template` one that stands in
    the place of these; `mark` is the mark of doubt, without which a user is sure.
    """

    how: How
    value: str
    phrase: str
    mark: str = ""
    template: str = ""

    @property
    def words(self) -> str:
        """What is said, as the record keeps it."""
        return f"{self.value}, {self.mark}" if self.mark else self.value


@dataclass(frozen=True, slots=True)
class DisclosureRecord:
    """Every telling of a fact so far, in order, in the form user state keeps.

    A row has the key of the fact, the number of the visible message, the reason, and how it was
    said; with the words of it as `said` where that was not plainly, and as `value` what was said
    instead of the fact where the user changes its mind later.
    """

    rows: tuple[dict[str, Any], ...] = ()

    def with_told(
        self,
        key: str,
        turn: int,
        reason: Reason,
        value: Any = None,
        saying: Saying | None = None,
    ) -> Self:
        """Return the record after telling a fact, or `value` instead of it."""
        how = How.EXACT if saying is None else saying.how
        row = {"key": key, "turn": turn, "reason": str(reason), "how": str(how)}
        if saying is not None:
            row["said"] = saying.words
        return type(self)((*self.rows, row if value is None else {**row, "value": value}))

    def is_settled(self, key: str) -> bool:
        """Tell whether a fact itself was said exactly, and not another wish instead."""
        return any(
            row["key"] == key and "value" not in row and row.get("how", How.EXACT) == How.EXACT
            for row in self.rows
        )

    def is_slip(self, key: str) -> bool:
        """Tell whether a fact was said wrongly, and never for sure."""
        wrong = any(row["key"] == key and row.get("how") == How.WRONG for row in self.rows)
        return wrong and not self.is_settled(key)

    def has(self, key: str) -> bool:
        """Tell whether a fact was ever said."""
        return any(row["key"] == key for row in self.rows)

    def is_doubted(self, key: str) -> bool:
        """Tell whether a fact was said, and never for sure."""
        return self.has(key) and not self.is_settled(key)

    @property
    def last_rows(self) -> tuple[dict[str, Any], ...]:
        """The rows of the last message that told any fact."""
        last = max((row["turn"] for row in self.rows), default=0)
        return tuple(row for row in self.rows if row["turn"] == last)

    @property
    def told_last(self) -> tuple[str, ...]:
        """The keys of the facts that the last message told which told any, in order."""
        return tuple(dict.fromkeys(row["key"] for row in self.last_rows))

    def times(self, key: str, *reasons: Reason) -> int:
        """Return how often a fact was said, for any reason or for some."""
        why = reasons or tuple(Reason)
        return sum(row["key"] == key and row["reason"] in why for row in self.rows)


@dataclass(frozen=True, slots=True)
class BriefedSlot:
    """One thing the user wants; `word` is what it is called when spoken of."""

    id: str
    id_prefix: str
    word: str


@dataclass(frozen=True, slots=True)
class UserBriefing:
    """What one simulated user knows, in values only; the domain builds it.

    Randomness is derived from `task_id`, among other things; `today` is a date in ISO form; `job`
    is what all it wants is called, after which its tools are named.
    """

    facts: tuple[Fact, ...]
    lexicon: DomainLexicon
    slots: Sequence[BriefedSlot]
    task_id: str
    today: str
    job: str = "job"

    @property
    def confirmations(self) -> str:
        """The user's tool that lists its bookings."""
        return confirmations_name(self.job)

    @property
    def is_for_one(self) -> bool:
        """Whether all is for one person: the names it knows, if any, are one."""
        words = self.lexicon.facts
        forms = ((fact, words[fact.key].form) for fact in self.facts if fact.key in words)
        return all(len(fact.value) == 1 for fact, form in forms if form is ValueForm.NAMES)

    def count_details(self, keys: Iterable[str]) -> int:
        """Return how many details facts are; names beside what is told of each person are none."""
        forms = [self.lexicon.facts[key].form for key in keys]
        return len(forms) - (ValueForm.NAMES in forms and ValueForm.DATES in forms)

    def offers_in(self, text: str) -> bool:
        """Tell whether a text names an item of some slot by its id."""
        return any(re.search(rf"\b{one.id_prefix}-\d", text) for one in self.slots)

    def fact(self, key: str) -> Fact | None:
        """Return the fact with that key, if the user has it."""
        return next((fact for fact in self.facts if fact.key == key), None)

    def ordered_keys(self) -> list[str]:
        """Return the keys the user has, in the order they are told."""
        mine = {fact.key for fact in self.facts}
        known = [key for key in self.lexicon.facts if key in mine]
        return known + sorted(mine - set(known))


def first_wish(briefing: UserBriefing, behavior: Behavior) -> Fact | None:
    """Return the detail that a user changes its mind about, with the value it wants first.

    What it knows is what it wants in the end; its behaviour says in what share of tasks it is so.
    """
    rng = derive_rng("first wish", briefing.task_id)
    if rng.random() >= behavior.changes_mind:
        return None
    choices = []
    for fact in briefing.facts:
        words = briefing.lexicon.facts.get(fact.key)
        others = [] if words is None else [one for one in words.others if one != fact.value]
        if others and fact.level is FactLevel.DETAIL:
            choices.append((fact, others))
    if not choices:
        return None
    fact, others = rng.choice(choices)
    return replace(fact, value=rng.choice(others))


def waits_for_plan(briefing: UserBriefing) -> bool:
    """Tell whether the change comes with the agent's plan only, or with its next question."""
    return derive_rng("change of mind", briefing.task_id).random() < _WAITS_RATE


def with_first_wish(briefing: UserBriefing, first: Fact) -> UserBriefing:
    """Return what a user says it wants before it changes its mind."""
    facts = tuple(first if fact.key == first.key else fact for fact in briefing.facts)
    return replace(briefing, facts=facts)
