"""What a check says, with its evidence, and the failure mode it shows (rulebook §4, §5, §9)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from crab_graph.domain.verification import Part, Role

Evidence = dict[str, Any]
"""One piece of evidence: `text`, and where it applies `message` (its number) or `rows`."""

MOST_LISTED = 1000
"""How many statements of one kind a check lists as evidence; of more it tells the number."""
_Found = TypeVar("_Found")


class CheckVerdict(StrEnum):
    """What a check says."""

    PASS = "pass"
    FAIL = "fail"
    NOT_TRIGGERED = "not_triggered"
    NOT_EVALUATED = "not_evaluated"


class CheckResult(NamedTuple):
    """A verdict and the evidence for it."""

    verdict: CheckVerdict
    evidence: tuple[Evidence, ...] = ()

    @property
    def is_failure(self) -> bool:
        """Whether the check fails."""
        return self.verdict is CheckVerdict.FAIL


Results = Mapping[str, CheckResult]

NOT_TRIGGERED = CheckResult(CheckVerdict.NOT_TRIGGERED)
NOT_EVALUATED = CheckResult(CheckVerdict.NOT_EVALUATED)


def judge(violations: Iterable[Evidence], support: Iterable[Evidence] = ()) -> CheckResult:
    """Return a failure with its violations, or a pass with what supports it."""
    found = tuple(violations)
    if found:
        return CheckResult(CheckVerdict.FAIL, found)
    return CheckResult(CheckVerdict.PASS, tuple(support))


def listed(found: Sequence[_Found], tell: Callable[[_Found], Evidence]) -> list[Evidence]:
    """Return what is told of each, of at most `MOST_LISTED`, and then how many more there are."""
    pieces = [tell(one) for one in found[:MOST_LISTED]]
    more = len(found) - len(pieces)
    return [*pieces, seen(f"and {more:,} more")] if more else pieces


def seen(text: str, *rows: str, message: int | None = None) -> Evidence:
    """Return one piece of evidence: what was found, in which rows or in which visible message.

    Rows are written as `table/key`.
    """
    evidence: Evidence = {"text": text}
    if message is not None:
        evidence["message"] = message
    if rows:
        evidence["rows"] = list(rows)
    return evidence


def seen_on(booking_id: str, text: str) -> Evidence:
    """Return what was found on a booking."""
    return seen(text, f"bookings/{booking_id}")


class FailureMode(StrEnum):
    """The paper's failure modes (tables 4 and 5), in the order in which one is the primary one."""

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
    MISHAP_UNTOLD = "mishap_untold"
    OUT_OF_SCOPE = "out_of_scope"
    NO_TERMINAL = "no_terminal"
    UNCANCELLED_PARTIAL = "uncancelled_partial"
    TRANSFER_WITHOUT_BOOKING = "transfer_without_booking"


def mode_of(role: Role) -> FailureMode | None:
    """Return the mode that the failure of a check shows by itself, where it shows one."""
    return _MODES.get(role)


_MODES = {
    Role.SLOT_FILLED: FailureMode.MISSING_ENTITY,
    Role.SURPLUS: FailureMode.SURPLUS,
    Role.UNITS: FailureMode.PARTY_OR_TRAVELLER,
    Role.PERSON: FailureMode.PARTY_OR_TRAVELLER,
    Role.WISH: FailureMode.NODE_CONSTRAINT,
    Role.WINDOW: FailureMode.NODE_CONSTRAINT,
    Role.EDGE: FailureMode.INTER_ENTITY_CONSTRAINT,
    Role.BUDGET: FailureMode.INTER_ENTITY_CONSTRAINT,
    Role.PAID: FailureMode.PAYMENT,
    Role.METHOD: FailureMode.PAYMENT,
    Role.CHARGE_APPROVED: FailureMode.PAYMENT,
    Role.AMOUNT: FailureMode.PAYMENT,
    Role.COLLATERAL: FailureMode.COLLATERAL,
    Role.TOTAL_TOLD: FailureMode.TOTAL_MISMATCH,
    Role.SUMMARY_TOLD: FailureMode.SUMMARY_MISMATCH,
    Role.ID_TOLD: FailureMode.ID_MISMATCH,
    Role.NAME_TOLD: FailureMode.NAME_UNDISCLOSED,
    Role.PRICE_TOLD: FailureMode.ITEM_PRICE_MISMATCH,
    Role.PLAN_APPROVED: FailureMode.PLAN_DEVIATION,
    Role.MISHAP_TOLD: FailureMode.MISHAP_UNTOLD,
    Role.IN_SCOPE: FailureMode.OUT_OF_SCOPE,
}


def part_of(mode: FailureMode) -> Part:
    """Return the part of the verdict that a mode belongs to, as the paper's tables split them."""
    order = list(FailureMode).index
    if order(mode) < order(FailureMode.NAME_UNDISCLOSED):
        return Part.CONCRETE
    is_said = order(mode) < order(FailureMode.OUT_OF_SCOPE)
    return Part.FACTUALITY if is_said else Part.COMPLETION
