"""Amounts as texts hold them, found without the verifiers' reading."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_AMOUNT = re.compile(
    r"(?P<mark>(?:US)?\$ ?|USD ?)?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?)"
    r"(?P<after> ?(?:USD|dollars)\b)?(?![\d-])"
)


@dataclass(frozen=True, slots=True)
class Told:
    """An amount in the text of a message."""

    place: int
    start: int
    end: int
    cents: int
    text: str
    is_marked: bool

    def worded(self, cents: int) -> str:
        """Return another amount in the same form."""
        match = _AMOUNT.fullmatch(self.text)
        assert match is not None
        number = match["number"]
        grouped = "," in number or (self.is_marked and self.cents < 1000_00)
        digits = f"{cents / 100:,.2f}" if grouped else f"{cents / 100:.2f}"
        if "." not in number and cents % 100 == 0:
            digits = digits[:-3]
        return f"{match['mark'] or ''}{digits}{match['after'] or ''}"


def find_amounts(place: int, text: str) -> Iterator[Told]:
    """Yield the amounts of a text: numbers with a currency, or with cents."""
    for match in _AMOUNT.finditer(text):
        is_marked = bool(match["mark"] or match["after"])
        before = text[max(match.start() - 1, 0) : match.start()]
        is_joined = before.isalnum() or before in set("-./,")
        if not is_marked and ("." not in match["number"] or is_joined):
            continue
        number = match["number"].replace(",", "")
        cents = round(float(number) * 100)
        yield Told(place, match.start(), match.end(), cents, match[0], is_marked)
