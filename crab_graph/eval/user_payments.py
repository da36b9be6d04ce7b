"""What a user approves otherwise than it was asked to, or only says it did (rulebook §10, U6)."""

from collections.abc import Iterator

from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.episode import Episode
from crab_graph.eval.history import Payment
from crab_graph.eval.user_error import TRIP, UserError, calls_between
from crab_graph.personas.understanding import ANY_ID
from crab_graph.text.lexicon import pattern
from crab_graph.text.utterance import Utterance


def payment_errors(episode: Episode) -> Iterator[UserError]:
    """U6: says that a payment is approved without approving it, or approves another than asked."""
    for request, answer in episode.dialogue.answers:
        if not _asks_for_payment(request.utterance):
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
        is_idle = not any(call.events for call in calls_between(episode, request, answer))
        if is_idle and _claims_payment(answer.utterance) and _awaits_approval(episode, answer.seq):
            yield UserError("U6", answer.number, "claimed an approval not given", covers)


def _covered_by_payment(episode: Episode, answer: UserMessage) -> frozenset[str]:
    """Return what a wrong payment explains: missing bookings too where the agent stopped for it."""
    stopped = episode.history.last_write < answer.seq
    return frozenset({"D19", "D20", "D21"}) | (TRIP if stopped else frozenset())


def _wrong_part(episode: Episode, request: AgentMessage, approval: Payment) -> str | None:
    """Return which part of an approval is not as the agent asked, and could have been."""
    due = _due_at(episode, approval)
    if approval.cents != due and due in {amount.cents for amount in request.amounts}:
        return "amount"
    named = {token.upper() for token in ANY_ID.findall(request.utterance.text)}
    if _own_methods(episode) & named and approval.payment_method_id not in named:
        return "method"
    bookings = named & set(episode.history.by_id)
    return "booking" if bookings and approval.booking_id not in bookings else None


def _due_at(episode: Episode, approval: Payment) -> int:
    """Return what the booking cost when it was approved: a later change is not the user's doing."""
    price = episode.history.price_before(approval.booking_id, approval.seq)
    if price is not None:
        return price.cents
    row = episode.trajectory.ledger.get("bookings", approval.booking_id)
    return approval.cents if row is None else int(row["total_cents"])


def _own_methods(episode: Episode) -> set[str]:
    """Return the customer's own methods: to refuse a stranger's is no error."""
    customer_id = episode.reading.task.customer_id
    rows = episode.trajectory.ledger.find("payment_methods", "customer_id", customer_id)
    return {row["payment_method_id"] for row in rows}


def _claims_payment(utterance: Utterance) -> bool:
    claims, denials = pattern("attribution", "payment_claims"), pattern("attribution", "denials")
    return any(
        claims.search(words) and not denials.search(words) and "?" not in words
        for words in map(utterance.words, utterance.clauses)
    )


def _awaits_approval(episode: Episode, seq: int) -> bool:
    """Return whether a booking waits for an approval since it was made, or last changed."""
    history = episode.history
    approved = set()
    for item in history.approvals:
        price = history.price_before(item.booking_id, seq)
        if item.seq < seq and (price is None or price.seq < item.seq):
            approved.add(item.booking_id)
    return any(
        booking.is_active(seq)
        and booking.booking_id not in approved
        and episode.history.charged_at(booking.booking_id) > seq
        for booking in episode.history.bookings
    )


def _asks_for_payment(utterance: Utterance) -> bool:
    return pattern("attribution", "payment_requests").search(utterance.text) is not None
