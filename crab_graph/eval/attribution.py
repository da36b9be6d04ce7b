"""Why an episode failed, in the paper's terms, and whose fault it is, by rules only (§9, §10)."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from crab_graph.eval.checks import FailureMode, Results
from crab_graph.eval.reading import Episode, TripState
from crab_graph.eval.user_errors import UserError
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.eval.verifiers.completion import has_final_offer
from crab_graph.eval.verifiers.disclosure import undisclosed_reason
from crab_graph.text.mentions import MentionForm
from crab_graph.tools.bookings import BookingStatus


class Fault(StrEnum):
    """Who is at fault."""

    AGENT = "agent"
    USER = "user"
    ENVIRONMENT = "environment"
    INFRA = "infra"


def attribute(
    results: Results, errors: Sequence[UserError], *, is_sound: bool, is_infra: bool
) -> Fault | None:
    """Return who is at fault, or `None` where nothing failed, by the parity results.

    Sound means that the invariants hold and the checks agree with the certificate; `is_infra`, that
    the episode was cut short by provider, harness or wall clock.
    """
    if is_infra:
        return Fault.INFRA
    if not is_sound:
        return Fault.ENVIRONMENT
    failing = {check for check, result in results.items() if result.is_failure}
    if not failing:
        return None
    is_covered = failing.issubset(check for error in errors for check in error.covers)
    return Fault.USER if is_covered else Fault.AGENT


def failure_modes(episode: Episode, results: Results) -> list[FailureMode]:
    """Return all failure modes of an episode, the primary one first."""
    shown = {one.mode for one in verifiers_of(episode.reading) if results[one.id].is_failure}
    shown.update(_modes_of_state(episode, results))
    return [mode for mode in FailureMode if mode in shown]


def _modes_of_state(episode: Episode, results: Results) -> Iterator[FailureMode]:
    if episode.state is TripState.NONE:
        yield FailureMode.NO_BOOKING
    unpaid = episode.active.keys() - episode.confirmed.keys()
    is_pending = any(booking.status == BookingStatus.PENDING for booking in episode.active.values())
    # A failed charge counts unless the booking was paid, or cancelled, in the end.
    if is_pending or any(
        str(call.arguments.get("booking_id")) in unpaid
        for call in episode.trajectory.calls
        if call.name == "charge_booking" and call.is_error and isinstance(call.arguments, dict)
    ):
        yield FailureMode.PAYMENT
    failed = [check for check in ("C-FULL", "C-PART", "C-NONE") if results[check].is_failure]
    if failed and episode.trajectory.token is None:
        yield FailureMode.NO_TERMINAL
    elif failed == ["C-NONE"]:
        yield FailureMode.TRANSFER_WITHOUT_BOOKING
    if failed == ["C-PART"] and not has_final_offer(episode):
        yield FailureMode.UNCANCELLED_PARTIAL


def id_mismatch_reasons(episode: Episode) -> list[str]:
    """Return the sub-labels of `id_mismatch`: `absent`, `negated`, `over_cap`."""
    reasons = {
        undisclosed_reason(episode, booking)
        for booking in episode.history.bookings
        if not episode.dialogue.disclosing(booking, MentionForm.ID)
    }
    return sorted(reasons)
