"""For how long a user goes on when an agent brings nothing: progress as the rulebook has it (§10).

A turn makes progress when a fact is newly asked for or given, or an item, an amount, a request, a
claim or an offer in it is new. A question back, as to what was meant, costs no patience.
"""

from crab_graph.analysis.fidelity.heard_turns import HeardTurn, Lived

_ACTS = "asks_booking asks_approval asks_card offers_transfer claims_done".split()


def idle_before_giving_up(lived: Lived) -> int | None:
    """Return how many messages in a row brought nothing when the user gave up, the last included.

    `None` where the user did not give up: where everything was done, a transfer was offered, or it
    ended on a message that brought something, if only an error.
    """
    answered = [one for one in lived.turns if not one.is_opening]
    if not lived.gave_up or not answered:
        return None
    if answered[-1].reading.offers_transfer or answered[-1].contradicted:
        return None
    idle, seen = 0, set[str]()
    for one in answered:
        news = _news(one) - seen
        seen |= news
        asks_back = bool(one.heard.strip()) and "?" in one.said
        idle = 0 if news or one.told or one.calls else idle + (not asks_back)
    return idle or None


def _news(one: HeardTurn) -> set[str]:
    reading = one.reading
    acts = {act for act in _ACTS if getattr(reading, act)}
    return acts.union(reading.ids, map(str, reading.amounts), reading.asked)
