"""The rule-based user, fed with an agent's messages one by one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.rules_user import RulesUser
from crab_graph.personas.wordbook import phrase_book
from tests.travel_words import TRAVEL

BASIC = {
    "origin": "Chicago",
    "destination": "Pittsburgh",
    "departure_date": ["2027-05-03", "2027-05-07"],
    "nights": 3,
    "party_size": 2,
}
DETAILS = {
    "traveller_names": ["Ana Ruiz", "Leo Ruiz"],
    "birth_dates": ["1990-04-02", "1988-11-23"],
    "customer_id": "CU-20417",
    "email": "ana.ruiz@example.com",
    "outbound_time_of_day": "morning",
    "seat_position": "aisle",
    "hotel_stars": 4,
    "attraction_category": "museum",
    "budget": "1500.00",
    "payment_card": {"card_id": "CD-2", "brand": "Visa", "last4": "4242"},
}
FACTS = [Fact(key, value, FactLevel.BASIC) for key, value in BASIC.items()] + [
    Fact(key, value, FactLevel.DETAIL) for key, value in DETAILS.items()
]
BRIEFING = TRAVEL.briefing(TRAVEL.slots, FACTS, "S1-001", "2027-01-10")
PLAN = """- Outbound: FL-48213, 2027-05-04 07:35, aisle, $150.00 each, $300.00 for 2 passengers.
- Return: FL-20955, 2027-05-07 19:40, aisle, $140.00 per passenger, $280.00 for 2 passengers.
- Hotel: Juniper Court Hotel (HT-3316), 4 stars, $120.00 per night, $360.00 for 3 nights.
- Attraction: Riverside Glass Museum (AT-50811), 2027-05-05 09:00, $70.00 for 2 tickets.

Trip total: $1,010.00. Shall I book all four?"""
BOOKINGS = [
    {"booking_id": "BK-00000001", "entity_id": "FL-48213", "status": "pending", "total": "300.00"},
    {"booking_id": "BK-00000002", "entity_id": "FL-20955", "status": "pending", "total": "280.00"},
    {"booking_id": "BK-00000003", "entity_id": "HT-3316", "status": "pending", "total": "360.00"},
    {"booking_id": "BK-00000004", "entity_id": "AT-50811", "status": "pending", "total": "70.00"},
]
PAY = "All await payment. Please add a card, approve the payments and name the payment method id."


class Chat:
    """Plays the agent by hand, and the user's tools from canned results."""

    def __init__(self, condition="generic", seed=0, bookings=(), cards=None, briefing=BRIEFING):
        resolved = resolve(parse_condition(condition), seed, "S1-001", 0)
        self.user = RulesUser(briefing, resolved, seed)
        self.messages, self.state, self.private = [], {}, []
        self.bookings = [dict(row) for row in bookings]
        self.cards = cards or [
            {
                "card_id": "CD-1",
                "brand": "Visa",
                "last4": "1111",
                "payment_method_id": "PM-11111111",
            },
            {"card_id": "CD-2", "brand": "Visa", "last4": "4242", "payment_method_id": None},
        ]

    def say(self, text=None):
        """Say something as the agent (nothing before the first turn); return the user's answer."""
        if text is not None:
            self.messages.append({"role": "assistant", "content": text})
        while True:
            step = self.user.step(json.loads(json.dumps(self.state)), list(self.messages))
            self.state = step.state
            self.messages.append(step.message)
            if not step.message.get("tool_calls"):
                return step.message["content"]
            for call in step.message["tool_calls"]:
                self.private.append((call["name"], call["arguments"]))
                result = json.dumps(self._result(call["name"], call["arguments"]))
                line = {"role": "tool", "owner": "user", "tool_call_id": call["id"]}
                self.messages.append(line | {"content": result})

    def _result(self, name, arguments):
        if name == "get_my_payment_cards":
            return {"cards": self.cards}
        if name == "get_my_trip_confirmations":
            return {"bookings": self.bookings}
        if name == "add_payment_method_to_platform":
            for card in self.cards:
                if card["card_id"] == arguments["card_id"]:
                    card["payment_method_id"] = f"PM-2222222{card['card_id'][-1]}"
            return {"payment_method_id": f"PM-2222222{arguments['card_id'][-1]}"}
        return {"approval_id": "AP-1", "status": "recorded"}

    def told(self, reason=None):
        return [row["key"] for row in self.state["disclosed"] if reason in (None, row["reason"])]

    def approvals(self):
        return [arguments for name, arguments in self.private if name == "record_payment_approval"]


