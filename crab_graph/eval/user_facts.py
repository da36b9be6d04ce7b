"""What the user did with the facts it knew: told wrongly, made up, withheld (rulebook §10).

`fact_fates` is for analysis: what became of each fact (paper §3.3).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple, Self

from crab_graph.domain.verification import Claim, Role
from crab_graph.eval.blame import UserError
from crab_graph.eval.checks import Results
from crab_graph.eval.dialogue import UserMessage
from crab_graph.eval.heard import heard, speaks_of, stated
from crab_graph.eval.invented_demands import DEMANDED, without_leading_no
from crab_graph.eval.reading import Episode
from crab_graph.eval.verifiers import ids_of
from crab_graph.money import parse_cents
from crab_graph.personas.behavior import behavior_of
from crab_graph.personas.briefing import Reason
from crab_graph.personas.condition import Dimension, Persona, ResolvedCondition
from crab_graph.personas.error_reactions import Reaction
from crab_graph.text.lexicon import pattern

_WRITTEN = re.compile(r"[a-z0-9]")
"""What no statement in plain letters is without."""
_ASKED = 2


class _Statement(NamedTuple):
    claim: Claim
    values: tuple[Any, ...]
    message: UserMessage

    def is_right(self, facts: Mapping[str, Any]) -> bool:
        """Return whether one of the values agrees with the facts."""
        agrees, key = self.claim.agrees, self.claim.key
        if agrees is not None:
            return any(agrees(facts, value) for value in self.values)
        return key in facts and any(_same(facts[key], value) for value in self.values)


def wrong_facts(
    episode: Episode, results: Results, conduct: "UserConduct | None" = None
) -> Iterator[UserError]:
    """U1: a stated value differs from the profile. U2: a demand the profile knows nothing of.

    What a user who doubts says first of a fact is no error: agents are to pin values down.
    """
    facts, writes = episode.reading.facts, episode.history.writes
    statements = list(_statements(episode))
    if conduct is not None and conduct.doubts:
        first = {one.claim.key: one.message.seq for one in reversed(statements)}
        statements = [one for one in statements if one.message.seq != first[one.claim.key]]
    wrong = [one for one in statements if not one.is_right(facts)]
    mended = _mended(episode, statements) if wrong else {}
    covers = cache(partial(covered_checks, episode))
    for claim, values, message in wrong:
        if writes and message.seq > writes[-1]:
            continue
        shown = " or ".join(map(repr, values))
        if claim.key not in facts:
            yield UserError("U2", message.number, f"demanded {claim.key} {shown}", DEMANDED)
        elif mended.get(claim.key, 0) <= message.seq:
            text = f"said {shown} for {claim.key}"
            yield UserError("U1", message.number, text, covers(claim.key))


def _mended(episode: Episode, statements: Iterable[_Statement]) -> dict[str, int]:
    """Return where each thing was said rightly for the last time, of those said in time."""
    until = {said.seq: _latest_correction(episode, said) for said in episode.dialogue.user}
    return {
        one.claim.key: one.message.seq
        for one in statements
        if one.message.seq < until[one.message.seq] and one.is_right(episode.reading.facts)
    }


def covered_checks(episode: Episode, key: str) -> frozenset[str]:
    """Return the ids of the checks whose failures a wrong statement of a fact explains."""
    covered = episode.reading.grading.covered_checks.get(key, frozenset())
    wishes = ids_of(episode.reading, {Role.WISH})
    return frozenset(
        check
        for check in ids_of(episode.reading, covered)
        if check not in wishes or all(_about(episode, key, check))
    )


def is_broken(episode: Episode, results: Results, key: str) -> bool:
    """Tell whether what is booked in the end contradicts a fact."""
    deciding = episode.reading.grading.deciding_checks.get(key, ())
    wishes = ids_of(episode.reading, {Role.WISH})
    return any(
        results[check].is_failure and (check not in wishes or any(_about(episode, key, check)))
        for check in ids_of(episode.reading, deciding)
    )


def _about(episode: Episode, key: str, check_id: str) -> list[bool]:
    """Tell of each wish that a check finds broken whether it is the one of a fact."""
    refs = episode.reading.grading.wished.get(key, frozenset())
    check = next(one for one in episode.reading.checks if one.id == check_id)
    return [not refs.isdisjoint(broken.refs) for broken in episode.broken(check)]


def _latest_correction(episode: Episode, message: UserMessage) -> float:
    """Return until when a correction mends a wrong statement: until the first write.

    An announced change of mind does so at any time where the agent wrote without an approval.
    """
    if not episode.history.writes:
        return float("inf")
    first_write = episode.history.writes[0]
    announces = pattern("attribution", "changes_of_mind").search(message.utterance.text)
    is_rash = not episode.dialogue.approvals_before(first_write).approved
    return float("inf") if announces and is_rash else first_write


def _statements(episode: Episode) -> Iterator[_Statement]:
    """Yield what clauses say of the profile that do not ask, deny, doubt, or take an offer.

    A value that is told by another one is not stated by that one.
    """
    unsure, indirect = pattern("attribution", "doubts"), pattern("attribution", "indirect")
    denials, strong = pattern("attribution", "denials"), pattern("approval", "strong")
    proposals = {answer.seq for said, answer in episode.dialogue.answers if said.mentions}
    claims, screen = episode.reading.claims, episode.reading.any_claim
    is_plain = screen.pattern.isascii()

    @cache  # a long message is mostly the same over and over
    def says_something(words: str) -> bool:
        is_written = not is_plain or _WRITTEN.search(words) is not None
        return is_written and screen.search(words) is not None

    for message in episode.dialogue.user:
        for words in map(message.utterance.words, message.utterance.clauses):
            words = without_leading_no(words)
            if not says_something(words):
                continue
            if "?" in words or denials.search(words):
                continue
            if unsure.search(words) or indirect.search(words):
                continue
            if message.seq in proposals and strong.search(words):
                continue
            for claim, form in claims:
                for match in form.finditer(words):
                    value = next(filter(None, match.groups()), "")
                    if claim.read is None:
                        yield _Statement(claim, (claim.values.get(value, value),), message)
                        continue
                    for values in claim.read(value, episode.reading.task.today):
                        yield _Statement(claim, values, message)


def _same(fact: object, stated: object) -> bool:
    if str(fact) == str(stated):
        return True
    try:
        return parse_cents(str(fact)) == parse_cents(str(stated))
    except ValueError:
        return False


class UserConduct(NamedTuple):
    """What a transcript does not hold of a user: how much an answer gives, and what it told when.

    Most facts an answer gives are `None` for all; of a persona of a file they are not known. `told`
    has the number of the visible message that first told each fact. Who `doubts` may say any fact
    otherwise at first; who `overlooks` need not see an error. `settled` has the message that first
    told each fact exactly. Its condition says what it takes; with D4 it may have given up. Of what
    it changed its mind about `renewed` has the message that said so, `first_told` the first wish's.
    """

    facts_per_answer: int | None
    told: Mapping[str, int]
    is_limit_known: bool = True
    doubts: bool = False
    overlooks: bool = False
    settled: Mapping[str, int] = {}
    patience: int | None = None
    most_questions: int | None = None
    gave_up: bool = False
    renewed: Mapping[str, int] = {}
    first_told: Mapping[str, int] = {}

    @classmethod
    def from_record(
        cls, persona: str, dimensions: Iterable[str], facts: Iterable[Mapping[str, Any]]
    ) -> Self | None:
        """Return the conduct that a record tells, `None` where it does not.

        How a persona of a file behaves, or a dimension of one, is not known here.
        """
        facts, dimensions = tuple(facts), tuple(dimensions)
        told = {fact["key"]: fact["turn"] for fact in facts if fact["turn"] is not None}
        if not told:
            return None
        # Records of users that doubted nothing hold no `settled`.
        given = {fact["key"]: fact.get("settled", fact["turn"]) for fact in facts}
        known = cls(
            None,
            told,
            is_limit_known=False,
            doubts=Dimension.D3 in dimensions,
            overlooks=Dimension.D4 in dimensions,
            settled={key: turn for key, turn in given.items() if turn is not None},
            renewed={
                fact["key"]: fact["turn"]
                for fact in facts
                if fact.get("reason") == Reason.CHANGED and fact["turn"] is not None
            },
            first_told={
                fact["key"]: fact["first_wish"]["turn"] for fact in facts if fact.get("first_wish")
            },
            gave_up=any(Reaction.GAVE_UP in (fact.get("reactions") or "") for fact in facts),
        )
        if persona not in set(Persona) or not set(dimensions) <= set(Dimension):
            return known
        behavior = behavior_of(ResolvedCondition("", Persona(persona), dimensions))
        return known._replace(
            facts_per_answer=behavior.facts_per_answer,
            is_limit_known=True,
            patience=behavior.patience,
            most_questions=behavior.most_questions,
        )


def withheld_facts(episode: Episode, conduct: UserConduct | None) -> Iterator[UserError]:
    """U3: asked for twice, each time with fewer new facts than the condition allows; never told.

    Without a record of the user's conduct both are read from what it said: an answer then withholds
    only where it evades in so many words and states no fact at all, the least any condition gives.
    """
    task, answers = episode.reading.task, episode.dialogue.answers
    told = read_told(episode) if conduct is None else conduct.told
    limit: int | None = 1
    if conduct is not None and conduct.is_limit_known:
        limit = conduct.facts_per_answer
    else:
        evasions = pattern("attribution", "evasions")
        said = ((one.number, one.utterance.text) for one in episode.dialogue.user)
        evading = {number for number, text in said if not text or evasions.search(text)}
        answers = [(request, answer) for request, answer in answers if answer.number in evading]
    told = told_or_spoken_of(episode, told)
    kept = [fact.key for fact in task.facts if fact.key not in told]
    refused: Counter[str] = Counter()
    for request, answer in answers:
        new = set(heard(episode, request).asked) & {
            fact.key for fact in task.facts if told.get(fact.key, answer.number) >= answer.number
        }
        gave = sum(turn == answer.number for turn in told.values())
        if gave >= (len(new) if limit is None else min(len(new), limit)):
            continue
        for key in (one for one in kept if one in new):
            refused[key] += 1
            if refused[key] == _ASKED:
                covers = episode.reading.grading.covered_checks.get(key, frozenset())
                covers |= {Role.SLOT_FILLED}
                yield UserError("U3", answer.number, f"withheld {key}, asked for twice", covers)


def told_or_spoken_of(episode: Episode, told: Mapping[str, int]) -> dict[str, int]:
    """Return where each fact was told, or first spoken of in an answer to who asked for it.

    What is not known to be told may have been told vaguely, or by another value.
    """
    spoken = {
        key: answer.number
        for request, answer in reversed(episode.dialogue.answers)
        for key in heard(episode, request).asked - told.keys()
        if speaks_of(episode, answer, key)
    }
    return {**told, **spoken}


@lru_cache(maxsize=1)
def read_told(episode: Episode) -> Mapping[str, int]:
    """Return the visible message in which the user's own words first tell each fact."""
    told: dict[str, int] = {}
    requests = {answer.number: request for request, answer in episode.dialogue.answers}
    for message in episode.dialogue.user:
        request = requests.get(message.number)
        asked = () if request is None else heard(episode, request).asked
        for key in stated(episode, message, asked):
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


def fact_fates(
    episode: Episode,
    results: Results,
    told: Mapping[str, int],
    renewed: Collection[str] = (),
) -> dict[str, str]:
    """Return what became of each fact; `told` has the visible message that first told it.

    One that was not told and that nobody needed any more, as another one that was told spares it,
    has no fate. What was `renewed` by a change of mind is not late for what was booked before.
    """
    words = episode.reading.task.domain.lexicon.facts
    spared = {words[key].spares for key in told if key in words}
    grading, history = episode.reading.grading, episode.history
    said_at = {said.number: said.seq for said in episode.dialogue.user}
    fates = {}
    for fact in episode.reading.task.facts:
        if fact.key in grading.charging_facts:
            acts = [charge.seq for charge in history.charges]
        else:
            acts = [one.made_at for one in history.bookings if fact.slot in {None, one.slot}]
        if fact.key not in told:
            if fact.key in spared:
                continue
            fate = FactFate.NEVER
        elif fact.key not in renewed and acts and min(acts) < said_at.get(told[fact.key], 0):
            fate = FactFate.LATE
        elif is_broken(episode, results, fact.key):
            fate = FactFate.IGNORED
        else:
            fate = FactFate.IN_TIME
        fates[fact.key] = str(fate)
    return fates
