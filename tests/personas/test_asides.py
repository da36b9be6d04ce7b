"""What is asked by the way: who writes, which wish could go, what may stay as it is."""

import pytest

from tests.personas.test_rules_user import BOOKINGS, PAY, PLAN
from tests.personas.test_ways_to_ask import SHORT, WHO, briefing_of, opened, played

CONDITIONS = ("generic", "neutral", *SHORT)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Are you yourself one of the two travellers, or are you booking for others?",
        "Are you travelling yourself, or is this for someone else?",
        "Is this booking for yourself?",
    ],
)
def test_who_is_asked_if_it_comes_along_says_so(condition, asked):
    assert "among them" in opened(condition).say(asked)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("asked", ["Are you the traveller yourself?", "Is it for yourself?"])
def test_who_travels_alone_says_that_it_is_for_it(condition, asked):
    alone = briefing_of(party_size=1, traveller_names=["Ana Ruiz"], birth_dates=["1990-04-02"])
    answer = opened(condition, briefing=alone).say(asked).casefold()
    assert "for me" in answer or "for myself" in answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_who_has_told_the_names_says_which_of_them_it_is(condition):
    chat = opened(condition)
    while "traveller_names" not in chat.told():
        chat.say(WHO)
    names = chat.user.first_briefing.fact("traveller_names").value
    for asked in (
        "And which of you two am I talking to?",
        f"Are you {names[0].split()[0]} or {names[1].split()[0]}, by the way?",
        "Who am I speaking with?",
    ):
        answer = chat.say(f"Thanks. {asked}")
        assert names[0] in answer and names[1] not in answer


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Is there anything you'd be willing to give up if nothing fits? For example the stars.",
        "Which is more important to you if not all can be had: the stars, the seats, or the bed?",
        "If one of them had to give, which would it be: the seats or the budget?",
        "If I find nothing, would you rather drop the seats, go on other days, or pay more?",
        "What should I hold on to if not both are free: the seats or the stars?",
    ],
)
def test_no_wish_may_go_before_anything_is_offered(condition, asked):
    answer = opened(condition).say(asked)
    assert any(one in answer for one in ("can go", "give up any", "give any", "give none"))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_asked_beside_it_is_answered_too(condition):
    answer = opened(condition).say("Are you one of the two travellers? And what is your budget?")
    assert "among them" in answer and ("1,500" in answer or "1.5k" in answer)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "asked",
    [
        "Is everything fine so far, or do you want anything changed?",
        "Do you want to pay now, or check anything first?",
        "Any objections?",
    ],
)
def test_what_is_booked_may_stay_as_it_is(condition, asked):
    chat = opened(condition, bookings=BOOKINGS)
    chat.say(PLAN)
    answer = chat.say(f"All four are booked and wait for payment. {asked}").casefold()
    assert "nothing" in answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_was_approved_is_said_to_who_asks(condition):
    chat = opened(condition, bookings=BOOKINGS)
    chat.say(PLAN)
    chat.say(PAY)
    answer = chat.say("Did you approve just the outbound flight or all four bookings?").casefold()
    assert "approved" in answer


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "So the hotel really has no wishes except that any bed is fine?",
        "So nothing more on the hotel, and I can search now?",
    ],
)
def test_who_takes_it_that_nothing_more_is_wished_is_told(condition, asked):
    chat = opened(condition)
    chat.say("Should both flights be with one airline?")
    before = {*chat.told()}
    answer = chat.say(f"Same airline both ways, noted. {asked}").casefold()
    assert "right" not in answer and "correct" not in answer
    assert any(key.startswith(("hotel", "room", "bed")) for key in {*chat.told()} - before)


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize(
    "asked",
    [
        "Do you want to approve them one by one or all at once? They come to $1,010.00.",
        "Would you record the approvals for all four, and is there anything else?",
        "If so, please:\n1. Tell me which card it is\n2. Record a new approval with it for each:"
        " $300.00 for BK-00000001, $280.00 for BK-00000002",
    ],
)
def test_approvals_are_given_to_who_asks_without_a_word_for_what_they_are_of(condition, asked):
    chat = opened(condition, bookings=BOOKINGS)
    chat.say(PLAN)
    chat.say(f"All four are booked. {asked}")
    assert {one["booking_id"] for one in chat.approvals()}


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize("lead", ["I have added:", "Here we go:", "So:"])
def test_a_list_of_notes_whose_items_begin_with_early_letters_asks_for_no_choice(condition, lead):
    wishes = {"apart_from_nights": True, "outbound_time_of_day": None, "return_time_of_day": None}
    chat = opened(condition, briefing=briefing_of(**wishes))
    chat.say("What about red-eyes, and the day after such a flight?")
    assert "apart_from_nights" in chat.told()
    answer = chat.say(
        f"Certainly. {lead}\n\n- Flights at any hour; but if a flight is a night flight, no "
        "attraction on that day, nor on the day before or the day after\n"
        "- Attraction in the hotel's district"
        "\n\nIs there a budget?"
    )
    assert "told you" not in answer and "no attraction" not in answer
    assert "1,500" in answer or "1.5k" in answer


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(
    "owned",
    [
        "I must own up to one thing: the return seats are window seats. Should I cancel it and "
        "look further, or do you keep it?",
        "One correction: your return has middle seats. Would you rather keep it or have me rebook?",
    ],
)
def test_what_is_owned_up_to_and_not_as_wished_is_to_be_cancelled(condition, owned):
    chat = opened(condition, bookings=[{**one, "status": "confirmed"} for one in BOOKINGS])
    while "seat_position" not in chat.told():
        chat.say("Which seat position would you like: aisle, window or middle?")
    answer = chat.say(f"Everything is charged, $1,010.00 in total. {owned}")
    assert "cancel" in answer.casefold() and "###" not in answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_who_owns_up_to_nothing_is_thanked(condition):
    chat = opened(condition, bookings=[{**one, "status": "confirmed"} for one in BOOKINGS])
    answer = chat.say(
        "Everything is charged, $1,010.00 in total. I should point out that hotel and attraction "
        "cannot be cancelled. Is there anything else?"
    )
    assert "###STOP###" in answer


