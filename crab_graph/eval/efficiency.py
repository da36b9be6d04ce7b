"""Efficiency metrics: for analysis only, they never affect a verdict (rulebook §8, paper A.1)."""

from collections.abc import Iterable

from crab_graph.eval.episode import Episode
from crab_graph.eval.history import BookingRecord
from crab_graph.eval.replay import CallStep
from crab_graph.schema import canonical_json
from crab_graph.text.item_prices import Mark
from crab_graph.text.phrases import admits_error
from crab_graph.tools.tool import Owner


def efficiency(episode: Episode) -> dict[str, int]:
    """Return the counts of one episode."""
    calls = episode.trajectory.calls
    repeats = list(_repeats(calls))
    own = [call for call in calls if call.owner is Owner.AGENT]
    admissions = [
        message.seq for message in episode.dialogue.agent if admits_error(message.utterance)
    ]
    cancelled = [booking for booking in episode.history.bookings if _is_cancelled(booking)]
    unadmitted = [(booking.made_at, booking.cancelled_at) for booking in cancelled]
    unadmitted += _restated_prices(episode)
    return {
        "total_tool_calls": len(own),
        "failed_tool_calls": sum(call.error is not None for call in own),
        "redundant_calls": len(repeats),
        "redundant_calls_stale_aware": repeats.count(False),
        "call_cancellation": len(cancelled),
        "admitted_errors": len(admissions),
        "unadmitted_corrections": sum(
            not any(wrong < seq <= mended for seq in admissions) for wrong, mended in unadmitted
        ),
    }


def _is_cancelled(booking: BookingRecord) -> bool:
    return booking.cancelled_at != float("inf")


def _repeats(calls: Iterable[CallStep]) -> Iterable[bool]:
    """Yield, for each call of the agent made before, whether a write has happened in between."""
    last_seen: dict[str, int] = {}
    last_write = 0
    for call in calls:
        if call.owner is Owner.AGENT:
            key = canonical_json([call.name, call.arguments])
            if key in last_seen:
                yield last_seen[key] < last_write
            last_seen[key] = call.seq
        if call.events:
            last_write = call.seq


def _restated_prices(episode: Episode) -> list[tuple[int, float]]:
    """Return where a marked price of one item was replaced by another, and by what message.

    Of the claims that an agent can correct silently, these are the ones that a rule can tell from a
    change of plan.
    """
    said: dict[tuple[str, Mark], tuple[int, int]] = {}
    corrected: list[tuple[int, float]] = []
    for message in episode.dialogue.agent:
        for price in message.item_prices:
            if price.mark is Mark.UNMARKED or len(price.references) > 1:
                continue
            reference = price.references[0]
            if not reference.id:
                continue
            key = (reference.id, price.mark)
            before = said.get(key)
            if before is not None and before[0] != price.amount.cents and before[1] < message.seq:
                corrected.append((before[1], message.seq))
            said[key] = (price.amount.cents, message.seq)
    return corrected
