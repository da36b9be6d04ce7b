"""How a rule-based user behaves beside its duties: no repeats, no absurd answers, a clear end."""

import pytest

from crab_graph.personas.behavior import behavior_of
from crab_graph.personas.breaches import is_approval
from crab_graph.personas.briefing import Fact
from crab_graph.personas.condition import PERSONAS, parse_condition, resolve
from crab_graph.personas.payment_habits import PaymentHabit, payment_habit
from crab_graph.personas.wordbook import phrase_book
from tests.personas.test_rules_user import (
    BASIC,
    BOOKINGS,
    BRIEFING,
    DETAILS,
    FACTS,
    PAY,
    PLAN,
    Chat,
)
from tests.travel_words import TRAVEL

VOICES = ["generic", *PERSONAS, "ruse"]
ALL_ASKED = (
    "Please tell me your customer id or email, all full names and dates of birth, at what time "
    "of day the outbound flight should leave, the seat position, the hotel's stars, the kind of "
    "attraction, your budget and which card you pay with."
)


def alone(condition="generic", seed=0):
    """Return a chat with a user who travels alone."""
    one = {"party_size": 1, "traveller_names": ["Leo Farrow"], "birth_dates": ["1976-11-01"]}
    facts = [Fact(fact.key, one.get(fact.key, fact.value), fact.level) for fact in FACTS]
    return Chat(
        condition, seed, briefing=TRAVEL.briefing(TRAVEL.slots, facts, "S1-001", "2027-01-10")
    )


def told_all(condition="neutral", seed=0):
    chat = Chat(condition, seed)
    chat.say()
    for _ in range(20):
        chat.say(ALL_ASKED)
        if {*chat.told(), "email"} == {*BASIC, *DETAILS}:
            return chat
    raise AssertionError(chat.told())


@pytest.mark.parametrize("condition", VOICES)
@pytest.mark.parametrize(
    "question",
    [
        "Noted. Is there anything else?",
        "Anything more you'd like from the trip, or is that all?",
        "Is there anything else I can help you with before I search?",
    ],
)
def test_when_all_is_said_anything_else_gets_a_clear_no(condition, question):
    chat = told_all(condition)
    assert "othing else" in chat.say(question)
    assert "email" not in chat.told("asked")


def test_the_email_is_told_when_it_is_asked_for():
    chat = told_all()
    assert "ana.ruiz@example.com" in chat.say("And what is your email address?")


def test_of_two_ways_to_say_who_one_is_one_is_enough():
    chat = Chat("neutral")
    chat.say()
    text = chat.say("Please give me your customer id or email, and all names.")
    assert "CU-20417" in text and "ana.ruiz@example.com" not in text
    other = Chat("neutral")
    other.say()
    text = other.say("Please give me your customer id and your email.")
    assert "CU-20417" in text and "ana.ruiz@example.com" in text


@pytest.mark.parametrize("condition", VOICES)
@pytest.mark.parametrize("seed", range(3))
def test_who_travels_alone_speaks_of_one(condition, seed):
    chat = alone(condition, seed)
    texts = [chat.say()]
    texts += [chat.say(ALL_ASKED) for _ in range(6)]
    texts.append(chat.say("What is your name and your date of birth?"))
    text = " ".join(texts)
    for plural in (" we ", "We ", " our ", "travellers", "order of the names", "dates of birth"):
        assert plural not in text, text
    assert "Leo Farrow" in text


@pytest.mark.parametrize("condition", VOICES)
def test_a_question_about_what_one_has_no_wish_for_is_not_answered_by_a_repeat(condition):
    chat = told_all(condition)
    before = list(chat.told())
    text = chat.say("Do you have a wish for the room type or the bed type?")
    assert chat.told() == before
    for value in ("star", "4242", "Ruiz", "aisle", "museum"):
        assert value not in text


@pytest.mark.parametrize("condition", VOICES)
def test_asked_again_the_user_says_that_it_said_so(condition):
    chat = told_all(condition)
    texts = [chat.say("How many stars should the hotel have?") for _ in range(2)]
    assert texts[0] != texts[1]
    assert all("4 stars" in text for text in texts)


@pytest.mark.parametrize("seed", range(6))
def test_thanks_and_doubt_come_before_a_complaint(seed):
    chat = Chat("impatient+d1+d2+d3+d4", seed)
    chat.say()
    text = chat.say(ALL_ASKED)
    for complaint in ("So many questions. Get to the point.", "That's far too many questions."):
        assert complaint not in text or text.endswith(complaint)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("condition", VOICES)
