"""The travel domain: flights out and back, a hotel and an attraction (paper section 3.5, A.5)."""

import tomllib
from collections.abc import Mapping
from datetime import date, timedelta
from importlib.resources import files
from itertools import product
from math import asin, cos, prod, radians, sin, sqrt
from typing import Any

import crab_graph.domain as cd
from crab_graph.domains.travel.joint_rules import JOINT_RULES


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


_LISTS = _read("data.toml")
_WORDS = _read("words.toml")
_CLAIMS = _WORDS.pop("claims")
_AMENITIES = _WORDS.pop("amenities")
MINUTES_A_DAY = 24 * 60
CITIES: Mapping[str, Mapping[str, Any]] = _LISTS["cities"]

CITY = cd.Choice(
    tuple(CITIES),
    sample=4,
    codes={name: city["code"] for name, city in CITIES.items()},
    listed_by="list_all_airports",
)
DISTRICT = cd.Choice(_LISTS["districts"], sample=4)

_EARTH = 6371
"""Its radius in kilometres."""

_SPEED = 800 / 60
"""Of flights, in kilometres a minute."""


def _flight_minutes(origin: str, destination: str) -> int:
    """Return how long a flight takes: along the great circle, and 40 minutes on the ground.

    Against the wind, to the west, it takes a little longer.
    """
    (north, east), (far_north, far_east) = (
        map(radians, CITIES[city]["at"]) for city in (origin, destination)
    )
    chord = sin((far_north - north) / 2) ** 2
    chord += cos(north) * cos(far_north) * sin((far_east - east) / 2) ** 2
    against_the_wind = 1 - 0.06 * sin(far_east - east)
    in_the_air = 2 * _EARTH * asin(sqrt(chord)) / _SPEED * against_the_wind
    return round((40 + in_the_air) / 5) * 5


ROUTE = ("origin", "destination")
FLIGHT_TIME = cd.Given(ROUTE, {route: _flight_minutes(*route) for route in product(CITIES, CITIES)})

# The parts of a day by when something begins: of flights in the paper's words, of attractions in
# theirs.
MORNING, MIDDAY, EVENING = (360, 720), (720, 1020), (1020, 1440)
DEPARTS = {"morning": MORNING, "midday": MIDDAY, "night": EVENING}
BEGINS = {"morning": MORNING, "afternoon": MIDDAY, "evening": EVENING}

# What an attraction is decides when it can begin, and how long it takes. All-day ones take the day,
# as the paper has it (A.5).
STARTS: Mapping[tuple[str, str], int | tuple[int, int]] = {
    ("museum", "morning"): (540, 600),
    ("museum", "afternoon"): (780, 870),
    ("museum", "evening"): (1020, 1080),
    ("tour", "morning"): (540, 600),
    ("tour", "afternoon"): (780, 870),
    ("tour", "evening"): (1050, 1110),
    ("show", "afternoon"): (840, 900),
    ("show", "evening"): (1140, 1230),
    ("museum", "all-day"): 0,
    ("tour", "all-day"): 0,
}
LASTS = {"museum": 120, "tour": 150, "show": 135}
VISIT_TIME = cd.Given(
    ("category", "time_of_day"),
    {(category, part): 1439 if part == "all-day" else LASTS[category] for category, part in STARTS},
)

# From Monday on: flights are dearest towards and after the weekend, attractions during it.
FLIGHT_DAYS = (100, 92, 90, 98, 116, 106, 118)
VISIT_DAYS = (95, 95, 95, 100, 105, 120, 110)

