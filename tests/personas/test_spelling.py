"""What an agent mistyped is read as what it meant; another word is left as it is."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.personas.spelling import Speller, is_slip, words_of
from crab_graph.personas.understanding import Reading

BRIEFING = TRAVEL.briefing(TRAVEL.slots, [], "S1-001", "2027-01-10")
WORDS = st.text(string.ascii_lowercase, min_size=6, max_size=12)


def asked(text):
    return set(Reading(text, BRIEFING.lexicon, BRIEFING.slots).asked)


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [
        ("whats your bugdet?", "whats your budget?"),
        ("which depature date do you have in mind?", "which departure date do you have in mind?"),
        ("any hotel distrcit you'd like?", "any hotel district you'd like?"),
        ("which airlne do you want?", "which airline do you want?"),
    ],
)
def test_a_mistyped_question_is_the_question(mistyped, meant):
    assert asked(mistyped) == asked(meant) != set()


@given(WORDS, st.integers(1, 10), st.sampled_from("leave double exchange".split()))
def test_one_edit_inside_a_word_is_a_slip_of_it(word, place, edit):
    at = min(place, len(word) - 2)
    slip = {
        "leave": word[:at] + word[at + 1 :],
        "double": word[: at + 1] + word[at:],
        "exchange": word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    }[edit]
    is_ending = slip.startswith(word) or word.startswith(slip)
    is_spelling = {slip[-2:], word[-2:]} == {"re", "er"}
    assert is_ending or is_spelling or is_slip(slip, word)


def test_two_edits_and_endings_are_other_words():
    assert not is_slip("prices", "priced")
    assert not is_slip("ticket", "tickets")
    assert not is_slip("wodgit", "widget")
    assert not is_slip("doable", "double"), "no key beside it"


def test_known_words_names_and_what_could_be_two_words_stay():
    speller = Speller(["museum", "wallet", "ballet"], ["museum", "wallet", "ballet"])
    assert speller.mended("musuem Musuem x-musuem wallet") == "museum Musuem x-musuem wallet"
    assert Speller(["battle", "bottle"], ["battle", "bottle"]).mended("bttle") == "bttle"


def test_a_word_met_once_beside_a_usual_one_is_not_known():
    known, usual = words_of([*["your budget"] * 5, "your bugdet", "a gazebo"])
    assert usual == ["budget", "your"]
    assert known == ["budget", "gazebo", "your"]
