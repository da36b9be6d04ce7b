"""What the reference agents look up and ask for: what the constraints leave, in words heard."""

import pytest

from crab_graph.agents.reference.conversation import read_conversation
from crab_graph.agents.reference.handbook import handbook_of
from crab_graph.agents.reference.lookups import Lookups
from crab_graph.agents.reference.script import Script
from crab_graph.domain.contract import find_domain

TRIP = {
    "origin": "Denver",
    "destination": "Portland",
    "departure_date": ("2027-05-03", "2027-05-04"),
    "nights": 2,
    "party_size": 3,
}
PATHWAY = {
    "specialty": "neurology",
    "panel": "imaging",
    "sessions": 3,
    "within": 4,
    "gp_date": ("2027-05-03", "2027-05-04"),
    "plan": "UniCare",
    "physio_focus": "knee",
}


def look(name, wishes):
    """Return the calls with which a search begins."""
    book = handbook_of(find_domain(name))
    graph = book.domain.build_graph(book.request(wishes))
    shown = Lookups(book, wishes, graph).show(read_conversation([]))
    return [(call.name, call.arguments) for call in shown.missing]


def test_days_that_no_wish_decides_are_asked_for_as_far_as_constraints_leave_them():
    asked = look("travel", TRIP)
    out = {"origin": "Denver", "destination": "Portland"}
    back = {"origin": "Portland", "destination": "Denver"}
    days = {"2027-05-03": out, "2027-05-04": out, "2027-05-05": back, "2027-05-06": back}
    flights = [given for tool, given in asked if tool == "search_flights_by_route"]
    assert sorted(flights, key=lambda one: one["date"]) == [
        {**route, "date": day} for day, route in days.items()
    ]
    # Hotels are searched for the days on which flights are found, and so later.
    assert [one for one in asked if one[0] != "search_flights_by_route"] == [
        ("search_attractions_by_city", {"city": "Portland"})
    ]


def test_what_wishes_decide_is_asked_for_where_tools_take_it():
    assert look("clinic", PATHWAY) == [
        ("search_doctors", {"specialty": "general practice", "plans": "UniCare"}),
        ("search_tests", {"panel": "imaging", "plans": "UniCare"}),
        ("search_doctors", {"specialty": "neurology", "plans": "UniCare"}),
        ("search_courses", {"focus": "knee", "plans": "UniCare"}),
    ]


@pytest.mark.parametrize("name", ["travel", "clinic"])
def test_everything_is_asked_for_in_words_that_users_hear(name):
    book = handbook_of(find_domain(name))
    question = Script(book).question({}, is_first=True).casefold()
    for key, words in book.lexicon.facts.items():
        if key not in {"email", "payment_card"} and not words.is_joint:
            assert any(cue.search(line) for cue in words.asks for line in question.split("\n")), key


def test_what_offers_must_be_like_is_asked_for_where_one_day_is_left():
    wishes = {**PATHWAY, "gp_date": ("2027-05-03", "2027-05-03"), "gp_time_of_day": "morning"}
    asked = {"specialty": "general practice", "plans": "UniCare", "time_of_day": "morning"}
    assert look("clinic", wishes)[0] == ("search_doctors", {**asked, "date": "2027-05-03"})
