"""Words by which a customer hears of what the world broke: sold, dearer, declined, unconfirmed."""

import re
from enum import StrEnum

from crab_graph.text.lexicon import WORD, fragment, pattern
from crab_graph.text.utterance import REACH, Utterance

_TAKEN_BACK = re.compile(rf"{fragment('mishaps', 'maybes')}(?:\W+{WORD}){{0,1}}\W*\Z")
"""A denial or a maybe with one word after it at most, up to the end of the span."""


class Mishap(StrEnum):
    """What there is to tell."""

    SOLD = "sold"
    DEARER = "dearer"
    DECLINED = "declined"
    UNCONFIRMED = "unconfirmed"


def tells_of(utterance: Utterance, mishap: Mishap) -> bool:
    """Tell whether a message speaks of a mishap, whatever it says that it befell."""
    for cue in pattern("mishaps", str(mishap)).finditer(utterance.text):
        reach = max(utterance.clause_at(cue.start()).start, cue.start() - REACH)
        if not _TAKEN_BACK.search(utterance.text, reach, cue.start()):
            return True
    return False
