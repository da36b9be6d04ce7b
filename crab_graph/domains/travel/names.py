"""Names that read like the real thing: cities are real, everything else is invented."""

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import NamedTuple


class City(NamedTuple):
    """The airport of a city."""

    code: str
    airport: str


CITIES = {
    "Albuquerque": City("ABQ", "Albuquerque International Sunport"),
    "Atlanta": City("ATL", "Hartsfield-Jackson Atlanta International Airport"),
    "Austin": City("AUS", "Austin-Bergstrom International Airport"),
    "Baltimore": City("BWI", "Baltimore/Washington International Airport"),
    "Boston": City("BOS", "Logan International Airport"),
    "Charlotte": City("CLT", "Charlotte Douglas International Airport"),
    "Chicago": City("ORD", "O'Hare International Airport"),
    "Cleveland": City("CLE", "Cleveland Hopkins International Airport"),
    "Columbus": City("CMH", "John Glenn Columbus International Airport"),
    "Denver": City("DEN", "Denver International Airport"),
    "Detroit": City("DTW", "Detroit Metropolitan Airport"),
    "Houston": City("IAH", "George Bush Intercontinental Airport"),
    "Indianapolis": City("IND", "Indianapolis International Airport"),
    "Memphis": City("MEM", "Memphis International Airport"),
    "Milwaukee": City("MKE", "Milwaukee Mitchell International Airport"),
    "Minneapolis": City("MSP", "Minneapolis-Saint Paul International Airport"),
    "Nashville": City("BNA", "Nashville International Airport"),
    "Philadelphia": City("PHL", "Philadelphia International Airport"),
    "Phoenix": City("PHX", "Phoenix Sky Harbor International Airport"),
    "Pittsburgh": City("PIT", "Pittsburgh International Airport"),
    "Portland": City("PDX", "Portland International Airport"),
    "Raleigh": City("RDU", "Raleigh-Durham International Airport"),
    "Sacramento": City("SMF", "Sacramento International Airport"),
    "Seattle": City("SEA", "Seattle-Tacoma International Airport"),
}

CARRIERS = (
    "Northbeam",
    "Skylark Air",
    "Cascadia Airways",
    "Meridian Jet",
    "Bluefinch",
    "Transvale",
    "Aurelia Air",
    "Redwood Airways",
    "Kestrel Lines",
    "Stratoway",
)

DISTRICTS = (
    "Harborside",
    "Old Town",
    "Museum Mile",
    "Riverfront",
    "Union Square",
    "Garden Quarter",
    "Market District",
    "Hilltop",
    "Canal Row",
    "Theater Row",
    "West End",
    "Station Quarter",
)

_HOTEL_FIRST = (
    "Juniper",
    "Alder",
    "Copper",
    "Linden",
    "Marlowe",
    "Harrow",
    "Saffron",
    "Whitfield",
    "Ashgrove",
    "Beacon",
    "Carrington",
    "Delacroix",
    "Ellery",
    "Foxglove",
    "Granary",
    "Halcyon",
    "Ivory",
    "Kingsley",
    "Larkspur",
    "Mulberry",
)
_HOTEL_SECOND = (
    "Court",
    "House",
    "Gate",
    "Terrace",
    "Park",
    "Bridge",
    "Yard",
    "Hill",
    "Row",
    "Lane",
)
_HOTEL_KIND = ("Hotel", "Inn", "Suites", "Lodge")

