"""Which of its facts a user has stated, read back from its own words (paper A.3).

A model in the user's seat keeps no list of what it says. Recognition is by value, near the thing a
fact is about: what it misses counts as not said, which errs to the agent's favour.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import (
    DisclosureRecord,
    Fact,
    Reason,
    Saying,
    UserBriefing,
    with_first_wish,
)
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.questions import read_segments
from crab_graph.personas.spoken_dates import NUMBERS, find_dates
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.turned_plans import turned_right
from crab_graph.personas.understanding import reading_of
from crab_graph.personas.wordbook import Cue, FactWords, ValueForm, says
from crab_graph.personas.wording import NOTHING_SPECIAL
from crab_graph.text.amounts import find_amounts

_PIECE = re.compile(r"[,;()]")
_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"20\d\d")
_MOST = 0.75
_FILLERS = frozenset("a about an and around at between by for in of on or so the to".split())


def read_disclosures(
    text: str, heard: str, briefing: UserBriefing, due: Iterable[str] = ()
) -> list[tuple[str, Reason]]:
    """Return the facts a text states in answer to what was `heard`, each with why it was said.

    Of what was asked for or is `due` a bare value is enough.
    """
    reading = reading_of(heard, briefing.lexicon, briefing.slots)
    wrong = contradictions(turned_right(read_plan(reading, briefing.slots), briefing), briefing)
    told = []
    for key in stated_facts(text, briefing, {*reading.asked, *due}):
        is_asked = key in reading.asked or reading.is_open_question
        reason = Reason.ASKED if is_asked and heard else Reason.VOLUNTEERED
        told.append((key, Reason.CORRECTED if heard and key in wrong else reason))
    return told


def told_after(
    told: Iterable[dict[str, Any]],
    said: str,
    heard: str,
    turn: int,
    briefing: UserBriefing,
    first: Fact | None = None,
    sayings: Mapping[str, Saying] = NOTHING_SPECIAL,
    due: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """Return a user's disclosure record, as its state keeps it, after it said something.

    `heard` is the agent's message it answers, empty for the opening, `turn` the number of its own,
    `first` what it wants at first where it changes its mind, and `sayings` what it was to say with
    doubt, and `due` what it was to tell.
    """
    record = DisclosureRecord(tuple(told))
    found = read_disclosures(said, heard, briefing, due)
    doubted = {key: one for key, one in sayings.items() if says_so(said, one)}
    if doubted:
        reading = reading_of(heard, briefing.lexicon, briefing.slots)
        is_open = bool(heard) and reading.is_open_question
        asked = set(sayings if is_open else reading.asked)
        for key, saying in doubted.items():
            reason = Reason.ASKED if key in asked else Reason.VOLUNTEERED
            record = record.with_told(key, turn, dict(found).get(key, reason), saying=saying)
        found = [(key, reason) for key, reason in found if key not in doubted]
    if first is not None and not record.is_settled(first.key):
        key = first.key
        if key not in dict(found):
            early = read_disclosures(said, heard, with_first_wish(briefing, first), due)
            for reason in [why for name, why in early if name == key]:
                record = record.with_told(key, turn, reason, first.value)
        elif record.has(key):
            found = [(name, Reason.CHANGED if name == key else why) for name, why in found]
    for key, reason in found:
        record = record.with_told(key, turn, reason)
    return list(record.rows)


def says_so(text: str, saying: Saying) -> bool:
    """Tell whether a text says a value so, or nearly so: in another order, without the year."""
    said = set(_WORD.findall(text.casefold()))
    meant = {word for word in _WORD.findall(saying.value.casefold()) if word not in _FILLERS}
    meant = {word for word in meant if not _YEAR.fullmatch(word)} or meant
    return bool(meant) and len(meant & said) >= _MOST * len(meant)


def stated_facts(text: str, briefing: UserBriefing, asked: Iterable[str] = ()) -> list[str]:
    """Return the keys of the facts that a text states, in the order facts are told.

    A bare value answers what was `asked` just before, whatever it is about.
    """
    expected = set(asked)
    said = facts_said(text, briefing)
    return [key for key, is_stated in said.items() if is_stated or key in expected]


def facts_said(text: str, briefing: UserBriefing) -> dict[str, bool]:
    """Return the facts whose values a text holds, and whether it states them, asked for or not."""
    utterance, segments = read_segments(text, briefing.lexicon)
    cents = {amount.cents for amount in find_amounts(utterance)}

    @cache
    def days(words: str) -> frozenset[str]:
        return frozenset(date.iso for date in find_dates(words, briefing.today))

    said: dict[str, bool] = {}
    for key in briefing.ordered_keys():
        fact, words = briefing.fact(key), briefing.lexicon.facts.get(key)
        if fact is None or words is None:
            continue
        if words.is_joint:
            holds = [True] if words.tells(text.casefold(), fact.value) else []
        elif words.form is ValueForm.MONEY:
            holds = [True] if parse_cents(fact.value) in cents else []
        else:
            holding = [one for one in segments if _states(fact, words, one.text, days)]
            slots = set(words.slots)
            holds = [bool(one.scope & slots) for one in holding]
            if holding and _is_anywhere(fact, words, briefing):
                holds = [True]
        if holds:
            said[key] = any(holds)
    return said


def _is_anywhere(fact: Fact, words: FactWords, briefing: UserBriefing) -> bool:
    """Tell whether a value tells the fact wherever it stands: no other fact can have it."""
    others = (one for key, one in briefing.lexicon.facts.items() if key != fact.key)
    is_own = words.form is ValueForm.CHOICE
    is_own = is_own and not any(str(fact.value) in one.choices for one in others)
    return not words.slots or is_own


def _states(
    fact: Fact, words: FactWords, text: str, days_in: Callable[[str], frozenset[str]]
) -> bool:
    value = fact.value
    match words.form:
        case ValueForm.DATE | ValueForm.DATES:
            days = value if isinstance(value, list) else [value]
            return not days_in(text).isdisjoint(days)
        case ValueForm.NAMES:
            return any(str(name).casefold() in text for name in value)
        case ValueForm.COUNT:
            return _says_count(int(value), words, text)
        case ValueForm.CHOICE:
            cue = words.cues.get(str(value))
            return cue is not None and _is_stated(text, (cue,))
        case ValueForm.FLAG:
            return _is_stated(text, words.asks)
        case ValueForm.CARD:
            known = [value[key] for key in ("last4", "card_id") if key in value]
            return any(str(part).casefold() in text for part in known)
        case _:
            return re.search(rf"(?<!\w){re.escape(str(value).casefold())}(?!\w)", text) is not None


def _is_stated(text: str, cues: Iterable[Cue]) -> bool:
    """Tell whether a clause states what a cue finds; what it denies is denied up to a comma."""
    known = tuple(cues)
    return any(
        any(cue.search(piece) for cue in known) and not says("not_stated", piece)
        for piece in _PIECE.split(text)
    )


def _says_count(number: int, words: FactWords, text: str) -> bool:
    spoken = [str(number), *(word for word, value in NUMBERS.items() if value == number)]
    nouns = {unit.split()[-1] for unit in (words.one, words.many) if unit}
    plain = rf"\b(?:{'|'.join(spoken)})[- ](?:{'|'.join(sorted(map(re.escape, nouns)))})"
    if re.search(plain, text):
        return True
    pattern = words.conflict.pattern if words.conflict is not None else None
    return pattern is not None and any(found[1] in spoken for found in pattern.finditer(text))
