"""What each check says, in a few words: those every domain shares, and each domain's own."""

from collections.abc import Mapping
from functools import cache

from crab_graph.domains.registry import domain_names, find_domain

_SHARED = {
    "D05": "nothing surplus booked",
    "D06": "a place for everyone, of one offer",
    "D07": "travellers as they are",
    "D19": "every booking paid in full",
    "D20": "paid with the customer's own method",
    "D21": "every charge approved before",
    "D22": "amounts as priced",
    "D23": "nothing else changed",
    "D24": "the tables stay sound",
    "F-PT": "total stated before the charge",
    "F-PS": "summary of what was charged",
    "F-ID": "ids told before booking",
    "F-NM": "names told before booking",
    "F-IP": "prices of single items",
    "F-AP": "booked what the user approved",
    "C-OOS": "not ended as out of scope",
    "C-FULL": "ended properly, everything booked",
    "C-PART": "a transfer offered, part booked",
    "C-NONE": "ended properly, nothing booked",
}


@cache
def check_titles() -> Mapping[str, str]:
    """Return the titles of all checks that are known here, by id."""
    titles = dict(_SHARED)
    for name in domain_names():
        titles |= find_domain(name).grading.titles
    return titles
