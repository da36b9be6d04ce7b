"""What a fact is about, and whether the clauses of a message are about it."""

from crab_graph.personas.segments import Segment
from crab_graph.personas.turns import Turn
from crab_graph.personas.wordbook import OF_PERSONS


def is_named(turn: Turn, key: str) -> bool:
    """Tell whether a clause that asks names a fact by words of its own."""
    clauses = turn.reading.clauses
    return any(one.is_request and "how:cue" in how.facts.get(key, ()) for one, how in clauses)


def is_wish(turn: Turn, key: str) -> bool:
    """Tell whether a fact is one that what the agent finds may meet or miss."""
    words = turn.briefing.lexicon.facts.get(key)
    return words is not None and words.is_wish


def is_lent(turn: Turn, key: str) -> bool:
    """Tell whether only words for what a joint wish replaces ask for it."""
    words = turn.briefing.lexicon.facts.get(key)
    if words is None or not words.lent:
        return False
    asking = [one.text for one in turn.reading.segments if one.is_request]
    own = [cue for cue in (*words.asks, words.about) if cue not in words.lent]
    return not any(cue.search(text) for cue in own for text in asking)


def names_somebody(turn: Turn, key: str) -> bool:
    """Tell whether a fact says who somebody is."""
    words = turn.briefing.lexicon.facts.get(key)
    return words is not None and words.form in OF_PERSONS


def is_asked_by_name(turn: Turn, key: str) -> bool:
    """Tell whether a clause that asks for a fact names the slot it is about, if there is one."""
    words, clauses = turn.briefing.lexicon.facts[key], turn.reading.clauses
    slots = set(words.slots)
    return key in turn.reading.asked and any(
        one.is_request
        and not (slots and (one.scope or words.needs_slot) and one.scope.isdisjoint(slots))
        and "how:cue" in how.facts.get(key, ())
        for one, how in clauses
    )


def is_apart(turn: Turn, key: str, segment: Segment) -> bool:
    """Tell whether a clause is about other slots than a fact is, or compares."""
    slots = slots_of(turn, key) or turn.briefing.lexicon.compared(key)
    return bool(slots and segment.scope) and segment.scope.isdisjoint(slots)


def slots_of(turn: Turn, key: str) -> set[str]:
    """Return the slots that a fact is about, or could be met or missed in."""
    words = turn.briefing.lexicon.facts.get(key)
    if words is None:
        return set()
    return {*words.slots, *(words.conflict.slots if words.conflict else ())}


def is_open(turn: Turn, key: str) -> bool:
    """Tell whether the user has neither said a fact for sure nor that it has no wish there."""
    return not (turn.memory.record.is_settled(key) or key in turn.memory.declined)