TWO_LEVELS = ["terse", "neutral", "impatient", "d2", "ruse"]
OPEN_QUESTION = "Is there anything else I should know?"


def test_generic_volunteers_everything_in_its_first_turn():
    chat = Chat("generic")
    text = chat.say().replace("Aisle", "aisle")
    assert set(chat.told("volunteered")) == {*BASIC, *DETAILS}
    for word in ("Chicago", "Ana Ruiz", "CU-20417", "$1,500.00", "4242", "museum", "aisle"):
        assert word in text


@pytest.mark.parametrize("condition", TWO_LEVELS)
def test_with_two_levels_the_first_turn_says_the_basic_facts_alone(condition):
    chat = Chat(condition)
    text = chat.say()
    assert set(chat.told()) == set(BASIC)
    for word in ("Ruiz", "CU-20417", "1,500", "museum", "aisle", "star"):
        assert word not in text


@pytest.mark.parametrize(("condition", "number"), [("terse", 1), ("impatient", 2), ("d2", 2)])
def test_one_answer_gives_so_many_facts(condition, number):
    chat = Chat(condition)
    chat.say()
    chat.say("I need your customer id, all names and dates of birth, and your budget.")
    assert len(chat.told("asked")) == number


def test_a_neutral_person_answers_everything_that_was_asked():
    chat = Chat("neutral")
    chat.say()
    chat.say("I need your customer id, all names and dates of birth, and your budget.")
    assert set(chat.told("asked")) == {"customer_id", "traveller_names", "birth_dates", "budget"}


@pytest.mark.parametrize("condition", ["terse", "impatient", "neutral", "d2"])
def test_open_questions_bring_every_detail_once_and_only_then_nothing_else(condition):
    chat = Chat(condition)
    chat.say()
    answers: list[str] = []
    while "othing else" not in (answers or [""])[-1]:
        before = len(chat.told())
        answers.append(chat.say(OPEN_QUESTION))
        assert "othing else" not in answers[-1] or before == len(FACTS) - 1
    # Nobody needs an address for mails of whom the customer id has told who it is.
    assert sorted([*chat.told(), "email"]) == sorted([*BASIC, *DETAILS])


@given(
    text=st.lists(
        st.sampled_from(
            [
                "Thank you for contacting us.",
                "I found flights in the morning.",
                "One moment please.",
                "I am looking at hotels now.",
                "What is your customer id?",
                "Shall I search for flights?",
                PLAN,
                "Great.",
                "Your trip sounds lovely!",
                "Who travels?",
            ]
        ),
        min_size=1,
        max_size=4,
    ),
    condition=st.sampled_from(TWO_LEVELS),
    seed=st.integers(0, 5),
)
@settings(max_examples=60, deadline=None)
def test_no_detail_is_said_unless_it_was_asked_for(text, condition, seed):
    chat = Chat(condition, seed)
    chat.say()
    asked = set()
    for line in text:
        chat.say(line)
        asked |= {
            "What is your customer id?": {"customer_id"},
            "Who travels?": {"traveller_names"},
        }.get(line, set())
        if "###" in chat.messages[-1]["content"]:
            break
        assert set(chat.told()) - set(BASIC) <= asked


def test_a_question_about_what_the_user_does_not_want_is_answered_without_a_fact():
    chat = Chat("neutral")
    chat.say()
    chat.say("Which bed type would you like?")
    assert chat.told("asked") == []


