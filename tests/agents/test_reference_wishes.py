"""Reading what people write of a job, in the words of its lexicon and in others."""

from dataclasses import replace

import pytest

from crab_graph.agents.reference.handbook import handbook_of
from crab_graph.agents.reference.wishes import says_no_more
from crab_graph.domain.compiler import build
from crab_graph.domain.contract import find_domain
from crab_graph.domain.declaration import Declaration, Offer, Slot, Want, Wording
from crab_graph.domain.fields import Choice
from tests.domain.practice import PRACTICE
from tests.travel_words import TRAVEL

TODAY = "2027-01-10"
READER = handbook_of(TRAVEL).reader


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        (
            "Need a trip Denver to Portland, leaving 3 May, 3 nights, two of us.",
            {
                "origin": "Denver",
                "destination": "Portland",
                "departure_date": ("2027-05-03",) * 2,
                "nights": 3,
                "party_size": 2,
            },
        ),
        (
            "CU-20417. Flights in the morning going out, aisle, economy. Budget's $1,500 all in.",
            {
                "customer_id": "CU-20417",
                "outbound_time_of_day": "morning",
                "seat_position": "aisle",
                "seat_type": "economy",
                "budget": 150000,
            },
        ),
        (
            "Ana Ruiz 1990-04-02 and Leo Ruiz 1988-11-23. Hotel at least 4 stars, a museum.",
            {
                "traveller_names": ("Ana Ruiz", "Leo Ruiz"),
                "birth_dates": ("1990-04-02", "1988-11-23"),
                "hotel_stars": 4,
                "attraction_category": "museum",
            },
        ),
        (
            "We'd like to fly out at night and come back in the morning: return in the morning,"
            " outbound at night.",
            {"outbound_time_of_day": "night", "return_time_of_day": "morning"},
        ),
        (
            "My email is ana.ruiz@example.com, just me travelling.",
            {"email": "ana.ruiz@example.com", "party_size": 1},
        ),
        (
            "Same airline both ways, and the hotel in the same district as the attraction please.",
            {"same_carrier": True, "same_district": True},
        ),
        (
            "The payment method is PM-00412312, Visa ending in 4242.",
            {"payment_method": "PM-00412312", "card_last4": "4242"},
        ),
        (
            "We leave Denver on May 3rd and visit a museum on May 5th.",
            {
                "departure_date": ("2027-05-03",) * 2,
                "attraction_category": "museum",
                "attraction_date": "2027-05-05",
            },
        ),
        ("Hello, I need some help.", {}),
    ],
)
def test_wishes_are_read_from_plain_words(text, wishes):
    assert READER.read([text], TODAY) == wishes


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        (
            "I'd like the GP in the morning and the lab test in the afternoon.",
            {"gp_time_of_day": "morning", "lab_time_of_day": "afternoon"},
        ),
        (
            "GP between 3 and 7 May, imaging, cardiology, six sessions.",
            {
                "gp_date": ("2027-05-03", "2027-05-07"),
                "panel": "imaging",
                "specialty": "cardiology",
                "sessions": 6,
            },
        ),
        (
            "We have UniCare. Spanish-speaking doctors please, budget 400 dollars at most.",
            {"plan": "UniCare", "language": "Spanish", "budget": 40000},
        ),
        (
            "Keep the lab and the specialist in one district. It's my knee.",
            {"same_district": True, "physio_focus": "knee"},
        ),
        ("We are not with UniCare but with Medicore, and no Spanish please.", {"plan": "Medicore"}),
        ("The consultation within four days of seeing the GP.", {"within": 4}),
        ("Any time of day is fine for the lab test. Morning appointments are nice.", {}),
    ],
)
def test_another_domain_s_wishes_are_read_by_its_own_words(text, wishes):
    assert handbook_of(find_domain("clinic")).reader.read([text], TODAY) == wishes


def test_what_means_the_whole_job_is_no_wish():
    diet = Want("diet", ("vegan", "everything"), ("menu.diet",), basic=True)
    menu = Offer("menu", "ME", {"diet": Choice(("vegan", "everything"))})
    declaration = Declaration(
        name="dinner",
        slots=[Slot("menu", menu, "menu")],
        wants=[diet],
        opening="We want to dine, and eat {diet}.",
    )
    reader = handbook_of(build(declaration)).reader
    assert reader.read(["No, nothing else, that's everything.", "Book everything."], TODAY) == {}
    assert reader.read(["We eat everything."], TODAY) == reader.read(["eat everything"], TODAY)
    assert reader.read(["We want to dine, and eat everything."], TODAY) == {"diet": "everything"}


def test_later_statements_replace_earlier_ones():
    wishes = READER.read(["3 nights, economy seats.", "No, 4 nights."], TODAY)
    assert (wishes["nights"], wishes["seat_type"]) == (4, "economy")


def test_turns_that_add_nothing_are_counted_from_the_end():
    assert READER.count_fruitless(["3 nights.", "Hello?", "3 nights."], TODAY) == 2
    assert READER.count_fruitless(["Hello?", "3 nights."], TODAY) == 0


def test_nothing_else_is_heard():
    assert says_no_more(["That's all, thanks."])
    assert not says_no_more(["Nothing special."])


def test_a_statement_is_read_with_either_article():
    said = {
        "gp_time_of_day": "I want a {value} visit.",
        "lab_time_of_day": "I want a {value} test.",
    }
    wants = [
        replace(one, wording=Wording(said[one.key])) if one.key in said else one
        for one in PRACTICE.wants
    ]
    reader = handbook_of(build(replace(PRACTICE, wants=wants))).reader
    for text in ("I want an evening visit.", "I want a evening visit."):
        assert reader.read([text], TODAY) == {"gp_time_of_day": "evening"}
