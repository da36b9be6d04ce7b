"""What is measured beside the verdict: efficiency, corrections, disclosure coverage (§7, §8).

For analysis only: none of it affects a verdict.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.reading import Episode
from crab_graph.eval.replay import CallStep
from crab_graph.eval.verifier import Verifier
from crab_graph.schema import canonical_json
from crab_graph.text.item_prices import Mark
from crab_graph.text.mentions import MentionForm
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


class Correction(NamedTuple):
    """Where something wrong was done or said, and where it was put right."""

    wrong: int
    mended: float


def find_corrections(episode: Episode) -> list[Correction]:
    """Return what was corrected: cancelled bookings, restated prices, totals and ids."""
    cancelled = [
        Correction(booking.made_at, booking.cancelled_at)
        for booking in episode.history.bookings
        if booking.cancelled_at != float("inf")
    ]
    restated = [*_restated_prices(episode), *_restated_totals(episode), *_replaced_ids(episode)]
    return cancelled + restated


def _restated_prices(episode: Episode) -> Iterator[Correction]:
    """A marked price of one item, stated by id, replaced by another."""
    said: dict[tuple[str, Mark], tuple[int, int]] = {}
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
                yield Correction(before[1], message.seq)
            said[key] = (price.amount.cents, message.seq)


def _restated_totals(episode: Episode) -> Iterator[Correction]:
    """A total of the trip replaced by another while the plan, as it was told, is the same."""
    plan: Mapping[str, frozenset[str]] = {}
    said: tuple[int, int, Mapping[str, frozenset[str]]] | None = None
    for message in episode.dialogue.agent:
        plan = {**plan, **message.offered}
        totals = {total.amount.cents for total in message.pre_charge_totals}
        if len(totals) != 1 or any(len(ids) > 1 for ids in plan.values()):
            continue
        cents = totals.pop()
        if said is not None and said[2] == plan and said[0] != cents:
            yield Correction(said[1], message.seq)
        said = (cents, message.seq, plan)


def _replaced_ids(episode: Episode) -> Iterator[Correction]:
    """An entity that the user had approved replaced by another that nobody asked for."""
    told: dict[str, AgentMessage] = {}
    for message in episode.dialogue.agent:
        approved = episode.dialogue.approvals_before(message.seq).approved
        for slot, ids in message.offered.items():
            before = told.get(slot)
            if len(ids) > 1:
                told.pop(slot, None)
                continue
            held = None if before is None else before.offered[slot]
            if before is not None and held not in (None, ids) and held == approved.get(slot):
                yield Correction(before.seq, message.seq)
            told[slot] = message


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