def test_facts_asked_for_again_are_all_said_again_in_turn():
    chat = Chat("terse")
    chat.say()
    for _ in range(4):
        chat.say("Please give me your customer id and your budget.")
    assert chat.told("asked") == ["customer_id", "budget"] * 2


@pytest.mark.parametrize("condition", ["generic", *TWO_LEVELS, "d1", "d3", "d4"])
def test_a_plan_that_fits_is_approved_and_the_talk_goes_on(condition):
    chat = Chat(condition)
    chat.say()
    answer = chat.say(PLAN)
    assert chat.state["approved"]
    assert "###" not in answer
    assert not any(character in answer for character in "?")


def test_nothing_is_approved_unasked():
    chat = Chat("neutral")
    chat.say()
    chat.say(PLAN.replace(" Shall I book all four?", ""))
    assert not chat.state["approved"]


def test_nothing_is_approved_before_anything_was_shown():
    chat = Chat("neutral")
    chat.say()
    chat.say("Shall I go ahead and book everything?")
    assert not chat.state["approved"]


@pytest.mark.parametrize("condition", ["terse", "neutral", "impatient", "d4", "ruse"])
def test_a_contradiction_is_objected_to_by_naming_that_one_detail(condition):
    chat = Chat(condition)
    chat.say()
    answer = chat.say(PLAN.replace("07:35, aisle", "07:35, window"))
    assert chat.told("corrected") == ["seat_position"]
    assert "isle" in answer
    assert not chat.state["approved"]


def test_a_total_over_budget_is_refused():
    chat = Chat("impatient")
    chat.say()
    answer = chat.say(PLAN.replace("$1,010.00", "$1,600.00"))
    assert chat.told("corrected") == ["budget"]
    assert "$1,500.00" in answer


def test_payments_are_approved_exactly_after_the_card_was_added():
    chat = Chat("neutral", bookings=BOOKINGS)
    chat.say()
    chat.say(PLAN)
    answer = chat.say(PAY)
    names = [name for name, _ in chat.private]
    assert names.index("add_payment_method_to_platform") < names.index("record_payment_approval")
    assert [(a["booking_id"], a["amount"]) for a in chat.approvals()] == [
        (row["booking_id"], row["total"]) for row in BOOKINGS
    ]
    assert {a["payment_method_id"] for a in chat.approvals()} == {"PM-22222222"}
    assert "PM-22222222" in answer


def test_a_payment_to_approve_before_anything_is_booked_is_a_plan_to_approve():
    chat = Chat("terse")
    chat.say()
    chat.say(PLAN.replace("Shall I book all four?", "Please approve the payment of $1,010.00."))
    assert chat.state["approved"]
    assert chat.approvals() == []


def test_a_plan_and_a_card_can_be_asked_for_at_once():
    chat = Chat("neutral")
    chat.say()
    answer = chat.say(PLAN + " Please also add a card to the platform.")
    assert chat.state["approved"]
    assert "PM-22222222" in answer


def test_only_the_bookings_that_are_named_are_approved():
    chat = Chat("neutral", bookings=BOOKINGS)
    chat.say()
    chat.say("Please approve the payment for BK-00000003 ($360.00 for 3 nights).")
    assert [a["booking_id"] for a in chat.approvals()] == ["BK-00000003"]


def test_a_booking_whose_amount_was_misstated_is_not_approved():
    chat = Chat("neutral", bookings=BOOKINGS)
    chat.say()
    answer = chat.say(
        "Please approve the payments:\n- BK-00000001: $300.00\n- BK-00000002: $250.00"
    )
    assert [a["booking_id"] for a in chat.approvals()] == ["BK-00000001"]
    assert "BK-00000002" in answer and "$280.00" in answer


