"""How a user answers plans: whether one is put to it, and when it says yes."""

from crab_graph.personas.turns import Decision, Turn


def asks_for_plan(turn: Turn) -> bool:
    """Tell whether a message wants a yes to its plan; `approve` may mean that, too."""
    reading = turn.reading
    if reading.asks_booking:
        return True
    is_unpaid = reading.asks_approval and not turn.wallet.pending
    return is_unpaid and not turn.memory.approved and can_approve(turn)


def can_approve(turn: Turn) -> bool:
    """Tell whether the agent has named anything that could be booked, or a price."""
    starts = (*(f"{slot.id_prefix}-" for slot in turn.briefing.slots), "$")
    named = turn.memory.seen | turn.memory.fresh(turn.reading)
    return any(token.startswith(starts) for token in named)


def approve(turn: Turn) -> Decision | None:
    """Approve a plan that was shown, or leave a choice to the agent."""
    if turn.reading.asks_choice:
        return turn.say("you_choose")
    if not asks_for_plan(turn):
        return None
    if not can_approve(turn):
        return turn.say("show_first")
    return turn.say("approve", is_content=True, approved=True)
