"""A small catalogue: two legs, two hotels of which one name contains the other, two attractions."""

from crab_graph.text.vocabulary import Catalogue, NamedEntity, build_catalogue
from tests.travel_words import VOCABULARY

SLOTS = {
    "FL-100": "outbound",
    "FL-101": "outbound",
    "FL-103": "outbound",
    "FL-200": "return",
    "HT-10": "hotel",
    "HT-11": "hotel",
    "AT-20": "attraction",
    "AT-21": "attraction",
}
NAMES = [
    NamedEntity("hotel", "HT-10", "Juniper Court"),
    NamedEntity("hotel", "HT-11", "Juniper Court Annex"),
    NamedEntity("attraction", "AT-20", "Riverside Glass Museum"),
    NamedEntity("attraction", "AT-21", "St. Mary's Tour & Show"),
]


def small_catalogue() -> Catalogue:
    return build_catalogue(VOCABULARY, NAMES, SLOTS.get)