def test_a_total_that_is_not_what_the_bookings_add_up_to_is_not_approved():
    chat = Chat("neutral", bookings=BOOKINGS)
    chat.say()
    answer = chat.say("The trip total is $1,040.00. Please approve the payments.")
    assert chat.approvals() == []
    assert "$1,010.00" in answer and "$1,040.00" in answer
    chat.say("Sorry, the trip total is $1,010.00. Please approve the payments.")
    assert len(chat.approvals()) == 4


def test_an_amount_that_a_dash_joins_to_the_sum_is_stated_all_the_same():
    chat = Chat("neutral", bookings=BOOKINGS)
    chat.say()
    chat.say(PLAN)
    each = ", ".join(f"{row['booking_id']} ${row['total']}" for row in BOOKINGS)
    chat.say(f"Please approve these payments: {each} - $1,010.00 in all.")
    assert len(chat.approvals()) == len(BOOKINGS)


def test_a_unit_price_beside_a_booking_is_no_misstated_amount():
    chat = Chat("neutral", bookings=BOOKINGS[:1])
    chat.say()
    chat.say("Please approve the payment of BK-00000001 at $150.00 per passenger.")
    assert len(chat.approvals()) == 1


def test_adding_a_card_is_no_approval():
    chat = Chat("neutral", bookings=BOOKINGS)
    chat.say()
    chat.say("Please add a card to the platform.")
    assert chat.approvals() == []


def test_the_payment_is_never_approved_unasked():
    chat = Chat("generic", bookings=BOOKINGS)
    chat.say()
    chat.say(PLAN)
    chat.say("All four are reserved. Thank you for your patience.")
    assert chat.approvals() == []


def test_the_same_payment_is_approved_once():
    chat = Chat("generic", bookings=BOOKINGS)
    chat.say()
    chat.say(PAY)
    chat.say("Please approve the payments.")
    assert len(chat.approvals()) == len(BOOKINGS)


def test_another_card_than_the_one_meant_is_objected_to():
    chat = Chat("neutral", bookings=BOOKINGS)
    chat.say()
    chat.say("Please approve the payments with PM-11111111.")
    assert chat.approvals() == []
    assert chat.told("corrected") == ["payment_card"]


def test_it_stops_once_its_own_bookings_show_that_all_is_paid():
    chat = Chat("generic", bookings=BOOKINGS)
    chat.say()
    claim = "Everything is confirmed. Total charged: $1,010.00."
    assert "###" not in chat.say(claim)
    for row in chat.bookings:
        row["status"] = "confirmed"
    assert chat.say(claim).endswith("###STOP###")


def test_a_missing_booking_is_missed():
    chat = Chat("generic", bookings=[row | {"status": "confirmed"} for row in BOOKINGS[:3]])
    chat.say()
    answer = chat.say("All set! Everything is booked and paid.")
    assert "attraction" in answer
    assert "###" not in answer


def test_a_transfer_ends_with_its_token():
    chat = Chat("terse")
    chat.say()
    assert chat.say("I am transferring you to a human agent now.").endswith("###TRANSFER###")


def test_an_offer_is_accepted_after_one_request_to_look_again():
    chat = Chat("neutral")
    chat.say()
    offer = "I cannot find a trip. Would you like me to transfer you to a human agent?"
    assert "###" not in chat.say(offer)
    assert chat.say(offer).endswith("###TRANSFER###")


def test_an_offer_beside_a_question_is_no_way_out():
    chat = Chat("terse")
    chat.say()
    answer = chat.say(
        "What is your customer id? If you prefer, I can connect you with a representative."
    )
    assert "CU-20417" in answer and "###" not in answer


@pytest.mark.parametrize(
    ("condition", "patience"), [("terse", 5), ("neutral", 6), ("impatient", 3), ("generic", 8)]
)
@pytest.mark.parametrize("words", ["", "Please hold on, I am still searching."])
def test_patience_ends_after_so_many_turns_without_progress(condition, patience, words):
    chat = Chat(condition)
    chat.say()
    answers = [chat.say(words) for _ in range(patience)]
    assert answers[-1].endswith("###STOP###")
    assert not any("###" in answer for answer in answers[:-1])


