"""How a user answers plans: whether one is put to it, and when it says yes."""

from collections import Counter

from crab_graph.personas.turns import Decision, Turn

BOOKING_ID = "BK-"


def asks_for_plan(turn: Turn) -> bool:
    """Tell whether a message wants a yes to its plan; `approve` may mean that, too."""
    reading = turn.reading
    if reading.asks_booking:
        return True
    is_unpaid = reading.asks_approval and not turn.wallet.pending
    is_new = not turn.memory.approved or _offers_anew(turn)
    return is_unpaid and is_new and can_approve(turn)


def _offered(turn: Turn) -> list[str]:
    """Return the ids of the items that a message names, by which bookings are not meant."""
    starts = tuple(f"{slot.id_prefix}-" for slot in turn.briefing.slots)
    return [one for one in turn.reading.ids if one.startswith(starts)]


def _offers_anew(turn: Turn) -> bool:
    """Tell whether a message names an item that is not booked, and no booking."""
    booked = {booking.entity_id for booking in turn.wallet.bookings}
    is_about_bookings = any(one.startswith(BOOKING_ID) for one in turn.reading.ids)
    return not is_about_bookings and not booked.issuperset(_offered(turn))


def is_one_plan(turn: Turn) -> bool:
    """Tell whether a message names items, and of no kind more than are wanted."""
    wanted = Counter(slot.id_prefix for slot in turn.briefing.slots)
    offered = Counter(one.partition("-")[0] for one in _offered(turn))
    return bool(offered) and offered <= wanted


def can_approve(turn: Turn) -> bool:
    """Tell whether the agent has named anything that could be booked, or a price."""
    starts = (*(f"{slot.id_prefix}-" for slot in turn.briefing.slots), "$")
    named = turn.memory.seen | turn.memory.fresh(turn.reading)
    return any(token.startswith(starts) for token in named)


def approve(turn: Turn) -> Decision | None:
    """Approve a plan that was shown, or leave a choice to the agent."""
    if turn.reading.asks_choice and not (asks_for_plan(turn) and is_one_plan(turn)):
        return turn.say("you_choose")
    if not asks_for_plan(turn):
        return None
    if not can_approve(turn):
        return turn.say("show_first")
    return turn.say("approve", is_content=True, approved=True)
