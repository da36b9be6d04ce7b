"""What a user wants of a trip, read from what the user said."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from crab_graph.money import parse_cents
from crab_graph.personas.spoken_dates import MONTHS, NUMBERS, find_dates

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_PLACE = r"[A-Z][\w'.-]*[\w'](?: [A-Z][\w'.-]*[\w'])*"
_FROM_TO = re.compile(rf"\b[Ff]rom ({_PLACE}) to ({_PLACE})")
_TO_FROM = re.compile(rf"\bto ({_PLACE}) from ({_PLACE})")
_TRADE_PAIR = re.compile(rf"\bO&D ({_PLACE})–({_PLACE})")
_PAIR = re.compile(rf"\b({_PLACE}) to ({_PLACE})")
_ORIGIN = re.compile(rf"\b(?:[Ff]rom|origin is|leave) ({_PLACE})")
_DESTINATION = re.compile(rf"\b(?:[Tt]o|destination is|visit) ({_PLACE})")
_NAME = re.compile(
    r"[A-ZÀ-Þ][\w'’-]*(?: (?:de|la|da|van|von|der|den|bin|al|[A-ZÀ-Þ][\w'’.-]*))* [A-ZÀ-Þ][\w'’-]*"
)
_BETWEEN_NAMES = re.compile(r",| and (?=[A-ZÀ-Þ])")
_CALENDAR = re.compile(rf"\b(?:{'|'.join(MONTHS)}|Born|Dates?|Birth)\b")
_COUNTED = {**NUMBERS, "just me": 1, "alone": 1}
_TIME_WORDS = {"mid-day": "midday", "noon": "midday", "all day": "all-day"}


class Wishes(NamedTuple):
    """What is known of a trip; `None` is not known."""

    origin: str | None = None
    destination: str | None = None
    departure: tuple[str, str] | None = None
    nights: int | None = None
    party_size: int | None = None
    customer_id: str | None = None
    email: str | None = None
    names: tuple[str, ...] | None = None
    births: tuple[str, ...] | None = None
    outbound_time_of_day: str | None = None
    return_time_of_day: str | None = None
    seat_type: str | None = None
    seat_position: str | None = None
    hotel_stars: int | None = None
    room_type: str | None = None
    bed_type: str | None = None
    attraction_category: str | None = None
    attraction_time_of_day: str | None = None
    attraction_date: str | None = None
    budget: int | None = None
    same_carrier: bool | None = None
    same_district: bool | None = None
    payment_method: str | None = None
    card_last4: str | None = None

    def knows(self, *names: str) -> bool:
        """Tell whether all of these are known."""
        return all(getattr(self, name) is not None for name in names)

    @property
    def has_outline(self) -> bool:
        """Whether a trip can be searched for at all."""
        return self.knows("origin", "destination", "departure", "nights", "party_size")

    @property
    def has_identity(self) -> bool:
        """Whether a trip can be booked: a customer, and every traveller with a date of birth."""
        if not (self.customer_id or self.email) or self.party_size is None:
            return False
        return len(self.names or ()) == len(self.births or ()) == self.party_size

    def merged(self, later: "Wishes") -> "Wishes":
        """Return these wishes with what was said later."""
        known = {name: value for name, value in later._asdict().items() if value is not None}
        return self._replace(**known)


def read_wishes(texts: Sequence[str], today: str) -> Wishes:
    """Read all that a user has said; later statements replace earlier ones."""
    wishes = Wishes()
    for text in texts:
        for sentence in _SENTENCE.split(text):
            wishes = wishes.merged(_read_sentence(sentence, today))
    return wishes


def count_fruitless(texts: Sequence[str], today: str) -> int:
    """Return after how many of the last turns nothing new was known."""
    wishes, fruitless = Wishes(), 0
    for text in texts:
        later = read_wishes([text], today)
        fruitless = fruitless + 1 if wishes.merged(later) == wishes else 0
        wishes = wishes.merged(later)
    return fruitless


def says_no_more(texts: Sequence[str]) -> bool:
    """Tell whether the user said that there is nothing else to know."""
    return any(_cue("no_more").search(text.casefold()) for text in texts)


@cache
def _patterns() -> dict[str, dict[str, re.Pattern[str]]]:
    text = files("crab_graph.agents.reference").joinpath("wishes.toml").read_text("utf-8")
    return {
        part: {name: re.compile(pattern) for name, pattern in patterns.items()}
        for part, patterns in tomllib.loads(text).items()
    }


def _cue(name: str) -> re.Pattern[str]:
    return _patterns()["cues"][name]


def _read_sentence(sentence: str, today: str) -> Wishes:
    words = sentence.casefold()
    found = _places(sentence) | _identity(sentence) | _dates(sentence, words, today)
    found |= dict(_times_of_day(words)) | _counts(words)
    for name, pattern in _patterns()["choices"].items():
        if match := pattern.search(words):
            found[name] = match[1]
    found |= {name: True for name in ("same_carrier", "same_district") if _cue(name).search(words)}
    amount = _cue("amount").search(words)
    if amount and _cue("budget").search(words):
        found["budget"] = parse_cents(amount[1] or amount[2])
    return Wishes(**found)


def _places(sentence: str) -> dict[str, Any]:
    for pattern, keys in (
        (_FROM_TO, ("origin", "destination")),
        (_TRADE_PAIR, ("origin", "destination")),
        (_TO_FROM, ("destination", "origin")),
        (_PAIR, ("origin", "destination")),
    ):
        if match := pattern.search(sentence):
            return {
                key: _cue("lead_words").sub("", place)
                for key, place in zip(keys, match.groups(), strict=True)
            }
    found = {}
    for key, pattern in (("origin", _ORIGIN), ("destination", _DESTINATION)):
        if match := pattern.search(sentence):
            found[key] = match[1].rstrip(".")
    return found


def _identity(sentence: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("customer_id", "payment_method", "email", "card_last4"):
        if match := _cue(name).search(sentence):
            found[name] = match[match.lastindex or 0]
    for name in {"customer_id", "payment_method"} & found.keys():
        found[name] = found[name].upper()
    cue = _cue("names").search(sentence)
    names = _names(sentence[cue.end() :]) if cue else []
    return found | ({"names": tuple(names)} if names else {})


def _names(text: str) -> list[str]:
    return _NAME.findall(_BETWEEN_NAMES.sub(";", text))


def _dates(sentence: str, words: str, today: str) -> dict[str, Any]:
    dates = [found.iso for found in find_dates(sentence, today)]
    births = tuple(iso for iso in dates if iso < today)
    if births:
        names = _names(_CALENDAR.sub(";", sentence))
        return {"births": births} | ({"names": tuple(names)} if len(names) == len(births) else {})
    if not dates:
        return {}
    if _cue("outing").search(words) and not _cue("departure").search(words):
        return {"attraction_date": dates[0]}
    return {"departure": (min(dates), max(dates))}


def _times_of_day(words: str) -> Iterator[tuple[str, str]]:
    """Yield each time of day with the leg or attraction it stands nearest to."""
    cues = [
        (match.start(), match.end(), str(match.lastgroup)) for match in _cue("legs").finditer(words)
    ]
    for match in _cue("time").finditer(words):
        if not cues:
            return
        start, end = match.span()
        _, _, about = min(cues, key=lambda cue: min(abs(start - cue[1]), abs(cue[0] - end)))
        yield f"{about}_time_of_day", _TIME_WORDS.get(match[1], match[1])


def _counts(words: str) -> dict[str, Any]:
    found = {}
    for name in ("nights", "party_size", "hotel_stars"):
        for match in _cue(name).finditer(words):
            word = match[match.lastindex or 1]
            number = int(word) if word.isdigit() else _COUNTED.get(word)
            if number is not None:
                found[name] = number
    return found
