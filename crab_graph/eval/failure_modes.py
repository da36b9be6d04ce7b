"""Failure modes: why an episode failed, in the paper's terms (rulebook §9, tables 4 and 5)."""

from collections.abc import Iterator
from enum import StrEnum

from crab_graph.eval.checks import Results
from crab_graph.eval.completion import has_final_offer
from crab_graph.eval.episode import Episode, TripState
from crab_graph.eval.factuality import undisclosed_reason
from crab_graph.eval.replay import CallStep
from crab_graph.text.mentions import MentionForm
from crab_graph.tools.bookings import BookingStatus

CHARGE_TOOL = "charge_booking"


class FailureMode(StrEnum):
    """Failure modes in the order in which one becomes the primary one."""

    COLLATERAL = "collateral"
    PAYMENT = "payment"
    NO_BOOKING = "no_booking"
    MISSING_ENTITY = "missing_entity"
    SURPLUS = "surplus"
    PARTY_OR_TRAVELLER = "party_or_traveller"
    NODE_CONSTRAINT = "node_constraint"
    INTER_ENTITY_CONSTRAINT = "inter_entity_constraint"
    NAME_UNDISCLOSED = "name_undisclosed"
    ID_MISMATCH = "id_mismatch"
    PLAN_DEVIATION = "plan_deviation"
    TOTAL_MISMATCH = "total_mismatch"
    ITEM_PRICE_MISMATCH = "item_price_mismatch"
    SUMMARY_MISMATCH = "summary_mismatch"
    OUT_OF_SCOPE = "out_of_scope"
    NO_TERMINAL = "no_terminal"
    UNCANCELLED_PARTIAL = "uncancelled_partial"
    TRANSFER_WITHOUT_BOOKING = "transfer_without_booking"


_CHECKS = {
    FailureMode.COLLATERAL: ("D23",),
    FailureMode.PAYMENT: ("D19", "D20", "D21", "D22"),
    FailureMode.MISSING_ENTITY: ("D01", "D02", "D03", "D04"),
    FailureMode.SURPLUS: ("D05",),
    FailureMode.PARTY_OR_TRAVELLER: ("D06", "D07"),
    FailureMode.NODE_CONSTRAINT: ("D08", "D09", "D10", "D11", "D12"),
    FailureMode.INTER_ENTITY_CONSTRAINT: ("D13", "D14", "D15", "D16", "D17", "D18", "D25"),
    FailureMode.NAME_UNDISCLOSED: ("F-NM",),
    FailureMode.ID_MISMATCH: ("F-ID",),
    FailureMode.PLAN_DEVIATION: ("F-AP",),
    FailureMode.TOTAL_MISMATCH: ("F-PT",),
    FailureMode.ITEM_PRICE_MISMATCH: ("F-IP",),
    FailureMode.SUMMARY_MISMATCH: ("F-PS",),
    FailureMode.OUT_OF_SCOPE: ("C-OOS",),
}


_LAST_OF_PART = {
    "concrete": FailureMode.INTER_ENTITY_CONSTRAINT,
    "factuality": FailureMode.SUMMARY_MISMATCH,
    "completion": FailureMode.TRANSFER_WITHOUT_BOOKING,
}


def part_of(mode: FailureMode) -> str:
    """Return the part of the verdict that a mode belongs to, as the paper's tables split them."""
    order = list(FailureMode)
    return next(
        part for part, last in _LAST_OF_PART.items() if order.index(mode) <= order.index(last)
    )


def failure_modes(episode: Episode, results: Results) -> list[FailureMode]:
    """Return all failure modes of an episode, the primary one first."""
    found = {
        mode
        for mode, checks in _CHECKS.items()
        if any(check in results and results[check].is_failure for check in checks)
    }
    found.update(_modes_of_state(episode, results))
    return [mode for mode in FailureMode if mode in found]


def _modes_of_state(episode: Episode, results: Results) -> Iterator[FailureMode]:
    if episode.state is TripState.NONE:
        yield FailureMode.NO_BOOKING
    is_pending = any(booking.status == BookingStatus.PENDING for booking in episode.active.values())
    if is_pending or _has_unrecovered_charge(episode):
        yield FailureMode.PAYMENT
    failed = [check for check in ("C-FULL", "C-PART", "C-NONE") if results[check].is_failure]
    if failed and episode.trajectory.token is None:
        yield FailureMode.NO_TERMINAL
    elif failed == ["C-NONE"]:
        yield FailureMode.TRANSFER_WITHOUT_BOOKING
    if failed == ["C-PART"] and not has_final_offer(episode):
        yield FailureMode.UNCANCELLED_PARTIAL


def _has_unrecovered_charge(episode: Episode) -> bool:
    """Whether a charge of an active booking failed that is not paid in the end either."""
    unpaid = set(episode.active) - set(episode.confirmed)
    return any(_failed_charge(call) in unpaid for call in episode.trajectory.calls)


def _failed_charge(call: CallStep) -> str:
    if call.name != CHARGE_TOOL or call.error is None or not isinstance(call.arguments, dict):
        return ""
    return str(call.arguments.get("booking_id", ""))


def id_mismatch_reasons(episode: Episode) -> list[str]:
    """Return the sub-labels of `id_mismatch`: `absent`, `negated`, `over_cap`."""
    reasons = (
        undisclosed_reason(episode, booking)
        for booking in episode.history.bookings
        if not episode.dialogue.disclosing(booking, MentionForm.ID)
    )
    return sorted(set(reasons))
