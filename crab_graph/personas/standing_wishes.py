"""How a user answers who asks, behind its change of mind, if all the rest stays as it was."""

import re

from crab_graph.personas.briefing import Reason
from crab_graph.personas.turns import Decision, Turn, told_as_asked

_STAYS = re.compile(
    r"\b(?:everything(?: else)?|(?:all|the) (?:of )?(?:the |your )?(?:rest|else|others?)"
    r"|all else|(?:all|the) (?:your |the )?other (?:\w+ )?(?:wish(?:es)?|details|points|parts?))\b"
    r"[^?]{0,80}?\b(?:stays?|remains?|keep|kept|unchanged|the same"
    r"|as (?:it|they|that) (?:is|are|was|were)|as before|still|all right|alright|right|ok(?:ay)?"
    r"|fine|good|stands?|holds?)\b[^?]*\?"
)
"""Asks if what was not changed is as it was."""
_OR_ELSE = re.compile(r"\bor (?:may|can|could|should|shall|do|would|is|are)\b")
"""Offers another answer."""
_CHANGES = re.compile(
    r"\b(?:has|have|did|does|do|is|are)\b[^?]{0,20}\b(?:any(?:thing)?|other|else|more)\b[^?]{0,60}"
    r"\bchang\w+\b[^?]*\?"
    r"|\bany (?:other|more|further) changes?\b[^?]*\?"
)
"""Asks if anything else was changed."""


def rest_stays(turn: Turn) -> Decision | None:
    """Return the turn that says so to one who was just told of a change, and proposes nothing."""
    reading, played = turn.reading, turn.playback
    is_deal = bool(reading.amounts) and reading.proposes
    if played.wrong or is_deal or reading.asks_wallet or not has_just_changed(turn):
        return None
    asked = [one.text for one in reading.segments if one.is_request]
    stays = any(_STAYS.search(text) and not _OR_ELSE.search(text) for text in asked)
    if stays or reading.meant == "rest_stays":
        # What is asked about by itself is said beside it.
        also = [turn.facts[key] for key in played.right if key in played.questioned & {*turn.facts}]
        words = turn.speaker.phrase("rest_stays")
        told = told_as_asked(also)
        parts = (words, *map(turn.speaker.fact, also))
        return Decision(parts, told=told, is_answer=True, is_content=True)
    if any(map(_CHANGES.search, asked)):
        return turn.say("nothing_else", is_answer=True, is_content=True)
    return None


def has_just_changed(turn: Turn) -> bool:
    """Tell whether the last that the user told was a change of mind."""
    return any(row.get("reason") == Reason.CHANGED for row in turn.memory.record.last_rows)
