"""Little words of English for texts that are derived: lists, plurals, and their cues."""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

_ES = ("s", "x", "z", "ch", "sh")
_SINGULAR = ("ss", "us", "is")
_VOWELS = "aeiou"


def joined(words: Sequence[str], word: str = "and") -> str:
    """Return words as a list is read: `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {word} {words[-1]}"


def spoken(name: str) -> str:
    """Return an identifier as it is spoken."""
    return name.replace("_", " ")


def plural(noun: str) -> str:
    """Return the plural of a noun, of the last word of several."""
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(_ES) else f"{noun}s"


def singular(noun: str) -> str:
    """Return the singular of a regular plural; other words as they are."""
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    if noun.endswith("es") and noun[:-2].endswith(_ES):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(_SINGULAR) else noun


_SHORT_UNITS = {
    "kilometre": "kms?",
    "kilometer": "kms?",
    "minute": "mins?",
    "hour": "hrs?",
    "kilogram": "kgs?",
    "square metre": "sqm|m2|m²",
    "cubic metre": "cbm|m3|m³",
}


def form_of(noun: str) -> str:
    """Return the fragment of a pattern that finds a noun, singular or plural, in casefolded text.

    Words are joined by a blank, a hyphen or an underscore; British `ller` is American `ler` too,
    and units of measure are found by their short forms.
    """
    one = singular(noun.casefold())
    many = plural(one)
    stem = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, many, strict=False))))
    endings = [re.escape(one[stem:]), re.escape(many[stem:])]
    ending = f"(?:{'|'.join(endings)})" if endings[0] else f"(?:{endings[1]})?"
    ending = "s?" if ending == "(?:s)?" else ending
    body = re.escape(one[:stem]) + ending
    found = re.sub(r"(?:\\ |_|\\-)", "[ _-]", body).replace("eller", "ell?er")
    return f"(?:{found}|{_SHORT_UNITS[one]})" if one in _SHORT_UNITS else found


def science_form(cue: str) -> str:
    """Return the pattern of a field of knowledge so that it finds those who practise it too.

    `cardiology` is `cardio`, a `cardiologist` and `cardiological`, `orthopedics` an `orthopaedist`.
    """
    cue = re.sub(r"(?P<middle>(?:ato)?)logy$", r"(?:\g<middle>log(?:y|ists?|ical))?", cue)
    cue = re.sub(r"ics$", "(?:ics?|ists?|icians?)", cue)
    return re.sub(r"(?<=p)ed\(", "a?ed(", cue)


def practitioner(field: str) -> tuple[str, ...]:
    """Return what those are called who practise a field of knowledge; nothing of other words.

    People say `neuro` of it, and `derm`, too.
    """
    if field.endswith("logy"):
        stem = field.removesuffix("logy")
        return f"{stem}logist", stem.removesuffix("ato")
    return (f"{field.removesuffix('ics')}ist",) if field.endswith("ics") else ()


def any_of(nouns: Iterable[str]) -> str:
    """Return the fragment of a pattern that finds any of some nouns, longest first."""
    forms = dict.fromkeys(form_of(noun) for noun in nouns)
    if len(forms) == 1:
        return next(iter(forms))
    return f"(?:{'|'.join(sorted(forms, key=lambda form: -len(form)))})"