FARE = cd.Offer(
    "fare",
    "FA",
    {
        "origin": CITY,
        "destination": CITY,
        "date": cd.Day(column="departure_date"),
        "time_of_day": cd.Choice(tuple(DEPARTS), hours=DEPARTS),
        "carrier": cd.Choice(tuple(_LISTS["carriers"]), sample=6),
        "departure": cd.Clock(
            "time_of_day",
            DEPARTS | {"night": (1020, 1320)},
            per=(*ROUTE, "carrier", cd.LEVEL),
            takes=FLIGHT_TIME,
            column="departure_minute",
            shown="departs",
        ),
        "arrival": cd.Later("departure", FLIGHT_TIME, column="arrival_minute", shown="arrives"),
        "seat_type": cd.Choice(("economy", "premium economy", "business")),
        "seat_position": cd.Choice(("window", "aisle", "middle")),
        "fare_name": cd.Choice(("Saver", "Classic")),
        "price": cd.Price(
            {"economy": 120, "premium economy": 210, "business": 400},
            "seat_type",
            percent={
                "seat_position": {"window": 110, "aisle": 106, "middle": 100},
                "fare_name": {"Saver": 88, "Classic": 100},
                "date": FLIGHT_DAYS,
                "carrier": _LISTS["carriers"],
            },
            steps=6,
        ),
        "available": cd.Stock((1, 2, 3, 4, 5, 6, 7, 8, 9)),
    },
    # Each level of price is another departure of the carrier in that part of the day.
    provider=cd.Provider(
        "flight",
        "FL",
        (*ROUTE, "date", "time_of_day", "carrier", cd.LEVEL),
        about=6,
        most=12,
    ),
    kind="flight",
    always={
        "no flight stays in its city": lambda fare: fare.origin != fare.destination,
        "no middle seat in business": lambda fare: (
            (fare.seat_type != "business") | (fare.seat_position != "middle")
        ),
        "no saver fare outside economy": lambda fare: (
            (fare.seat_type == "economy") | (fare.fare_name != "Saver")
        ),
    },
    adds=("add_flight_with_seats",),
    holds=cd.Each("seats", "passenger_name", "date_of_birth"),
    unit="passenger",
    units="party_size",
    words=("flight", "fare", "seat", "seats"),
    tools=cd.Tools(
        search="search_flights_by_route",
        look="search_available_seats",
        price="get_price_airline_booking",
        book="book_flight_with_seats",
        details="get_flight_booking_details",
        cancel="cancel_flight",
        change="modify_flight_seats",
        needs=("origin", "destination", "date"),
        filters=(),
        category="Flights",
    ),
    bundles={
        "fares per route and date": ("origin", "destination", "date"),
        "fares per route and carrier": ("origin", "destination", "carrier"),
    },
)

ROOM = cd.Offer(
    "room",
    "RM",
    {
        "city": CITY,
        "district": DISTRICT,
        "stars": cd.Choice((1, 2, 3, 4, 5)),
        "room_type": cd.Choice(("standard", "deluxe", "suite")),
        "bed_type": cd.Choice(("twin", "queen", "king")),
        "max_occupancy": cd.Capacity((1, 2, 4)),
        "available_from": cd.Day(),
        "nights_open": cd.Choice((1, 2, 3, 4, 5, 6, 7)),
        "available_until": cd.Later("available_from", "nights_open"),
        "price": cd.Price(
            {1: 45, 2: 70, 3: 105, 4: 150, 5: 220},
            "stars",
            percent={
                "room_type": {"standard": 100, "deluxe": 135, "suite": 190},
                "bed_type": {"twin": 96, "queen": 100, "king": 106},
                "max_occupancy": {1: 85, 2: 100, 4: 125},
            },
            levels=(80, 160),
        ),
    },
    provider=cd.Provider(
        "hotel",
        "HT",
        ("city", "district", "stars", cd.LEVEL),
        names=cd.Names("{first} {second} {kind}", _LISTS["hotel_names"]),
        about=5,
        most=8,
        digits=4,
    ),
    kind="hotel",
    always={
        "no suite for one": lambda room: (room.room_type != "suite") | (room.max_occupancy != 1),
        "twin beds are for two": lambda room: (room.bed_type != "twin") | (room.max_occupancy == 2),
        "no suite below three stars": lambda room: (room.room_type != "suite") | (room.stars >= 3),
    },
    adds=("add_hotel", "add_room_to_hotel"),
    holds=cd.Stay(
        "outbound.date",
        "return.date",
        "available_from",
        "available_until",
        checks=("D14", "D15"),
    ),
    unit="night",
    units="nights",
    incidental=("available_from", "nights_open"),
    tools=cd.Tools(
        search="search_hotels_by_city",
        look="search_available_rooms",
        price="get_price_hotel_booking",
        book="book_hotel_with_rooms",
        cancel="cancel_hotel_booking",
        change="modify_hotel_booking",
        needs=("city",),
        filters=(),
        shows=(
            "district",
            "stars",
            "room_type",
            "bed_type",
            "max_occupancy",
            "available_from",
            "available_until",
            "price",
        ),
        extended=("cancel", "change"),
        category="Hotels",
    ),
    bundles={"rooms per city and district": ("city", "district")},
)

