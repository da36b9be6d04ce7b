"""Words by which a customer hears of what the world broke: sold, dearer, declined, unconfirmed."""

import re
from collections.abc import Iterator
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
    return not all(_cues(utterance, mishap))


def denies(utterance: Utterance, mishap: Mishap) -> bool:
    """Tell whether a message speaks of a mishap only to deny it, or as of what may come."""
    taken_back = list(_cues(utterance, mishap))
    return bool(taken_back) and all(taken_back)


def _cues(utterance: Utterance, mishap: Mishap) -> Iterator[bool]:
    """Yield of each word of a mishap whether it is taken back right before."""
    for cue in pattern("mishaps", str(mishap)).finditer(utterance.text):
        reach = max(utterance.clause_at(cue.start()).start, cue.start() - REACH)
        yield _TAKEN_BACK.search(utterance.text, reach, cue.start()) is not None
