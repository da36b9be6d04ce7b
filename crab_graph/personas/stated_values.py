"""The values that words state of a fact: read by its cues, hours, units and forms.

What is denied is blanked out first, so that `no king bed` or `(the aisle is sold out)` state
nothing. A clock time tells a part of the day by when something begins, not by when it ends.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from crab_graph.personas.spoken_dates import MONTHS, NUMBERS, find_dates
from crab_graph.personas.wordbook import (
    Conflict,
    DomainLexicon,
    FactWords,
    ValueForm,
    phrase_book,
)

_CLOCK = re.compile(
    r"(?<![\d:.,$-])(?=\d{1,2}(?:[:h]\d\d(?![\d%])|\s?[ap]\.?m\b|\s?o'clock))"
    r"(\d{1,2})(?:[:h](\d\d))?\s?(?:([ap])\.?m\b)?(?!\.?\d)"
)
_IN_DATE = re.compile(r"\d{4}-\d\d-\Z")
"""Before the day of a date."""
_MINUTES = re.compile(r"[:h]\d\d")
"""Behind a number: it is the hour of a clock time, no count."""
_PRICE_OF_ONE = re.compile(r"(?<=\d) (?:for|per) (?:one|1|a single) (?=\w)")
"""Behind a price: it is that of one of several."""
_ENDS = re.compile(
    r"(?:\b(?:arriv\w*|lands?|landing|ends?|ending|until|till|til|to|through|arr\.?|finish\w*"
    r"|back|check-?out|closes?|closing)(?: at| by| around| is| time)?[ :]{0,2}"
    r"|[→–—>-]\s?|→\s?)(?:\w{3,12} )?\Z"
)
_UNTIL = re.compile(
    r"\b(?:(?<!not )(?<!no )(?:before|earlier than)|until|till|by|no later than)"
    r"(?: about| around)? \Z"
)
_AFTER_END = re.compile(r"^\W{0,2}(?:arrival|landing|touchdown)\b")
_PART_SPLIT = re.compile(
    r"[,;()|]|\s-\s|\.\s|(?<=\w)(?= (?:(?<!ything )but|while|whereas|so|which)\b)"
)
_BESIDE = re.compile(r"\b(?:instead of|rather than|other than|not|no|without)\b")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = re.compile(
    r"\b(?:(?:mon|fri|(?<!the )sun)(?:days?)?|tue(?:s(?:days?)?)?|wed(?:s|nesdays?)?"
    r"|thu(?:rs?|rsdays?)?|sat(?:urdays?)?)\b\.?(?! \d)"
)
_DAY_OF_MONTH = re.compile(
    r"\b(?:(?:the|on) (?=\d+[snrt])|(?:day|date) (?:is |= ?)?(?:the )?)"
    r"(\d{1,2})(?:st|nd|rd|th)?\b(?!\s?[-:/.]\d)"
)
_MONTH = re.compile(
    "|".join(
        rf"\b{name[:3]}(?:{name[3:]}|t)?\b" for name in map(str.casefold, MONTHS) if name != "may"
    )
    + r"|\b(?:in|early|mid|late|of|this|next|\d(?:st|nd|rd|th)?)[ -]may\b|\bmay\b(?= \d)"
)
"""Names a month; `may` is one only beside what makes it a date."""
_PAST = re.compile(
    r"\b(?:i|we) (?:had |have |did |wrongly |mistakenly |only ){0,2}(?:proposed|offered|suggested"
    r"|showed|listed|quoted|misread|overlooked|mixed|misunderstood|confused)\b"
    r"|\b(?:i|we)(?:'d| had|(?: have)? (?:wrongly|mistakenly))(?: \w+)? (?:noted|written|put|taken"
    r"|recorded|understood|read|got|down)\b"
    r"|\b(?:i|we)(?: had| have|'d|'ve)? "
    r"(?:named|mentioned|presented|described|told you(?: of| about)?)"
    r"(?: \w+){0,2}? (?:before|earlier|first|at first|previously|above)\b"
    r"|\A\W*(?:\w+ ){1,4}(?:dropped|discarded|struck|deleted|crossed out)\W*\Z"
    r"|\b(?:my|our|the) (?:previous|earlier|last|first|former) (?:plan|proposal|suggestion|offer)\b"
)
ALIKE = re.compile(
    r"\b(?:same(?! (?:to|thing))|one|single|identical|shar(?:e|es|ed|ing)"
    r"|match(?:es|ing)?|\w+[’']s own)\b"
)
"""That things are to be one; `all the same to you` says nothing of them."""
_UNLIKE = re.compile(
    r"\b(?:different|two separate|separate|(?:not|\w+n't)(?: \w+){0,2} the same|not share an?y?)\s+"
)
_OF_PAYING = re.compile(r"(?:\w+ )?(?:cards?|ones?|methods?|payments?)\b")
"""What is said to be different is no thing that was wished."""
_REACH = 14
_DAY_WORDS = {
    "early morning": 7.0,
    "morning": 9.0,
    "noon": 12.0,
    "midday": 12.5,
    "lunchtime": 12.5,
    "afternoon": 14.5,
    "evening": 19.0,
    "tonight": 20.0,
    "night": 21.0,
}
_DAY_WORD = re.compile(rf"\b({'|'.join(sorted(_DAY_WORDS, key=len, reverse=True))})\b")

_BEFORE_NOON = re.compile(r"\b(?:before|until|till|prior to) (?:noon|midday|lunch(?:time)?)\b")


def without_denied(text: str) -> str:
    """Return a text in which what is denied between two commas is blanks, the rest in place."""
    denied = phrase_book().cues["denied"]
    if denied.search(text) is None:
        return text
    pieces, start = [], 0
    ends = [match.start() for match in _PART_SPLIT.finditer(text)] + [len(text)]
    for end in ends:
        part = text[start:end]
        found = denied.search(part)
        if found is not None:
            beside = _BESIDE.match(found[0])
            # What comes before `instead of` or `not` is what holds.
            kept = part[: found.start()] if beside and found[0] != "no" else ""
            part = kept + " " * (len(part) - len(kept))
        pieces.append(part)
        start = end
    return "".join(pieces)


def words_of(text: str, words: FactWords) -> set[str]:
    """Return the values that a text names by their words."""
    return {value for value, cue in words.cues.items() if cue.search(text)}


def clock_hours(text: str) -> list[float]:
    """Return the hours at which something begins by a text, in its order."""
    found = []
    for clock in _CLOCK.finditer(text):
        hour, minute, half = int(clock[1]), int(clock[2] or 0), clock[3]
        if hour > 24 or minute > 59 or _AFTER_END.match(text[clock.end() : clock.end() + 14]):
            continue
        before = text[max(0, clock.start() - 28) : clock.start()]
        if _ENDS.search(before):
            is_limit = _UNTIL.search(before) is not None
            if not is_limit:
                continue
        hour = hour % 12 + 12 * (half == "p") if half else hour
        found.append(hour + minute / 60 - (0.01 if _UNTIL.search(before) else 0))
    return found


def parts_of_day(text: str, words: FactWords) -> set[str]:
    """Return the values that have hours of which a text names one, by a clock or by a word."""
    hours = clock_hours(text)[:1]
    return {value for value, (start, end) in words.hours.items() for h in hours if start <= h < end}


def hours_in(text: str, words: FactWords) -> set[str]:
    """Return the values that have hours of which a text names any, by a clock."""
    hours = clock_hours(text)
    return {value for value, (start, end) in words.hours.items() for h in hours if start <= h < end}


def choices_in(text: str, words: FactWords) -> set[str]:
    """Return the values of a choice that a text states; a first clock time goes before words."""
    text = _BEFORE_NOON.sub("before 12:00", text) if words.hours else text
    named = words_of(text, words)
    if not words.hours:
        return named
    without_hours = named - set(words.hours)
    if without_hours:
        return named
    told = parts_of_day(text, words)
    if clock_hours(text) and not told:
        return {"another time"}
    if told or named:
        return told or named
    own = {word for word in _DAY_WORDS if any(cue.search(word) for cue in words.cues.values())}
    other = [_DAY_WORDS[match[1]] for match in _DAY_WORD.finditer(text) if match[1] not in own]
    return {v for v, (start, end) in words.hours.items() for h in other[:1] if start <= h < end}


def counts_in(text: str, conflict: Conflict) -> list[int]:
    """Return the numbers that stand where a conflict's pattern finds a count."""
    if conflict.pattern is None:
        return []
    found = (
        one
        for one in conflict.pattern.finditer(_PRICE_OF_ONE.sub("", text))
        if not (_MINUTES.match(text, one.end()) or _IN_DATE.search(text, 0, one.start()))
    )
    words = [next(filter(None, match.groups()), "") for match in found]
    return [number for number in map(number_of, words) if number is not None]


