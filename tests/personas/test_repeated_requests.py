"""What was told and did not arrive, bookings that are made anew, doubts about one of two values."""

import re

import pytest

from crab_graph.personas.options import choose_option
from crab_graph.personas.stated_plans import read_plan, read_plans
from crab_graph.personas.understanding import reading_of
from tests.personas.test_rules_user import BOOKINGS, BRIEFING, DETAILS, PLAN, Chat

YES = re.compile(r"\b(?:go ahead|yes|fine|book it|sounds good|agreed?)\b", re.I)
NAMES = re.compile(str(dict(DETAILS)["traveller_names"]).split("'")[1], re.I)


def told_names(condition, seed=0):
    chat = Chat(condition, seed)
    chat.say()
    for _ in range(3):
        if "traveller_names" in chat.told():
            break
        chat.say("What are the names of all travellers, please?")
    return chat


@pytest.mark.parametrize(
    "again",
    (
        "I still need the full names of the travellers. And what are your wishes for the hotel?",
        "The names got lost, could you repeat the names? Also, what is your budget?",
        "Sorry, please send the travellers' names again. Any wishes for seats?",
    ),
)
@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral", "d2"))
def test_what_did_not_arrive_is_said_before_what_is_new(again, condition):
    assert NAMES.search(told_names(condition).say(again))


@pytest.mark.parametrize(
    "asking",
    (
        "The travellers' names, please! And any wish for hotel, attraction or budget?",
        "What would you change? And I need the names of the travellers and a card added, please.",
        "I only miss the full names of the travellers. May I then book all of it?",
    ),
)
@pytest.mark.parametrize("condition", ("terse", "impatient", "d2"))
def test_names_asked_for_behind_a_plan_are_told(asking, condition):
    chat = Chat(condition)
    chat.say()
    plan = PLAN.replace("aisle", "window").replace("4 stars", "3 stars")
    assert NAMES.search(chat.say(f"{plan.removesuffix(' Shall I book all four?')} {asking}"))


def test_a_list_of_all_that_is_needed_brings_what_is_new():
    chat = told_names("terse")
    answer = chat.say("Names of the travellers, dates of birth, budget?")
    assert not NAMES.search(answer)


@pytest.mark.parametrize(
    "mended",
    (
        "BK-00000001 came out with a typing slip in a name, so I will cancel it and book it again, "
        "same price.",
        "Please hold the approval for BK-00000001: a name was mistyped there, so I will cancel it "
        "and book the same seats again.",
    ),
)
@pytest.mark.parametrize("condition", ("generic", "terse", "neutral", "impatient"))
def test_a_booking_that_is_made_anew_is_not_approved_beside_the_others(mended, condition):
    chat = Chat(condition, bookings=BOOKINGS)
    chat.say()
    chat.say(PLAN)
    answer = chat.say(f"{mended} Please add a card and approve the payments of the others.")
    paid = {one["booking_id"] for one in chat.approvals()}
    assert "BK-00000001" not in paid and "BK-00000001 approved" not in answer
    assert paid == {one["booking_id"] for one in BOOKINGS[1:]}


def test_a_booking_made_anew_is_approved_where_that_is_asked():
    chat = Chat("generic", bookings=BOOKINGS)
    chat.say()
    chat.say(PLAN)
    chat.say(
        "A name was mistyped, so I cancelled that one and booked it again as BK-00000001. "
        "Please add a card and approve BK-00000001, $300.00."
    )
    assert [one["booking_id"] for one in chat.approvals()] == ["BK-00000001"]


@pytest.mark.parametrize("condition", ("generic", "terse", "neutral"))
def test_the_card_that_is_missing_is_added_beside_a_slip(condition):
    chat = Chat(condition, bookings=BOOKINGS[:1])
    chat.say()
    chat.say(PLAN)
    chat.say(
        "All booked, but a name came out wrong on the return flight, so I'll cancel that one and "
        "book it again, same price. And the card: I only see a Visa ending in 1111, not 4242. "
        "Use that, or could you add 4242?"
    )
    assert "add_payment_method_to_platform" in dict(chat.private)


@pytest.mark.parametrize("condition", ("generic", "terse", "neutral"))
def test_it_is_not_certain_of_two_values_where_one_is_wished(condition):
    chat = Chat(condition)
    chat.say()
    if "seat_position" not in chat.told():
        chat.say("Which seat position would you like, window, middle or aisle?")
    answer = chat.say("About the seats: is it certain that window or aisle is fine?")
    assert not re.match(r"\W*(?:yes|right|correct|exactly|that's right)\b", answer, re.I), answer
    assert "aisle" in answer.casefold()


