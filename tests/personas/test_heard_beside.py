"""What stands beside a question: notes, slips, what is to be cancelled, and conditions told."""

import re

import pytest

from tests.personas.test_joint_wishes import briefing_with
from tests.personas.test_rules_user import BOOKINGS, PLAN, Chat

APART, EITHER, OUTING = "apart_from_nights", "attraction_either", "cheapest_outing"
YES = re.compile(r"\b(?:go ahead|yes|fine|book it|sounds good|agreed?)\b", re.I)
ANY_DAY = re.compile(r"\bany day\b", re.I)


def told(key, condition, ask, seed=0):
    chat = Chat(condition, seed, briefing=briefing_with(key))
    chat.say()
    chat.say(ask)
    assert key in chat.told()
    return chat


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral", "generic"))
def test_who_keeps_days_free_says_of_no_visit_that_any_day_will_do(condition):
    chat = Chat(condition, briefing=briefing_with(APART, "flexible"))
    chat.say()
    for _ in range(3):
        answer = chat.say("Do you have a wish as to the day of the attraction?")
        assert not ANY_DAY.search(answer)
    assert condition == "generic" or APART in chat.told()


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_a_wish_that_only_notes_hint_at_is_not_told_for_what_is_asked(condition):
    chat = told(EITHER, condition, "What kind of attraction: a museum, a tour or a show?")
    answer = chat.say(
        "Noted:\n\n- Attraction: evening museum, or else afternoon tour\n\n"
        "What are your wishes for the hotel?"
    )
    assert "stars" in answer.casefold() and "museum" not in answer.casefold()


@pytest.mark.parametrize("condition", ("terse", "impatient"))
def test_notes_before_a_question_are_no_options_of_it(condition):
    chat = told(APART, condition, "Anything about night flights that I should know?")
    answer = chat.say(
        "Noted:\n\n- Flights at any time\n- If a flight is at night (17:00-23:59): no attraction "
        "that day, the day before or the day after\n\nWhat about the hotel?"
    )
    assert "stars" in answer.casefold() and "night" not in answer.casefold()


@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral"))
def test_a_recap_that_is_to_be_confirmed_is_no_question_of_what_a_wish_means(condition):
    chat = told(APART, condition, "Anything about night flights that I should know?")
    answer = chat.say(
        "Your wishes as I have them:\n- Flights: any time\n- No attraction on the day of a night "
        "flight, the day before or after it\nIs all of that right, and is it firm?"
    )
    assert "neither on that day" not in answer and "nor on the day" not in answer


@pytest.mark.parametrize(
    "slip",
    (
        "Outbound BK-00000001: a slip in a name. I will cancel that booking and book the same "
        "again with the right name. Then I book the show.\nIs that all right?",
        "BK-00000001 holds a typo in a name. I will cancel it and book the same again.\n"
        "- Then I book hotel and attraction as approved\n\nAll right?",
        "BK-00000001 has a slip in a name. I will cancel it and book the same seat again. Then the "
        "hotel and the attraction. The plan and prices stay the same. OK?",
    ),
)
@pytest.mark.parametrize("condition", ("terse", "impatient", "neutral", "generic"))
def test_a_booking_made_anew_is_agreed_to_whatever_is_announced_beside_it(slip, condition):
    chat = Chat(condition, bookings=BOOKINGS[:2])
    chat.say()
    chat.say(PLAN)
    answer = chat.say(slip)
    assert YES.search(answer) and "missing" not in answer.casefold()


@pytest.mark.parametrize(
    "changed",
    (
        "I would book the new flights, and cancel both old bookings (BK-00000001 and BK-00000002)."
        "\nPlease do not approve payments for those two.\n\nDo you approve this changed plan?",
        "Shall I book the new flights and cancel the two old ones (BK-00000001, BK-00000002)?\n"
        "If yes, I send you the new booking ids, and you approve the payments after that.",
        "Do you approve this plan, and may I cancel the flights that Mr. Ruiz holds (BK-00000001, "
        "BK-00000002, $620.00, not charged) and book the new ones in their place?",
        "BK-00000001 and BK-00000002 would be cancelled, at no cost. Please give no payment "
        "approval for them.\n\nShall I go ahead?",
        "I need a clear yes from you first:\n- Cancel: the old flights (BK-00000001 and "
        "BK-00000002, nothing charged).\n- Book: the new ones.\nIs that a yes to this plan?",
    ),
)
@pytest.mark.parametrize("condition", ("neutral", "generic"))
def test_what_is_to_be_cancelled_is_not_paid(changed, condition):
    chat = Chat(condition, bookings=BOOKINGS)
    chat.say()
    chat.say(PLAN)
    items = PLAN.removesuffix(" Shall I book all four?").replace("$1,010.00", "$1,110.00")
    answer = chat.say(f"{items}\n\n{changed}")
    assert not {"BK-00000001", "BK-00000002"} & {one["booking_id"] for one in chat.approvals()}
    assert YES.search(answer) and "add up" not in answer


def test_who_is_asked_not_to_pay_a_booking_does_not():
    chat = Chat("neutral", bookings=BOOKINGS[:1])
    chat.say()
    chat.say(PLAN)
    answer = chat.say(
        "BK-00000001 was booked with a slip in a date of birth. I'll cancel it and book the same "
        "flight again. Is that all right with you? Please don't approve any payment for "
        "BK-00000001."
    )
    assert chat.approvals() == [] and YES.search(answer)


@pytest.mark.parametrize("condition", ("terse", "neutral", "generic"))
def test_who_has_dropped_out_is_not_played_back_as_somebody_who_comes(condition):
    chat = Chat(condition)
    chat.say()
    chat.say("What are the names of all travellers, please?")
    answer = chat.say(
        "Noted: 2 travellers; Isaac Bianchi is removed. Please confirm: do the budget of $1,500.00 "
        "and all other wishes remain?"
    )
    assert "Ruiz" not in answer


@pytest.mark.parametrize("condition", ("terse", "neutral"))
def test_what_a_question_sets_aside_is_not_said_again(condition):
    chat = told(OUTING, condition, "Does the price of the flights matter?")
    answer = chat.say("Any other wish besides the flights and the attraction that cost least?")
    assert "least together" not in answer and "cheapest" not in answer


def test_a_pointed_question_costs_no_patience_the_first_time():
    chat = Chat("impatient")
    chat.say()
    answer = ""
    for _ in range(12):
        if chat.state.get("warned"):
            break
        answer = chat.say("Which seats would you like?")
    assert chat.state["warned"] and "###STOP###" not in answer
    assert "###STOP###" not in chat.say("Is that for both flights, or only for the return?")


def test_who_is_told_which_card_is_there_adds_the_one_that_it_named():
    chat = Chat("terse", bookings=BOOKINGS)
    chat.say()
    chat.say(PLAN)
    answer = chat.say(
        "All is booked and pending. The only card registered is a Visa ending in 2343 "
        "(PM-11111111); the Visa ending in 4242 is not there yet. To pay with 4242, please add it "
        "first, then record an approval with it for each of the four bookings."
    )
    assert len(chat.approvals()) == len(BOOKINGS) and "other card" not in answer.casefold()
