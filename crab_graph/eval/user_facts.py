"""What the user did with the facts it knew: told wrongly, made up, withheld (rulebook §10).

`fact_fates` is for analysis: what became of each fact (paper §3.3).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from crab_graph.domains.verification import Claim
from crab_graph.eval.checks import Results
from crab_graph.eval.dialogue import UserMessage
from crab_graph.eval.reading import Episode
from crab_graph.eval.user_errors import NODES, TRIP, UserError
from crab_graph.money import parse_cents
from crab_graph.personas.behavior import behavior_of
from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.condition import Dimension, Persona, ResolvedCondition
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.understanding import understand
from crab_graph.text.lexicon import pattern


@dataclass(frozen=True, slots=True)
class _Statement:
    claim: Claim
    values: tuple[Any, ...]
    message: UserMessage

    def is_right(self, facts: Mapping[str, Any]) -> bool:
        """Return whether one of the values agrees with the facts."""
        agrees, key = self.claim.agrees, self.claim.key
        if agrees is not None:
            return any(agrees(facts, value) for value in self.values)
        return key in facts and any(_same(facts[key], value) for value in self.values)

    @property
    def shown(self) -> str:
        """The values, as evidence shows them."""
        return " or ".join(repr(value) for value in self.values)


def wrong_facts(episode: Episode, results: Results) -> Iterator[UserError]:
    """U1: a stated value differs from the profile. U2: a demand the profile knows nothing of."""
    facts = episode.reading.facts
    statements = list(_statements(episode))
    for statement in statements:
        key = statement.claim.key
        if statement.message.seq > episode.history.last_write and episode.history.writes:
            continue
        number = statement.message.number
        if statement.is_right(facts):
            continue
        if key not in facts:
            covers = TRIP | NODES | {"D05", "C-PART"}
            yield UserError("U2", number, f"demanded {key} {statement.shown}", covers)
        else:
            is_corrected = any(
                other.claim.key == key
                and statement.message.seq < other.message.seq < _latest_correction(episode, other)
                and other.is_right(facts)
                for other in statements
            )
            if not is_corrected:
                covers = _covered_by(episode, results, key)
                yield UserError("U1", number, f"said {statement.shown} for {key}", covers)


def _latest_correction(episode: Episode, other: _Statement) -> float:
    """Return until when a correction mends a wrong statement: until the first write.

    An announced change of mind does so at any time where the agent wrote without an approval.
    """
    if not episode.history.writes:
        return float("inf")
    first_write = episode.history.writes[0]
    announces = pattern("attribution", "changes_of_mind").search(other.message.utterance.text)
    is_rash = not episode.dialogue.approvals_before(first_write).approved
    return float("inf") if announces and is_rash else first_write


def _statements(episode: Episode) -> Iterator[_Statement]:
    today = episode.reading.task.today
    proposals = {answer.seq for said, answer in episode.dialogue.answers if said.mentions}
    for message in episode.dialogue.user:
        for words in map(message.utterance.words, message.utterance.clauses):
            if _says_nothing(words, is_answer=message.seq in proposals):
                continue
            for claim in episode.reading.grading.claims:
                for match in re.finditer(claim.pattern, words):
                    for values in _values(claim, next(filter(None, match.groups()), ""), today):
                        yield _Statement(claim, values, message)


def _says_nothing(words: str, *, is_answer: bool) -> bool:
    """Return whether a clause says nothing of the profile: it asks, denies, takes an offer."""
    if "?" in words or pattern("attribution", "denials").search(words):
        return True
    return is_answer and pattern("approval", "strong").search(words) is not None


def _values(claim: Claim, words: str, today: str) -> Sequence[tuple[Any, ...]]:
    if claim.read is not None:
        return claim.read(words, today)
    return [(claim.values.get(words, words),)]


def _same(fact: object, stated: object) -> bool:
    if str(fact) == str(stated):
        return True
    try:
        return parse_cents(str(fact)) == parse_cents(str(stated))
    except ValueError:
        return False


def _covered_by(episode: Episode, results: Results, key: str) -> frozenset[str]:
    """Return the checks that a wrong fact explains; of several wishes on one item, only its own."""
    covered = episode.reading.grading.covered_checks.get(key, frozenset())
    return frozenset(
        check
        for check in covered
        if check not in NODES
        or all(key in evidence["text"].split(" broken")[0] for evidence in results[check].evidence)
    )


_ASKED = 2


@dataclass(frozen=True, slots=True)
class UserConduct:
    """What a transcript does not hold of a user: its condition, and the record of what it told.

    Attributes:
        facts_per_answer: Most facts one answer gives under its condition; `None` for all.
        told: Number of the visible message that first told each fact.
        is_limit_known: Whether the former is known; that of a persona of a file is not.
    """

    facts_per_answer: int | None
    told: Mapping[str, int]
    is_limit_known: bool = True

    @classmethod
    def from_record(
        cls, persona: str, dimensions: Iterable[str], facts: Iterable[Mapping[str, Any]]
    ) -> Self | None:
        """Return the conduct that a record tells, `None` where it does not.

        Args:
            persona: The persona; how one of a file of its own behaves is not known here.
            dimensions: The dimensions that were switched on; the same holds for those of a file.
            facts: The facts with the turns in which they were told.
        """
        told = {fact["key"]: fact["turn"] for fact in facts if fact["turn"] is not None}
        dimensions = tuple(dimensions)
        is_built_in = persona in set(Persona) and set(dimensions) <= set(Dimension)
        if not told:
            return None
        if not is_built_in:
            return cls(None, told, is_limit_known=False)
        condition = ResolvedCondition("", Persona(persona), dimensions)
        return cls(behavior_of(condition).disclosure.facts_per_answer, told)


def withheld_facts(episode: Episode, conduct: UserConduct | None) -> Iterator[UserError]:
    """U3: asked for twice, each time with fewer new facts than the condition allows; never told.

    Without a record of the user's conduct both are read from what it said: an answer then withholds
    only where it evades in so many words and states no fact at all, the least any condition gives.
    """
    told = None if conduct is None else conduct.told
    if conduct is not None and not conduct.is_limit_known:
        conduct = None
    task = episode.reading.task
    evading = {one.number for one in episode.dialogue.user if conduct is None and _evades(one)}
    if conduct is None and len(evading) < _ASKED:
        return
    briefing = task.domain.briefing(task.domain.slots, task.facts, task.id, task.today)
    known = conduct or UserConduct(1, told or _read_told(episode, briefing))
    kept = [fact.key for fact in task.facts if fact.key not in known.told]
    if not kept:
        return
    keys = {fact.key for fact in task.facts}
    refused: Counter[str] = Counter()
    for request, answer in episode.dialogue.answers:
        if conduct is None and answer.number not in evading:
            continue
        asked = keys & set(understand(request.text, briefing.lexicon, briefing.slots).asked)
        new = [key for key in asked if known.told.get(key, answer.number) >= answer.number]
        gave = sum(turn == answer.number for turn in known.told.values())
        limit = known.facts_per_answer
        if gave >= (len(new) if limit is None else min(len(new), limit)):
            continue
        for key in kept:
            refused[key] += key in new
            if key in new and refused[key] == _ASKED:
                covers = episode.reading.grading.covered_checks.get(key, frozenset()) | TRIP
                yield UserError("U3", answer.number, f"withheld {key}, asked for twice", covers)


def _evades(message: UserMessage) -> bool:
    text = message.utterance.text
    return not text or pattern("attribution", "evasions").search(text) is not None


def _read_told(episode: Episode, briefing: UserBriefing) -> dict[str, int]:
    """Return the visible message in which the user's own words first tell each fact."""
    told: dict[str, int] = {}
    asked = {answer.number: request.text for request, answer in episode.dialogue.answers}
    for message in episode.dialogue.user:
        heard = understand(asked.get(message.number, ""), briefing.lexicon, briefing.slots).asked
        for key in stated_facts(message.text, briefing, heard):
            told.setdefault(key, message.number)
    return told


