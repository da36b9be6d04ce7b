"""The faults of a task in words, for who makes or checks it; nobody in a talk reads them."""

from collections.abc import Iterable, Sequence

from crab_graph.generation.certify import Recovery
from crab_graph.money import format_dollars
from crab_graph.tools.fault_schedule import FaultKind, WorldFault


def fault_sentence(fault: WorldFault) -> str:
    """Return what goes wrong, and at which of the agent's steps."""
    nth, kind = _ordinal(fault.nth), fault.of
    match fault.kind:
        case FaultKind.SOLD:
            return (
                f"sold to somebody else: the first of {len(fault.offers)} offers of solutions that"
                " is to be booked before anything is"
            )
        case FaultKind.QUOTE:
            risen = f"costs {format_dollars(fault.cents)} more a unit" if fault.cents else "stays"
            return f"the price of the {nth} {kind} to be booked expires, and {risen}"
        case FaultKind.DECLINED:
            return f"the card is declined at the {nth} charge, once"
        case FaultKind.LIMIT:
            most = format_dollars(fault.cents)
            return f"the first card that is charged with more than {most} bears no more that day"
        case FaultKind.TIMEOUT:
            return f"the {nth} search times out, once"
        case FaultKind.MISENTERED:
            return f"the {nth} {kind} booking is stored with a slip in a name or a date of birth"
    return f"the {nth} {kind} booking stays unconfirmed until it is looked up"


def fewest_left(recoveries: Iterable[Recovery], number: int) -> int | None:
    """Return how many solutions are left at least after a fault of a schedule, from 1.

    That is at the offers which it can strike; `None` where nothing was counted of it.
    """
    left = [one.sql for one in recoveries if one.fault == number and one.needed]
    return min(left, default=None)


def fault_rows_of(
    faults: Sequence[WorldFault], recoveries: Sequence[Recovery]
) -> list[dict[str, object]]:
    """Return the faults of a task as JSON has them, each with what is left after it."""
    return [
        {
            **fault.model_dump(mode="json"),
            "says": fault_sentence(fault),
            "solutions_left": fewest_left(recoveries, number),
        }
        for number, fault in enumerate(faults, start=1)
    ]


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 // 10 != 1 else 0, "th")
    return f"{number}{ending}"
