"""What an agent has noted rightly of what the user said: that is not said again unasked."""

import re

from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.played_clauses import is_check
from crab_graph.personas.pointed_questions import OR, asks_throughout
from crab_graph.personas.segments import Segment
from crab_graph.personas.turns import Turn, once_a_turn

_ANY_DOES = re.compile(
    r"\bany (?:\w+ ){1,5}(?:will|would|may|can|does|do|is|are|suits?|pleases?|works?|goes)\b"
    r"|\bno (?:\w+ ){0,3}(?:preferences?|wish(?:es)?)\b|\b(?:free|open|up to me|left to me)\b"
    r"|\bany (?:day|date|time|hour|kind|sort)\b|\b(?:may|can) be any\b"
    r"|\A\W*(?:[\w ]{2,20}: )?(?:also )?"
    r"any \w+(?:(?: of)? \w+)?(?:,? (?:and |or )?any \w+(?:(?: of)? \w+)?)*"
    r"(?: (?:for|on) [\w ]{1,30})?\W*\Z"
)
"""Says that on something there is no wish."""
_UNLESS = re.compile(r"\bunless (?:you|told|i hear)\b")
"""Ends what is noted by what is no question."""
_ANY = re.compile(r"\bany \w")
_IF_ANY = re.compile(r"\b(?:is|are|would|will|does|do) any\b")
"""Asks if there is no wish."""
_FEWEST = 2
"""Commas of a list."""


def notes_absence(segment: Segment) -> bool:
    """Tell whether a clause checks what was said, or says itself that anything will do."""
    is_question = segment.text.rstrip().endswith(("?", ":"))
    is_told = is_check(segment) and not OR.search(segment.text)
    if is_told or (not is_question and _ANY_DOES.search(segment.text) is not None):
        return True
    is_asking = segment.is_request and _UNLESS.search(segment.text) is None
    return not (is_question or is_asking) and _ANY.search(segment.text) is not None


@once_a_turn
def noted_after(turn: Turn) -> frozenset[str]:
    """Return what is noted once a message is read, of what was told for sure or is not wished."""
    played, memory = turn.playback, turn.memory
    right = {key for key in played.right if memory.record.is_settled(key)}
    noting = [how for one, how in turn.reading.clauses if notes_absence(one)]
    right |= {key for how in noting for key in how.facts if how.names(key)} & memory.declined
    return (memory.noted | right) - {*played.wrong, *played.mixed}


def was_noted(turn: Turn, key: str) -> bool:
    """Tell whether this message or one before noted something rightly, and this doubts it not."""
    return key in noted_after(turn) - turn.playback.questioned


_HOW_MANY = re.compile(r"\bhow (?:many|much|long|soon)\b")
"""Asks for a number, whatever stands beside it as an example."""


def is_listed_again(turn: Turn, key: str) -> bool:
    """Tell whether all that asks for what was noted only names it among other things."""
    asking = [(one, how) for one, how in turn.reading.clauses if one.is_request]
    if any(asks_throughout(one) for one, how in asking if not how.names(key)):
        return False  # `is that for both?` may be of it
    asking = [(one, how) for one, how in asking if how.names(key)]
    return was_noted(turn, key) and all(_names_others(*one, key) for one in asking)


def _names_others(segment: Segment, how: ClauseFeatures, key: str) -> bool:
    """Tell whether a clause names more than a fact and values of it."""
    cues = [one for one, shows in how.facts.items() if "how:cue" in shows]
    is_list = segment.text.count(",") >= _FEWEST and "value" not in how.facts[key]
    is_list = len(cues) > 1 or (is_list and not _HOW_MANY.search(segment.text))
    return is_list and not (_IF_ANY.search(segment.text) or asks_throughout(segment))
