"""Why an episode failed, in the paper's terms, and whose fault it is, by rules only (§9, §10)."""

from collections.abc import Collection, Iterator, Sequence, Set
from enum import StrEnum

from crab_graph.domain.verification import Role
from crab_graph.eval.blame import UserError
from crab_graph.eval.checks import FailureMode, Results, mode_of
from crab_graph.eval.reading import Episode, JobState
from crab_graph.eval.verifier import Verifier
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.eval.verifiers.completion import has_final_offer
from crab_graph.eval.verifiers.disclosure import undisclosed_reason
from crab_graph.text.mentions import MentionForm


class Fault(StrEnum):
    """Who is at fault."""

    AGENT = "agent"
    USER = "user"
    ENVIRONMENT = "environment"
    INFRA = "infra"


def attribute(
    failing: Collection[Verifier],
    errors: Sequence[UserError],
    *,
    is_certain: bool,
    is_infra: bool,
    is_overlong: bool = False,
) -> Fault | None:
    """Return who is at fault, or `None` where nothing failed, by what fails under parity grading.

    `is_certain` means that the checks agree with the certificate; `is_infra`, that the episode was
    cut short by provider, harness or wall clock; `is_overlong`, by a reply of the agent that is
    longer than it may be, which no error of the user explains.
    """
    if is_infra:
        return Fault.INFRA
    if not is_certain or any(one.role is Role.SOUND for one in failing):
        return Fault.ENVIRONMENT
    if not failing:
        return None
    if is_overlong:
        return Fault.AGENT
    covered = frozenset[str]().union(*(error.covers for error in errors))
    is_covered = all(one.id in covered or one.role in covered for one in failing)
    return Fault.USER if is_covered else Fault.AGENT


def failure_modes(episode: Episode, results: Results) -> list[FailureMode]:
    """Return all failure modes of an episode, the primary one first."""
    failed = {one.role for one in verifiers_of(episode.reading) if results[one.id].is_failure}
    shown = {*map(mode_of, failed), *_modes_of_state(episode, failed)}
    return [mode for mode in FailureMode if mode in shown]


def _modes_of_state(episode: Episode, failed: Set[Role]) -> Iterator[FailureMode]:
    if episode.state is JobState.NONE:
        yield FailureMode.NO_BOOKING
    unpaid = episode.active.keys() - episode.confirmed.keys()
    # A failed charge counts unless the booking was paid, or cancelled, in the end.
    if any(
        str(call.arguments.get("booking_id")) in unpaid
        for call in episode.trajectory.calls
        if call.name == "charge_booking" and call.is_own_error and isinstance(call.arguments, dict)
    ):
        yield FailureMode.PAYMENT
    ended = failed & {Role.ENDED_FULL, Role.ENDED_PARTIAL, Role.ENDED_NONE}
    if episode.trajectory.token is None:
        yield FailureMode.NO_TERMINAL
    elif ended == {Role.ENDED_NONE}:
        yield FailureMode.TRANSFER_WITHOUT_BOOKING
    if ended == {Role.ENDED_PARTIAL} and not has_final_offer(episode):
        yield FailureMode.UNCANCELLED_PARTIAL


def id_mismatch_reasons(episode: Episode) -> list[str]:
    """Return the sub-labels of `id_mismatch`: `absent`, `negated`, `over_cap`."""
    reasons = {
        undisclosed_reason(episode, booking)
        for booking in episode.history.bookings
        if not episode.dialogue.disclosing(booking, MentionForm.ID)
    }
    return sorted(reasons)
