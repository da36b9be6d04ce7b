"""What an agent plays back of ids, addresses, money and cards, compared with a user's own."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from crab_graph.money import parse_cents
from crab_graph.personas.founded_denials import CARD_BRAND, brands_in
from crab_graph.personas.played_days import Compared
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import DomainLexicon, ValueForm
from crab_graph.text.amounts import Amount
from crab_graph.text.utterance import starting_within

_LAST4 = re.compile(
    rf"(?:{CARD_BRAND.pattern}|\b(?:card|ending|ends|digits)\b)[^\d\n,;]{{0,30}}?\b(\d{{4}})\b(?![-/]|\.\d)"
)
_BOOKING = re.compile(r"\bbk-\d")
_EMAIL = re.compile(r"[^\s@,;:()<>]+@[^\s@,;:()<>]+\.\w+")
_CAP = re.compile(
    r"\b(?:budget|spend\w*|limit\w*|cap(?:ped)?|max\w*|at most|up to|within|under|no more than"
    r"|not (?:more than|above|over|beyond)|ceiling|afford|cost\w*|total|pay)\b"
)
_BARE_CAP = re.compile(
    r"\b(?:budget|limit|max\w*|cap)\D{0,20}?(\d{1,3}(?:,\d{3})+|\d{3,6})(\.\d\d)?\b"
)
_ON_FILE = re.compile(
    r"\b(?:on (?:file|record|your|the|our)|profile|account|registered|saved|stored|already there"
    r"|i (?:can )?(?:only )?(?:see|find)|found|shows?|holds?)\b"
)
_PAYS = re.compile(r"\b(?:pay\w*|charg\w*|us(?:e|ing)|bill\w*|settle\w*|card: )\b")
_SUM = re.compile(
    r"\b(?:total|sum|price|cost|all)s? (?:is|comes?|amounts?|adds?|would be)\b"
    r"(?!.*\b(?:budget|limit|max\w*|at most|up to|within)\b)"
)
"""What things cost together, which is no wish."""


_OF_ALL = re.compile(
    r"\b(?:budget|spend\w*|limit\w*|max\w*|ceiling|afford|total|in all|altogether|overall"
    r"|the whole)\b"
)
"""What makes an amount one of everything, whatever stands beside it."""
_PART = re.compile(r"[,;]\s")


class PlayedTokens:
    """What a user's facts say in figures and signs, with which passages are compared."""

    def __init__(self, facts: Mapping[str, Any], lexicon: DomainLexicon, reading: Reading) -> None:
        self._facts = facts
        self._lexicon = lexicon
        self._reading = reading

    def compare(self, text: str, passage: Stretch) -> Iterator[Compared]:
        """Compare the ids, amounts and cards of a passage."""
        yield from self._ids(text)
        yield from self._money(text, passage)
        yield from self._card(text)

    def _ids(self, text: str) -> Iterator[Compared]:
        """Compare ids and addresses with those of the same form."""
        for key, words in self._lexicon.facts.items():
            value = str(self._facts.get(key, "")).casefold()
            if words.form is not ValueForm.TEXT or not value or words.cues:
                continue
            if "@" in value:
                found = [one.strip(".,;:!?") for one in _EMAIL.findall(text)]
            elif "-" in value:
                prefix = value.partition("-")[0]
                found = re.findall(rf"(?<![\w-]){re.escape(prefix)}-?\d+(?!\w)", text)
            else:
                continue
            for one in found:
                yield Compared(key, one == value, one)

    def _money(self, text: str, passage: Stretch) -> Iterator[Compared]:
        if _BOOKING.search(self._reading.utterance.text) or self._reading.claims_done:
            # Beside bookings, and what is paid, amounts are what they cost.
            return
        amounts = starting_within(
            self._reading.stated, passage.start, passage.start + len(passage.text)
        )
        for key, words in self._lexicon.facts.items():
            if words.form is not ValueForm.MONEY or any(one.search(text) for one in _NO_LIMITS):
                continue
            stated = [
                one.cents
                for one in amounts
                if _is_cap(text, one, passage.start) and not self._is_of_some(text, one, passage)
            ]
            if not stated and (bare := _BARE_CAP.search(text)):
                stated = [parse_cents(bare[1] + (bare[2] or ""))]
            for cents in stated[:1]:
                mine = self._facts.get(key)
                is_right = mine is not None and parse_cents(mine) == cents
                is_of_each = is_right and _EACH.search(text) is not None
                yield Compared(key, is_right and not is_of_each, str(cents), is_of_each)

    def _is_of_some(self, text: str, amount: Amount, passage: Stretch) -> bool:
        """Tell whether an amount is said of some of the things, as what two of them cost."""
        at = amount.start - passage.start
        start = max((one.end() for one in _PART.finditer(text, 0, at)), default=0)
        behind = _PART.search(text, at)
        part = text[start : behind.start() if behind else len(text)]
        clause = self._reading.segments[passage.segment].text
        every = self._lexicon.named_slots(clause)
        is_list = len(every) == len(self._lexicon.slots) and clause.count("$") == 1
        named = every if is_list else self._lexicon.named_slots(part)
        is_all = _OF_ALL.search(part) or self._lexicon.whole.search(part)
        return bool(named) and len(named) < len(self._lexicon.slots) and not is_all

    def _card(self, text: str) -> Iterator[Compared]:
        for key, words in self._lexicon.facts.items():
            if words.form is not ValueForm.CARD:
                continue
            if key not in self._facts:
                continue
            card = self._facts[key]
            mine, last = str(card["brand"]).casefold(), str(card["last4"])
            numbers = card_numbers(text)
            brands = brands_in(text)
            if last not in numbers and _ON_FILE.search(text) and not _PAYS.search(text):
                # What is on file is not what one pays with.
                continue
            others = [one for one in brands if one != mine]
            if last in numbers and (not others or len(others) < len(brands)):
                yield Compared(key, True)
            elif numbers:
                yield Compared(key, False, next(iter(others), numbers[0]))
            elif brands:
                yield Compared(key, not others, brands[0])


def card_numbers(text: str) -> list[str]:
    """Return the last digits of the cards that a text names, in its order."""
    return [match[1] for match in _LAST4.finditer(text)]


_SAME = re.compile(r"\b(?:nothing|no) (?:extra|more)\b|\$\S+ (?:stays|remains)\b")
"""Says of a price that it stays."""
_WITHIN_IT = re.compile(
    r"\$[\d,.]+,? (?:\w+ ){0,3}(?:below|under|within|inside|less than) (?:your|the) "
    r"(?:budget|limit|ceiling|cap)\b"
)
"""Says of a price that it keeps to the limit."""
_NO_LIMITS = (_SUM, _SAME, _WITHIN_IT)
_EACH = re.compile(
    r"\d (?:per|for (?:each|every)) (?:person|head|travell?er|guest|adult)\b"
    r"|\d (?:each|a head|pp)\b"
)
"""Makes of a limit for all one for each."""


def _is_cap(text: str, amount: Amount, start: int) -> bool:
    at = amount.start - start
    return _CAP.search(text[max(0, at - 40) : at + 40]) is not None