ATTRACTION = cd.Offer(
    "attraction",
    "AT",
    {
        "city": CITY,
        "district": DISTRICT,
        "category": cd.Choice(("museum", "tour", "show")),
        "date": cd.Day(),
        "time_of_day": cd.Choice((*BEGINS, "all-day"), hours=BEGINS),
        "start": cd.Clock(
            ("category", "time_of_day"),
            STARTS,
            per=("city", "district", cd.LEVEL),
            column="start_minute",
            shown="starts",
        ),
        "end": cd.Later("start", VISIT_TIME, column="end_minute", shown="ends"),
        "price": cd.Price(
            {"museum": 18, "tour": 42, "show": 65},
            "category",
            percent={"date": VISIT_DAYS},
            levels=(60, 210),
        ),
        "available": cd.Stock((1, 2, 3, 4, 6, 8, 12, 20, 35, 60)),
    },
    always={
        "a show is in the afternoon or evening": lambda visit: (
            (visit.category != "show")
            | ((visit.time_of_day != "all-day") & (visit.time_of_day != "morning"))
        ),
        "a tour is for twelve people": lambda visit: (
            (visit.category != "tour") | (visit.available <= 12)
        ),
    },
    names=cd.Names(
        "{place} {theme}", {"place": _LISTS["places"], "theme": _LISTS["themes"]}, "category"
    ),
    holds=cd.Count("tickets"),
    unit="ticket",
    units="party_size",
    tools=cd.Tools(
        search="search_attractions_by_city",
        book="book_attraction",
        cancel="cancel_attraction_booking",
        change="modify_attraction_booking",
        needs=("city",),
        filters=("date", "category", "district", "time_of_day", "price"),
        extended=("cancel", "change"),
        category="Attractions",
    ),
    bundles={
        "slots per city and date": ("city", "date"),
        "slots per city and district": ("city", "district"),
    },
)

SLOTS = (
    cd.Slot(
        "outbound", FARE, "outbound flight", ("outbound", "departing"), check="D01", wishes="D08"
    ),
    cd.Slot("return", FARE, "return flight", ("return",), check="D02", wishes="D09"),
    cd.Slot("hotel", ROOM, "hotel", ("hotel", "room", "stay"), check="D03", wishes="D10"),
    cd.Slot(
        "attraction",
        ATTRACTION,
        "attraction",
        ("attraction", "ticket", "tickets", "museum", "tour", "show"),
        check="D04",
        wishes="D11",
    ),
)


def _other_cities(request: Any) -> tuple[str, ...]:
    return tuple(city for city in CITIES if city != request.origin)


def _days_between(request: Any) -> tuple[str, ...]:
    first = date.fromisoformat(request.first_day)
    return tuple(str(first + timedelta(days)) for days in range(1, request.nights))


def _parts_of_visits(request: Any) -> tuple[str, ...]:
    # There are no shows in the morning.
    return tuple(BEGINS) if request.attraction_category != "show" else ("afternoon", "evening")


def _beds(request: Any) -> tuple[str, ...]:
    # Twin beds are for two.
    return ("queen", "king") if request.party_size > 2 else ("twin", "queen", "king")


