import pytest

from crab_graph.text.amounts import find_amounts
from crab_graph.text.item_prices import find_item_prices
from crab_graph.text.mentions import find_mentions, find_references
from crab_graph.text.total_cues import ALL_CUES, PRE_CHARGE_CUES, SUMMARY_CUES
from crab_graph.text.totals import MessageTotals
from crab_graph.text.utterance import read_message
from tests.text.catalogues import small_catalogue
from tests.travel_words import VOCABULARY

CATALOGUE = small_catalogue()
BOOKINGS = {"BK-1": "outbound", "BK-2": "hotel"}


def parts_of(text):
    utterance = read_message(text)
    mentions = find_mentions(utterance, CATALOGUE)
    references = find_references(utterance, mentions, CATALOGUE, BOOKINGS)
    return utterance, find_amounts(utterance), references


def totals(text, families=PRE_CHARGE_CUES):
    """Return `(cents, scope)` of each sound total; a slots scope lists its slots."""
    utterance, amounts, references = parts_of(text)
    found = MessageTotals(utterance, amounts, references, VOCABULARY).by(families)
    return [
        (
            total.amount.cents,
            "+".join(
                dict.fromkeys(slot for reference in total.references for slot in reference.slots)
            )
            or str(total.scope),
        )
        for total in found
        if not total.is_void
    ]


def prices(text, filled=frozenset()):
    """Return `(cents, mark, what)` of each item price; `what` is an id or a word."""
    utterance, amounts, references = parts_of(text)
    every = MessageTotals(utterance, amounts, references, VOCABULARY).by(ALL_CUES)
    found = find_item_prices(utterance, amounts, references, every, VOCABULARY, frozenset(filled))
    return [
        (
            price.amount.cents,
            str(price.mark),
            "+".join(item.id or item.word for item in price.references),
        )
        for readings in found
        for price in readings[0]
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The overall cost is $742.00", [(74200, "unscoped")]),
        ("The cost is $742.00", []),
        ("The cost should be roughly $742", []),
        ("The subtotal is $742", []),
        ("The sub-total is $742", []),
        ("Trip total: $742", [(74200, "whole")]),
        ("$742 total", [(74200, "unscoped")]),
        ("$742 in total for the trip", [(74200, "whole")]),
        ("All four are reserved, $742 in total", [(74200, "whole")]),
        ("It comes to $742 for everything", [(74200, "whole")]),
        ("FL-1 went up to $310, so the trip's now $742; may I?", [(74200, "whole")]),
        ("which makes the trip $742", [(74200, "whole")]),
        ("that puts the whole trip at $742", [(74200, "whole")]),
        ("the trip's $300 hotel", []),
        ("2 x $150 + $442 = $742 total", [(74200, "unscoped")]),
        ("The total of $500 and $242 = $742", [(74200, "unscoped")]),
        ("Total: $742, of it $300 now", [(74200, "unscoped")]),
        ("$300 is paid, in total $742", [(74200, "unscoped")]),
        ("$742, which is the total", [(74200, "unscoped")]),
        ("I will charge $742", [(74200, "unscoped")]),
        ("I will charge $300 and $442", []),
        ("I will charge $300 + $442 = $742", [(74200, "unscoped")]),
        ("I charged $742", []),
        ("Total $90 per night", []),
        ("Total if you agree: $742", []),
        ("Total so far: $742", []),
        ("Option A total: $742", []),
        ("Plan 2: total $742", []),
        ("Let me plan a trip with total $742", [(74200, "whole")]),
        ("Option 1:\n- Total: $742", []),
        ("Amount due for both flights: $210.00", [(21000, "outbound+return")]),
        ("Hotel: $360 total", [(36000, "hotel")]),
        ("HT-10 is $360, your total is $742", [(74200, "unscoped")]),
        ("HT-10 is booked, total $742", [(74200, "hotel")]),
        ("BK-1 comes to $300", [(30000, "outbound")]),
        ("Juniper Court:\n- Total: $360", [(36000, "hotel")]),
        ("Flight total: $300", []),
        ("Total fare for FL-100: $300", [(30000, "outbound")]),
        (
            "Outbound, return, hotel and attraction total $742",
            [(74200, "whole")],
        ),
        (
            "Then approve BK-1 at $136.10 and BK-2 at $150.60 (both whole bookings, together"
            " $286.70)",
            [(28670, "outbound+hotel")],
        ),
        ("Flights total $580, hotel total $360", [(58000, "outbound+return"), (36000, "hotel")]),
        (
            "The flights come to $580 and the hotel to $160, so the trip comes to $740",
            [(58000, "outbound+return"), (74000, "whole")],
        ),
    ],
)
def test_a_total_is_an_amount_bound_to_a_cue_with_its_scope(text, found):
    assert totals(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The whole trip costs $742", [(74200, "whole")]),
        ("Everything is now only $742", [(74200, "whole")]),
        ("Your trip is booked: FL-100 for $300", []),
        ("The hotel costs $742", []),
        ("Total: $300 + $442", [(74200, "unscoped")]),
        ("$300, $200 and $242 in total", [(74200, "unscoped")]),
        ("$300, $200, $242, $742 in total", [(74200, "unscoped")]),
        ("In total that is $742: $300, $200 and $242", [(74200, "unscoped")]),
        ("In total that is $742 ($300 + $200)", [(74200, "unscoped")]),
        ("In total that is $742 ($300 a night)", [(74200, "unscoped")]),
        ("FL-100: $300 (running total $300)", [(30000, "outbound")]),
        ("Total per person: $371", []),
        ("The total amounts to $742", [(74200, "unscoped")]),
    ],
)
def test_lists_and_costs_are_read_as_they_are_meant(text, found):
    assert totals(text) == found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("In total that is $742 ($300 + $200)", 50000),
        ("Charged: $300, $200 and $242 - $742 in total", 74200),
        ("In total that is $742 ($300 for FL-100 and $200 for HT-10)", None),
        ("In total that is $742", None),
    ],
)
def test_a_list_beside_a_total_is_its_parts(text, parts):
    utterance, amounts, references = parts_of(text)
    (total,) = MessageTotals(utterance, amounts, references, VOCABULARY).by(ALL_CUES)
    assert parts == (total.parts and total.parts.cents)


