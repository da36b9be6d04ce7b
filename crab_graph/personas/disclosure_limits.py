"""Whether a message tells more than its user's condition lets it (D2, paper A.3)."""

from collections.abc import Iterable

from crab_graph.personas.briefing import FactLevel, UserBriefing
from crab_graph.personas.fact_answers import asked_facts, asks_openly
from crab_graph.personas.private_notes import due_facts
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.rules_user import Hearing
from crab_graph.personas.turns import Turn
from crab_graph.personas.user_guide import fact_label
from crab_graph.personas.wordbook import ValueForm

_SURELY = 3
"""So many details that nobody asked for are told in answer to no question that was misread."""


def over_disclosed(said: str, hearing: Hearing, briefing: UserBriefing) -> list[str]:
    """Return what the details are called that a text tells beyond its bounds; often none.

    An opening tells no detail. An answer gives as many as its condition lets it, and none where
    nothing was asked; what the agent said itself is not told, and a correction may come beside.
    """
    turn = hearing.turn
    if not hearing.behavior.two_levels:
        return []
    if turn is None:
        return [fact_label(key) for key in _details(stated_facts(said, briefing), briefing)]
    stated = stated_facts(said, briefing, {*turn.reading.asked, *due_facts(turn).now})
    echoed = set(stated_facts(turn.text, briefing))
    record = turn.memory.record
    new = [
        key
        for key in _details(stated, briefing)
        if not record.has(key) and key not in {*echoed, *turn.conflicts, *turn.memory.later}
    ]
    limit = hearing.behavior.facts_per_answer
    if limit is not None and _counted(new, briefing) > limit:
        return [fact_label(key) for key in new]
    asked = {*asked_facts(turn), *turn.choices}
    unasked = [key for key in new if key not in asked and not _is_mentioned(key, turn)]
    least = _SURELY if _asks_something(turn) else 1
    return [fact_label(key) for key in unasked] if len(unasked) >= least else []


def _is_mentioned(key: str, turn: Turn) -> bool:
    """Tell whether a message may have asked for a fact in a way that is not understood."""
    text = turn.reading.utterance.text
    return any(cue.search(text) for cue in turn.briefing.lexicon.facts[key].asks)


def _details(keys: Iterable[str], briefing: UserBriefing) -> list[str]:
    known = {fact.key: fact.level for fact in briefing.facts}
    return [key for key in keys if known.get(key) is FactLevel.DETAIL]


def _counted(keys: Iterable[str], briefing: UserBriefing) -> int:
    """Return how many details keys are; the names beside what is told of each person are none."""
    forms = [briefing.lexicon.facts[key].form for key in keys]
    return len(forms) - (ValueForm.NAMES in forms and ValueForm.DATES in forms)


def _asks_something(turn: Turn) -> bool:
    reading = turn.reading
    asks = reading.asks_anything or reading.asks_choice or reading.asks_wallet or reading.confirms
    return asks or asks_openly(turn) or bool(reading.asked) or reading.asks_change
