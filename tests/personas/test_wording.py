"""What users say must be readable: by an agent as facts, by the verifiers as approvals."""

import random
from typing import Any

import pytest

from crab_graph.agents.reference.handbook import handbook_of
from crab_graph.agents.reference.wishes import says_no_more
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.wordbook import phrase_book
from crab_graph.personas.wording import word_fact, word_opening
from crab_graph.text.approvals import ActKind, find_acts
from crab_graph.text.mentions import by_slot, disclosed, find_mentions
from crab_graph.text.utterance import read_message
from crab_graph.text.vocabulary import build_catalogue
from tests.travel_words import LEXICON, TRAVEL, VOCABULARY

TODAY = "2027-01-10"
READER = handbook_of(TRAVEL).reader
VALUES: dict[str, list[Any]] = {
    "origin": ["Chicago"],
    "destination": ["Pittsburgh"],
    "departure_date": ["2027-05-03", ["2027-04-29", "2027-05-03"]],
    "nights": [1, 5],
    "party_size": [1, 4],
    "customer_id": ["CU-20417"],
    "traveller_names": [["Ana Ruiz"], ["Ana Ruiz", "Leo de la Cruz", "Mary-Ann O'Hara"]],
    "birth_dates": [["1990-04-02"], ["1990-04-02", "1988-11-23", "2001-01-31"]],
    "outbound_time_of_day": ["morning", "midday", "night"],
    "return_time_of_day": ["morning", "midday", "night"],
    "seat_type": ["economy", "premium economy", "business"],
    "seat_position": ["window", "aisle", "middle"],
    "same_carrier": [True],
    "hotel_stars": [1, 4],
    "room_type": ["standard", "deluxe", "suite"],
    "bed_type": ["twin", "queen", "king"],
    "attraction_category": ["museum", "tour", "show"],
    "attraction_time_of_day": ["morning", "afternoon", "evening", "all-day"],
    "attraction_date": ["2027-05-04"],
    "same_district": [True],
    "budget": ["900.00", "12500.50"],
    "email": ["ana.ruiz@example.com"],
    "payment_card": [{"card_id": "CD-1", "brand": "American Express", "last4": "3045"}],
}
READ_AS = {
    "departure_date": lambda v: tuple(v) if isinstance(v, list) else (v, v),
    "traveller_names": tuple,
    "birth_dates": tuple,
    "budget": lambda v: round(float(v) * 100),
    "payment_card": lambda v: v["last4"],
}
CASES = [(key, value) for key, values in VALUES.items() for value in values]
TEMPLATES = sorted(
    {
        (key, short, text)
        for key, words in LEXICON.facts.items()
        for short, texts in ((False, words.full), (True, words.short))
        for text in texts
    }
)


class Picks(random.Random):
    """Draws the given template and spelling."""

    def __init__(self, template, style):
        self.template, self.style = template, style

    def choice(self, seq):
        return self.template

    def randrange(self, *args):
        return self.style


def statements():
    for key, short, template in TEMPLATES:
        for value in VALUES[key]:
            for style in range(3):
                fact = Fact(key, value, FactLevel.DETAIL)
                yield key, value, word_fact(fact, LEXICON, Picks(template, style), short=short)


def test_every_fact_of_the_lexicon_is_tried():
    assert set(VALUES) == set(LEXICON.facts)


def test_every_statement_of_every_value_can_be_read_back():
    for key, value, text in statements():
        name = "card_last4" if key == "payment_card" else key
        form = READ_AS.get(key, lambda v: v)
        assert READER.read([text], TODAY) == {name: form(value)}, text


@pytest.mark.parametrize("style", range(3))
@pytest.mark.parametrize("dates", VALUES["departure_date"])
@pytest.mark.parametrize("template", [*LEXICON.opening_full, *LEXICON.opening_short])
def test_every_opening_can_be_read_back(template, dates, style):
    facts = [
        Fact("origin", "Chicago", FactLevel.BASIC),
        Fact("destination", "Pittsburgh", FactLevel.BASIC),
        Fact("departure_date", dates, FactLevel.BASIC),
        Fact("nights", 1, FactLevel.BASIC),
        Fact("party_size", 2, FactLevel.BASIC),
    ]
    text = word_opening(facts, LEXICON, Picks(template, style), short=False)
    assert READER.read([text], TODAY) == {
        "origin": "Chicago",
        "destination": "Pittsburgh",
        "departure_date": tuple(dates) if isinstance(dates, list) else (dates, dates),
        "nights": 1,
        "party_size": 2,
    }


def acts(text, before):
    catalogue = build_catalogue(VOCABULARY, [], {"FL-1": "outbound"}.get)
    said = read_message(before)
    offered = by_slot(disclosed(find_mentions(said, catalogue)), catalogue)
    return find_acts(read_message(text), (said, offered), catalogue)


REQUEST = "The outbound flight is FL-1 for $120.00. Shall I book it?"


APPROVING = {"approve", "approve_as_it_is", "approve_without_objection", "choose"}


def phrases(*, approving):
    for act, by_voice in phrase_book().phrases.items():
        if (act in APPROVING) is approving:
            for texts in by_voice.values():
                yield from ((act, text) for text in texts)


def test_every_approval_is_one_to_the_verifiers():
    for _, text in phrases(approving=True):
        said = text.format(choice="FL-1")
        assert [act.kind for act in acts(said, REQUEST)] == [ActKind.APPROVE], text
        by_price = text.format(choice="the cheaper one, FL-1")
        assert [act.kind for act in acts(by_price, REQUEST)] == [ActKind.APPROVE], text


def test_courtesies_do_not_spoil_an_approval():
    for _, courtesy in [p for p in phrases(approving=False) if p[0] == "polite"]:
        kinds = [act.kind for act in acts(f"Yes, please go ahead. {courtesy}", REQUEST)]
        assert kinds == [ActKind.APPROVE], courtesy


def test_facts_do_not_spoil_an_approval_nor_pass_for_one():
    for _, _, text in statements():
        kinds = [act.kind for act in acts(f"{text} Yes, please go ahead.", REQUEST)]
        assert kinds == [ActKind.APPROVE], text
        assert acts(text, REQUEST) == (), text


def test_no_other_phrase_is_an_approval_but_that_payments_are_approved():
    # A `yes` is said only of wishes, to messages that name no item.
    for act, text in phrases(approving=False):
        if act in {"yes", "paid", "paid_some", "paid_these", "paid_rest", "paid_before"}:
            continue
        kinds = [found.kind for found in acts(text, REQUEST)]
        assert ActKind.APPROVE not in kinds, (act, text)


def test_only_nothing_else_says_that_nothing_is_left():
    for act, text in phrases(approving=False):
        assert says_no_more([text]) == (act == "nothing_else"), text


def test_no_phrase_says_anything_of_the_job():
    for act, text in (*phrases(approving=True), *phrases(approving=False)):
        if "{" not in text:
            assert READER.read([text], TODAY) == {}, (act, text)
