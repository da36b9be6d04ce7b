"""What an open question is about: all that is left, or what it names.

`The hour, then: any wishes?` and `Any wishes for it, such as the price?` ask for those alone; who
answers with another part passes the question over.
"""

import re
from collections.abc import Collection

from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.plain_requests import WISH
from crab_graph.personas.questions import segment_before
from crab_graph.personas.segments import Segment
from crab_graph.personas.turns import Turn
from crab_graph.personas.wordbook import DomainLexicon, FactWords

_OPEN = re.compile(
    r"\b(?:any|what|which|have|some|special|particular) (?:\w+ ){0,2}"
    rf"{WISH}\b"
)
_WISHES = re.compile(rf"\b{WISH}\b")
_BEYOND = re.compile(
    r"\b(?:else|other|others|more|further|left|remaining|also|additional|missing|still|besides"
    r"|(?:any|every|some)thing|in general|overall|whole|everything|before)\b"
)
"""Words of a question for all that is left."""
_MORE_OF = re.compile(
    r"\b(?:(?:any|some)thing|what) (?:else|more|further)\b[^?,;(]{0,20}"
    r"\b(?:for|about|on|of|in|regarding|with) (?!me\b|us\b)\w"
    r"|\b(?:the )?(?:rest|others?) of (?:the|your) (?:\w+ ){0,2}(?:wish|preference|requirement)"
    r"|\b(?:is|was) (?:that|this|it) (?:really )?(?:all|everything|it) "
    r"(?:for|about|on|regarding|with) (?!me\b|us\b|now\b)\w"
)
"""Asks for what is left of something."""
_IS_ALL = re.compile(r"\bor (?:is|was) (?:that|this|it) (?:really )?(?:all|everything|it)\W*\?")
"""Ends a question with whether nothing is left at all."""
_HEADED = re.compile(
    r"(?m:^)(?P<head>[^:?\n]{2,30}):[^?]*\b(?:(?:any|some)thing|what) (?:else|more|further)\b"
)
"""Asks for that behind the name of it."""
_MORE_WISHES = re.compile(
    rf"\b(?:other|further|more|additional) (?:\w+ ){{0,2}}{WISH}\b"
    r"(?: (?:for|about|on|regarding|with|concerning|as to) [^?,;(]{2,30})?"
)
"""Asks for what is left to wish, where it names what of that."""
_ALL_OF = re.compile(
    r"\bwhat(?:ever)? (?:you care about|matters|counts|is important"
    r"|(?:would|do) you (?:like|wish|want|need|expect|prefer|look for|have in mind))"
    r"\b[^?,;(:]{0,30}"
    r"\b(?:(?:for|about|on|in|from|of|with regard to|regarding|with|when it comes to)"
    r" (?:the|your)|there)\b[^,;(:?]*(?:[?:.]|\Z)"
    r"|:\W*what (?:matters|counts|is important)(?: to you)?\W*\?"
    r"|\bwhat (?:should|must|shall|does) (?:it|(?:the|your) [^?,;(:]{2,40}?) (?:\w+ to )?"
    r"(?:offer|have|provide|be like|look like)\b[^,;(:]*\?"
    r"|\bwhat (?:should|shall|may|can|do) i (?:put|write|note|enter|take)(?: down)? "
    r"(?:for|on|about)\b[^,;(:]*\?"
    r"|\b(?:is there )?(?:some|any)thing (?:special |particular )?(?:that )?(?:i|we) "
    r"(?:must|should|have to|need to) (?:observe|consider|respect|heed|bear in mind|keep in mind"
    r"|watch|look out for)\b[^(:]*\?"
    r"|\bany \w+(?:,? (?:or |and )?\w+){1,3} (?:that )?you(?:.d| would)? (?:like|prefer|want|wish"
    r"|favou?r)\b[^(:]*\?"
    r"|\b(?:have|any|some|separate|own) (?:\w+ )?ideas? (?:for|about|on)\b[^(:]*\?"
    r"|\b(?:any|some)thing special (?:about|for|on|with)\b[^(:]*\?"
    r"|\bwhat(?:.s| is| are) the (?:one |main )?things? (?:about|for|with)\b[^(:]*\?"
    r"|\bwhat (?:kind|sort|type)s? of \w+ (?:do |would |did |have )?you\b[^(:]*\?"
    r"|\b(?:what|which) \w+ (?:do |would |have )?you (?:(?:do|would|have|got) )?(?:wish|want|like"
    r"|need|in mind|fancy|prefer)\b[^(:]*(?:\?|\Z)"
    r"|\b(?:(?:what|how) about|any (?:\w+ )?(?:wish|preference|requirement)(?:e?s)?"
    r" (?:for|about|on|regarding|as to)) (?:the|your)\b[^,;(:]*\?"
)
"""Asks for all of something."""
_IT = re.compile(r"\b(?:it|that|there)\b")
_THERE = re.compile(
    r"\b(?:like|wish|want|need|expect|prefer|matters?|offer|have|provide) (?:\w+ )?there\b"
)
EXAMPLES = re.compile(r"\b(?:such as|e\.? ?g\b|for (?:example|instance))|[,(–-] ?(?:like|say)\b")