_PLACE = (
    "Riverside",
    "Lantern Street",
    "Old Mill",
    "Northgate",
    "Harbor Point",
    "Millrace",
    "Foundry",
    "Cedar Hill",
    "Quarry Lane",
    "Lakeview",
    "Ferry Landing",
    "Stonebridge",
    "Brickyard",
    "Orchard",
    "Railway",
    "Lighthouse",
    "Cannery",
    "Elm Street",
    "Granite",
    "Customs House",
    "Southbank",
    "Windmill",
    "Ropewalk",
    "Tannery",
)
_THEME = {
    "museum": (
        "Glass Museum",
        "Clock Museum",
        "Print Museum",
        "Maritime Museum",
        "Folk Art Museum",
        "Toy Museum",
        "Textile Museum",
        "Aviation Museum",
        "Photography Museum",
        "Ceramics Museum",
        "Science Museum",
        "Map Museum",
        "Radio Museum",
    ),
    "tour": (
        "Walking Tour",
        "Food Tour",
        "Boat Tour",
        "Architecture Tour",
        "Cycling Tour",
        "Ghost Tour",
        "Brewery Tour",
        "Street Art Tour",
        "Garden Tour",
        "Market Tour",
        "Chocolate Tour",
        "History Tour",
        "Bird Tour",
    ),
    "show": (
        "Comedy Show",
        "Jazz Show",
        "Magic Show",
        "Puppet Show",
        "Light Show",
        "Dance Show",
        "Circus Show",
        "Improv Show",
        "Folk Music Show",
        "Water Show",
        "Opera Show",
        "Radio Play Show",
        "Burlesque Show",
    ),
}

_GIVEN = (
    "Ana",
    "Leo",
    "Maya",
    "Jonas",
    "Priya",
    "Samuel",
    "Ingrid",
    "Tomas",
    "Leila",
    "Victor",
    "Noor",
    "Clara",
    "Hugo",
    "Amara",
    "Felix",
    "Greta",
    "Omar",
    "Sofia",
    "Daniel",
    "Yuki",
    "Marta",
    "Elias",
    "Ruth",
    "Andre",
)
_FAMILY = (
    "Ruiz",
    "Keller",
    "Okafor",
    "Lindqvist",
    "Patel",
    "Moreau",
    "Tanaka",
    "Novak",
    "Haddad",
    "Brennan",
    "Silva",
    "Marsh",
    "Ivanov",
    "Castellano",
    "Dubois",
    "Farrow",
    "Nguyen",
    "Weiss",
    "Adeyemi",
    "Calloway",
)
_STREETS = (
    "Maple Street",
    "Second Avenue",
    "Orchard Road",
    "Canal Street",
    "Pine Court",
    "Hill Road",
)


def person_names(rng: Random, count: int) -> list[str]:
    """Return distinct names of invented people."""
    return [
        f"{given} {family}" for given, family in rng.sample(list(product(_GIVEN, _FAMILY)), count)
    ]


def email_of(name: str) -> str:
    """Return the address of an invented person."""
    return f"{name.lower().replace(' ', '.')}@example.com"


def street_address(rng: Random, city: str) -> str:
    """Return an invented address."""
    return f"{rng.randrange(1, 400)} {rng.choice(_STREETS)}, {city}"


def phone_number(rng: Random) -> str:
    """Return a number from the range that is reserved for fiction."""
    return f"555-01{rng.randrange(100):02d}"


def hotel_names(rng: Random, count: int) -> list[str]:
    """Return distinct hotel names of three words."""
    choices = list(product(_HOTEL_FIRST, _HOTEL_SECOND, _HOTEL_KIND))
    return [" ".join(words) for words in rng.sample(choices, count)]


def attraction_names(rng: Random, categories: Sequence[str]) -> list[str]:
    """Return a distinct name for each attraction, one that fits its category."""
    names: list[str] = []
    pools = {
        category: _attraction_pool(rng, category, categories)
        for category in sorted(set(categories))
    }
    for category in categories:
        names.append(pools[category].pop())
    return names


def _attraction_pool(rng: Random, category: str, categories: Sequence[str]) -> list[str]:
    plain = [f"{place} {theme}" for place, theme in product(_PLACE, _THEME[category])]
    rng.shuffle(plain)
    wanted = list(categories).count(category)
    by_family = [
        f"{family} {place} {theme}"
        for family, place, theme in product(_FAMILY, _PLACE, _THEME[category])
    ]
    return plain if wanted <= len(plain) else plain + rng.sample(by_family, wanted - len(plain))