def test_nobody_asks_for_something_like_that_where_nothing_was_wished(condition, seed):
    chat = told_all(condition, seed)
    texts = [
        chat.say("Which card would you like to pay with?"),
        chat.say("Is there anything else?"),
        chat.say("And your customer id?"),
    ]
    assert not any(word in text for text in texts for word in ("like that", "oable", "that fits"))


def test_what_is_missing_is_named_in_the_right_number():
    one = {"booking_id": "BK-1", "entity_id": "FL-1", "status": "confirmed", "total": "1.00"}
    chat = told_all()
    chat.bookings = [one]
    text = chat.say("All done, everything is booked and paid. Is there anything else?")
    assert "return flight, hotel and attraction" in text
    assert (" is missing" not in text and "don't see" in text) or " are missing" in text


def warns(text):
    voices = phrase_book().phrases["warn"].values()
    return any(text.endswith(warning) for voice in voices for warning in voice)


@pytest.mark.parametrize("condition", VOICES)
def test_a_warning_comes_before_the_end_and_the_end_with_a_word(condition):
    chat = Chat(condition)
    chat.say()
    answers: list[str] = []
    while not (answers and "###" in answers[-1]):
        answers.append(chat.say("Please hold on, I am still searching."))
    assert [warns(answer) for answer in answers[-3:]] == [False, True, False]
    assert answers[-1].removesuffix("###STOP###").strip()


def test_who_moves_on_after_the_warning_is_not_left():
    chat = Chat("impatient")
    chat.say()
    answers = [chat.say("One moment, still searching.") for _ in range(2)]
    assert warns(answers[-1])
    assert "###" not in chat.say("What are the names and dates of birth of both of you?")
    assert "###" not in chat.say("One moment, still searching.")


def test_no_preference_is_progress_and_a_question_back_costs_no_patience():
    chat = told_all("impatient+d3")
    answers = [
        chat.say(question)
        for question in (
            "Which room type would you like?",
            "And which bed type?",
            "Which cabin would you like to sit in?",
            "At what time of day should the return flight leave?",
            "On which day should the attraction be?",
            "What is the airspeed of a swallow?",
            "What is the airspeed of a laden swallow?",
        )
    ]
    assert not any("###" in answer or warns(answer) for answer in answers)


ONE_PLAN = PLAN.removesuffix("Shall I book all four?")


@pytest.mark.parametrize(
    "question",
    [
        "Do you approve? I'll then book and charge it part by part.",
        "Do you approve this plan, paid with your Visa ending in 4242? Or is there another wish?",
        "The hotel can't be cancelled. Shall I go for it?",
        "Please note: the hotel cannot be cancelled later. Happy with this?",
        "Thumbs up?",
        "Shall I book this plan with AT-50811? Yes or no?",
    ],
)
@pytest.mark.parametrize("before", [False, True])
def test_a_plan_that_is_put_to_the_user_gets_a_yes(question, before):
    chat = told_all()
    if before:
        chat.say("Do you agree to FL-48213 on 2027-05-04 at 07:35 for $300.00?")
    assert is_approval(chat.say(ONE_PLAN + question))


@pytest.mark.parametrize(
    "request_",
    [
        "I see no card on your account yet, please add it so that we can pay with it later.",
        "Your Visa ending in 4242 isn't registered yet. Could you register it?",
        "Please add your Visa ending in 4242 and tell me its payment method id.",
        "About your Visa: could you please add it to the platform and tell me its id?",
    ],
)
def test_a_card_is_added_when_it_is_asked_for(request_):
    chat = told_all()
    text = chat.say(request_)
    assert ("add_payment_method_to_platform", {"card_id": "CD-2"}) in chat.private
    assert "PM-22222222" in text


def test_a_yes_and_a_card_are_asked_for_and_given_at_once():
    chat = told_all()
    text = chat.say(ONE_PLAN + "Is exactly this approved? Then please also add your Visa.")
    assert is_approval(text) and "added" in text
    text = chat.say(ONE_PLAN + "Do you agree to this plan? Which room type would you like?")
    assert is_approval(text)


