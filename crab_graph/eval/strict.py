"""Strict grading: what parity leaves untriggered becomes a duty (rulebook §6)."""

from collections.abc import Iterator

from crab_graph.eval.checks import (
    FACTUALITY,
    CheckResult,
    CheckVerdict,
    Evidence,
    Results,
    judge,
    seen,
)
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.episode import Episode, TripState
from crab_graph.eval.factuality import governing_totals, has_name, summaries
from crab_graph.eval.history import BookingRecord
from crab_graph.eval.prices import find_quotes
from crab_graph.text.mentions import MentionForm

CROWD = 3
"""A message that discloses more entities for a slot than this does not tell which one is booked."""

UNDISCLOSED = "undisclosed"


def strict_checks(episode: Episode, parity: Results) -> dict[str, CheckResult]:
    """Return the strict results of all checks, given the parity ones."""
    duties = {
        "F-ID": list(_unsaid(episode, MentionForm.ID)),
        "F-NM": list(_unsaid(episode, MentionForm.NAME)),
        "F-PT": list(_untold_total(episode)),
        "F-PS": list(_missing_summary(episode)),
        "F-IP": list(_unpriced(episode)),
        "F-AP": list(_unapproved(episode)),
    }
    results = dict(parity)
    for check in FACTUALITY:
        if duties[check]:
            results[check] = CheckResult(
                CheckVerdict.FAIL,
                (*(parity[check].evidence if parity[check].is_failure else ()), *duties[check]),
            )
        elif parity[check].verdict is CheckVerdict.NOT_TRIGGERED and _is_bound(episode, check):
            results[check] = judge(())
    return results


def _is_bound(episode: Episode, check: str) -> bool:
    """Whether there was anything the duty of a check applies to."""
    match check:
        case "F-ID":
            return bool(episode.history.bookings)
        case "F-NM":
            return any(has_name(episode, booking) for booking in episode.history.bookings)
        case "F-PT":
            return bool(episode.history.charges)
        case "F-PS":
            return episode.state is TripState.FULL
        case "F-IP":
            return bool(episode.confirmed)
    return bool(episode.active)


def _told(text: str, booking_id: str = "") -> Evidence:
    rows = [f"bookings/{booking_id}"] if booking_id else []
    return seen(f"{UNDISCLOSED}: {text}", rows=rows)


def _unsaid(episode: Episode, form: MentionForm) -> Iterator[Evidence]:
    """Yield the bookings whose id or name was never disclosed among at most three."""
    for booking in episode.history.bookings:
        if form is MentionForm.NAME and not has_name(episode, booking):
            continue
        disclosing = episode.dialogue.disclosing(booking, form)
        if not any(_is_uncrowded(message, booking) for message in disclosing):
            yield _told(f"the {form} of {booking.entity_id} among few", booking.booking_id)


def _is_uncrowded(message: AgentMessage, booking: BookingRecord) -> bool:
    return len(message.offered.get(booking.slot or "", frozenset())) <= CROWD


def _untold_total(episode: Episode) -> Iterator[Evidence]:
    charges = episode.history.charges
    governed = governing_totals(episode)
    if charges and (not governed or governed[0][0] != charges[0]):
        yield _told("a total before the first charge")


def _missing_summary(episode: Episode) -> Iterator[Evidence]:
    if episode.state is TripState.FULL and not summaries(episode):
        yield _told("a summary of the finished trip")


def _unpriced(episode: Episode) -> Iterator[Evidence]:
    quotes = [quote for quote in find_quotes(episode) if quote.is_right]
    for booking_id, booking in episode.confirmed.items():
        charged_at = episode.history.charged_at(booking_id)
        own = (quote for quote in quotes if booking in quote.bookings)
        if not any(quote.message.seq < charged_at for quote in own):
            yield _told(f"the price of {booking.entity_id} before its charge", booking_id)


def _unapproved(episode: Episode) -> Iterator[Evidence]:
    for booking_id, booking in episode.active.items():
        record = episode.history.by_id[booking_id]
        standing = episode.dialogue.approvals_before(record.made_at).approved
        if booking.entity_id not in standing.get(record.slot or "", frozenset()):
            yield _told(f"approval of {booking.entity_id} when it was booked", booking_id)
