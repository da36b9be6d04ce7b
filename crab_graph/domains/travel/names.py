"""Names that read like the real thing: cities are real, everything else is invented."""

from collections import Counter
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
# Themes of the three categories are equally long, one by one, so that the length of a name does not
# tell what an attraction is.
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
        "Ghost Tour",
        "Music Tour",
        "Walking Tour",
        "Cycling Tour",
        "Brewery Tour",
        "History Tour",
        "Chocolate Tour",
        "Sculpture Tour",
        "Street Art Tour",
        "Lighthouse Tour",
        "River Boat Tour",
        "Night Bike Tour",
        "Street Market Tour",
    ),
    "show": (
        "Magic Show",
        "Dance Show",
        "Variety Show",
        "Cabaret Show",
        "Mystery Show",
        "Fashion Show",
        "Burlesque Show",
        "Acrobatic Show",
        "Radio Play Show",
        "Folk Music Show",
        "Opera Gala Show",
        "Shadow Art Show",
        "Comedy Improv Show",
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
    """Return a distinct name for each attraction, one that fits its category.

    Where a category has more attractions than short names, the same share of every category gets a
    family's name in front.
    """
    counts = Counter(categories)
    plain = min(len(_PLACE) * len(themes) for themes in _THEME.values())
    share = max(0.0, 1 - plain / max(counts.values(), default=1))
    names = {
        category: _names_of(rng, _THEME[category], count, round(share * count))
        for category, count in sorted(counts.items())
    }
    return [names[category].pop() for category in categories]


def _names_of(rng: Random, themes: Sequence[str], count: int, long: int) -> list[str]:
    """Return distinct names in random order, so many of them with a family's name in front."""
    short = [f"{place} {theme}" for place, theme in product(_PLACE, themes)]
    names = rng.sample(short, count - long)
    for number in rng.sample(range(len(_FAMILY) * len(short)), long):
        family, place = divmod(number, len(short))
        names.append(f"{_FAMILY[family]} {short[place]}")
    rng.shuffle(names)
    return names