def test_a_detail_never_told_is_news_and_no_reproach():
    chat = Chat("impatient+d4", seed=1)
    chat.say()
    text = chat.say(PLAN.replace("4 stars", "2 stars"))
    assert any(text.startswith(one) for one in phrase_book().phrases["adds_wish"]["plain"])
    again = chat.say(PLAN.replace("4 stars", "2 stars") + " Again: shall I book it?")
    assert any(again.startswith(one) for one in phrase_book().phrases["object_to"]["cross"])


def payer(habit, limits=("50.00", "5000.00"), condition="d4"):
    """Return a chat with a user who pays in a certain way, asked to pay for four bookings."""
    for seed in range(60):
        behavior = behavior_of(resolve(parse_condition(condition), seed, "S1-001", 0))
        if payment_habit(BRIEFING, behavior, seed) is habit:
            break
    cards = [
        {"card_id": "CD-1", "brand": "Visa", "last4": "1111", "payment_method_id": None},
        {"card_id": "CD-2", "brand": "Visa", "last4": "4242", "payment_method_id": None},
    ]
    cards = [card | {"limit": limit} for card, limit in zip(cards, limits, strict=True)]
    chat = Chat(condition, seed, bookings=BOOKINGS, cards=cards)
    chat.say()
    return chat


def test_some_approve_a_part_first_and_the_rest_with_the_next_turn():
    chat = payer(PaymentHabit.IN_PARTS)
    text = chat.say(PAY)
    assert [one["booking_id"] for one in chat.approvals()] == ["BK-00000001", "BK-00000002"]
    assert "BK-00000001 and BK-00000002" in text and "rest" in text
    text = chat.say("Thank you, I'll charge those two now.")
    assert [one["amount"] for one in chat.approvals()] == ["300.00", "280.00", "360.00", "70.00"]
    assert "rest" in text
    assert len({one["payment_method_id"] for one in chat.approvals()}) == 1
    chat.say("Thank you.")
    assert len(chat.approvals()) == 4


def test_the_rest_is_approved_when_it_is_asked_for_too():
    chat = payer(PaymentHabit.IN_PARTS)
    chat.say(PAY)
    chat.say("Please also approve BK-00000003 ($360.00) and BK-00000004 ($70.00).")
    assert [one["booking_id"] for one in chat.approvals()] == [b["booking_id"] for b in BOOKINGS]


@pytest.mark.parametrize(
    "declined",
    [
        "The charge of BK-00000001 failed. Please add another card, approve the payment with it "
        "and tell me the payment method id.",
        "I'm afraid your card was declined for BK-00000001, BK-00000002, BK-00000003, BK-00000004.",
    ],
)
def test_some_take_a_card_that_is_too_small_first_and_then_the_right_one(declined):
    chat = payer(PaymentHabit.OTHER_CARD)
    text = chat.say(PAY)
    added = [arguments["card_id"] for name, arguments in chat.private if name.startswith("add_")]
    assert added == ["CD-1"] and "1111" in text
    text = chat.say(declined)
    added = [arguments["card_id"] for name, arguments in chat.private if name.startswith("add_")]
    assert added == ["CD-1", "CD-2"] and "4242" in text and "limit" in text
    assert chat.approvals()[4]["booking_id"] == "BK-00000001"


@pytest.mark.parametrize("limits", [("5000.00", "5000.00")])
def test_no_other_card_is_tried_that_would_do_or_when_the_right_one_is_named(limits):
    for chat, request in (
        (payer(PaymentHabit.OTHER_CARD, limits), PAY),
        (payer(PaymentHabit.OTHER_CARD), f"{PAY} I mean your Visa ending in 4242."),
    ):
        assert "4242" in chat.say(request)


def test_a_list_of_options_or_of_bookings_is_no_play_back_to_object_to():
    chat = told_all("neutral+d4")
    for text in (
        "Noted. The flights:\n1. Bluefinch, $300.00 for both, out FL-48213, 08:05, aisle.\n"
        "2. Northbeam, $500.00 for both, out FL-48214, 09:05, aisle; also allows a 5-star hotel.\n"
        "Trip total: $1,417.00\nWhich one do you choose: 1 or 2?",
        "Your flights are booked for Ana Ruiz (1990-04-02) and Leo Ruiz (1988-11-23) and wait for "
        "payment: FL-48213 is BK-00000001, $300.00. Please approve BK-00000001 for $300.00.",
    ):
        answer = chat.say(text)
        assert not answer.startswith("No") and "quite right" not in answer
        assert "leave between" not in answer
