"""Errors of the user that rules can see (rulebook §10, U1 to U7).

The rules are conservative: what they cannot see stays with the agent. U3 (a withheld fact) needs
the user's condition and disclosure record, which a transcript does not hold: see `withheld`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from crab_graph.domains.grading import Claim
from crab_graph.eval.checks import Results
from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.episode import Episode, TripState
from crab_graph.eval.history import Payment
from crab_graph.eval.replay import CallStep
from crab_graph.eval.verifiers.completion import has_final_offer
from crab_graph.money import parse_cents
from crab_graph.personas.understanding import ANY_ID
from crab_graph.text.amounts import find_amounts
from crab_graph.text.approvals import requests_booking
from crab_graph.text.clauses import Utterance
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import offers_transfer
from crab_graph.text.tokens import TerminalToken
from crab_graph.tools.tool import Owner

_TRIP = frozenset({"D01", "D02", "D03", "D04"})
_NODES = frozenset({"D08", "D09", "D10", "D11"})
_ENDINGS = frozenset({"C-FULL", "C-PART", "C-NONE"})
_LOOP = 3


@dataclass(frozen=True, slots=True)
class UserError:
    """An error of the user.

    Attributes:
        code: `U1` to `U7`.
        message: Number of the visible message that shows it.
        text: What was found.
        covers: The checks whose failure it explains.
    """

    code: str
    message: int
    text: str
    covers: frozenset[str]


def user_errors(episode: Episode, results: Results) -> list[UserError]:
    """Return the user's errors in an episode, found or not to matter."""
    return [
        *_wrong_or_invented_facts(episode, results),
        *_premature_end(episode),
        *_wrong_token(episode),
        *_payment_errors(episode),
        *_loops(episode),
        *_role_breaks(episode),
    ]


_RECORDED = {
    "ends_on_approval": ("U4", _TRIP | {"D19", "C-PART", "C-NONE"}),
    "invents_traveller": ("U1", frozenset({"D06", "D07"})),
    "claims_payment": ("U6", _TRIP | {"D19", "D20", "D21"}),
    "plays_agent": ("U7", _TRIP | _ENDINGS | {"D19"}),
    "says_nothing": ("U7", _TRIP | _ENDINGS | {"D19"}),
}


def recorded_errors(faults: Iterable[Mapping[str, Any]]) -> list[UserError]:
    """Return the errors that a user's engine recorded, with the checks they explain."""
    return [
        UserError(code, int(fault["turn"]), str(fault["text"]), covers)
        for fault in faults
        for code, covers in [_RECORDED.get(str(fault["kind"]), ("U7", frozenset()))]
    ]


@dataclass(frozen=True, slots=True)
class _Statement:
    claim: Claim
    values: tuple[Any, ...]
    message: UserMessage

    def is_right(self, facts: Mapping[str, Any]) -> bool:
        """Return whether one of the values agrees with the facts."""
        agrees = self.claim.agrees
        if agrees is not None:
            return any(agrees(facts, value) for value in self.values)
        return any(_same(facts[self.claim.key], value) for value in self.values)

    @property
    def shown(self) -> str:
        """The values, as evidence shows them."""
        return " or ".join(repr(value) for value in self.values)


def _wrong_or_invented_facts(episode: Episode, results: Results) -> Iterator[UserError]:
    """U1: a stated value differs from the profile. U2: a demand the profile knows nothing of."""
    facts = episode.reading.facts
    statements = list(_statements(episode))
    first_write = episode.history.writes[0] if episode.history.writes else float("inf")
    for statement in statements:
        key = statement.claim.key
        if statement.message.seq > episode.history.last_write and episode.history.writes:
            continue
        number = statement.message.number
        if key not in facts:
            covers = _TRIP | _NODES | {"D05", "C-PART"}
            yield UserError("U2", number, f"demanded {key} {statement.shown}", covers)
        elif not statement.is_right(facts):
            is_corrected = any(
                other.claim.key == key
                and statement.message.seq < other.message.seq < first_write
                and other.is_right(facts)
                for other in statements
            )
            if not is_corrected:
                covers = _covered_by(episode, results, key)
                yield UserError("U1", number, f"said {key} is {statement.shown}", covers)


