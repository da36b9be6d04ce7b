"""What counts as saying that something is booked, paid or cancelled (rulebook §6)."""

import pytest

from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.text.mentions import find_mentions, find_references
from crab_graph.text.status_claims import find_status_claims
from crab_graph.text.utterance import read_message
from crab_graph.text.vocabulary import build_catalogue
from tests.text.catalogues import small_catalogue

CATALOGUE = small_catalogue()
ALL = "outbound return hotel attraction"


def claims(text, catalogue=CATALOGUE):
    utterance = read_message(text)
    mentions = find_mentions(utterance, catalogue)
    references = find_references(utterance, mentions, catalogue, {"BK-1": "outbound"})
    return [
        (
            f"{'not ' if one.is_denied else ''}{one.status}",
            " ".join(reference.id or reference.word for reference in one.references)
            or " ".join(one.slots),
        )
        for one in find_status_claims(utterance, references, catalogue.vocabulary)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The hotel is booked.", [("booked", "hotel")]),
        ("The hotel has now been paid.", [("confirmed", "hotel")]),
        ("Booking BK-1 was cancelled.", [("cancelled", "BK-1")]),
        ("Juniper Court (HT-10) is reserved.", [("booked", "HT-10 HT-10")]),
        ("Both flights are charged and confirmed.", [("confirmed", "flights")]),
        ("Both are booked.", [("booked", "outbound return")]),
        (
            "The hotel and the museum follow. Both are booked.",
            [("booked", "hotel attraction")],
        ),
        ("The hotel and the museum are both booked.", [("booked", "hotel museum")]),
        ("All four are confirmed and paid.", [("confirmed", ALL)]),
        ("Everything's booked and paid!", [("booked", ALL), ("confirmed", ALL)]),
        ("All bookings are charged to your card and confirmed.", [("confirmed", ALL)]),
        ("Your four bookings are reserved.", [("booked", ALL)]),
        ("All three are paid.", []),
        ("Everything else is booked.", []),
        ("Everything you approved is booked.", []),
        ("For the hotel everything is confirmed.", []),
        ("Your trip is fully booked.", [("booked", ALL)]),
        ("The first part of your trip is booked.", []),
        ("Every booking is confirmed.", [("confirmed", "")]),
        ("All paid ✅", [("confirmed", "")]),
        ("All charged to Visa ending 4242 and confirmed:\n- FL-100: $1", [("confirmed", "")]),
        ("All charged to your card and booked.", [("booked", "")]),
        ("All charged to your Visa and it is confirmed that you fly.", []),
        ("All charged to your Visa.", []),
        (
            "Outbound paid, return paid, hotel reserved.",
            [("confirmed", "outbound"), ("confirmed", "return"), ("booked", "hotel")],
        ),
        ("With the hotel booked, we go on.", []),
        ("Your four bookings are confirmed and none is pending.", [("confirmed", "")]),
        ("- Hotel: Juniper Court, $360.00 — booked", [("booked", "hotel HT-10")]),
        ("FL-100 (booked) and FL-200 (paid)", [("booked", "FL-100"), ("confirmed", "FL-200")]),
        ("| Hotel | HT-10 | $360.00 | Confirmed |", [("confirmed", "hotel HT-10")]),
        ("Booked:\n- FL-100\n- HT-10", [("booked", "FL-100"), ("booked", "HT-10")]),
        ("Confirmed:\n- FL-100", []),
        ("Booked: FL-100 and HT-10.", [("booked", "FL-100 HT-10")]),
        (
            "I've booked FL-100, and paid for the hotel.",
            [("booked", "FL-100"), ("confirmed", "hotel")],
        ),
        (
            "I cancelled FL-101 and booked FL-100 instead.",
            [("cancelled", "FL-101"), ("booked", "FL-100")],
        ),
        ("I paid $9 for the hotel and $7 for the museum.", [("confirmed", "hotel museum")]),
        ("I booked the hotel near the museum.", [("booked", "hotel")]),
        ("The hotel near the museum is booked.", [("booked", "hotel")]),
        ("Your booking for HT-10 is confirmed.", [("confirmed", "HT-10")]),
        ("All but the museum are paid.", []),
        ("All four except the hotel are paid.", []),
        ("Three of the four bookings are paid.", []),
        ("Each of the four bookings is paid.", [("confirmed", ALL)]),
        ("Both bookings are paid.", [("confirmed", "outbound return")]),
        ("You're booked on FL-100 and FL-200.", [("booked", "FL-100 FL-200")]),
        (
            "I booked your outbound flight (FL-100), your return flight (FL-200), and HT-10.",
            [("booked", "outbound FL-100 return FL-200 HT-10")],
        ),
    ],
)
def test_items_are_claimed_as_subject_or_object(text, found):
    assert claims(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Is the hotel booked?",
        "The hotel is paid once you approve.",
        "I'll tell you when the hotel is booked.",
        "If the hotel is booked, all is well.",
        "The hotel would be reserved.",
        "The hotel has to be paid.",
        "The hotel is booked and pending.",
        "Before the hotel is booked, please look again.",
        "The hotel cannot be cancelled.",
        "The price of the hotel is confirmed.",
        "The hotel price is confirmed.",
        "The hotel's confirmed price is $300.00.",
        "I've confirmed the availability of HT-10.",
        "I've confirmed that the hotel is free.",
        "I have confirmed the hotel has queen beds.",
        "You have confirmed the hotel.",
        "The hotel is fully booked.",
        "FL-100 is booked out.",
        "FL-100 is confirmed to have aisle seats.",
        "Paid by card, the hotel costs $300.00.",
        "I found a hotel.",
    ],
)
def test_what_asks_waits_or_speaks_of_something_else_claims_nothing(text):
    assert [one for one in claims(text) if not one[0].startswith("not")] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The hotel is not paid yet.", [("not confirmed", "hotel")]),
        ("The hotel isn't booked.", [("not booked", "hotel")]),
        ("The museum is pending.", [("not confirmed", "museum")]),
        ("The museum is not pretty.", []),
    ],
)
def test_what_is_not_so_is_denied(text, found):
    assert claims(text) == found


def test_a_declared_domain_s_words_are_read_alike():
    vocabulary = CLINIC.grading.vocabulary()
    catalogue = build_catalogue(vocabulary, [], lambda key: None)
    whole = " ".join(vocabulary.slots)
    assert claims("All four are booked and paid.", catalogue) == [
        ("booked", whole),
        ("confirmed", whole),
    ]
    assert claims("The lab test is booked, the GP is confirmed.", catalogue) == [
        ("booked", "lab test"),
        ("confirmed", "gp"),
    ]