def number_of(word: str) -> int | None:
    """Return the number that a word or figure says."""
    return int(word) if word.isdigit() else NUMBERS.get(word)


def names_value(text: str, words: FactWords) -> bool:
    """Tell whether a clause names a value that a fact could have."""
    if words.is_joint:
        return words.about.search(text) is not None
    if words.form is ValueForm.DATE:
        return _MONTH.search(text) is not None
    if words.form is ValueForm.COUNT and words.conflict is not None:
        return bool(counts_in(text, words.conflict))
    if words.form is ValueForm.FLAG:
        return ALIKE.search(text) is not None and any(cue.search(text) for cue in words.asks)
    return any(cue.search(text) for cue in words.cues.values())


def names_slot(text: str, end: int, words: FactWords, lexicon: DomainLexicon) -> bool:
    """Tell whether a value that ends at a place of a text only says which slot is meant.

    `The imaging test` is the test, of which a clause says something else.
    """
    if not words.is_kind or words.conflict is None:
        return False
    behind = text[end:].lstrip()
    return any(lexicon.slots[slot].match(behind) for slot in words.conflict.slots)


def is_taken_back(text: str) -> bool:
    """Tell whether a clause is about what an agent proposed before and no longer does."""
    return _PAST.search(text) is not None


_LOST = re.compile(
    r"\b(?:was|were|is|are|been|got|just) (?:just |already |now |meanwhile )?"
    r"(?:sold|gone|snapped up)\b"
    r"|\bno longer (?:available|there|free|on offer)\b|\bsold out\b"
    r"|\b(?:some(?:body|one)(?: else)?|others?|another customer) (?:has |have |had |just )*"
    r"(?:bought|booked|grabbed|taken|took|got|snapped up)\b"
)