def test_charged_words_are_cues_of_a_summary_only():
    assert totals("I charged $742", SUMMARY_CUES) == [(74200, "unscoped")]
    assert totals("I will charge $742", SUMMARY_CUES) == []
    assert totals("You will be charged $742") == [(74200, "unscoped")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Trip: $300 + $280 = $580", [(58000, "whole")]),
        ("Flights: $300 + $280 = $580", [(58000, "outbound+return")]),
        ("$300 + $280 = $580", []),
        ("That's $742 for the trip", [(74200, "whole")]),
        ("FL-100 it is, so that's $742 for the trip", [(74200, "whole")]),
        ("I have $742 for the trip", []),
    ],
)
def test_a_sum_or_an_amount_for_something_is_a_total_of_it(text, found):
    assert totals(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FL-100, $150.00 per passenger", [(15000, "unit", "FL-100")]),
        (
            "$150 for FL-100, $90 for booking BK-2",
            [(15000, "unmarked", "FL-100"), (9000, "unmarked", "BK-2")],
        ),
        ("$150 (FL-100), $90 (BK-2)", [(15000, "unmarked", "FL-100"), (9000, "unmarked", "BK-2")]),
        (
            "FL-100 $150 for two and HT-10 $90 for two",
            [(15000, "unmarked", "FL-100"), (9000, "unmarked", "HT-10")],
        ),
        (
            "FL-100 $150 (HT-10 $90)",
            [(15000, "unmarked", "FL-100"), (9000, "unmarked", "HT-10")],
        ),
        ("FL-100 and HT-10 cost $150 and $90, respectively", []),
        ("FL-100, $150.00 for 2 passengers", [(15000, "whole", "FL-100")]),
        ("FL-100, $150.00", [(15000, "unmarked", "FL-100")]),
        ("FL-100: 2 × $150.00 = $300.00", [(15000, "unit", "FL-100"), (30000, "whole", "FL-100")]),
        ("Juniper Court, $90 a night", [(9000, "unit", "HT-10")]),
        ("Juniper Court, $90/night", [(9000, "unit", "HT-10")]),
        ("Juniper Court, $90 each", [(9000, "unit", "HT-10")]),
        ("Juniper Court, $90 and each", [(9000, "unit", "HT-10")]),
        ("Juniper Court, $90 and also each", [(9000, "unmarked", "HT-10")]),
        (
            "Juniper Court, $270 ($90 per night)",
            [(27000, "unmarked", "HT-10"), (9000, "unit", "HT-10")],
        ),
        ("Juniper Court, $270 for 3 nights", [(27000, "whole", "HT-10")]),
        ("Juniper Court, $270 for three nights", [(27000, "whole", "HT-10")]),
        ("Juniper Court, $270 for you", [(27000, "unmarked", "HT-10")]),
        ("$270 gets you Juniper Court", [(27000, "unmarked", "HT-10")]),
        (
            "FL-100 is $150, HT-10 is $90",
            [(15000, "unmarked", "FL-100"), (9000, "unmarked", "HT-10")],
        ),
        ("Juniper Court\n  - $90 per night", [(9000, "unit", "HT-10")]),
        ("FL-100 or HT-10:\n  - $90", []),
        ("- FL-100\n- $90", []),
        ("It is $90", []),
        ("Juniper Court, total $270", [(27000, "whole", "HT-10")]),
        ("Total for FL-100 and HT-10: $570", [(57000, "whole", "FL-100+HT-10")]),
        ("FL-100 is booked. Trip total: $742", []),
        ("BK-1 costs $300", [(30000, "unmarked", "BK-1")]),
        ("BK-9 costs $300", []),
        ("your hotel costs $300", []),
        ("FL-100 and HT-10: $570", [(57000, "unmarked", "FL-100+HT-10")]),
        ("$570 for FL-100 and HT-10", [(57000, "unmarked", "FL-100+HT-10")]),
        (
            "FL-100 and Juniper Court (HT-10): $150 and $90",
            [(15000, "unmarked", "FL-100"), (9000, "unmarked", "HT-10")],
        ),
        ("I like Juniper Court. It costs $90 a night.", [(9000, "unit", "HT-10")]),
        ("FL-100 and FL-200 fit. It costs $90.", []),
        ("I like Juniper Court. A coffee costs $90.", []),
        (
            "Trip total $742, of it FL-100 and FL-200 $290",
            [(29000, "unmarked", "FL-100+FL-200")],
        ),
        ("Total for FL-100 per person: $150", [(15000, "share", "FL-100")]),
        ("Trip total per person: $371", [(37100, "share", "")]),
        ("Trip total: $742 ($371 per person)", [(37100, "share", "")]),
        ("~~FL-100, $150~~ FL-200, $140", [(14000, "unmarked", "FL-200")]),
        ("FL-100 drops from $150 to $140", [(14000, "unmarked", "FL-100")]),
        ("FL-100 is $140 instead of $150", [(14000, "unmarked", "FL-100")]),
        ("FL-100, which leaves you with $140", []),
    ],
)
def test_an_item_price_belongs_to_the_nearest_item_and_carries_its_mark(text, found):
    assert prices(text) == found


