"""The failure modes, in the paper's terms (rulebook §9, tables 4 and 5)."""

from enum import StrEnum

from crab_graph.eval.checks import Part


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


_LAST_OF_PART = {
    Part.CONCRETE: FailureMode.INTER_ENTITY_CONSTRAINT,
    Part.FACTUALITY: FailureMode.SUMMARY_MISMATCH,
    Part.COMPLETION: FailureMode.TRANSFER_WITHOUT_BOOKING,
}


def part_of(mode: FailureMode) -> Part:
    """Return the part of the verdict that a mode belongs to, as the paper's tables split them."""
    order = list(FailureMode)
    return next(
        part for part, last in _LAST_OF_PART.items() if order.index(mode) <= order.index(last)
    )
