import pytest

from crab_graph.text.phrases import admits_error, has_summary_cue, offers_transfer
from crab_graph.text.utterance import read_message
from crab_graph.text.vocabulary import HumanWords
from tests.travel_words import VOCABULARY


@pytest.mark.parametrize(
    ("text", "admits"),
    [
        ("That was my mistake.", True),
        ("It was not my mistake.", False),
        ("It was not so. My mistake.", True),
        ("It was not so. It was not my mistake.", False),
        ("It was not\n- My mistake", True),
        ("That wasn't really my error.", False),
        ("I apologise for the confusion", True),
        ("I apologize for the delay", False),
        ("My apologies for the error", True),
        ("Sorry about the wait", False),
        ("I misread the date", True),
        ("I mis-booked it", True),
        ("I was wrong", True),
        ("I was right", False),
        ("I overlooked the budget", True),
    ],
)
def test_only_an_owned_mistake_is_an_admitted_error(text, admits):
    assert admits_error(read_message(text)) is admits


@pytest.mark.parametrize(
    ("text", "offers"),
    [
        ("Let me connect you with a live agent", True),
        ("Shall I transfer you to a human agent?", True),
        ("I can hand you over to a specialist", True),
        ("I cannot transfer you to a human", False),
        ("I won't connect you with a person", False),
        ("Please contact support", False),
        ("I can transfer the booking. A person will see it", False),
    ],
)
def test_an_offer_of_transfer_names_the_act_and_the_person(text, offers):
    assert offers_transfer(read_message(text), HumanWords()) is offers


def test_a_domain_says_who_is_a_human_agent():
    clinic = HumanWords(more=("nurses?",), others=("specialists?",))
    offers = {
        text: offers_transfer(read_message(text), clinic)
        for text in (
            "I can connect you with a nurse",
            "I can hand you over to a specialist",
            "I can transfer you to a person, or to a specialist",
        )
    }
    assert list(offers.values()) == [True, False, True]


@pytest.mark.parametrize(
    ("text", "has_charged", "is_summary"),
    [
        ("Everything is confirmed", False, True),
        ("Nothing is not confirmed", False, False),
        ("It will be confirmed", False, False),
        ("Once paid, you are set", False, False),
        ("All booked", True, True),
        ("All booked", False, False),
        ("The booking is pending. You're all set", False, True),
    ],
)
def test_a_summary_says_that_something_is_done(text, has_charged, is_summary):
    assert has_summary_cue(read_message(text), VOCABULARY, has_charged) is is_summary
    assert not has_summary_cue(read_message("Your itinerary"), VOCABULARY, has_charged=False)
    assert has_summary_cue(read_message("Your itinerary"), VOCABULARY, has_charged=True)