def test_prices_before_their_items_are_read_so_too():
    utterance, amounts, references = parts_of("$150 FL-100, $140 FL-200, $90 HT-10")
    (readings,) = find_item_prices(utterance, amounts, references, (), VOCABULARY, frozenset())
    ids = [[price.references[0].id for price in reading] for reading in readings]
    assert ids == [["FL-100", "FL-100", "FL-200"], ["FL-100", "FL-200", "HT-10"]]


@pytest.mark.parametrize(
    ("text", "filled", "found"),
    [
        ("your hotel costs $300", {"hotel"}, [(30000, "unmarked", "hotel")]),
        ("your flight costs $300", {"outbound"}, [(30000, "unmarked", "flight")]),
        ("your flight costs $300", {"outbound", "return"}, []),
        ("your return flight costs $300", {"outbound", "return"}, [(30000, "unmarked", "return")]),
        ("FL-200 is a flight at $300", {"outbound"}, [(30000, "unmarked", "FL-200")]),
        ("the flights cost $300", {"outbound", "return"}, [(30000, "unmarked", "flights+flights")]),
        ("the flights cost $300", {"outbound"}, []),
        (
            "paid: flights $300 and $280",
            {"outbound", "return"},
            [(30000, "unmarked", "flights"), (28000, "unmarked", "flights")],
        ),
        (
            "$62.70 for FL-100 on the 14th, and $126.80 for your two hotel nights",
            {"hotel", "outbound"},
            [(6270, "unmarked", "FL-100"), (12680, "whole", "hotel")],
        ),
        (
            "hotel and museum: $430",
            {"hotel", "attraction"},
            [(43000, "unmarked", "hotel+museum")],
        ),
    ],
)
def test_a_slot_word_means_the_booking_that_alone_fills_the_slot(text, filled, found):
    assert prices(text, filled) == found
