"""Which people a message names, with their dates of birth, and which of them nobody knows.

A name is two or three capitalised words where people are listed: behind a word for them, before a
date of birth, beside a name that is known, or where a known first or last name has another beside
it. Names of what can be booked are not taken for people.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from crab_graph.personas.spoken_dates import MONTHS, find_dates
from crab_graph.personas.wordbook import DomainLexicon
from crab_graph.text.utterance import visible

_PART = r"[A-ZÀ-ÖØ-Þ][^\W\d_]*(?:['’-](?!s\b)[^\W\d_]+)*"
_NAME = rf"{_PART}(?: (?:van|von|de|da|di|der|la|le|bin|al|[A-Z]\.))* {_PART}(?: {_PART})?"
_LISTED = re.compile(rf"(?<![\w-])({_NAME})(?!\w|-\w)(?!\s*\([A-Z]{{2,4}}-)")
_OF_ITEM = re.compile(r"(?: [A-Z0-9][\w'’-]*){1,4}[ ,:–-]{0,3}\(?[A-Z]{2,4}-\d")
"""The rest of a name of what can be booked, with its id behind it."""
_REST = re.compile(r"(?: [A-Z0-9][\w'’-]*){1,4}")
"""The rest of such a name, which may say what it is."""
_LEAD = (
    r"(?:'?s?'?)(?: (?:full |legal )?names?)?(?: (?:are|is|will be|would be|as follows))?"
    r"(?:[^\w\n;.!?]*|[^\w\n;.!?]*:\W*)\Z"
)
_FOR = re.compile(r"\b(?:for|named?|names?|called)\W*\Z", re.I)
_BIRTH = re.compile(r"\b(?:born|birth\w*|dobs?|d\.o\.b)\b", re.I)
_BORN = re.compile(r" (?:was |is )?born\b", re.I)
_BESIDE = (
    r"(?:'s)?[\s,:(–=|-]{0,3}"
    r"(?:(?:is|was|as|born|on|dob|date of birth|birth date|birthday)[\s,:(–=|-]{1,3}){0,4}"
)
"""What may stand between a name and its own date of birth."""
_AND = re.compile(r"(?:,|&|\band\b|,\s*and\b)\Z")
_JOIN = re.compile(
    r"(?:\s*\([^()\n]{0,60}\)|,? ?\d{4}-\d\d-\d\d)?"
    r"\s*(?:,|&|\band\b|;|/|,\s*and\b|\n\W*)\s*\Z"
)
_DROPPED = re.compile(
    r"\A[^.;?!\n]{0,25}\b(?:removed|dropped|off|out|leaves|left out|no longer"
    r"|not (?:coming|joining|part|travelling|traveling)|gone|cancel\w+|withdrawn"
    r"|taken (?:off|out))\b",
    re.I,
)
_DROPS = re.compile(
    r"\b(?:without|minus|remov(?:e|ed|ing)|drop(?:ped|ping)?|no longer|instead of"
    r"|t(?:ake|aken|ook) (?:off|out))\W*(?:and |or )?\Z",
    re.I,
)
"""Say behind and before a name that its bearer comes no more."""
_REACH = 60
_LONG_AGO = 366
"""Days: before them lies what is done with, and dates of birth."""
_NO_NAMES = frozenset(
    {*MONTHS, *(month[:3] for month in MONTHS)}
    | set("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
    | set("The A An Your Our My This That I We You Shall Would Do Please Total Trip Date".split())
    | set("Price Both All Dear Hello Hi Thank Thanks Customer Grand Visa Mastercard".split())
    | set("American Express May And For With Booking Payment Card Names".split())
    | set("Mr Mrs Ms Miss Mx Dr Prof Sir Madam".split())  # an address states nobody's name
    | set("So And Then Is Are Was Were Just Noted Ok Okay Got Right Now Also Or But If Who".split())
    | set("Whose Which When Has Have Can Could".split())
)


class StatedPerson(NamedTuple):
    """A person that a message names, as written, and the date of birth beside the name, if any."""

    name: str
    start: int
    end: int
    born: str


def people_in(
    said: str, known: Sequence[str], lexicon: DomainLexicon, today: str
) -> list[StatedPerson]:
    """Return the people a message names, in its order."""
    text = visible(said).replace("*", "").replace("_", " ")
    full = {name.casefold() for name in known}
    parts = {part for name in full for part in name.split()}
    lead = re.compile(rf"(?<!per )(?:{lexicon.people.pattern}){_LEAD}", re.I)
    found: list[StatedPerson] = []
    for match in _LISTED.finditer(text):
        start, name = _without_lead(match, full, lexicon)
        words = name.split()
        is_known = name.casefold() in full
        # A word for people beside one name is part of none: `Travellers Kim, Ruiz`.
        is_none = _is_none(words, lexicon) or lexicon.people.fullmatch(words[0].casefold())
        if not is_known and (is_none or _is_of_item(text, match.end(), lexicon)):
            continue
        before = text[max(0, start - _REACH) : start]
        after = text[match.end() : match.end() + _REACH]
        line_before = before.rpartition("\n")[2]
        if not is_known and (_DROPPED.match(after) or _DROPS.search(before)):
            continue
        is_led = lead.search(before) is not None
        is_joined = bool(found) and _JOIN.fullmatch(text[found[-1].end : start]) is not None
        is_born = _BIRTH.match(after.lstrip(" (,:-–")) is not None
        is_near = bool(parts & {word.casefold() for word in words})
        is_for = _FOR.search(line_before) is not None
        is_for = is_for and (is_born or is_near or _is_booked_for(line_before, words, after))
        if is_known or is_led or is_joined or is_born or is_for or is_near:
            # Behind a list of names stands a list of dates; in brackets it is the name's own.
            beside = after.partition(")")[0] if after.lstrip().startswith("(") else ""
            if _BORN.match(after) and not (is_joined and not found[-1].born):
                beside = after
            dates = find_dates(beside, today)
            born = dates[0].iso if dates and dates[0].iso < today else ""
            found.append(StatedPerson(name, start, match.end(1), born))
    return found


def _is_of_item(text: str, end: int, lexicon: DomainLexicon) -> bool:
    """Tell whether what goes on behind a name is the name of something that can be booked."""
    rest = _REST.match(text, end)
    is_called = rest is not None and bool(lexicon.named_slots(rest[0].casefold()))
    return is_called or _OF_ITEM.match(text, end) is not None


def _without_lead(match: re.Match[str], known: set[str], lexicon: DomainLexicon) -> tuple[int, str]:
    """Return where the name in a match begins and the name, without the words that lead to it."""
    start, name = match.start(1), match[1]
    while name.casefold() not in known and name.count(" ") > 1:
        first, _, rest = name.partition(" ")
        is_lead = first in _NO_NAMES or lexicon.people.fullmatch(first.casefold())
        if not (is_lead or rest.casefold() in known):
            break
        start, name = start + len(first) + 1, rest
    return start, name


def births_beside(said: str, known: Sequence[str], today: str) -> Iterator[tuple[str, str]]:
    """Yield known names, in full or the first alone, with the date of birth straight behind each.

    Behind the last of several names stand the dates of all.
    """
    text = visible(said).replace("*", "").replace("_", " ")
    for name in known:
        first, _, rest = name.partition(" ")
        if sum(one.partition(" ")[0] == first for one in known) > 1:
            continue
        own = rf"(?<!\w){re.escape(first)}(?: {re.escape(rest)})?(?!\w){_BESIDE}"
        for match in re.finditer(own, text):
            before = text[: match.start()].rstrip()
            parts = {part for one in known for part in one.split()}
            if _AND.search(before) and (_AND.sub("", before).split() or [""])[-1] in parts:
                continue
            dates = find_dates(text[match.end() : match.end() + _REACH], today)
            if dates and dates[0].start == 0 and dates[0].iso < today:
                yield name, dates[0].iso


def _is_booked_for(before: str, words: Sequence[str], after: str) -> bool:
    """Tell whether a name of two words ends what is said of items by their ids."""
    is_end = re.match(r"\s*(?:[,.;:?!&]|and\b|$)", after) is not None
    return len(words) == 2 and is_end and re.search(r"\b[A-Z]{2,4}-\d{3,}\b", before) is not None


def _is_none(words: Sequence[str], lexicon: DomainLexicon) -> bool:
    """Tell whether capitalised words are something else than a person's name."""
    if any(word in _NO_NAMES for word in words):
        return True
    low = " ".join(words).casefold()
    cues = [*lexicon.slots.values(), *(group.words for group in lexicon.groups)]
    return any(cue.search(low) for cue in (*cues, *_value_cues(lexicon), lexicon.job))


def _value_cues(lexicon: DomainLexicon) -> Iterator[re.Pattern[str]]:
    for words in lexicon.facts.values():
        yield from words.cues.values()
        if words.conflict is not None and words.conflict.pattern is not None:
            yield words.conflict.pattern


def born_on(texts: Iterable[str], today: str) -> list[str]:
    """Return the dates of birth that clauses name, ISO: whatever lies years back."""
    last = date.fromisoformat(today) - timedelta(_LONG_AGO)
    found = []
    for text in texts:
        is_birth = _BIRTH.search(text) is not None
        dates = (one.iso for one in find_dates(text, today))
        found += [day for day in dates if day < (today if is_birth else last.isoformat())]
    return found