def _statements(episode: Episode) -> Iterator[_Statement]:
    today = episode.reading.task.today
    for message in episode.dialogue.user:
        utterance = message.utterance
        for clause in utterance.clauses:
            words = utterance.words(clause)
            if "?" in words or pattern("attribution", "denials").search(words):
                continue
            for claim in episode.reading.grading.claims:
                for found in _compiled(claim.pattern).finditer(words):
                    for values in _values(claim, found[1], today):
                        yield _Statement(claim, values, message)


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
        if check not in _NODES
        or all(key in evidence["text"].split(" broken")[0] for evidence in results[check].evidence)
    )


def _premature_end(episode: Episode) -> Iterator[UserError]:
    """U4: the user ends while the agent, not at its wits' end, asks something that moves on.

    A message that brings something new is progress, so patience cannot have run out with it.
    """
    is_ended = episode.trajectory.token in (TerminalToken.STOP, TerminalToken.TRANSFER)
    answered = list(answers(episode))
    if not is_ended or episode.state is TripState.FULL or not answered:
        return
    last, ending = answered[-1]
    if ending is not episode.dialogue.user[-1]:
        return
    is_request = "?" in last.utterance.text or _has("please", last.utterance)
    if not is_request or _has("inability", last.utterance) or has_final_offer(episode):
        return
    if _brings_news(episode, last):
        covers = _TRIP | {"D19", "C-PART", "C-NONE"}
        yield UserError("U4", ending.number, "ended while asked to go on", covers)


def _brings_news(episode: Episode, message: AgentMessage) -> bool:
    earlier = episode.dialogue.agent_before(message.seq)
    known = {mention.entity_id for other in earlier for mention in other.mentions}
    prices = {amount.cents for other in earlier for amount in other.amounts}
    return any(mention.entity_id not in known for mention in message.mentions) or any(
        amount.cents not in prices for amount in message.amounts
    )


def _wrong_token(episode: Episode) -> Iterator[UserError]:
    """U5: out of scope, or a transfer that was neither offered nor made."""
    token, user = episode.trajectory.token, episode.dialogue.user
    number = user[-1].number if user else 0
    if token is TerminalToken.OUT_OF_SCOPE:
        yield UserError("U5", number, "every task is in scope", frozenset({"C-OOS"}))
    elif token is TerminalToken.TRANSFER and not _was_transfer_offered(episode):
        covers = frozenset({"C-PART", "C-NONE"})
        yield UserError("U5", number, "a transfer was neither offered nor made", covers)


def _was_transfer_offered(episode: Episode) -> bool:
    # The window of C-PART is too narrow here: any offer may have led to the token.
    messages = episode.dialogue.agent
    return bool(episode.history.transferred_at) or any(
        offers_transfer(message.utterance) for message in messages
    )


def _payment_errors(episode: Episode) -> Iterator[UserError]:
    """U6: says that a payment is approved without approving it, or approves another than asked."""
    for request, answer in answers(episode):
        if not _has("payment_requests", request.utterance):
            continue
        made = [
            approval
            for approval in episode.history.approvals
            if request.seq < approval.seq < answer.seq
        ]
        covers = _covered_by_payment(episode, answer)
        for approval in made:
            wrong = _wrong_part(episode, request, approval)
            if wrong is not None:
                text = f"approved another {wrong} for {approval.booking_id}"
                yield UserError("U6", answer.number, text, covers)
        is_idle = not _has_acted(episode, request, answer)
        if is_idle and _claims_payment(answer.utterance) and _awaits_approval(episode, answer.seq):
            yield UserError("U6", answer.number, "claimed an approval not given", covers)


def _covered_by_payment(episode: Episode, answer: UserMessage) -> frozenset[str]:
    """Return what a wrong payment explains: missing bookings too where the agent stopped for it."""
    stopped = episode.history.last_write < answer.seq
    return frozenset({"D19", "D20", "D21"}) | (_TRIP if stopped else frozenset())


