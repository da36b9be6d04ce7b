"""Disclosure coverage: how much of what could be checked was said at all (rulebook §7)."""

from collections.abc import Iterable
from typing import Any

from crab_graph.eval.episode import Episode
from crab_graph.eval.verifier import Verifier
from crab_graph.text.mentions import MentionForm


def disclosure_coverage(episode: Episode, verifiers: Iterable[Verifier]) -> dict[str, Any]:
    """Return covered cases and opportunities of each factuality check, and disclosure precision."""
    counted = {one.id: one.coverage(episode) for one in verifiers if one.coverage is not None}
    return {
        "coverage": {
            check: {"covered": done, "opportunities": of} for check, (done, of) in counted.items()
        },
        "disclosure_precision": _precision(episode),
    }


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
