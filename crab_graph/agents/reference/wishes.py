"""What a user wants of a trip, read from what the user said."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

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
_LEAD_WORDS = re.compile(r"^(?:Trip|Travel|Travelling|Flights?|Going|Flying|Need|From)\s+")
_DEPARTURE = re.compile(r"\b(?:leav\w+|depart\w*|go(?:ing)? on|set off|outbound)\b")
_OUTING = re.compile(r"\b(?:attraction|museum|tour|show|outing|visit|activity)\b")
_NIGHTS = re.compile(r"\b(\w+)[- ](?:nights?|nts?)\b")
_PARTY = re.compile(
    r"\b(\w+) (?:people|persons?|pax|passengers|travell?ers|adults|guests|of us)\b"
    r"|\b(just me|alone)\b"
)
_NAMES_CUE = re.compile(
    r"\b(?:names?|travell?ers?|travelling|traveling|passengers?)\b(?: (?:is|are))?:?\s+(?=[A-Z])"
    r"|\b[Ww]e(?: are|'re) (?=[A-Z])|\bI(?: am|'m) (?=[A-Z])",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"[A-ZÀ-Þ][\w'’-]*(?: (?:de|la|da|van|von|der|den|bin|al|[A-ZÀ-Þ][\w'’.-]*))* [A-ZÀ-Þ][\w'’-]*"
)
_BETWEEN_NAMES = re.compile(r",| and (?=[A-ZÀ-Þ])")
_CALENDAR = re.compile(rf"\b(?:{'|'.join(MONTHS)}|Born|Dates?|Birth)\b")
_CUSTOMER = re.compile(r"\bCU-\d+\b", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.\w+")
_LEGS = re.compile(
    r"(?P<outbound>\b(?:outbound|going out|outgoing|way out|flight out|going there|departure)\b)"
    r"|(?P<return>\b(?:return|inbound|coming back|way back|flight back|back home|homeward)\b)"
    r"|(?P<attraction>\b(?:attraction|museum|tour|show|outing|activity)\b)"
)
_TIME = re.compile(r"\b(morning|mid-?day|noon|night|afternoon|evening|all[- ]day)\b")
_TIME_WORDS = {"mid-day": "midday", "noon": "midday", "all day": "all-day"}
_STARS = re.compile(r"\b(\w+)(?:[- ]stars?\b|\*)")
_AMOUNT = re.compile(
    r"(?:\$|\busd )\s?(\d[\d,]*(?:\.\d{1,2})?)|\b(\d[\d,]*(?:\.\d{1,2})?) ?(?:usd|dollars)"
)
_BUDGET = re.compile(r"\b(?:budget|all in|in total|at most|spend|maximum|max|everything)\b")
_METHOD = re.compile(r"\bPM-\d+\b", re.IGNORECASE)
_LAST4 = re.compile(r"\bending (?:in |with )?(\d{4})\b")
_NO_MORE = re.compile(
    r"\bnothing (?:else|more)\b|\bthat's (?:all|everything|it)\b"
    r"|\bno(?:ne)? (?:other|more|further)\b"
)
_CHOICES = {
    "seat_type": re.compile(r"\b(premium economy|economy|business)\b"),
    "seat_position": re.compile(r"(?<!date )(?<!time )\b(window|aisle|middle)\b(?! of\b)"),
    "room_type": re.compile(r"\b(standard|deluxe|suite)\b"),
    "bed_type": re.compile(r"\b(twin|queen|king)\b"),
    "attraction_category": re.compile(
        r"(?:\b(?:an?|the) |^|: ?)(museum|tour|show)\b(?! (?:me|us))"
    ),
}


@dataclass(frozen=True, slots=True)
class Wishes:
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
        known = {
            field.name: value
            for field in fields(later)
            if (value := getattr(later, field.name)) is not None
        }
        return replace(self, **known)


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
    return any(_NO_MORE.search(text.casefold()) for text in texts)


def _read_sentence(sentence: str, today: str) -> Wishes:
    words = sentence.casefold()
    found: dict[str, Any] = {}
    for reader in (_places, _identity, _payment):
        found |= reader(sentence)
    found |= _dates(sentence, words, today)
    found |= dict(_times_of_day(words))
    found |= _counts(words)
    for name, pattern in _CHOICES.items():
        match = pattern.search(words)
        if match:
            found[name] = match[1]
    if re.search(r"\bsame (?:airline|carrier)\b|\bone (?:airline|carrier)\b", words):
        found["same_carrier"] = True
    if re.search(r"\bsame (?:district|neighbou?rhood|area)\b", words):
        found["same_district"] = True
    amount = _AMOUNT.search(words)
    if amount and _BUDGET.search(words):
        found["budget"] = parse_cents(amount[1] or amount[2])
    return Wishes(**found)


def _places(sentence: str) -> dict[str, Any]:
    for pattern, keys in (
        (_FROM_TO, ("origin", "destination")),
        (_TRADE_PAIR, ("origin", "destination")),
        (_TO_FROM, ("destination", "origin")),
        (_PAIR, ("origin", "destination")),
    ):
        match = pattern.search(sentence)
        if match:
            return {
                key: _LEAD_WORDS.sub("", place)
                for key, place in zip(keys, match.groups(), strict=True)
            }
    found = {}
    for key, pattern in (("origin", _ORIGIN), ("destination", _DESTINATION)):
        match = pattern.search(sentence)
        if match:
            found[key] = match[1].rstrip(".")
    return found


def _identity(sentence: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    customer, email = _CUSTOMER.search(sentence), _EMAIL.search(sentence)
    if customer:
        found["customer_id"] = customer[0].upper()
    if email:
        found["email"] = email[0]
    cue = _NAMES_CUE.search(sentence)
    names = _names(sentence[cue.end() :]) if cue else []
    if names:
        found["names"] = tuple(names)
    return found


def _names(text: str) -> list[str]:
    return _NAME.findall(_BETWEEN_NAMES.sub(";", text))


def _payment(sentence: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    method, last4 = _METHOD.search(sentence), _LAST4.search(sentence)
    if method:
        found["payment_method"] = method[0].upper()
    if last4:
        found["card_last4"] = last4[1]
    return found


def _dates(sentence: str, words: str, today: str) -> dict[str, Any]:
    dates = [found.iso for found in find_dates(sentence, today)]
    births = tuple(iso for iso in dates if iso < today)
    if births:
        names = _names(_CALENDAR.sub(";", sentence))
        return {"births": births} | ({"names": tuple(names)} if len(names) == len(births) else {})
    if not dates:
        return {}
    if _OUTING.search(words) and not _DEPARTURE.search(words):
        return {"attraction_date": dates[0]}
    return {"departure": (min(dates), max(dates))}


def _times_of_day(words: str) -> Iterator[tuple[str, str]]:
    """Yield each time of day with the leg or attraction it stands nearest to."""
    cues = [(match.start(), match.end(), str(match.lastgroup)) for match in _LEGS.finditer(words)]
    for match in _TIME.finditer(words):
        if not cues:
            return
        start, end = match.span()
        _, _, about = min(cues, key=lambda cue: min(abs(start - cue[1]), abs(cue[0] - end)))
        yield f"{about}_time_of_day", _TIME_WORDS.get(match[1], match[1])


def _counts(words: str) -> dict[str, Any]:
    found = {}
    for name, pattern in (("nights", _NIGHTS), ("party_size", _PARTY), ("hotel_stars", _STARS)):
        for match in pattern.finditer(words):
            number = 1 if match[match.lastindex or 1] in {"just me", "alone"} else _number(match[1])
            if number is not None:
                found[name] = number
    return found


def _number(word: str | None) -> int | None:
    if word is None:
        return None
    return int(word) if word.isdigit() else NUMBERS.get(word)
