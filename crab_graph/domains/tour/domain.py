"""The tour domain: two cities, seven slots: three legs, two stays, two attractions."""

import tomllib
from importlib.resources import files
from itertools import product
from math import cos, hypot, radians
from typing import Any

import crab_graph.domain as cd


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


_LISTS, _WORDS = _read("names.toml"), _read("words.toml")
_CALLED: dict[str, list[str]] = _WORDS.pop("called")
CITIES, PRICES = _LISTS["cities"], _LISTS["prices"]
KINDS, MODES = tuple(_LISTS["attraction_names"]["theme"]), ("train", "flight")
DAY = 24 * 60
HOURS = {"morning": (360, 720), "afternoon": (720, 1020), "evening": (1020, 1440)}
OPENS = {"morning": (540, 630), "afternoon": (780, 900), "evening": (1080, 1170)}


def _minutes(mode: str, origin: str, destination: str) -> int:
    """Return how long a leg takes: a train along its line, a flight with the way to its gates."""
    (north, east), (far_north, far_east) = CITIES[origin], CITIES[destination]
    away = hypot(north - far_north, (east - far_east) * cos(radians(north))) * 111
    return round((20 + away / 2.1 if mode == "train" else 45 + away / 12) / 5) * 5


CITY = cd.Choice(tuple(CITIES), sample=4)
PLACE = {"city": CITY, "district": cd.Choice(_LISTS["districts"], sample=4)}
TIME_OF_DAY, STOCK = cd.Choice(tuple(HOURS), hours=HOURS), cd.Stock((1, 2, 3, 4, 5, 6, 8, 12))
ROUTE = ("mode", "origin", "destination")
SAME = (*ROUTE, "carrier", cd.LEVEL)
TAKES = cd.Given(ROUTE, {one: _minutes(*one) for one in product(MODES, CITIES, CITIES)})
LASTS = cd.Given(("category",), {("museum",): 120, ("walk",): 150, ("concert",): 135})
SEAT = cd.Offer(
    "seat",
    "SE",
    dict.fromkeys(("origin", "destination"), CITY)
    | {
        "date": cd.Day(),
        "time_of_day": TIME_OF_DAY,
        "mode": cd.Choice(MODES),
        "carrier": cd.Choice(tuple(PRICES["seat"]["percent"]["carrier"])),
        "departs": cd.Clock("time_of_day", HOURS, SAME, takes=TAKES),
        "arrives": cd.Later("departs", TAKES),
        "travel_class": cd.Choice(("standard", "premium")),
        "position": cd.Choice(("window", "aisle", "middle")),
        "price": cd.Price(**PRICES["seat"], steps=6),
        "available": STOCK,
    },
    cd.Provider("departure", "DP", (*SAME, "date", "time_of_day"), about=4, most=6),
    kind="leg",
    always={"no leg stays in its city": lambda one: one.origin != one.destination},
    holds=cd.Each("seats", "passenger_name", "date_of_birth"),
    unit="passenger",
    units="party_size",
    words=("leg", "seat", "train", "flight"),
    tools=cd.Tools(needs=("origin", "destination", "date")),
)
HOTEL_NAMES = cd.Names("{first} {second} {kind}", _LISTS["hotel_names"])
ROOM = cd.Offer(
    "room",
    "RM",
    {
        **PLACE,
        "stars": cd.Choice((2, 3, 4, 5)),
        "chain": cd.Choice(_LISTS["chains"]),
        "bed_type": cd.Choice(("twin", "queen", "king")),
        "max_occupancy": cd.Capacity((2, 4)),
        "available_from": cd.Day(),
        "nights_open": cd.Choice((1, 2, 3, 4, 5)),
        "available_until": cd.Later("available_from", "nights_open"),
        "price": cd.Price({2: 65, 3: 95, 4: 140, 5: 205}, **PRICES["room"], levels=(80, 160)),
    },
    cd.Provider("hotel", "HT", (*PLACE, "stars", "chain", cd.LEVEL), HOTEL_NAMES, about=4, most=6),
    kind="stay",
    holds=cd.Stay("first_leg.date", "second_leg.date", "available_from", "available_until"),
    unit="night",
    units="nights",
    words=("stay", "hotel", "room"),
    incidental=("available_from", "nights_open"),
    tools=cd.Tools(needs=("city",), filters=("district", "stars", "chain")),
)
VISIT = cd.Offer(
    "attraction",
    "AT",
    {
        **PLACE,
        "category": cd.Choice(KINDS),
        "date": cd.Day(),
        "time_of_day": TIME_OF_DAY,
        "starts": cd.Clock("time_of_day", OPENS, (*PLACE, cd.LEVEL)),
        "ends": cd.Later("starts", LASTS),
        "price": cd.Price(**PRICES["attraction"]),
        "available": STOCK,
    },
    always={"no early show": lambda it: (it.category != "concert") | (it.time_of_day != "morning")},
    names=cd.Names("{place} {theme}", _LISTS["attraction_names"], "category"),
    holds=cd.Count("tickets"),
    unit="ticket",
    units="party_size",
    words=("attraction", "activity", "sight"),
    tools=cd.Tools(needs=("city",)),
)
OFFERS = {"leg": SEAT, "stay": ROOM, "visit": VISIT}
LATER = {"second_stay": ("second_leg.date", "third_leg.date")}
SLOTS = [
    cd.Slot(slot, OFFERS[slot.split("_")[1]], title, words, days=LATER.get(slot))
    for slot, (title, *words) in _CALLED.items()
]


