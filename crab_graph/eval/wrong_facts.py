"""What a user says that its profile contradicts, or knows nothing of (rulebook §10, U1 and U2)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from crab_graph.domains.verification import Claim
from crab_graph.eval.checks import Results
from crab_graph.eval.dialogue import UserMessage
from crab_graph.eval.episode import Episode
from crab_graph.eval.user_error import NODES, TRIP, UserError
from crab_graph.money import parse_cents
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
        utterance = message.utterance
        claims = episode.reading.claims_in(utterance.text)
        for words in map(utterance.words, utterance.clauses if claims else ()):
            found = [one for one in claims if one.may_match(words)]
            if not found or _says_nothing(words, is_answer=message.seq in proposals):
                continue
            for claim in found:
                for match in _compiled(claim.pattern).finditer(words):
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


@lru_cache(maxsize=256)
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


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