def is_lost(text: str) -> bool:
    """Tell whether a clause is about what was sold to others, and so is not proposed."""
    return _LOST.search(text) is not None


_ONLY_IF = re.compile(
    r"\b(?:if|unless|would|could|instead|alternatively|otherwise|mind|whether)\b[^.!?\n]*\Z"
)
"""Before what is told as another way, and not as what is proposed."""
_BEFORE = 60


def denies_alike(text: str, words: FactWords) -> bool:
    """Tell whether a text says that what a flag is about is not the same."""
    said = text.casefold()
    return any(
        cue.search(f"same {said[match.end() : match.end() + _REACH]}")
        for match in _UNLIKE.finditer(said)
        if not _ONLY_IF.search(said[max(0, match.start() - _BEFORE) : match.start()])
        and not _OF_PAYING.match(said, match.end())
        for cue in words.asks
    )


def days_in(text: str, today: str) -> list[str]:
    """Return the dates that a text names in full, ISO, in its order."""
    return [found.iso for found in find_dates(text, today)]


def fits_day(text: str, days: Iterable[str]) -> bool | None:
    """Tell whether a weekday or a day of the month without month fits; `None` if there is none."""
    known = [date.fromisoformat(day) for day in days]
    for match in _DAY_OF_MONTH.finditer(text):
        return any(day.day == int(match[1]) for day in known)
    for match in _WEEKDAY.finditer(text):
        wanted = next(n for n, name in enumerate(_WEEKDAYS) if name.startswith(match[0][:3]))
        return any(day.weekday() == wanted for day in known)
    return None


def days_between(first: str, last: str) -> Iterator[str]:
    """Yield the days from one to another, both included, ISO."""
    day, end = date.fromisoformat(first), date.fromisoformat(last)
    while day <= end:
        yield day.isoformat()
        day += timedelta(days=1)