SOLD = """Sorry, the seats on FL-48213 were sold just now; nothing was booked. New plan:
Out FL-73549 Meridian Jet, 05-04 07:15-08:15, aisle: $153.80 per person ($307.60).
Back FL-20955 Meridian Jet, 05-07 19:40-20:35, aisle: $140.00 per person ($280.00).
Juniper Court Hotel HT-3316, 4 stars: $120.00 per night ($360.00).
Riverside Glass Museum AT-50811, 05-05 09:00: $35.00 per ticket ($70.00).
Total $1,017.60. Hotel and museum not cancellable. I found no cheaper one. Book?"""


def test_what_was_sold_is_no_candidate():
    before = read_plans([PLAN], BRIEFING)
    reading = reading_of(SOLD, BRIEFING.lexicon, BRIEFING.slots)
    plan = read_plan(reading, BRIEFING.slots, before)
    assert [one.item for one in plan.candidates["outbound"]] == ["FL-73549"]
    assert choose_option(plan, BRIEFING) is None


@pytest.mark.parametrize("condition", ("generic", "terse", "neutral", "impatient"))
def test_nothing_is_paid_where_payments_are_announced_for_later(condition):
    chat = Chat(condition, bookings=BOOKINGS)
    chat.say()
    chat.say(PLAN)
    chat.say(
        'Booked, with one hiccup: on the return (BK-00000002) a name came out as "Biacna". I\'m '
        "cancelling that one, nothing's been charged, and booking the same seat again. The rest is "
        "in and correct. Payment details in a moment - ok?"
    )
    assert not chat.approvals()


@pytest.mark.parametrize(
    "asked",
    (
        "And is the hotel at $375.00 all right, new total $1,025.00?",
        "And are you okay with the hotel at $375.00 now?",
    ),
)
@pytest.mark.parametrize("condition", ("generic", "terse", "neutral", "impatient"))
def test_a_price_is_agreed_to_beside_the_payments_of_the_rest(asked, condition):
    chat = Chat(condition, bookings=[*BOOKINGS[:2], BOOKINGS[3]])
    chat.say()
    chat.say(PLAN)
    answer = chat.say(
        "Please approve with your Visa ending in 4242: BK-00000001 $300.00, BK-00000002 $280.00, "
        f"BK-00000004 $70.00. {asked}"
    )
    assert len(chat.approvals()) == 3
    assert YES.search(answer), answer


@pytest.mark.parametrize("condition", ("generic", "neutral", "impatient"))
def test_asked_which_of_two_cards_to_charge_it_names_no_third_one(condition):
    numbers = {"1111": "PM-11111111", "4242": "PM-44444444", "7777": "PM-77777777"}
    cards = [
        {
            "card_id": f"CD-{number}",
            "brand": "Visa",
            "last4": last4,
            "payment_method_id": method,
            "limit": "5000.00",
        }
        for number, (last4, method) in enumerate(numbers.items(), start=1)
    ]
    chat = Chat(condition, bookings=BOOKINGS, cards=cards)
    chat.say()
    chat.say(PLAN)
    chat.say("Please approve the payments of all four bookings.")
    for row in chat.bookings[:2]:
        row["status"] = "confirmed"
    chat.say(
        "The flights are charged. The hotel, BK-00000003, $360.00, was declined: this card bears "
        "at most $600.00 a day. Which other card should I use for it? Please record an approval of "
        "exactly $360.00 with that one."
    )
    second = chat.approvals()[-1]["payment_method_id"]
    first = chat.approvals()[0]["payment_method_id"]
    assert second != first
    chat.bookings[2]["status"] = "confirmed"
    last4 = {method: number for number, method in numbers.items()}
    answer = chat.say(
        f"The hotel, BK-00000003, $360.00, is charged to your Visa ending in {last4[second]} "
        f"({second}) and confirmed.\n\nOnly the attraction remains: BK-00000004, $70.00, still "
        "pending. To be sure which card you mean: should I charge it to the Visa ending in "
        f"{last4[second]} ({second}), or to the one ending in {last4[first]} ({first})? If it is a "
        "card for which you have not recorded an approval of this booking, please record one for "
        "exactly $70.00."
    )
    assert {one["payment_method_id"] for one in chat.approvals()} == {first, second}
    assert last4[second] in answer or last4[first] in answer, answer
    assert not re.search(r"\b(?:again|once more|try)\b", answer), answer