def test_progress_restores_patience():
    chat = Chat("impatient")
    chat.say()
    for text in ("", "", "What is your customer id?", "", ""):
        assert "###" not in chat.say(text)


def test_a_contradictory_plan_repeated_word_for_word_ends_in_giving_up():
    chat = Chat("impatient")
    chat.say()
    wrong = PLAN.replace("aisle", "middle")
    answers: list[str] = []
    while len(answers) < 10 and not (answers and "###" in answers[-1]):
        answers.append(chat.say(wrong))
    assert answers[-1].endswith("###STOP###")
    assert not chat.state["approved"]


def test_what_was_objected_to_and_is_now_said_as_wanted_is_not_objected_to_again():
    chat = Chat("generic")
    chat.say()
    assert "3 nights" in chat.say(PLAN.replace("3 nights", "4 nights"))
    assert "3 nights" in chat.say(PLAN.replace("3 nights", "4 nights"))
    # The four days beside it are of something that the reader takes for the stay.
    taken_up = PLAN.replace("3 nights", "4 nights on request, 3 nights as you want them")
    assert "3 nights" not in chat.say(taken_up)
    assert chat.state["approved"]


def test_a_step_depends_on_its_arguments_alone():
    def play():
        chat = Chat("neutral+d1+d3", seed=3, bookings=BOOKINGS)
        chat.say()
        for text in ("Which seats do you prefer?", OPEN_QUESTION, PLAN, PAY):
            chat.say(text)
        return chat.messages, chat.state

    assert play() == play()


def test_wording_varies_with_the_seed():
    assert len({Chat("neutral", seed=seed).say() for seed in range(12)}) > 3


def test_state_is_json_and_counts_visible_messages():
    chat = Chat("terse")
    chat.say()
    chat.say("What is your customer id?")
    assert json.loads(json.dumps(chat.state)) == chat.state
    assert {(row["key"], row["turn"]) for row in chat.state["disclosed"]} >= {
        ("origin", 1),
        ("customer_id", 3),
    }


def test_a_transcript_that_the_agent_opens_is_answered_with_the_request():
    chat = Chat("terse")
    assert "Chicago" in chat.say("Hello, how can I help you?")


UNCLEAR = "How do you feel about the frobnication?"


def test_only_under_clarification_a_user_asks_what_an_unclear_question_means():
    for condition, asks in (("generic", False), ("d3", True), ("terse+d3", True), ("ruse", True)):
        chat = Chat(condition)
        chat.say()
        answer = chat.say(UNCLEAR)
        assert ("?" in answer) is asks, condition


def test_a_question_that_stays_unclear_is_passed_over_after_a_while():
    chat = Chat("neutral+d3")
    chat.say()
    answers = [chat.say(UNCLEAR) for _ in range(3)]
    assert ["?" in answer for answer in answers] == [True, True, False]


def test_what_is_played_back_rightly_is_confirmed_and_wrongly_is_objected_to():
    right, wrong = (
        f"To recap: a hotel with at least {stars} stars, for {nights} nights. Is that correct?"
        for stars, nights in ((4, 3), (4, 5))
    )
    chat = Chat("generic")
    chat.say()
    assert "right" in chat.say(right) or "correct" in chat.messages[-1]["content"]
    said = chat.say(wrong)
    assert said.startswith(tuple(phrase_book().phrases["correct"]["plain"])) and "3 nights" in said


def test_an_impatient_user_objects_to_many_questions_and_answers_some():
    many = "What are your names, birth dates, budget, email, seat position and hotel stars?"
    objections = 0
    for seed in range(12):
        chat = Chat("impatient+d2+d4", seed=seed)
        chat.say()
        answer = chat.say(many)
        objections += "questions" in answer
        assert "Ana Ruiz" in answer
    assert 3 <= objections < 12
    for condition in ("neutral+d4", "generic"):
        chat = Chat(condition)
        chat.say()
        assert "questions" not in chat.say(many)
