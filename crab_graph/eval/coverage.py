"""Disclosure coverage: how much of what could be checked was said at all (rulebook §7)."""

from typing import Any

from crab_graph.eval.episode import Episode
from crab_graph.eval.factuality import governing_totals, has_name, summaries
from crab_graph.eval.prices import find_quotes
from crab_graph.text.mentions import MentionForm


def disclosure_coverage(episode: Episode) -> dict[str, Any]:
    """Return covered cases and opportunities of each factuality check, and disclosure precision."""
    history = episode.history
    named = [booking for booking in history.bookings if has_name(episode, booking)]
    quotes = find_quotes(episode)
    approved = episode.dialogue.approvals.approved
    covered = {
        "F-ID": (_disclosed(episode, MentionForm.ID), len(history.bookings)),
        "F-NM": (_disclosed(episode, MentionForm.NAME), len(named)),
        "F-PT": (len(governing_totals(episode)), len(history.charges)),
        "F-PS": (int(bool(episode.confirmed and summaries(episode))), int(bool(episode.confirmed))),
        "F-IP": (
            sum(
                any(
                    booking in quote.bookings
                    and quote.message.seq < history.charged_at(booking.booking_id)
                    for quote in quotes
                )
                for booking in episode.confirmed.values()
            ),
            len(episode.confirmed),
        ),
        "F-AP": (
            sum(bool(approved.get(booking.slot or "")) for booking in episode.active.values()),
            len(episode.active),
        ),
    }
    return {
        "coverage": {
            check: {"covered": done, "opportunities": of} for check, (done, of) in covered.items()
        },
        "disclosure_precision": _precision(episode),
    }


def _disclosed(episode: Episode, form: MentionForm) -> int:
    return sum(
        bool(episode.dialogue.disclosing(booking, form))
        for booking in episode.history.bookings
        if form is MentionForm.ID or has_name(episode, booking)
    )


def _precision(episode: Episode) -> float | None:
    """Return booked ids over disclosed ids; `None` where none was disclosed."""
    said = {
        mention.entity_id
        for message in episode.dialogue.agent
        for mention in message.disclosed
        if mention.form is MentionForm.ID
    }
    booked = {booking.entity_id for booking in episode.history.bookings}
    return round(len(said & booked) / len(said), 4) if said else None