def _wrong_part(episode: Episode, request: AgentMessage, approval: Payment) -> str | None:
    """Return which part of an approval is not as the agent asked, and could have been."""
    row = episode.trajectory.ledger.get("bookings", approval.booking_id)
    due = row["total_cents"] if row is not None else approval.cents
    amounts = {amount.cents for amount in find_amounts(request.utterance)}
    if approval.cents != due and due in amounts:
        return "amount"
    named = {token.upper() for token in ANY_ID.findall(request.utterance.text)}
    if _own_methods(episode) & named and approval.payment_method_id not in named:
        return "method"
    bookings = named & set(episode.history.by_id)
    return "booking" if bookings and approval.booking_id not in bookings else None


def _own_methods(episode: Episode) -> set[str]:
    """Return the customer's own methods: to refuse a stranger's is no error."""
    customer_id = episode.reading.task.customer_id
    rows = episode.trajectory.ledger.find("payment_methods", "customer_id", customer_id)
    return {row["payment_method_id"] for row in rows}


def answers(episode: Episode) -> Iterator[tuple[AgentMessage, UserMessage]]:
    """Yield each agent message that is answered with the answer."""
    answered: set[int] = set()
    for answer in episode.dialogue.user:
        before = episode.dialogue.agent_before(answer.seq)
        if before and before[-1].seq not in answered:
            answered.add(before[-1].seq)
            yield before[-1], answer


def _has_acted(episode: Episode, request: AgentMessage, answer: UserMessage) -> bool:
    return any(call.events for call in _calls_between(episode, request, answer))


def _calls_between(
    episode: Episode, request: AgentMessage, answer: UserMessage
) -> Iterator[CallStep]:
    """Yield the user's calls between a message and the answer to it."""
    # `seq` counts steps from 1, so it is also a position.
    for step in episode.trajectory.steps[request.seq : answer.seq - 1]:
        if isinstance(step, CallStep) and step.owner is Owner.USER:
            yield step


def _claims_payment(utterance: Utterance) -> bool:
    claims, denials = pattern("attribution", "payment_claims"), pattern("attribution", "denials")
    return any(
        claims.search(words) and not denials.search(words) and "?" not in words
        for words in map(utterance.words, utterance.clauses)
    )


def _awaits_approval(episode: Episode, seq: int) -> bool:
    approved = {item.booking_id for item in episode.history.approvals if item.seq < seq}
    return any(
        booking.is_active(seq)
        and booking.booking_id not in approved
        and episode.history.charged_at(booking.booking_id) > seq
        for booking in episode.history.bookings
    )


def _loops(episode: Episode) -> Iterator[UserError]:
    """U7: three user turns in a row say the same, act on nothing and answer nothing.

    To an agent that says nothing, or the same again, there is nothing else to say.
    """
    idle: list[str] = []
    asked: set[str] = set()
    for request, answer in answers(episode):
        text, question = answer.utterance.text, request.utterance.text
        has_called = any(True for _ in _calls_between(episode, request, answer))
        is_idle = not has_called and not _asks_yes_or_no(request.utterance)
        if not is_idle or not question or question in asked or idle[-1:] != [text]:
            idle, asked = [], set()
        if is_idle and question:
            idle.append(text)
            asked.add(question)
        if len(idle) == _LOOP:
            covers = _TRIP | _ENDINGS | {"D19"}
            yield UserError("U7", answer.number, "said the same three times", covers)


def _asks_yes_or_no(utterance: Utterance) -> bool:
    return requests_booking(utterance) or (
        "?" in utterance.text and _has("yes_no_openings", utterance)
    )


def _role_breaks(episode: Episode) -> Iterator[UserError]:
    """U7: the user speaks as the agent, or of being simulated."""
    for message in episode.dialogue.user:
        if _has("role_breaks", message.utterance):
            covers = _TRIP | _ENDINGS | {"D19"}
            yield UserError("U7", message.number, "left the role of the user", covers)


def _has(key: str, utterance: Utterance) -> bool:
    return pattern("attribution", key).search(utterance.text) is not None


def covered(errors: Iterable[UserError]) -> frozenset[str]:
    """Return the checks that some error explains."""
    return frozenset[str]().union(*(error.covers for error in errors))