@pytest.mark.parametrize("condition", CONDITIONS)
def test_who_wants_what_costs_least_takes_the_cheaper_of_two_labelled_plans(condition):
    chat = opened(condition, briefing=briefing_of(cheapest_outing=True))
    while "cheapest_outing" not in chat.told():
        chat.say("How shall I choose, if several trips fit: the cheapest, or the earliest?")
    plan = PLAN.replace("Shall I book all four?", "")
    answer = chat.say(
        f"{plan}\n\nIf that is too tight, take the Lakeview Tour, AT-99849, for $140.00.\n\n"
        "Which plan do you approve: A (the museum, $1,010.00) or B (the tour, $1,080.00)?"
    )
    assert "option A" in answer or "AT-50811" in answer


@pytest.mark.parametrize("condition", SHORT)
@pytest.mark.parametrize("asked", ["And then?", "More?", "ok, further?"])
def test_a_bare_more_asks_for_what_is_left(condition, asked):
    chat = opened(condition)
    chat.say("Should both flights be with one airline?")
    before = {*chat.told()}
    chat.say(f"Same airline out and back, yep. {asked}")
    assert {*chat.told()} - before


@pytest.mark.parametrize("condition", SHORT)
def test_who_asks_to_carry_on_while_some_is_booked_may(condition):
    chat = opened(condition, bookings=BOOKINGS[:1])
    chat.say(PLAN)
    answer = chat.say(
        "A status report: the outbound flight is booked correctly as BK-00000001. The hotel is not "
        "booked yet. Shall I carry on in this way?"
    )
    assert "missing" not in answer


@pytest.mark.parametrize("back", ["back", "and back", "and home", "and returning"])
def test_the_days_of_the_way_back_are_none_of_the_departure(back):
    briefing = briefing_of(departure_date=["2027-05-04", "2027-05-08"])
    text = f"So 3 nights, leaving May 4 to 8, {back} May 7 to 11. Did I get all that right?"
    found = played(text, briefing)
    assert "departure_date" in found.right and not found.wrong
