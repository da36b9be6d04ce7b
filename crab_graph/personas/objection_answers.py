"""How a user objects to what contradicts its wishes: when, to which detail, in which words."""

from collections.abc import Sequence

from crab_graph.personas.briefing import Reason
from crab_graph.personas.fact_answers import name_detail
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.turns import Decision, Turn


def objects(turn: Turn) -> bool:
    """Tell whether to object: to what is proposed, but no more to what was booked and paid."""
    reading = turn.reading
    is_over = reading.claims_done and not (reading.asks_booking or reading.asks_wallet)
    return bool(turn.conflicts) and not is_over


def objection(turn: Turn) -> Decision | None:
    """Return the turn that objects to a plan or to a card that is not meant, if there is one."""
    if objects(turn):
        return _object(turn, turn.conflicts)
    if turn.reading.asks_wallet and turn.wallet.names_other_card(turn.reading.ids):
        return name_detail(turn, "other_card", CARD_FACT, Reason.CORRECTED)
    return None


def _object(turn: Turn, keys: Sequence[str]) -> Decision:
    """Name the one detail that is contradicted, the one objected to least often so far.

    The agent cannot be blamed for one that it is told now: it is worded as news.
    """
    record = turn.memory.record
    key = min(keys, key=lambda one: record.times(one, Reason.CORRECTED))
    if key not in turn.facts:
        return turn.say("object")
    act = "object" if record.has(key) else "adds_wish"
    return name_detail(turn, act, key, Reason.CORRECTED)