PARTY = cd.Axis("party")
DATES = cd.Axis("date_mode", "dates", ("fixed", "flexible"))

WANTS = (
    cd.Want(
        "origin", tuple(CITIES), ("outbound.origin", "return.destination"), basic=True, role=True
    ),
    cd.Want(
        "destination",
        _other_cities,
        ("outbound.destination", "return.origin", "hotel.city", "attraction.city"),
        basic=True,
        role=True,
    ),
    cd.Want("nights", (2, 3, 4, 5), basic=True),
    cd.Want("party_size", (1, 2, 3, 4), basic=True, axis=PARTY),
    cd.Want("outbound_time_of_day", tuple(DEPARTS), ("outbound.time_of_day",), odds=0.45),
    cd.Want("return_time_of_day", tuple(DEPARTS), ("return.time_of_day",), odds=0.45),
    cd.Want(
        "seat_type",
        ("economy", "economy", "premium economy", "business"),
        ("outbound.seat_type", "return.seat_type"),
        odds=0.6,
    ),
    cd.Want(
        "seat_position",
        ("window", "aisle"),
        ("outbound.seat_position", "return.seat_position"),
        odds=0.5,
    ),
    cd.Want("hotel_stars", (2, 3, 3, 4), ("hotel.stars",), compare="at_least", odds=0.7),
    cd.Want("room_type", ("standard", "deluxe", "suite"), ("hotel.room_type",), odds=0.4),
    cd.Want("bed_type", _beds, ("hotel.bed_type",), odds=0.4),
    cd.Want("attraction_category", ("museum", "tour", "show"), ("attraction.category",), odds=0.7),
    cd.Want(
        "attraction_time_of_day",
        _parts_of_visits,
        ("attraction.time_of_day",),
        odds=0.35,
    ),
    cd.Want(
        "attraction_date",
        _days_between,
        ("attraction.date",),
        odds={"fixed": 0.85, "flexible": 0.0},
    ),
)


def _fits_between(outbound: Any, return_: Any, attraction: Any) -> Any:
    begins = attraction.date * MINUTES_A_DAY + attraction.start
    ends = attraction.date * MINUTES_A_DAY + attraction.end
    landed = outbound.date * MINUTES_A_DAY + outbound.arrival
    leaves = return_.date * MINUTES_A_DAY + return_.departure
    return (begins >= landed) & (ends <= leaves)


RULES = (
    cd.Rule(
        "trip_length",
        lambda outbound, return_, r: return_.date == outbound.date + r.nights,
        "the return flight leaves {r.nights} nights after the outbound flight",
        check="D13",
        title="length of the trip",
    ),
    cd.Rule(
        "stay_covers_trip",
        lambda outbound, return_, hotel: (
            (hotel.available_from <= outbound.date) & (hotel.available_until >= return_.date)
        ),
        "the room is available every night of the trip",
        check="D15",
        title="room free every night",
    ),
    cd.Rule(
        "attraction_fits_trip",
        _fits_between,
        "the attraction lies between arrival and return departure",
        check="D16",
        title="attraction between the flights",
    ),
    cd.Rule(
        "same_carrier",
        lambda outbound, return_: outbound.carrier == return_.carrier,
        "both flights are with one carrier",
        odds=0.7,
        check="D18",
        title="one carrier both ways",
        wording=cd.Wording(endings=("air", "airways", "jet", "lines")),
    ),
    cd.Rule(
        "same_district",
        lambda hotel, attraction: hotel.district == attraction.district,
        "the attraction is in the hotel's district",
        odds=0.6,
        check="D25",
        title="attraction in the hotel's district",
    ),
)

_BUDGET, _CARRIER, _DISTRICT = "total_budget", "same_carrier", "same_district"
_ASKED = ((_BUDGET, 0.8), (_CARRIER, 0.86), (_DISTRICT, 0.86))

