"""Which denials are founded: what a message plainly states otherwise than a user wants it.

Nothing is denied where the right value stands for that wish in the same message, or where the
message names the right one among several to choose from: it knows, asks, or says what has changed.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import DisclosureRecord, Fact, Reason, UserBriefing
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.stated_values import counts_in, number_of, without_denied, words_of
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import ConflictKind, DomainLexicon, FactWords, ValueForm

CARD_BRAND = re.compile(r"\b(?:visa|master ?card|amex|american express|discover|maestro|diners)\b")
_BRANDS = {"amex": "american express", "master card": "mastercard"}
_MUST = re.compile(
    r"\b(?:a must|must|have to|has to|needs? to|required|essential|important)\b"
    r"|\bany\b.*\b(?:agreeable|acceptable|fine|ok(?:ay)?|suits?|do|works?|welcome)\b"
)
_MENU = re.compile(r"\bor\b|/|\|")
_EITHER_WAY = re.compile(
    r"(?<!right)(?<!correct)(?<!ok)(?<!true) or (?:not\b|doesn't|does it not|no matter"
    r"|is (?:it|that) (?:all the same|not)|different|separate|several|two\b|another)"
)
"""Behind a wish it makes a question of it."""
_EITHER_DOES = re.compile(
    r"\bor\b[^.;?!\n]{0,30}\b(?:(?:is|are|would be|will be|both|equally) (?:\w+ )?(?:fine|ok(?:ay)?"
    r"|good|welcome|alright|all right|acceptable|possible)|(?:will|would|can|does|do)\b.{0,8}"
    r"\b(?:do|works?|suits?)|works?|suits?)\b"
)
"""Says that of two values either will do."""
_ORDINAL = re.compile(r"\b(?:on|for) the (\d{1,2})(?:st|nd|rd|th)\b")
_REACH = 24
_MANY = frozenset({ValueForm.NAMES, ValueForm.DATES})
_EXACT = _MANY | {ValueForm.COUNT, ValueForm.DATE, ValueForm.CARD}


class PlayedMark(NamedTuple):
    """That a clause states a fact rightly or wrongly, and of which slots."""

    key: str
    is_right: bool
    slots: frozenset[str]
    segment: int


class Founded(NamedTuple):
    """The keys of what is denied, of what is left open to choose, and of what is told two ways."""

    denied: frozenset[str]
    left_open: frozenset[str]
    mixed: frozenset[str]


def founded(marks: Iterable[PlayedMark], reading: Reading, briefing: UserBriefing) -> Founded:
    """Return what is to be denied among what was found wrong, and what is not plainly stated."""
    by_key: dict[str, list[PlayedMark]] = {}
    for one in marks:
        by_key.setdefault(one.key, []).append(one)
    left_open, denied, mixed = set(), set(), set()
    for key, every in by_key.items():
        own = [one for one in every if not _is_menu(reading, one, briefing)]
        if not own:
            left_open.add(key)
        asked = {one for one in own if _asks_whether(reading.segments[one.segment].text)}
        fact, words = briefing.fact(key), briefing.lexicon.facts[key]
        wrong = [one for one in own if not (one.is_right or _has_day(reading, one, briefing))]
        right = [one.slots for one in own if one.is_right]
        if right and any(_says_either_does(reading, one, words) for one in own):
            mixed.add(key)
            continue
        # `Any district` of one slot takes nothing back of `in the same district` of the other.
        is_alike = bool(right) and words.form is ValueForm.FLAG
        if fact is None or not wrong or is_alike:
            continue
        # Of two slots that both are to be so, one may be told otherwise.
        apart = [one for one in wrong if right and all(_are_apart(one.slots, two) for two in right)]
        is_known = bool(right) and words.form not in _MANY
        if {*wrong} <= asked:
            # Whether it has to be so is no claim that it was said.
            mixed.add(key)
        elif apart or not (is_known or _is_stated(reading.utterance.text, fact, briefing)):
            denied.add(key)
        elif words.form is ValueForm.COUNT or _has_own_words(key, briefing.lexicon):
            mixed.add(key)
    return Founded(frozenset(denied), frozenset(left_open), frozenset(mixed))


def _says_either_does(reading: Reading, mark: PlayedMark, words: FactWords) -> bool:
    """Tell whether a clause says that of several values either will do, where one is wished."""
    text = reading.segments[mark.segment].text
    return _EITHER_DOES.search(text) is not None and len(words_of(text, words)) > 1


def _has_day(reading: Reading, mark: PlayedMark, briefing: UserBriefing) -> bool:
    """Tell whether a clause names the right day of a month beside another date."""
    fact, words = briefing.fact(mark.key), briefing.lexicon.facts[mark.key]
    if fact is None or words.form is not ValueForm.DATE or isinstance(fact.value, list):
        return False
    days = _ORDINAL.findall(reading.segments[mark.segment].text)
    return int(str(fact.value)[-2:]) in map(int, days)


def _are_apart(slots: frozenset[str], others: frozenset[str]) -> bool:
    return bool(slots and others) and not slots & others


def brands_in(text: str) -> list[str]:
    """Return the kinds of card that a text names, casefolded, in its order."""
    return [_BRANDS.get(match[0], match[0]) for match in CARD_BRAND.finditer(text)]


def stands_in(text: str, key: str, briefing: UserBriefing) -> bool:
    """Tell whether a text names the value that a user wants of a fact, whatever it says of it."""
    fact, words = briefing.fact(key), briefing.lexicon.facts.get(key)
    if fact is None or words is None:
        return False
    if words.form is ValueForm.DATE:
        wanted = fact.value if isinstance(fact.value, list) else [fact.value]
        named = {one.iso for one in find_dates(text, briefing.today)}
        return any(wanted[0] <= day <= wanted[-1] for day in named)
    return str(fact.value) in words_of(text, words) or _is_stated(text, fact, briefing)


def is_taken_up(
    key: str, record: DisclosureRecord, reading: Reading, briefing: UserBriefing
) -> bool:
    """Tell whether a message has taken up an objection: it now says the value itself.

    What still seems to contradict that may be read amiss. Who says what cannot be had names the
    value, too.
    """
    form = briefing.lexicon.facts[key].form if key in briefing.lexicon.facts else None
    if form not in _EXACT or not record.times(key, Reason.CORRECTED) or reading.is_unable:
        return False
    return stands_in(reading.utterance.text, key, briefing)


def _is_stated(text: str, fact: Fact, briefing: UserBriefing) -> bool:
    """Tell whether the right value stands in a text, where it can be of no other fact."""
    words, value = briefing.lexicon.facts[fact.key], fact.value
    if words.is_joint:
        return words.tells(text, value)
    match words.form:
        case ValueForm.NAMES:
            return all(str(name).casefold() in text for name in value)
        case ValueForm.DATES:
            named = {one.iso for one in find_dates(text, briefing.today)}
            return named.issuperset(value)
        case ValueForm.CARD:
            number = re.search(rf"(?<!\d){re.escape(str(value['last4']))}(?!\d)", text)
            # Of a card with the right number the kind may be told wrong.
            brands = brands_in(text)
            is_own = not brands or str(value["brand"]).casefold() in brands
            return number is not None and is_own
        case ValueForm.COUNT:
            return words.conflict is not None and int(value) in counts_in(text, words.conflict)
        case ValueForm.MONEY:
            whole, _, cents = f"{parse_cents(value) / 100:.2f}".partition(".")
            tail = rf"(?:\.{cents})" + ("?" if cents == "00" else "")
            plain = text.replace(",", "")
            return re.search(rf"(?<![\d.]){whole}{tail}(?![\d]|\.\d)", plain) is not None
        case _ if _has_own_words(fact.key, briefing.lexicon):
            return str(value) in words_of(without_denied(text), words)
    return False


def _asks_whether(text: str) -> bool:
    """Tell whether a clause asks if something must be as it says."""
    return text.rstrip().endswith("?") and _MUST.search(text) is not None


def _has_own_words(key: str, lexicon: DomainLexicon) -> bool:
    """Tell whether the values of a fact have words, and no other fact has the like."""
    own = lexicon.facts[key].cues.keys()
    others = (words.cues.keys() for other, words in lexicon.facts.items() if other != key)
    return bool(own) and all(own.isdisjoint(one) for one in others)


def _is_shared(words: FactWords) -> bool:
    return words.conflict is not None and words.conflict.kind is ConflictKind.SAME


def _is_menu(reading: Reading, mark: PlayedMark, briefing: UserBriefing) -> bool:
    """Tell whether a clause names the right value among several to choose from."""
    fact, words = briefing.fact(mark.key), briefing.lexicon.facts[mark.key]
    text = reading.segments[mark.segment].text
    if _is_shared(words) and _EITHER_WAY.search(text):
        return True
    if fact is not None and words.form is ValueForm.COUNT and not mark.is_right:
        segment = reading.segments[mark.segment]
        near = reading.utterance.text[segment.start : segment.end + _REACH]
        numbers = map(number_of, re.findall(r"\w+", near))
        return int(fact.value) in numbers and _MENU.search(near) is not None
    if fact is None or not (words.hours or _has_own_words(mark.key, briefing.lexicon)):
        return False
    found = sorted(
        (match.start(), match.end(), value)
        for value, cue in words.cues.items()
        if (match := cue.search(text)) is not None
    )
    if len(found) < 2 or str(fact.value) not in {value for _, _, value in found}:
        return False
    gaps = (text[one[1] : two[0]] for one, two in pairwise(found))
    return any(len(gap) <= _REACH and _MENU.search(gap) for gap in gaps)
