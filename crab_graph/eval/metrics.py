"""What is measured beside the verdict: efficiency, corrections, disclosure coverage (§7, §8).

For analysis only: none of it affects a verdict.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.history import NEVER
from crab_graph.eval.reading import Episode
from crab_graph.eval.replay import CallStep
from crab_graph.eval.verifier import Verifier
from crab_graph.schema import canonical_json
from crab_graph.text.item_prices import Mark
from crab_graph.text.mentions import MentionForm
from crab_graph.text.phrases import admits_error
from crab_graph.text.total_cues import PRE_CHARGE_CUES
from crab_graph.tools.registry import Owner


def efficiency(episode: Episode) -> dict[str, int]:
    """Return the counts of one episode."""
    own = [call for call in episode.trajectory.calls if call.owner is Owner.AGENT]
    repeats = list(_repeats(episode.trajectory.calls))
    cancelled = [
        Correction(booking.made_at, booking.cancelled_at)
        for booking in episode.history.bookings
        if booking.cancelled_at != NEVER
    ]
    found = (_restated_prices, _restated_totals, _replaced_ids)
    upset = [call.seq for call in own if call.is_error and not call.is_own_error]
    restated = [
        one
        for tell in found
        for one in tell(episode)
        # What the world broke in between was no mistake of the agent's.
        if not any(one.wrong < seq <= one.mended for seq in upset)
    ]
    admissions = [
        message.seq for message in episode.dialogue.agent if admits_error(message.utterance)
    ]
    return {
        "total_tool_calls": len(own),
        "failed_tool_calls": sum(call.is_own_error for call in own),
        "redundant_calls": len(repeats),
        "redundant_calls_stale_aware": repeats.count(False),
        "call_cancellation": len(cancelled),
        "admitted_errors": len(admissions),
        "unadmitted_corrections": sum(
            not any(wrong < seq <= mended for seq in admissions)
            for wrong, mended in (*cancelled, *restated)
        ),
    }


def _repeats(calls: Iterable[CallStep]) -> Iterable[bool]:
    """Yield, for each call of the agent made before, whether a write has happened in between.

    Once the world has refused one, what was asked before may be asked anew.
    """
    last_seen: dict[tuple[str, str], int] = {}
    last_write = 0
    for call in calls:
        if call.owner is Owner.AGENT:
            key = call.name, canonical_json(call.arguments)
            if key in last_seen:
                yield last_seen[key] < last_write
            last_seen[key] = call.seq
            if call.is_error and not call.is_own_error:
                last_seen.clear()
        if call.events:
            last_write = call.seq


class Correction(NamedTuple):
    """Where something wrong was done or said, and where it was put right.

    Of all implicit corrections (§8) these are the ones that a rule can tell from a change of plan.
    """

    wrong: int
    mended: float


def _restated_prices(episode: Episode) -> Iterator[Correction]:
    """A marked price of one item, stated by id, replaced by another."""
    said: dict[tuple[str, Mark], tuple[int, int]] = {}
    for message in episode.dialogue.agent:
        for price in message.item_prices:
            if price.mark is Mark.UNMARKED or len(price.references) != 1:
                continue
            (item,) = price.references
            if not item.id:
                continue
            cents, seq = said.get((item.id, price.mark), (price.amount.cents, 0))
            if cents != price.amount.cents and seq < message.seq:
                yield Correction(seq, message.seq)
            said[item.id, price.mark] = (price.amount.cents, message.seq)


def _restated_totals(episode: Episode) -> Iterator[Correction]:
    """A total of the job replaced by another while the plan, as it was told, is the same."""
    plan: Mapping[str, frozenset[str]] = {}
    said: tuple[int, int, Mapping[str, frozenset[str]]] | None = None
    for message in episode.dialogue.agent:
        plan = {**plan, **message.offered}
        totals = {total.amount.cents for total in message.job_totals(PRE_CHARGE_CUES)}
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
            before = told.pop(slot, None)
            if len(ids) > 1:
                continue
            held = None if before is None else before.offered[slot]
            if before is not None and held not in (None, ids) and held == approved.get(slot):
                yield Correction(before.seq, message.seq)
            told[slot] = message


def disclosure_coverage(episode: Episode, verifiers: Iterable[Verifier]) -> dict[str, Any]:
    """Return covered cases and opportunities of each factuality check, and disclosure precision.

    The precision is `None` where no id was disclosed.
    """
    counted = {one.id: one.coverage(episode) for one in verifiers if one.coverage is not None}
    said = {
        mention.entity_id
        for message in episode.dialogue.agent
        for mention in message.disclosed
        if mention.form is MentionForm.ID
    }
    booked = {booking.entity_id for booking in episode.history.bookings}
    return {
        "coverage": {
            check: {"covered": done, "opportunities": of} for check, (done, of) in counted.items()
        },
        "disclosure_precision": round(len(said & booked) / len(said), 4) if said else None,
    }
