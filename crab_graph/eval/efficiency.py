"""Efficiency metrics: for analysis only, they never affect a verdict (rulebook §8, paper A.1)."""

from collections.abc import Hashable, Iterable
from typing import Any

from crab_graph.eval.corrections import find_corrections
from crab_graph.eval.episode import Episode
from crab_graph.eval.replay import CallStep
from crab_graph.schema import canonical_json
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
    cancelled = [
        booking for booking in episode.history.bookings if booking.cancelled_at != float("inf")
    ]
    return {
        "total_tool_calls": len(own),
        "failed_tool_calls": sum(call.is_error for call in own),
        "redundant_calls": len(repeats),
        "redundant_calls_stale_aware": repeats.count(False),
        "call_cancellation": len(cancelled),
        "admitted_errors": len(admissions),
        "unadmitted_corrections": sum(
            not any(wrong < seq <= mended for seq in admissions)
            for wrong, mended in find_corrections(episode)
        ),
    }


def _repeats(calls: Iterable[CallStep]) -> Iterable[bool]:
    """Yield, for each call of the agent made before, whether a write has happened in between."""
    last_seen: dict[tuple[str, Hashable], int] = {}
    last_write = 0
    for call in calls:
        if call.owner is Owner.AGENT:
            key = call.name, _canonical(call.arguments)
            if key in last_seen:
                yield last_seen[key] < last_write
            last_seen[key] = call.seq
        if call.events:
            last_write = call.seq


def _canonical(arguments: Any) -> Hashable:
    """Return what equal arguments, whatever their order, have alone."""
    if type(arguments) is dict and {str, int}.issuperset(map(type, arguments.values())):
        return frozenset(arguments.items())  # a third of the time that JSON takes
    return canonical_json(arguments)