# With a fixed date the budget, one carrier and one district are what ties offers to each other, so
# two or three of them come together. Budget and one more, alone, lay the solution open: what a
# budget alone ties is cheap, what shares its one district or carrier rare. They take turns, so that
# neither tells of all tasks. With the edges that every trip has these odds give the paper's 2.5
# active edges on fixed dates and 5.5 on flexible ones (Figure 5).
ODDS: Mapping[str, Mapping[tuple[str, ...], float]] = {
    "fixed": {
        (_BUDGET, _CARRIER, _DISTRICT): 0.30,
        (_CARRIER, _DISTRICT): 0.25,
        (_BUDGET, _CARRIER): 0.20,
        (_BUDGET, _DISTRICT): 0.25,
    },
    "flexible": {
        tuple(name for (name, _), is_asked in zip(_ASKED, asked, strict=True) if is_asked): prod(
            odds if is_asked else 1 - odds
            for (_, odds), is_asked in zip(_ASKED, asked, strict=True)
        )
        for asked in product((True, False), repeat=len(_ASKED))
    },
}

_BANDS = ("under $1,000", "$1,000-1,999", "$2,000-2,999", "$3,000-3,999", "$4,000 and more")


def _budget_band(request: Any) -> str:
    cents = request.budget_cents
    return "any" if cents is None else _BANDS[min(cents // 100_000, len(_BANDS) - 1)]


_LEGS = ("outbound", "return")
_READ_WORDS = {
    "summary_words": ("itinerary",),
    "slot_words": {
        "outbound": ("outbound", "departing", "outward", "flight out", "flight there"),
        "return": ("return", "homeward", "inbound", "flight back", "flight home"),
        "hotel": ("hotel", "room", "stay", "accommodation", "lodging"),
        "attraction": (
            *("attraction", "ticket", "tickets", "museum", "tour", "show"),
            *("activity", "activities", "outing"),
        ),
    },
    "group_words": {"flights": _LEGS, "airfare": _LEGS},
    "side_words": {
        "outbound": ("out", "outward", "outbound", "outgoing", "there", "going"),
        "return": ("home", "back", "return", "returning", "homeward", "inbound"),
    },
}
"""What verifiers read as a slot, beside what users say."""

AIRPORTS = cd.Directory(
    "airports",
    [
        {"airport_code": city["code"], "city": name, "name": city["airport"]}
        for name, city in CITIES.items()
    ],
    tool="list_all_airports",
    category="Flights",
)

PEOPLE = cd.People(
    "party_size", noun="traveller", names="traveller_names", words=("passenger", "guest")
)

TRAVEL = cd.build(
    cd.Declaration(
        name="travel",
        version=12,
        reads=(2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
        job="trip",
        whole=("itinerary",),
        amenities=tuple(_AMENITIES),
        slots=SLOTS,
        wants=WANTS,
        rules=(*RULES, *JOINT_RULES),
        window=cd.Window("departure_date", "outbound.date", axis=DATES, check="D12"),
        budget=cd.Budget(),
        people=PEOPLE,
        horizon=((-2,), (2, "nights")),
        optional_odds=ODDS,
        spread=("party", "budget", "date_mode", "seat_position", "hotel_stars"),
        properties=(cd.TaskProperty("budget", (*_BANDS, "any"), _budget_band),),
        duties=(
            "Flights arrive on the day on which they depart.",
            "An all-day attraction takes the whole day: it does not fit on the day of a flight.",
            "An `attraction_id` stands for its one date and time.",
            "Saver and Classic fares buy the same seats; they differ in name and price.",
        ),
        directories=(AIRPORTS,),
        groups={"flights": _LEGS},
        lexicon=_WORDS,
        sources=(__package__,),
        publication=cd.Publication(**_read("paper.toml")),
        vocabulary=_READ_WORDS,
        claims=_CLAIMS,
        opening=_WORDS["opening"]["full"],
        opening_short=_WORDS["opening"]["short"],
        opening_trade=_WORDS["opening"]["trade"],
    )
)