def _other_cities(r: Any) -> tuple[str, ...]:
    return tuple(one for one in CITIES if one not in (r.origin, getattr(r, "first_city", None)))


def _want(key: str, values: Any, on: str = "", odds: float = 1.0, **more: Any) -> cd.Want:
    """Return a wish for fields of slots, such as `first_leg second_leg.date`."""
    parts = [one.partition(".") for one in on.split(", ") if one]
    refs = [f"{slot}.{field}" for slots, _, field in parts for slot in slots.split()]
    return cd.Want(key, values, refs, odds=odds, **more)


_ROLE: dict[str, Any] = {"basic": True, "role": True}
_ENDS, _VISITS = ("first_leg", "third_leg"), ("first_visit", "second_visit")
_LEGS, _STAYS = "first_leg second_leg third_leg", "first_stay second_stay"
_FIRST = "first_leg.destination, second_leg.origin, first_stay first_visit.city"
_SECOND = "second_leg.destination, third_leg.origin, second_stay second_visit.city"
WANTS = (
    _want("origin", tuple(CITIES), "first_leg.origin, third_leg.destination", **_ROLE),
    _want("first_city", _other_cities, _FIRST, **_ROLE),
    _want("second_city", _other_cities, _SECOND, **_ROLE),
    _want("nights", (2, 3), basic=True),
    _want("party_size", (1, 2, 3, 4), basic=True, axis=cd.Axis("party")),
    _want("mode", MODES, f"{_LEGS}.mode", 0.35),
    _want("travel_class", ("standard", "premium"), f"{_LEGS}.travel_class", 0.5),
    *(_want(f"{one}_time_of_day", tuple(HOURS), f"{one}.time_of_day", 0.3) for one in _ENDS),
    _want("stars", (3, 3, 4), f"{_STAYS}.stars", 0.6, compare="at_least"),
    _want("bed_type", ("twin", "queen", "king"), f"{_STAYS}.bed_type", 0.3),
    *(_want(f"{one}_category", KINDS, f"{one}.category", 0.4) for one in _VISITS),
)


def _in(comes: Any, goes: Any, visit: Any) -> Any:
    begins, ends = visit.date * DAY + visit.starts, visit.date * DAY + visit.ends
    return (begins >= comes.date * DAY + comes.arrives) & (ends <= goes.date * DAY + goes.departs)


def _has(room: Any, first: Any, last: Any) -> Any:
    return (room.available_from <= first.date) & (room.available_until >= last.date)


CONDITIONS: dict[str, Any] = {
    "first_nights": lambda first_leg, second_leg, r: second_leg.date == first_leg.date + r.nights,
    "second_nights": lambda second_leg, third_leg, r: third_leg.date == second_leg.date + r.nights,
    "room_1": lambda first_leg, second_leg, first_stay: _has(first_stay, first_leg, second_leg),
    "room_2": lambda second_leg, third_leg, second_stay: _has(second_stay, second_leg, third_leg),
    "visit_1": lambda first_leg, second_leg, first_visit: _in(first_leg, second_leg, first_visit),
    "visit_2": lambda second_leg, third_leg, second_visit: _in(second_leg, third_leg, second_visit),
    "same_carrier": lambda first_leg, second_leg, third_leg: (
        (first_leg.carrier == second_leg.carrier) & (second_leg.carrier == third_leg.carrier)
    ),
    "same_chain": lambda first_stay, second_stay: first_stay.chain == second_stay.chain,
    "first_district": lambda first_stay, first_visit: first_stay.district == first_visit.district,
    "second_district": lambda second_stay, second_visit: (
        second_stay.district == second_visit.district
    ),
    "unlike_kinds": lambda first_visit, second_visit: first_visit.category != second_visit.category,
    "second_cheaper": lambda first_stay, second_stay: second_stay.price < first_stay.price,
    "stays_share": lambda first_stay, second_stay, r: (
        (first_stay.price + second_stay.price) * r.nights * 100 <= r.stays_share * r.budget_cents
    ),
}
RULES = [
    cd.Rule(name, CONDITIONS[name], wording=cd.Wording(**said.pop("wording", {})), **said)
    for name, said in _WORDS.pop("rules").items()
]
DATES = cd.Axis("dates", values=("fixed", "flexible"))
# On a fixed day only wishes and the budget tie a stay, so that each has one then.
ODDS = {"fixed": {tuple(names.split()): odds for names, odds in _LISTS["odds"].items()}}
TOUR = cd.build(
    cd.Declaration(
        **_WORDS.pop("declared"),
        slots=SLOTS,
        wants=WANTS,
        rules=RULES,
        window=cd.Window("departure_date", "first_leg.date", (1, 3), axis=DATES),
        budget=cd.Budget(),
        people=cd.People("party_size", "traveller", ("passenger", "guest"), "traveller_names"),
        horizon=((-2,), (2, "nights", "nights")),
        optional_odds=ODDS,
        sources=(__package__,),
        lexicon=_WORDS,
    )
)
