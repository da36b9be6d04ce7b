"""Whether a message tells more than its user's condition lets it (D2, paper A.3)."""

from collections.abc import Iterable

from crab_graph.personas.briefing import FactLevel, UserBriefing
from crab_graph.personas.private_notes import due_facts
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.rules_user import Hearing
from crab_graph.personas.sought_facts import asked_facts, asks_openly
from crab_graph.personas.turns import Turn
from crab_graph.personas.user_guide import fact_label

_SURELY = 3
"""So many details that nobody asked for are told in answer to no question that was misread."""


def beyond_bounds(said: str, hearing: Hearing, briefing: UserBriefing) -> list[str]:
    """Return the keys of the details that a text tells beyond its bounds; often none.

    An opening tells no detail. An answer gives as many as its condition lets it, and none that was
    not asked for; what the agent said itself is not told, and a correction may come beside.
    """
    too_many = _too_many(said, hearing, briefing)
    return list(dict.fromkeys([*too_many, *_unasked(said, hearing, briefing)]))


def over_disclosed(said: str, hearing: Hearing, briefing: UserBriefing) -> list[str]:
    """Return what the details are called for which a text is sent back, of those beyond its bounds.

    That nobody asked may be a question that was misread: it takes several, or that nothing was
    asked at all.
    """
    too_many = _too_many(said, hearing, briefing)
    unasked = _unasked(said, hearing, briefing)
    turn = hearing.turn
    least = _SURELY if turn is not None and _asks_something(turn) else 1
    return [fact_label(key) for key in too_many or (unasked if len(unasked) >= least else [])]


def _new_details(said: str, hearing: Hearing, briefing: UserBriefing) -> list[str]:
    turn = hearing.turn
    if not hearing.behavior.two_levels:
        return []
    if turn is None:
        return _details(stated_facts(said, briefing), briefing)
    stated = stated_facts(said, briefing, {*turn.reading.asked, *due_facts(turn).now})
    spared = {*stated_facts(turn.text, briefing), *turn.conflicts, *turn.memory.later}
    has = turn.memory.record.has
    return [key for key in _details(stated, briefing) if not has(key) and key not in spared]


def _too_many(said: str, hearing: Hearing, briefing: UserBriefing) -> list[str]:
    """Return the details of an answer that gives more of them than its condition lets it."""
    limit, new = hearing.behavior.facts_per_answer, _new_details(said, hearing, briefing)
    if hearing.turn is None or limit is None or briefing.count_details(new) <= limit:
        return []
    return new[limit:]


def _unasked(said: str, hearing: Hearing, briefing: UserBriefing) -> list[str]:
    """Return the details of a text that nobody asked for, in any words."""
    turn, new = hearing.turn, _new_details(said, hearing, briefing)
    if turn is None:
        return new
    asked = {*asked_facts(turn), *turn.choices}
    return [key for key in new if key not in asked and not _is_mentioned(key, turn)]


def _is_mentioned(key: str, turn: Turn) -> bool:
    """Tell whether a message may have asked for a fact in a way that is not understood."""
    text = turn.reading.utterance.text
    return any(cue.search(text) for cue in turn.briefing.lexicon.facts[key].asks)


def _details(keys: Iterable[str], briefing: UserBriefing) -> list[str]:
    known = {fact.key: fact.level for fact in briefing.facts}
    return [key for key in keys if known.get(key) is FactLevel.DETAIL]


def _asks_something(turn: Turn) -> bool:
    reading = turn.reading
    asks = reading.asks_anything or reading.asks_choice or reading.asks_wallet or reading.confirms
    return asks or asks_openly(turn) or bool(reading.asked) or reading.asks_change
