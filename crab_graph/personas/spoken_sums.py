"""Sums of money as agents write them in any currency, in words, or as bare prices with cents.

Grading reads dollars alone (`text/amounts.py`); a user hears that money is spoken of.
"""

import re
from collections.abc import Iterator

_NUMBER = r"\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,2})?|\d{1,12}(?:\.\d{1,2})?"
_AFTER = r"(?:€|£|(?:euros?|eur|pounds?|gbp|quid|bucks|chf|francs?|usd|dollars)(?!\w))"
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORTH = {word: value for value, word in enumerate(_UNITS)}
_WORTH |= {word: 20 + 10 * place for place, word in enumerate(_TENS)} | {"a": 1}
_SCALES = {"hundred": 100, "thousand": 1_000, "grand": 1_000}
_WORD = rf"(?:{'|'.join([*_WORTH, *_SCALES])})"
_SPOKEN = re.compile(
    rf"(?<![\w-])({_WORD}(?:(?: and |[ -]){_WORD}){{0,8}})"
    r" (?:dollars|bucks|euros?|pounds|quid)(?!\w)"
)
_WRITTEN = re.compile(
    rf"(?:[€£$]|(?<!\w)(?:eur|gbp|chf|usd|us\$|cad|aud)) ?({_NUMBER})( ?k(?!\w))?(?![\d.,]*\d)"
    rf"|(?<![\w.,$€£-])({_NUMBER})( ?k)? ?{_AFTER}"
    r"|(?<![\w.,:$€£/-])(\d{1,3}(?:,\d{3}){1,3}\.\d\d|\d{1,7}\.\d\d)(?![\w%:/]|[.,]\d)()"
)


def find_sums(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sum in a casefolded text begins, and its cents; not in order."""
    for match in _WRITTEN.finditer(text):
        number = match[1] or match[3] or match[5]
        times = 1_000 if match[2] or match[4] else 1
        yield match.start(), round(float(number.replace(",", "")) * 100 * times)
    for match in _SPOKEN.finditer(text):
        yield match.start(), _value(re.split(r"[ -]", match[1])) * 100


def _value(words: list[str]) -> int:
    """Return what number words come to, such as `one thousand two hundred and forty`."""
    total = part = 0
    for word in words:
        if word == "hundred":
            part = max(part, 1) * 100
        elif word in _SCALES:
            total, part = total + max(part, 1) * _SCALES[word], 0
        else:
            part += _WORTH.get(word, 0)
    return total + part
