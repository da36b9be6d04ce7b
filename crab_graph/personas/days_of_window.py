"""How a user answers who asks for a day within its window, on any of which it would go."""

import re
from collections.abc import Mapping

from crab_graph.personas.absences import absence_words
from crab_graph.personas.asides import Aside
from crab_graph.personas.briefing import DisclosureRecord, Fact, Reason, UserBriefing
from crab_graph.personas.clarifications import sentences_of
from crab_graph.personas.fact_choice import chosen_facts
from crab_graph.personas.pinned_facts import of_two_windows
from crab_graph.personas.played_clauses import is_tag
from crab_graph.personas.questions import segment_before
from crab_graph.personas.segments import Segment
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.wordbook import FactWords, ValueForm
from crab_graph.text.utterance import visible

_DAY = r"(?:days?|dates?|ones?|five|four|three)"
_PREFERS = re.compile(
    rf"\b(?:any|which|one|a|another|particular|specific|certain|preferred) (?:\w+ ){{0,4}}?{_DAY}\b"
    r"[^?]{0,60}\b(?:prefer\w*|rather|fine|ok(?:ay)?|suits?|works?|best|better|favou?r|will do"
    r"|in mind|matters?)\b[^?]*\?"
    r"|\b(?:prefer\w*|rather|favou?r\w*|suits? you (?:best|better)) [^?]{0,40}"
    r"\b(?:days?|dates?)\b[^?]*\?"
    r"|\b(?:does|do|is|are)\b[^?]{0,30}\b(?:days?|dates?)\b[^?]{0,20}"
    r"\b(?:matters?|important)\b[^?]*\?"
    r"|\b(?:may|can|could) (?:it|that|this|i take) (?:also )?(?:be )?any of\b[^?]{0,20}"
    r"\b(?:days?|dates?)\b[^?]*\?"
    rf"|\bmatters? (?:\w+ )?which (?:\w+ )?{_DAY}\b[^?]*\?"
    r"|\b(?:better|rather|prefer\w*|like)\b[^?]{0,30}\bon [^?]{3,30}\bor (?:on )?[^?]{3,30}\?"
)
"""Asks which day it is to be, or if any will do."""
_WITHIN = re.compile(
    r"\b(?:leav\w*|depart\w*|set(?:ting)? (?:off|out)|fly out|start\w*|travel\w*|window|range"
    r"|between|within|(?:these|those) (?:(?:two|three|four|five|six) )?days"
    r"|first days)\b"
)
"""What such a question is about."""


_OF_DAY = re.compile(
    r"\b(?:in the day|noon|morning|afternoon|evening|\d\d?(?::\d\d|[ap]\.?m\b)|o'clock)\b"
)
"""Words for a time of the day."""
_ALL = re.compile(
    r"\b(?:are|is|will|would|do|does|may|can|could)\b[^?]{0,24}\b(?:all|any|each|every|either)\b"
    rf"[^?]{{0,24}}\b{_DAY}\b[^?]{{0,60}}\b(?:fine|ok(?:ay)?|possible|suit\w*|works?|equally|included"
    r"|do|welcome|good|al(?:l )?right|acceptable)\b[^?]*\?"
    r"|\b(?:each|every|any|all) of (?:the|these|those|your)? ?(?:\w+ ){0,3}(?:days|dates)\b"
    r"[^?]{0,100}\bequally (?:right|good|fine|well|suitable)\b[^?]*\?",
    re.I,
)
"""Asks if all the days of a window will do."""
_FEWEST = 2
"""Questions of which one is asked beside others."""


def window_question_in(text: str, briefing: UserBriefing, record: DisclosureRecord) -> Aside | None:
    """Return what a message asks beside whether all days of the user's window will do, if it does.

    Of a message that asks nothing else the whole is answered (`any_of_window`).
    """
    facts = briefing.lexicon.facts
    told = [one for one in briefing.facts if record.is_settled(one.key)]
    window = next((one for one in told if _is_window(one, facts)), None)
    sentences = list(sentences_of(text))
    if window is None or sum("?" in one for one in sentences) < _FEWEST or briefing.offers_in(text):
        return None
    conflict = facts[window.key].conflict
    own = set(conflict.slots) if conflict else set()

    def asks(sentence: str) -> bool:
        named = briefing.lexicon.named_slots(visible(sentence).casefold())
        return _ALL.search(sentence) is not None and (not named or bool(named & own))

    rest = "".join(one for one in sentences if not asks(one)).rstrip()
    return Aside(rest, "any_day") if rest != text.rstrip() else None


def any_of_window(turn: Turn) -> Decision | None:
    """Return the turn that says that any of its days will do, with what else is asked."""
    words = turn.briefing.lexicon.facts
    window = next((one for one in turn.facts.values() if _is_window(one, words)), None)
    if window is None or not turn.memory.record.is_settled(window.key):
        return None
    if turn.playback.wrong or turn.reading.asks_booking or turn.conflicts:
        return None
    if of_two_windows(turn, turn.text, window.key):
        return None
    is_asked = any(_asks(turn, one) for one in turn.reading.segments)
    # What is only learned of a message is not what a plain check of the days asks.
    is_checked = window.key in turn.playback.right and any(map(is_tag, turn.reading.segments))
    if not is_asked and (is_checked or not turn.reading.means("any_day")):
        return None
    days = [key for key in turn.facts if key in words and words[key].form is ValueForm.DATE]
    clauses = turn.reading.clauses
    asking = [one for one in clauses if one[0].is_request or one[0].is_item]
    beside = [how for one, how in asking if not _asks(turn, one)]
    settled = turn.memory.record.is_settled
    others = [
        one
        for one in chosen_facts(turn, days)
        if not settled(one.key) and any(one.key in how.facts for how in beside)
    ]
    absent, declined = absence_words(turn, others) if beside else ([], ())
    played = turn.playback
    is_right = played.is_asked and not {*played.right}.isdisjoint(played.questioned - {window.key})
    lead = (turn.speaker.phrase("right"),) if is_right else ()
    return Decision(
        (*lead, turn.speaker.phrase("any_day"), *map(turn.speaker.fact, others), *absent),
        told=((window.key, Reason.ASKED), *told_as_asked(others)),
        declined=declined,
        is_answer=True,
        is_content=True,
    )


def _is_window(fact: Fact, facts: Mapping[str, FactWords]) -> bool:
    words = facts.get(fact.key)
    return words is not None and words.form is ValueForm.DATE and isinstance(fact.value, list)


def _asks(turn: Turn, segment: Segment) -> bool:
    is_of_days = _PREFERS.search(segment.text) or _ALL.search(segment.text)
    if not (segment.is_request and is_of_days):
        return False
    before = segment_before(turn.reading.segments, segment)
    texts = [segment.text, *([before.text] if before is not None else [])]
    # The day of another part is another question, and so is a time of the day.
    return (
        not _OF_DAY.search(segment.text)
        and len(segment.named) != 1
        and any(map(_WITHIN.search, texts))
    )
