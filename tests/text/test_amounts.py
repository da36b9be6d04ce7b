import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.money import format_cents, format_dollars
from crab_graph.text.amounts import find_amounts
from crab_graph.text.utterance import read_message


def stated(text):
    return [amount.cents for amount in find_amounts(read_message(text)) if not amount.is_inert]


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("It is $1,234.50", 123450),
        ("It is $1234.5", 123450),
        ("It is US$900", 90000),
        ("It is USD 900.00", 90000),
        ("It is 900 USD", 90000),
        ("It is 1,900 dollars", 190000),
        ("It is $900 USD", 90000),
        ("It is **$900.00**.", 90000),
        ("It is $90/night", 9000),
    ],
)
def test_every_form_of_an_amount_is_read(text, cents):
    assert stated(text) == [cents]


@pytest.mark.parametrize(
    "text", ["It is 900", "It is €900", "$1.2345", "$1,23,4", "A$900", "$2k", "$" + "9" * 5000]
)
def test_what_is_no_amount_in_dollars_is_not_read(text):
    assert find_amounts(read_message(text)) == ()


@pytest.mark.parametrize(
    ("inert", "sound"),
    [
        ("the cost is roughly $742", "the cost is $742"),
        ("about the $742", "about it: $742"),
        ("~$742", "- $742"),
        ("up to $742", "up to you, $742"),
        ("estimated total $742", "estimated (total $742"),
        ("max $742", "Max, $742"),
        ("from $742", "from Denver, $742"),
        ("starting at $742", "starting at noon for $742"),
        ("over $742", "over there, it is $742"),
        ("$742 or so", "$742 or nothing"),
        ("$742-ish", "$742 in cash"),
        ("$40 under", "$40 and under"),
        ("$40 cheaper", "$40 is cheaper"),
        ("it is not $742", "it is not the right hotel at $742"),
        ("don't pay $742", "don't worry, it is just $742"),
        ("budget: $742", "hotel: $742"),
        ("your budget is $742", "your hotel is $742"),
        ("savings of $40", "the room is $40"),
        ("a $40 refund", "a $40 room"),
        ("$40 of your deposit", "$40, your deposit"),
        ("$742 is within limit", "$742 is within our limit"),
    ],
)
def test_an_inert_amount_states_no_price(inert, sound):
    assert stated(inert) == []
    assert len(stated(sound)) == 1


@pytest.mark.parametrize(
    "text",
    ["$100-$200", "$100 - $200", "$100\u2013$200", "$100 to $200", "$100-200", "100-200 USD"],
)
def test_a_range_states_no_price(text):
    assert stated(text) == []


def test_a_dash_before_a_lower_amount_or_a_count_is_no_range():
    assert stated("$300.00 \u2014 $150.00 per passenger") == [30000, 15000]
    assert stated("$300.00 \u2014 2 passengers") == [30000]


def test_a_dash_before_what_is_said_to_be_a_sum_is_no_range():
    assert stated("FL-1 $70.00 - $1,010.00 in all") == [7000, 101000]
    assert stated("$70.00 \u2014 $1,010.00 altogether") == [7000, 101000]


def test_both_ends_of_between_are_inert():
    assert stated("between $100 and $200") == []
    assert stated("$100 and $200") == [10000, 20000]


@given(st.integers(min_value=0, max_value=10**9))
def test_an_amount_means_the_same_however_it_is_written(cents):
    plain, dollars = format_cents(cents), format_dollars(cents)
    for text in (f"is {dollars}.", f"is ${plain}", f"is USD {plain}", f"is {plain} dollars"):
        assert stated(text) == [cents]
