"""Whose fault a failure is, by rules only (rulebook §10)."""

from collections.abc import Sequence
from enum import StrEnum

from crab_graph.eval.checks import Results
from crab_graph.eval.user_error import UserError, covered


class Fault(StrEnum):
    """Who is at fault."""

    AGENT = "agent"
    USER = "user"
    ENVIRONMENT = "environment"
    INFRA = "infra"


def attribute(
    results: Results, errors: Sequence[UserError], *, is_sound: bool, is_infra: bool
) -> Fault | None:
    """Return who is at fault, or `None` where nothing failed.

    Args:
        results: The parity results.
        errors: The user's errors.
        is_sound: Whether the invariants hold and the checks agree with the certificate.
        is_infra: Whether the episode was cut short by provider, harness or wall clock.
    """
    if is_infra:
        return Fault.INFRA
    if not is_sound:
        return Fault.ENVIRONMENT
    failing = {check for check, result in results.items() if result.is_failure}
    if not failing:
        return None
    return Fault.USER if failing <= covered(errors) else Fault.AGENT