class FactFate(StrEnum):
    """What became of a fact.

    In time means before the agent first booked what the fact is about (its slot; anything, where
    the fact is not about one). A fact told later is late, whether or not the booking happens to
    meet it. One told in time is ignored where the final booking contradicts it.
    """

    IN_TIME = "in_time"
    LATE = "late"
    IGNORED = "ignored"
    NEVER = "never"


def fact_fates(episode: Episode, results: Results, told: Mapping[str, int]) -> dict[str, str]:
    """Return what became of each fact.

    Args:
        episode: The episode.
        results: The verdicts of the checks.
        told: Number of the visible message that first told each fact; those never told are missing.
    """
    return {
        fact.key: str(_fate(episode, results, fact.key, fact.slot, told.get(fact.key)))
        for fact in episode.reading.task.facts
    }


def _fate(
    episode: Episode, results: Results, key: str, slot: str | None, number: int | None
) -> FactFate:
    if number is None:
        return FactFate.NEVER
    said_at = next((said.seq for said in episode.dialogue.user if said.number == number), 0)
    booked = [one.made_at for one in episode.history.bookings if slot in {None, one.slot}]
    if key in episode.reading.grading.charging_facts:
        booked = [charge.seq for charge in episode.history.charges]
    if booked and min(booked) < said_at:
        return FactFate.LATE
    return FactFate.IGNORED if _is_contradicted(results, episode, key) else FactFate.IN_TIME


def _is_contradicted(results: Results, episode: Episode, key: str) -> bool:
    """Tell whether a check that this fact decides fails; of several on one item, only its own."""
    return any(
        results[check].is_failure
        and (
            check not in NODES
            or any(key in one["text"].split(" broken")[0] for one in results[check].evidence)
        )
        for check in episode.reading.grading.deciding_checks.get(key, ())
    )
