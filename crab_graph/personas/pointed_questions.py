"""Questions that point at wishes by their values: which of several, and for how much of the whole.

`The first or the second?` asks for one of them, whatever else the clause does, and `the first for
both, or only there?` asks whether a wish holds throughout.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.message_text import ANY_ID
from crab_graph.personas.segments import Segment
from crab_graph.personas.stated_values import names_value, words_of
from crab_graph.personas.understanding import HEARD_AT_ONCE, Reading
from crab_graph.personas.wordbook import DomainLexicon, FactWords, ValueForm

OR = re.compile(r"\bor\b|/")
ONE_OF_TWO = re.compile(
    r"\b\d+(?: [a-z]+)?(?:,|,? or)(?: (?:at (?:most|least)|up to|perhaps|rather|maybe))? \d+\b"
    r"[^?]*\?"
)
"""Asks which of some numbers it is."""
_LISTED = re.compile(r"\bor\b|/|,")
_REACH = 24
"""Characters between two values that a question names together."""
_THROUGHOUT = re.compile(
    r"\b(?:both|only|each (?:way|direction|leg|one|of)|either way|throughout|all of (?:them|it)"
    r"|all (?:the )?(?:two|three|four|five|six|seven|[2-9])\b"
    r"|every(?:where| (?:part|one))|alike|(?:in|for|on|by) all|too|as well"
    r"|which (?:of the )?parts(?! of)|which (?:provider|part|appointment|booking)s? (?:or \w+ )?"
    r"(?:did|do|does|is|are|must|should)|just (?:for |on )?(?:the|one)|apply|applies|there and back"
    r"|also (?:for|on|in|the))\b"
)
_WHOLE = re.compile(
    r"\b(?:per|for (?:one|each|every)) (?:person|head|traveller|traveler|guest|adult|night)\b"
    r"|\beach\b|\b(?:in total|altogether|all[- ]in|total)\b|\bfor (?:everything|everyone|all)\b"
    r"|\binclud\w+|\bcover\w*"
)
"""Asks of how much an amount is."""
_TELL_IF = re.compile(r"\b(?:tell me|let me know|say|know|confirm) (?:if|whether)\b")
_ASKS_IF = re.compile(r"(?:and |so |or )*(?:is|are|does|do|must|should|shall|which ones)\b")
"""Begins a question to which some write no mark."""
_MEANING = re.compile(
    r"\b(?:what|which|how)\b.*\b(?:mean|means|meant|meaning|counts?|hours?|understand by|define)\b"
    r"|\b(?:includes?|covers?|counts? as|mean|means)\b.{0,30}\d"
)
"""Asks what a word for hours stands for."""
_CHOOSE = re.compile(
    r"\b(?:choose|pick|prefer\w*|which|options?|choices?|rather|select|fancy|kinds?|types?)\b"
)
"""What leads up to a list of what may be chosen."""
_FEWEST_OPTIONS = 2
_REFERS = re.compile(
    r"\b(?:that|this|those|these|it|they|them)\b.{0,25}"
    r"\b(?:for|appl\w+|holds?|go(?:es)?|counts?|concern\w*|mean\w*|both|only|all)\b"
)
"""Asks of what was just told how far it reaches."""


@lru_cache(maxsize=HEARD_AT_ONCE)
def asked_by_values(reading: Reading) -> tuple[str, ...]:
    """Return the keys of the wishes of which a question names several values to choose from."""
    facts = reading.lexicon.facts
    found = {
        key: None
        for segment, features in _questions(reading)
        for key in features.facts
        if _is_about(segment, facts[key]) and names_menu(segment.text, facts[key])
    }
    return tuple(found | dict.fromkeys(_listed_menus(reading)))


@lru_cache(maxsize=HEARD_AT_ONCE)
def asked_throughout(reading: Reading) -> tuple[str, ...]:
    """Return the keys of the wishes of which a question asks if they hold for all their slots.

    One that only refers to a wish, as `is that for both?`, means what the clause before it names.
    """
    found: dict[str, None] = {}
    before: list[str] = []
    clauses = reading.clauses
    for segment, features in clauses:
        named = _throughout_in(segment, features, reading.lexicon)
        if reading.proposes:
            # What is offered has prices, and no limit.
            named = [k for k in named if reading.lexicon.facts[k].form is not ValueForm.MONEY]
        is_asked = "?" in segment.text or _TELL_IF.search(segment.text) is not None
        is_asked = (segment.is_request and is_asked) or _ASKS_IF.match(segment.text) is not None
        is_whole = any(reading.lexicon.facts[key].form is ValueForm.MONEY for key in named)
        asks = _THROUGHOUT.search(segment.text) or is_whole
        if is_asked and asks and not ANY_ID.search(segment.text):
            refers = not named and _REFERS.search(segment.text)
            found |= dict.fromkeys(before if refers else named)
        before = named
    return tuple(found)


def asks_throughout(segment: Segment) -> bool:
    """Tell whether a question asks if something holds for all, or for some alone."""
    asks = "?" in segment.text or "whether" in segment.text
    return asks and _THROUGHOUT.search(segment.text) is not None


@lru_cache(maxsize=HEARD_AT_ONCE)
def asked_hours(reading: Reading) -> Mapping[str, frozenset[str]]:
    """Return the words for hours of which a question asks what they mean, by key of a wish."""
    found: dict[str, frozenset[str]] = {}
    for segment, _ in _questions(reading):
        if _MEANING.search(segment.text):
            for key, words in reading.lexicon.facts.items():
                named = words_of(segment.text, words) if words.hours and not words.is_joint else ()
                if named:
                    found[key] = frozenset(named)
    return found


def _listed_menus(reading: Reading) -> Iterator[str]:
    """Yield the facts of which a list names a value an item, to choose from; no list of items."""
    segments = reading.segments
    is_list = sum(one.is_item for one in segments) >= _FEWEST_OPTIONS
    for key, words in reading.lexicon.facts.items() if is_list else ():
        if len(words.cues) < _FEWEST_OPTIONS:
            continue
        named = [{v for v, cue in words.cues.items() if cue.search(one.text)} for one in segments]
        runs = [
            number
            for number, (one, two) in enumerate(pairwise(zip(segments, named, strict=True)))
            if one[0].is_item and two[0].is_item and one[1] and two[1] and one[1] != two[1]
        ]
        if len(runs) + 1 < _FEWEST_OPTIONS or len({frozenset(named[n]) for n in runs}) < len(runs):
            continue
        near = segments[max(0, runs[0] - 2) : runs[0]] if runs else ()
        items = [segments[n].text for n in (*runs, runs[-1] + 1)]
        leads = [one for one in near if _CHOOSE.search(one.text)]
        if any(_is_about(one, words) for one in leads) and not any(map(ANY_ID.search, items)):
            yield key


def _questions(reading: Reading) -> Iterator[tuple[Segment, ClauseFeatures]]:
    for segment, features in reading.clauses:
        if segment.is_request and not ANY_ID.search(segment.text):
            yield segment, features


def _is_about(segment: Segment, words: FactWords) -> bool:
    """Tell whether a clause is about what a fact is: parts of the day are of many things."""
    slots = set(words.slots or (words.conflict.slots if words.conflict else ()))
    if words.hours or (words.slots and segment.scope):
        return not segment.scope.isdisjoint(slots)
    return True


def names_menu(text: str, words: FactWords) -> bool:
    """Tell whether a text names several values of a fact to choose from: `museum, walk or tour`."""
    if OR.search(text) is None:
        return False
    spans = sorted(match.span() for cue in words.cues.values() if (match := cue.search(text)))
    gaps = [text[one[1] : two[0]] for one, two in pairwise(spans)]
    return bool(gaps) and all(len(gap) <= _REACH and _LISTED.search(gap) for gap in gaps)


def _throughout_in(segment: Segment, features: ClauseFeatures, lexicon: DomainLexicon) -> list[str]:
    """Return the facts that a clause names a value of, and that can be said of all their slots."""
    return [
        key
        for key in features.facts
        if (words := lexicon.facts[key]).throughout and words.form is not ValueForm.DATES
        if _holds_for(segment.text, words)
    ]


def _holds_for(text: str, words: FactWords) -> bool:
    """Tell whether a question is of how much of the whole a wish holds."""
    if words.form is ValueForm.MONEY:
        return _WHOLE.search(text) is not None
    return names_value(text, words)
