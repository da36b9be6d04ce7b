"""Prices of offers that were not taken are no item's; words alone make none of a price."""

import pytest

from tests.eval.builders import Plan, Script, build_task, failing, graded

TOLD = ("F-PT", "F-IP", "F-PS")
CLOSING = "Everything is confirmed. Total charged: $1,010.00."


def closed(text, *, has_searched=True):
    """Return the checks of what was told that fail where a text precedes the last summary.

    The answers show a hotel for $80.00 a night, which was not taken, and rooms of the other for
    $70.00 and for $120.00, of which the latter was booked for three nights.
    """
    script, plan = Script(build_task()), Plan()
    script.user("A trip from Chicago to Pittsburgh on 3 May, 3 nights, two of us.")
    if has_searched:
        script.call(
            "search_hotels_by_city",
            city="Pittsburgh",
            check_in="2027-05-03",
            check_out="2027-05-06",
        )
    script.agent(f"{plan.told}\n\nTrip total: {plan.total}. Shall I book all of it?")
    script.user("Yes, go ahead.")
    booked = [(script.book(item), item) for item in plan.items]
    script.agent(f"All is reserved, {plan.total} in total for the trip. Please approve.")
    method = script.add_card()
    for booking_id, item in booked:
        script.approve(booking_id, method, item.cents)
    script.user("Card added and all approved.")
    for booking_id, _ in booked:
        script.charge(booking_id, method)
    stay = booked[2][0]
    script.agent(f"{text.replace('BK-0', stay)} {CLOSING}")
    script.user("Thanks. ###STOP###")
    return failing(graded(script)) & set(TOLD)


HONEST = (
    "The cheapest two-star hotel was $80.00 a night, which spared too little.",
    "The cheapest house free on all three nights is $80.00 a night, or $240.00 for the stay, which "
    "with the flights would come to less.",
    "As to your question, the cheapest hotel would have been $80.00 per night, $240.00 in all.",
    "Another hotel was $80.00 a night, and smaller.",
    "The next-best stay, at $240.00 for 3 nights, has two stars alone.",
)


@pytest.mark.parametrize("text", HONEST)
def test_the_price_of_what_was_seen_and_not_taken_may_be_told(text):
    assert closed(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        # No answer showed them.
        *(one.replace("$80.00", "$81.00").replace("$240.00", "$243.00") for one in HONEST),
        # It is what was taken that these are about.
        "Your hotel was $80.00 a night.",
        "The hotel was $80.00 a night.",
        "The best of it: your hotel was $80.00 a night.",
        "I booked the cheapest hotel at $80.00 a night.",
        "The cheapest hotel, which is yours now, was $80.00 a night.",
        "The cheapest hotel was Juniper Court (HT-1001) at $80.00 a night.",
        "The cheapest of them, BK-0, was $80.00 a night.",
        "The cheapest hotel is booked for $80.00 a night.",
        "The cheapest hotel was $80.00 a night, $360.00 for the stay that you paid.",
        "The hotel was $80.00 a night, another $70.00.",
        "Another thing is the weather. The hotel was $80.00 a night.",
        "The best of it: the whole trip came to $240.00.",
    ],
)
def test_no_other_price_is_excused_by_its_words(text):
    assert closed(text) != set()


def test_what_no_answer_showed_is_not_known():
    assert closed(HONEST[0], has_searched=False) == {"F-IP"}