def open_bounds(turn: Turn) -> frozenset[str] | None:
    """Return the facts to which an open question keeps; `None` where it asks for all."""
    reading, lexicon = turn.reading, turn.briefing.lexicon
    found: set[str] = set()
    is_bounded = False
    for segment, how in reading.clauses:
        if not segment.is_request:
            continue
        if _IS_ALL.search(segment.text) and not _keeps_to_one(segment, lexicon):
            return None
        if _asks_of_part(turn, segment, how):
            found |= _of_slots(_meant(turn, segment), lexicon)
            is_bounded = True
            continue
        is_open = segment.says("closing", "open") or _OPEN.search(segment.text) is not None
        if segment.says("closing") or (is_open and _BEYOND.search(segment.text)):
            return None
        if _OPEN.search(segment.text) is None:
            continue
        named = {key for key in how.facts if key in reading.asked and how.names(key)}
        if named and not EXAMPLES.search(segment.text):
            found |= named
        elif segment.named:
            found |= _of_slots(segment.named, lexicon) | named
        else:
            return None
        is_bounded = True
    return frozenset(found) if is_bounded else None


def asks_of_part(turn: Turn) -> bool:
    """Tell whether a clause asks for all that is wished, or left to wish, of what it names."""
    return any(
        _asks_of_part(turn, one, how) or _asks_wishes_of_named(one)
        for one, how in turn.reading.clauses
    )


def _asks_wishes_of_named(segment: Segment) -> bool:
    """Tell whether a question is which wishes there are for what it names: `for the two parts?`."""
    is_question = segment.is_request and segment.text.rstrip().endswith("?")
    return is_question and bool(segment.named) and _OPEN.search(segment.text) is not None


def _asks_of_part(turn: Turn, segment: Segment, how: ClauseFeatures) -> bool:
    is_open = segment.is_request and bool(_meant(turn, segment))
    return is_open and (_asks_more_of(turn, segment) or _asks_all_of(turn, segment, how))


def _meant(turn: Turn, segment: Segment) -> frozenset[str]:
    """Return the slots that a clause names, or those named last before one that says `there`."""
    if segment.named or not _THERE.search(segment.text):
        return segment.named
    before = segment_before(turn.reading.segments, segment)
    if before is not None and not before.named:
        before = segment_before(turn.reading.segments, before)
    return segment.named if before is None else before.named


def _asks_more_of(turn: Turn, segment: Segment) -> bool:
    """Tell whether a clause asks for what is left of what it names."""
    lexicon, wishes = turn.briefing.lexicon, _MORE_WISHES.search(segment.text)
    if _keeps_to_one(segment, lexicon):
        return True
    return wishes is not None and bool(lexicon.named_slots(wishes[0]) or _IT.search(wishes[0]))


def _keeps_to_one(segment: Segment, lexicon: DomainLexicon) -> bool:
    """Tell whether a clause asks for what is left of one thing, or stands behind its name."""
    headed = _HEADED.search(segment.text)
    is_headed = headed is not None and bool(lexicon.named_slots(headed["head"]))
    return is_headed or _MORE_OF.search(segment.text) is not None


def _asks_all_of(turn: Turn, segment: Segment, how: ClauseFeatures) -> bool:
    # What was told for sure is only recalled beside it, such as how long a stay is.
    settled = turn.memory.record.is_settled
    is_one = any(
        "how:cue" in shows and key in turn.facts and not settled(key)
        for key, shows in how.facts.items()
    )
    return not is_one and _ALL_OF.search(segment.text) is not None


def asks_for_more(text: str) -> bool:
    """Tell whether a text asks for what is left of something."""
    return _MORE_OF.search(text) is not None or _HEADED.search(text) is not None


def _of_slots(named: Collection[str], lexicon: DomainLexicon) -> set[str]:
    """Return the facts that are about some slots, or compare them with others."""
    slots = {
        key: {*one.slots, *_conflict_slots(one), *lexicon.compared(key)}
        for key, one in lexicon.facts.items()
    }
    return {key for key, own in slots.items() if not own.isdisjoint(named)}


def asks_any_wish(text: str) -> bool:
    """Tell whether a question is for any wish, and no one thing."""
    return _WISHES.search(text) is not None


def _conflict_slots(words: FactWords) -> tuple[str, ...]:
    return words.conflict.slots if words.conflict is not None else ()
