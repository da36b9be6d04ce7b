"""Errors of the user: for each conjunct two talks that differ in it alone, one on each side."""

import re

import pytest

from crab_graph.domain.verification import Role
from crab_graph.eval import invented_demands
from crab_graph.eval.false_yes import says_yes
from crab_graph.eval.invented_demands import without_leading_no
from crab_graph.eval.passed_over import passed_over
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.user_endings import ending_errors
from crab_graph.eval.user_errors import asks_yes_or_no, recorded_errors, says_yes_or_no
from crab_graph.eval.user_facts import UserConduct
from crab_graph.eval.user_payments import payment_errors
from crab_graph.eval.verdict import grade
from crab_graph.text.utterance import read_message
from tests.eval.builders import BACK, OUT, OUT_MIDDAY, SMALL_CARD, Plan, Script, flight, graded
from tests.eval.tapes import adding, changing, edited, short_episode, tape_of, update

_SILENT = ("plays_agent", "says_nothing", "reveals_instructions")


def errors(script, code, conduct=None):
    verdict = grade(script.task, script.messages, conduct=conduct)
    return [one for one in verdict.metrics["user_errors"] if one["code"] == code]


def count(script, code, conduct=None):
    return len(errors(script, code, conduct))


# --- U8


@pytest.mark.parametrize(
    ("text", "is_yes"),
    [
        ("Yes.", True),
        ("That's right.", True),
        ("YES, perfect", True),
        ("Yes, but not at night.", False),
        ("No, that's wrong.", False),
        ("Midday.", False),
        ("Hm.", False),
    ],
)
def test_what_says_yes_says_nothing_against_it(text, is_yes):
    assert says_yes(text) is is_yes


MIDDAY = "So you want to fly out around midday, right?"
PLANNED = f"Outbound flight {OUT_MIDDAY} at midday, economy aisle, $240.00 for 2."
AND_BACK = f"{MIDDAY} Shall I book {BACK}?"
YES = "u: Yes, that's right."
HELLO = "u: A trip from Chicago to Pittsburgh."
KNOWN = UserConduct(None, {"origin": 1})


def said_yes(*lines, flights=(OUT_MIDDAY,), conduct=KNOWN):
    return count(short_episode(*lines, flights=flights), "U8", conduct)


@pytest.mark.parametrize(
    ("lines", "flights", "found"),
    [
        ((HELLO, MIDDAY, YES, "book"), (OUT_MIDDAY,), 1),
        ((HELLO, MIDDAY, "u: No.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, MIDDAY, "u: Hm.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, "So you fly out in the morning, right?", YES, "book"), (OUT_MIDDAY,), 0),
        ((HELLO, MIDDAY, YES), (), 0),
        ((HELLO, "book", MIDDAY, YES), (OUT_MIDDAY,), 0),
        ((HELLO, MIDDAY, YES, "book"), (BACK,), 0),
        ((HELLO, MIDDAY, YES, MIDDAY, YES, "book"), (OUT_MIDDAY,), 1),
        ((HELLO, MIDDAY, "u: Yes, the outbound flight in the morning.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, MIDDAY, "u: Yes, in the morning.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, MIDDAY, "u: Yes, around midday.", "book"), (OUT_MIDDAY,), 1),
        (("u: Outbound in the morning.", MIDDAY, YES, "book"), (OUT_MIDDAY,), 0),
        ((HELLO, "So you stay 4 nights, right?", YES, "book"), (OUT_MIDDAY,), 1),
        ((HELLO, f"{PLANNED} Shall I book it?", "u: Book it, please.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, PLANNED, "u: Fine.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, AND_BACK, "u: Go ahead.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, AND_BACK, "u: Yes.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, "You want to fly out around midday.", "u: Yes.", "book"), (OUT_MIDDAY,), 0),
        (
            (
                *(HELLO, "So you want a 5-star hotel, right?", YES),
                *("So you want to fly out around midday, right?", YES, "book"),
            ),
            (OUT_MIDDAY,),
            1,
        ),
        (
            (
                *(HELLO, MIDDAY, YES, "So you want to fly back at night, right?", YES),
                *("book", "book"),
            ),
            (OUT_MIDDAY, BACK),
            2,
        ),
    ],
)
def test_a_false_yes_is_one_before_the_booking_it_is_about(lines, flights, found):
    assert said_yes(*lines, flights=flights) == found


@pytest.mark.parametrize(
    ("settled", "found"),
    [
        ({}, 1),
        ({"outbound_time_of_day": 1}, 0),
        ({"outbound_time_of_day": 2}, 1),
        ({"outbound_time_of_day": 9}, 1),
        ({"return_time_of_day": 1}, 1),
    ],
)
def test_what_was_given_before_the_booking_makes_a_yes_no_error(settled, found):
    conduct = UserConduct(None, {"origin": 1}, settled=settled)
    assert said_yes(HELLO, MIDDAY, YES, "book", conduct=conduct) == found


def test_what_was_given_after_the_booking_came_too_late():
    lines = (HELLO, MIDDAY, YES, "book", "Anything else?", "u: I told you.", "Good.")
    late = UserConduct(None, {"origin": 1}, settled={"outbound_time_of_day": 5})
    assert said_yes(*lines, conduct=late) == 1
    early = UserConduct(None, {"origin": 1}, settled={"outbound_time_of_day": 3})
    assert said_yes(*lines, conduct=early) == 0


@pytest.mark.parametrize(("overlooks", "fault"), [(False, "user"), (True, "agent")])
def test_who_may_overlook_errors_is_not_blamed_for_them(overlooks, fault):
    script = Plan().swapped(flight("outbound", OUT_MIDDAY)).write()
    script.messages[0]["content"] = HELLO[3:]
    script.messages.insert(1, {"role": "assistant", "content": MIDDAY})
    script.messages.insert(2, {"role": "user", "content": YES[3:]})
    conduct = UserConduct(None, {"origin": 1}, overlooks=overlooks)
    assert count(script, "U8", conduct) == 1
    assert grade(script.task, script.messages, conduct=conduct).fault == fault


def test_without_a_record_a_false_yes_is_seen_too():
    assert said_yes(HELLO, MIDDAY, YES, "book", conduct=None) == 1


# --- U4 and U5

ASKS = "Which day do you leave?"
OTHER = "What is your budget?"
BUDGET = "Do you have a budget?"
PART = "What time of day do you want to fly out?"
MANY = "Which stars, room type, bed type, seat type and seat position, and what budget?"


@pytest.mark.parametrize(
    ("lines", "ending", "found"),
    [
        ((HELLO, ASKS), "Bye. ###STOP###", 1),
        ((HELLO, ASKS), "Bye. ###TRANSFER###", 1),
        ((HELLO, ASKS), "Bye.", 0),
        ((HELLO, ASKS), "Bye. ###OUT-OF-SCOPE###", 0),
        ((HELLO, "I am sorry, I cannot do that. " + ASKS), "Bye. ###STOP###", 0),
        ((HELLO, "Shall I connect you with a human agent?"), "Bye. ###STOP###", 0),
        ((HELLO, "transfer", ASKS), "Bye. ###STOP###", 0),
        ((HELLO, "Good to know."), "Bye. ###STOP###", 1),
        ((HELLO, ASKS, "u: On 3 May.", OTHER), "Bye. ###STOP###", 1),
        ((HELLO, ASKS, "u: On 3 May.", ASKS), "Bye. ###STOP###", 0),
        ((HELLO, ASKS, "u: On 3 May.", "Good to know."), "Bye. ###STOP###", 0),
        ((HELLO, ASKS, "u: On 3 May.", "Please tell me more."), "Bye. ###STOP###", 1),
        ((HELLO, ASKS, "u: On 3 May.", "Can I help you with anything?"), "Bye. ###STOP###", 0),
        ((HELLO, ASKS, "u: On 3 May.", "book", ASKS), "Bye. ###STOP###", 1),
        ((HELLO, "book", ASKS, "u: On 3 May.", ASKS), "Bye. ###STOP###", 0),
        ((HELLO, ASKS, "u: On 3 May.", "book", "Good.", "u: Hm.", ASKS), "Bye. ###STOP###", 0),
        ((HELLO, ASKS, "u: On 3 May.", "Good.", "u: Hm.", "book", ASKS), "Bye. ###STOP###", 1),
        ((HELLO, ASKS, "u: Hm.", f"The flight is booked. {OTHER}"), "Bye. ###STOP###", 1),
        ((HELLO, ASKS, "u: Hm.", "The flight is booked. Anything else?"), "Bye. ###STOP###", 0),
        ((HELLO, "u: Hm.", ASKS), "Bye. ###STOP###", 1),
        ((HELLO, "u: Hm.", "Good to know."), "Bye. ###STOP###", 0),
    ],
)
def test_who_ends_too_early(lines, ending, found):
    assert count(short_episode(*lines, ending=ending), "U4") == found


def test_a_finished_job_may_be_ended_whatever_is_asked():
    asking = Plan(
        closing="Everything is confirmed. Total charged: $1,010.00. Which seat do you like?"
    )
    assert [one["code"] for one in graded(asking).metrics["user_errors"]] == []


@pytest.mark.parametrize(("patience", "found"), [(1, 0), (2, 0), (3, 0), (4, 1), (9, 1)])
def test_a_user_whose_patience_has_run_out_may_end(patience, found):
    lines = (HELLO, "Hm.", "u: Hm.", "Well.", "u: Well.", "Please tell me more.")
    conduct = UserConduct(None, {"origin": 1}, patience=patience)
    script = short_episode(*lines, ending="Enough. ###STOP###")
    assert count(script, "U4", conduct) == found


@pytest.mark.parametrize(("consent", "found"), [("Yes, book it.", 1), ("Hm.", 0)])
def test_a_yes_moves_on_what_was_at_a_standstill(consent, found):
    asked = f"Shall I book {OUT}?"
    lines = (
        HELLO,
        *(asked, "u: Hm.", asked, f"u: {consent}"),
        *("Well.", "u: Well.", "Please tell me more."),
    )
    conduct = UserConduct(None, {"origin": 1}, patience=3)
    script = short_episode(*lines, ending="Enough. ###STOP###")
    assert count(script, "U4", conduct) == found


IDLE, MORE = ("Hm.", "u: Hm.", "Well.", "u: Well."), "Please tell me more."


@pytest.mark.parametrize(
    ("lines", "patience", "found"),
    [
        ((HELLO, *IDLE), 3, 0),
        ((HELLO, *IDLE[:2], "book", *IDLE[2:]), 3, 1),
        ((HELLO, *IDLE[:3], "pay", IDLE[3]), 3, 1),
        ((HELLO, *IDLE[:2], f"{OUT} is free.", IDLE[3]), 3, 1),
        ((HELLO, "Hm.", "u: Hm?", *IDLE[2:]), 3, 1),
        ((HELLO, *(f"{OUT} is free.", "u: Hm.") * 3), 3, 0),
        ((HELLO, f"{OUT} is free.", "u: Hm.", f"{BACK} is free.", "u: Hm.", "Ok.", "u: Hm."), 3, 1),
        (("book", *IDLE), 3, 1),
        (("book", *IDLE), 2, 0),
    ],
)
def test_what_is_done_moves_on_what_was_at_a_standstill(lines, patience, found):
    conduct = UserConduct(None, {"origin": 1}, patience=patience)
    script = short_episode(*lines, MORE, ending="Enough. ###STOP###")
    assert count(script, "U4", conduct) == found


@pytest.mark.parametrize(("number", "found"), [(1, 0), (3, 1)])
def test_what_a_record_says_was_told_moves_on_what_was_at_a_standstill(number, found):
    conduct = UserConduct(None, {"origin": 1, "email": number}, patience=3)
    script = short_episode(HELLO, *IDLE, MORE, ending="Enough. ###STOP###")
    assert count(script, "U4", conduct) == found


AGAIN = "You leave around midday, correct?"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("Hm.", "u: Hm.", MIDDAY), 1),
        ((MIDDAY, "u: Hm.", AGAIN), 0),
        ((MIDDAY, "u: Hm.", "Hm.", "u: Hm.", AGAIN), 0),
        ((MIDDAY, "u: Hm.", AGAIN, "u: Hm.", MORE), 1),
    ],
)
def test_who_may_overlook_errors_leaves_over_one_that_is_repeated(lines, found):
    script = short_episode(HELLO, *lines, ending="Enough. ###STOP###")
    for overlooks in (False, True):
        conduct = UserConduct(None, {"origin": 1}, overlooks=overlooks, patience=9)
        assert count(script, "U4", conduct) == (found if overlooks else 1)


@pytest.mark.parametrize(("turns", "found"), [(1, 1), (2, 0), (3, 0)])
def test_who_hears_nothing_may_end_but_not_at_once(turns, found):
    script = Script()
    for _ in range(turns):
        script.user("Hm.")
    script.user("###STOP###")
    assert count(script, "U4") == found


@pytest.mark.parametrize(
    ("lines", "ending", "found"),
    [
        ((HELLO, "Hm."), "###OUT-OF-SCOPE###", 1),
        ((HELLO, "Hm."), "###STOP###", 0),
        ((HELLO, "Hm."), "###TRANSFER###", 1),
        ((HELLO, "I can connect you with a human agent.", "u: Hm.", "Hm."), "###TRANSFER###", 0),
        ((HELLO, "transfer", "Hm."), "###TRANSFER###", 0),
        ((HELLO, "Hm."), "Bye.", 0),
    ],
)
def test_who_ends_in_the_wrong_way(lines, ending, found):
    found_errors = errors(short_episode(*lines, ending=ending), "U5")
    assert len(found_errors) == found
    assert all(
        one["message"] == len([line for line in lines if line != "transfer"]) + 1
        for one in found_errors
    )


# --- U6


class Desk:
    """An outbound flight for $300.00 that is booked, with the first card on the platform."""

    def __init__(self, card=True):
        self.script = Script()
        self.booking = self.script.book(flight("outbound", OUT))
        self.method = self.script.add_card() if card else ""

    def asked(self, text):
        self.script.agent(text.format(booking=self.booking, method=self.method))

    def answered(self, text):
        self.script.user(text)

    def texts(self):
        self.script.user("Bye. ###STOP###")
        return [one["text"] for one in errors(self.script, "U6")]


APPROVE = "Please approve $300.00 for {booking} with {method}."


@pytest.mark.parametrize(
    ("by_user", "found"), [(True, []), (False, ["claimed a card that it had not added"])]
)
def test_what_the_agent_does_before_an_answer_is_no_deed_of_the_user(by_user, found):
    desk = Desk(card=False)
    desk.asked("Please add your card.")
    if by_user:
        desk.script.add_card()
    else:
        desk.script.book(flight("return", BACK))
    desk.answered("Done.")
    assert desk.texts() == found


@pytest.mark.parametrize(
    ("request_text", "cents", "found"),
    [
        (APPROVE, 300_00, None),
        (APPROVE, 299_00, "amount"),
        ("Please approve $299.00 for {booking} with {method}.", 300_00, None),
        ("Please approve $299.00 for {booking} with {method}.", 299_00, None),
        ("Please approve {booking} with {method}.", 299_00, None),
        ("The weather is fine, it is $300.00.", 299_00, None),
        ("Please approve $300.00 with {method}.", 300_00, None),
    ],
)
def test_an_approval_of_another_amount_than_asked_and_due(request_text, cents, found):
    desk = Desk()
    desk.asked(request_text)
    desk.script.approve(desk.booking, desk.method, cents)
    desk.answered("Approved.")
    assert desk.texts() == ([f"approved another {found} for {desk.booking}"] if found else [])


@pytest.mark.parametrize(
    ("request_text", "other", "found"),
    [
        (APPROVE, False, None),
        (APPROVE, True, "method"),
        ("Please approve $300.00 for {booking}.", True, None),
        ("Please approve $300.00 for {booking} with PM-00000001.", True, None),
    ],
)
def test_an_approval_of_another_method_than_asked(request_text, other, found):
    desk = Desk()
    method = desk.script.add_card(SMALL_CARD) if other else desk.method
    desk.asked(request_text)
    desk.script.approve(desk.booking, method, 300_00)
    desk.answered("Approved.")
    assert desk.texts() == ([f"approved another {found} for {desk.booking}"] if found else [])


def test_an_approval_before_the_request_or_after_the_answer_is_not_of_it():
    for place in ("before", "after"):
        desk = Desk()
        if place == "before":
            desk.script.approve(desk.booking, desk.method, 299_00)
        desk.asked(APPROVE)
        desk.answered("Wait.")
        if place == "after":
            desk.script.approve(desk.booking, desk.method, 299_00)
        assert desk.texts() == []


@pytest.mark.parametrize(
    ("request_text", "answer", "does", "claims"),
    [
        (APPROVE, "Approved.", False, True),
        (APPROVE, "Approved.", True, False),
        (APPROVE, "Not approved.", False, False),
        (APPROVE, "Is it approved?", False, False),
        (APPROVE, "Hm.", False, False),
        ("The weather is fine.", "Approved.", False, False),
    ],
)
def test_who_claims_an_approval_that_was_not_given(request_text, answer, does, claims):
    desk = Desk()
    desk.asked(request_text)
    if does:
        desk.script.approve(desk.booking, desk.method, 300_00)
    desk.answered(answer)
    assert desk.texts() == (["claimed an approval not given"] if claims else [])


def test_nothing_waits_for_an_approval_that_is_approved_paid_or_cancelled():
    for then in ("approved", "paid", "cancelled", "waiting"):
        desk = Desk()
        if then == "approved":
            desk.script.approve(desk.booking, desk.method, 300_00)
        elif then == "paid":
            desk.script.charge(desk.booking, desk.method)
        elif then == "cancelled":
            desk.script.call("cancel_flight", booking_id=desk.booking)
        desk.asked(APPROVE)
        desk.answered("Approved.")
        assert bool(desk.texts()) is (then == "waiting"), then


@pytest.mark.parametrize(
    ("card", "does", "answer", "claims"),
    [
        (False, "late", "I have added the card.", True),
        (True, "late", "I have added the card.", False),
        (False, False, "I have added the card.", True),
        (False, True, "I have added the card.", False),
        (True, False, "I have added the card.", False),
        (False, False, "I have not added the card.", False),
        (False, False, "Hm.", False),
    ],
)
def test_who_claims_a_card_that_was_not_added(card, does, answer, claims):
    desk = Desk(card=card)
    desk.asked("Please add your card to the platform.")
    if does is True:
        desk.script.add_card()
    desk.answered(answer)
    if does == "late":
        desk.script.add_card(SMALL_CARD)
    assert desk.texts() == (["claimed a card that it had not added"] if claims else [])


def approved_elsewhere(asked=APPROVE, **values):
    """An approval of something that is not as the tools would have it; U6 of the answer to it."""
    desk = Desk()
    desk.asked(asked)
    desk.script.approve(desk.booking, desk.method, 300_00)
    desk.answered("Approved.")
    tape = edited(tape_of(desk.script), changing("approvals", **values))
    return [one.text for one in payment_errors(lay_out(read_task(desk.script.task), tape))]


def test_an_approval_of_nothing_known_is_of_another_booking_and_approves_none():
    assert approved_elsewhere() == []
    texts = ["approved another booking for BK-9"]
    assert approved_elsewhere(booking_id="BK-9") == texts


@pytest.mark.parametrize(("dollars", "found"), [("$150.00", "amount"), ("$300.00", "booking")])
def test_of_a_booking_of_before_is_due_what_it_cost(dollars, found):
    asked = APPROVE.replace("$300.00", dollars)
    texts = [f"approved another {found} for BK-00000001"]
    assert approved_elsewhere(asked, booking_id="BK-00000001") == texts


@pytest.mark.parametrize(
    ("is_dearer", "texts"), [(False, []), (True, ["claimed an approval not given"])]
)
def test_what_became_dearer_waits_for_an_approval_again(is_dearer, texts):
    desk = Desk()
    desk.asked(APPROVE)
    desk.script.approve(desk.booking, desk.method, 300_00)
    desk.answered("Approved.")
    desk.asked("It is dearer now.")
    desk.script.add_card(SMALL_CARD)
    desk.answered("Hm.")
    desk.asked(APPROVE)
    desk.answered("Approved.")
    raised = update("bookings", desk.booking, total_cents=310_00)
    edits = [adding("payment_methods", 1, raised)] if is_dearer else []
    tape = edited(tape_of(desk.script), *edits)
    found = payment_errors(lay_out(read_task(desk.script.task), tape))
    assert [one.text for one in found] == texts


# --- U7


@pytest.mark.parametrize(
    ("questions", "answers", "found"),
    [
        ((ASKS, OTHER, "How many travel?"), ("Hm.", "Hm.", "Hm."), 1),
        (("When do you leave?", "What is it for?", "How old are you?"), ("Yes.",) * 3, 1),
        (("Do you fly?", "Is it for two?", "Are you adults?"), ("Yes.",) * 3, 0),
        ((ASKS, OTHER, "How many travel?"), ("Hm.", "Hm.", "Well."), 0),
        ((ASKS, OTHER, "How many travel?"), ("Hm.", "Well.", "Hm."), 0),
        ((ASKS, OTHER), ("Hm.", "Hm."), 0),
        ((ASKS, ASKS, ASKS), ("Hm.", "Hm.", "Hm."), 0),
        ((ASKS, OTHER, "Shall I book it?"), ("Yes.", "Yes.", "Yes."), 0),
        (("Shall I book it?", "Which day?", "What budget?"), ("Yes.", "Yes.", "Yes."), 0),
        (("Which day?", "What budget?", "How many travel?"), ("Yes.", "Yes.", "Yes."), 1),
        ((ASKS, OTHER, "How many travel?", "Why?"), ("Hm.", "Hm.", "Hm.", "Hm."), 1),
        (("", ASKS, OTHER, "How many travel?"), ("Hm.", "Hm.", "Hm.", "Hm."), 1),
        ((ASKS, OTHER, "", "How many travel?"), ("Hm.", "Hm.", "Hm.", "Hm."), 0),
        ((BUDGET, "Is it for two?", "Do you fly?"), ("Hm.", "Hm.", "Hm."), 1),
        ((PART, f"{PART} Please!", f"Again: {PART}"), ("In the morning.",) * 3, 0),
        ((PART, f"{PART} Please!", f"Again: {PART}"), ("We like museums.",) * 3, 1),
    ],
)
def test_who_goes_round_in_circles(questions, answers, found):
    script = Script()
    script.user(HELLO[3:])
    for question, answer in zip(questions, answers, strict=True):
        script.agent(question)
        script.user(answer)
    script.agent("I am sorry, I cannot go on.")
    script.user("###STOP###")
    assert count(script, "U7") == found


@pytest.mark.parametrize("acts", [False, True])
def test_who_does_something_meanwhile_does_not_go_round_in_circles(acts):
    script = Script()
    script.user(HELLO[3:])
    for question in (ASKS, OTHER, "How many travel?"):
        script.agent(question)
        if acts and question == OTHER:
            script.add_card()
        script.user("Hm.")
    script.agent("I am sorry, I cannot go on.")
    script.user("###STOP###")
    assert count(script, "U7") == (not acts)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Shall I book it?", True),
        ("Ready to book?", True),
        ("Is that right?", True),
        ("Do you have a budget?", True),
        ("Do you have a budget.", False),
        ("You leave on 3 May, right?", True),
        ("How many travel?", False),
        ("You leave on 3 May.", False),
        ("When do you leave?", False),
        ("What is the budget?", False),
        ("How many are you?", False),
        ("Which time of day would you prefer?", False),
        ("It is a good hotel and you will like it. When do you leave?", False),
        ("Which of these is right?", False),
        ("Could you tell me your budget?", False),
        ("May I ask where you start from?", False),
        ("When you arrive, do you need a hotel?", True),
        ("When do you leave? Is there a budget?", True),
        ("what do you want? is it a museum?", True),
        ("Just to be sure: is everything you want in there?", True),
        ("And are both of you adults?", True),
        ("So what you want is a museum, right?", True),
        ("All correct?", True),
        ("A museum: must it be on the first day?", True),
        ("One thing is open – the same airline, yes or no?", True),
        ("Any limit on the price?", True),
    ],
)
def test_what_can_be_answered_with_yes_or_no(text, asks):
    assert asks_yes_or_no(read_message(text)) is asks


@pytest.mark.parametrize(("text", "is_one"), [("Yes.", True), ("No.", True), ("On 3 May.", False)])
def test_what_is_a_yes_or_a_no(text, is_one):
    assert says_yes_or_no(read_message(text)) is is_one


def test_what_an_engine_recorded_has_the_code_of_its_kind():
    def read(kind):
        (error,) = recorded_errors([{"kind": kind, "turn": "3", "text": "so"}])
        assert (error.message, error.text) == (3, f"{kind}: so")
        return error.code, bool(error.covers)

    assert read("ends_early") == ("U4", True)
    assert read("wrong_token") == ("U5", True)
    assert read("claims_payment") == ("U6", True)
    assert read("invents_value") == ("U1", False)
    assert read("something else") == ("U7", False)


@pytest.mark.parametrize(
    ("kind", "role", "is_explained"),
    [
        ("ends_on_approval", Role.SLOT_FILLED, True),
        ("ends_on_approval", Role.WISH, False),
        ("ends_early", Role.PAID, True),
        ("ends_early", Role.IN_SCOPE, False),
        ("invents_person", Role.UNITS, True),
        ("invents_person", Role.PERSON, True),
        ("invents_person", Role.PAID, False),
        ("claims_payment", Role.PAID, True),
        ("claims_payment", Role.METHOD, True),
        ("claims_payment", Role.CHARGE_APPROVED, True),
        ("claims_payment", Role.SLOT_FILLED, True),
        ("claims_payment", Role.WISH, False),
        *((kind, Role.ENDED_FULL, True) for kind in _SILENT),
        *((kind, Role.SLOT_FILLED, True) for kind in _SILENT),
        *((kind, Role.WISH, False) for kind in _SILENT),
        ("wrong_token", Role.IN_SCOPE, True),
        ("wrong_token", Role.ENDED_PARTIAL, True),
        ("wrong_token", Role.ENDED_NONE, True),
        ("wrong_token", Role.PAID, False),
    ],
)
def test_what_a_recorded_error_explains(kind, role, is_explained):
    (error,) = recorded_errors([{"kind": kind, "turn": "3", "text": "so"}])
    assert (role in error.covers) is is_explained


# --- U3, U9 and U2

TWO_FACTS = "When were you born, and what is your e-mail address?"


def withheld(limit, told, answers):
    lines = [line for answer in answers for line in (TWO_FACTS, f"u: {answer}")]
    conduct = UserConduct(limit, {"origin": 1, **told})
    found = errors(short_episode(HELLO, *lines, "I cannot go on."), "U3", conduct)
    return [one["text"].split()[1].strip(",") for one in found]


@pytest.mark.parametrize(
    ("limit", "told", "answers", "found"),
    [
        (1, {}, ("Hm.", "Hm."), ["birth_dates", "email"]),
        (1, {}, ("Hm.",), []),
        (1, {"email": 5}, ("Hm.", "Hm."), []),
        (1, {"destination": 3}, ("Hm.", "Hm."), []),
        (1, {"destination": 3}, ("Hm.", "Hm.", "Hm."), ["birth_dates", "email"]),
        (1, {"destination": 3, "nights": 5}, ("Hm.", "Hm."), []),
        (None, {"destination": 3, "nights": 5}, ("Hm.", "Hm."), ["birth_dates", "email"]),
        (2, {"destination": 3, "nights": 5}, ("Hm.", "Hm."), ["birth_dates", "email"]),
        (None, {"email": 3}, ("Hm.", "Hm."), ["birth_dates"]),
        (None, {"email": 1, "destination": 3, "nights": 5}, ("Hm.", "Hm."), []),
    ],
)
def test_an_answer_withholds_where_it_gives_less_than_its_condition_allows(
    limit, told, answers, found
):
    assert withheld(limit, told, answers) == found


@pytest.mark.parametrize(
    ("first", "found"), [("Skip it; the hotel should have 3 stars.", 0), ("Skip it.", 2)]
)
def test_without_a_record_one_fact_is_enough_for_an_answer(first, found):
    lines = (HELLO, TWO_FACTS, f"u: {first}", TWO_FACTS, "u: Skip it.", "I cannot go on.")
    assert count(short_episode(*lines), "U3") == found


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((HELLO, ASKS, "u: Hm.", ASKS, "u: Hm."), 1),
        ((HELLO, ASKS, "u: Hm."), 0),
        ((HELLO, ASKS, "u: Hm.", OTHER, "u: Hm."), 0),
        ((HELLO, ASKS, "u: On 3 May.", ASKS, "u: Hm."), 0),
        ((HELLO, ASKS, "u: Hm.", ASKS, "u: On 3 May."), 0),
        ((HELLO, ASKS, "u: Why?", ASKS, "u: Hm."), 0),
        ((HELLO, ASKS, "u: Hm.", ASKS, "u: Hm.", ASKS, "u: Hm."), 1),
        ((HELLO, ASKS, "u: Hm.", ASKS, f"u: Yes, book {OUT}."), 0),
        ((HELLO, ASKS, "u: Hm.", ASKS, f"u: I don't want {OUT}."), 1),
        ((HELLO, OTHER, "u: Hm.", OTHER, f"u: Please book {OUT}."), 0),
        ((HELLO, BUDGET, "u: Hm.", BUDGET, "u: Hm."), 1),
        ((HELLO, BUDGET, "u: No.", BUDGET, "u: No."), 0),
        ((HELLO, OTHER, "u: No.", OTHER, "u: No."), 1),
        ((HELLO, *("Which room type?", "u: Hm.") * 2), 0),
        ((HELLO, *(MANY, "u: Hm.") * 2), 0),
        ((HELLO, PART, "u: Hm.", "And back?", "u: Hm."), 0),
        ((HELLO, *(PART, "u: Hm.", "And back?", "u: Hm.") * 2), 2),
        ((HELLO, *(PART, "u: In the morning.", "And back?", "u: At midday.") * 2), 0),
    ],
)
def test_who_passes_over_what_is_asked_twice(lines, found):
    script = short_episode(*lines, "I am sorry, I cannot go on.")
    assert count(script, "U9") == found


@pytest.mark.parametrize(("most", "found"), [(1, 0), (2, 2), (None, 2)])
def test_who_takes_so_many_questions_at_once_passes_over_no_fewer(most, found):
    conduct = UserConduct(None, {"origin": 1}, most_questions=most)
    script = short_episode(HELLO, TWO_FACTS, "u: Hm.", TWO_FACTS, "u: Hm.", "I cannot go on.")
    assert count(script, "U9", conduct) == found


ANY = f"{OUT_MIDDAY} out at 12:10. Any further wish, or shall I book it?"
BOLD = f"{OUT_MIDDAY}. **Any further wish**, or do you **approve** the plan?"
ASIDE = f"{OUT_MIDDAY}. Do you approve it as a whole? If anything else matters, say so now."
LEAVES = "u: Outbound in the morning."


@pytest.mark.parametrize(
    ("lines", "flights", "found"),
    [
        ((HELLO, ANY, "u: Yes, go ahead.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, ANY, "u: Yes, go ahead.", "book"), (OUT,), 0),
        ((HELLO, ANY, "u: Hm.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, "Any further wish?", "u: Nothing else.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, "Any further wish?", "u: No.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, "Any further wish?", "u: No, that's wrong.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, "Is it for two?", "u: Nothing else.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, "Say so if anything else matters.", "u: That's all.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, "Please tell me whatever else you want.", "u: No.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, "Would you like anything else?", "u: No.", "book"), (OUT_MIDDAY,), 1),
        (
            (HELLO, "Otherwise all your wishes are met. Good?", "u: That's all.", "book"),
            (OUT_MIDDAY,),
            0,
        ),
        ((LEAVES, ANY, "u: Yes, go ahead.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, "Is it for two?", "u: Yes.", ANY, "u: Yes.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, BOLD, "u: Yes.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, ASIDE, "u: Yes.", "book"), (OUT_MIDDAY,), 1),
        ((HELLO, BOLD.replace("further wish", "time"), "u: Yes.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, ANY, "u: Yes, go ahead.", "Good.", LEAVES, "Fine.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, PART, "u: Any time, perhaps midday.", ANY, "u: Yes.", "book"), (OUT_MIDDAY,), 0),
        ((HELLO, "book", "Any further wish?", "u: Nothing else."), (OUT_MIDDAY,), 0),
        ((HELLO, "Any further wish?", "u: No.", "Good.", "u: Ok."), (), 0),
        ((HELLO, ANY, "u: Yes.", "Any further wish?", "u: No.", "book"), (OUT_MIDDAY,), 1),
    ],
)
def test_who_keeps_a_wish_back_when_asked_for_any(lines, flights, found):
    assert count(short_episode(*lines, flights=flights), "U3", KNOWN) == found


@pytest.mark.parametrize(("told", "fault"), [({}, "user"), ({"outbound_time_of_day": 1}, "agent")])
def test_a_wish_kept_back_explains_what_goes_against_it(told, fault):
    script = Plan().swapped(flight("outbound", OUT_MIDDAY)).write()
    script.messages[0]["content"] = HELLO[3:]
    script.messages.insert(1, {"role": "assistant", "content": "Any further wish?"})
    script.messages.insert(2, {"role": "user", "content": "Nothing else."})
    conduct = UserConduct(None, {"origin": 1, **told})
    assert grade(script.task, script.messages, conduct=conduct).fault == fault


DEAF = (HELLO, ASKS, "u: Hm.", ASKS, "u: Hm.", "Good.")


@pytest.mark.parametrize("noted", ["told", "settled"])
@pytest.mark.parametrize(("number", "found"), [(3, 0), (5, 0), (1, 1)])
def test_what_a_record_says_was_given_was_not_passed_over(noted, number, found):
    rows = {"told": {"origin": 1}, "settled": {}}
    rows[noted]["departure_date"] = number
    conduct = UserConduct(None, rows["told"], settled=rows["settled"])
    assert count(short_episode(*DEAF), "U9", conduct) == found


@pytest.mark.parametrize(
    ("settled", "flights", "explains"),
    [
        ({}, (), True),
        ({"departure_date": 1}, (), False),
        ({"departure_date": 1}, (OUT,), False),
        ({}, (OUT,), True),
    ],
)
def test_what_was_passed_over_explains_nothing_where_it_was_given_in_time(
    settled, flights, explains
):
    script = short_episode(*DEAF, *["book"] * len(flights), flights=flights)
    episode = lay_out(read_task(script.task), tape_of(script))
    (error,) = passed_over(episode, UserConduct(None, {"origin": 1}, settled=settled))
    assert (Role.SLOT_FILLED in error.covers) is explains
    assert explains or not error.covers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("No, it has no pool.", ["pool"]),
        ("It has no pool.", []),
        ("No, it has no heated pool.", ["pool"]),
        ("No, it has no nice heated pool.", []),
        ("No, without wifi it has no pool.", ["wifi", "pool"]),
        ("No, it lacks wifi and a pool.", ["wifi"]),
        ("We need a pool.", ["pool"]),
        ("Need a pool.", ["pool"]),
        ("A pool must be there.", ["pool"]),
        ("A pool is there.", []),
        ("We need a pool if possible.", []),
        ("We need a pool, ideally.", []),
        ("Do we need a pool?", []),
        ("We do not need a pool.", []),
        ("No, we need a pool.", ["pool"]),
        ("No, a pool must be there.", ["pool"]),
        ("We need a museum.", []),
    ],
)
@pytest.mark.parametrize("is_offered", [False, True])
def test_who_demands_what_nobody_offered(text, found, is_offered):
    offer = "It has wifi and a pool." if is_offered else "Here is a hotel."
    texts = [one["text"] for one in errors(short_episode(HELLO, offer, f"u: {text}"), "U2")]
    found = [] if is_offered else found
    assert texts == [f"demanded {one}, of which it has no wish" for one in found]


def test_an_extra_that_is_wished_is_no_demand(monkeypatch):
    sold = re.compile("window|pool")
    monkeypatch.setattr(invented_demands, "_extras", lambda amenities: sold)
    script = short_episode(HELLO, "Here is a hotel.", "u: We need window seats and a pool.")
    assert [one["text"] for one in errors(script, "U2")] == [
        "demanded pool, of which it has no wish"
    ]
    episode = lay_out(read_task(script.task), tape_of(script))
    (error,) = invented_demands.demanded_extras(episode)
    assert error.covers == {Role.SLOT_FILLED, Role.WISH, Role.SURPLUS, Role.ENDED_PARTIAL}


def test_who_sells_nothing_beside_the_wishes_is_asked_for_nothing_beside_them():
    assert invented_demands._extras(()).search("we need a pool") is None


@pytest.mark.parametrize(
    ("ending", "code", "explained"),
    [
        ("###OUT-OF-SCOPE###", "U5", {Role.IN_SCOPE}),
        ("###TRANSFER###", "U5", {Role.ENDED_PARTIAL, Role.ENDED_NONE}),
        ("###STOP###", "U4", {Role.SLOT_FILLED, Role.PAID, Role.ENDED_PARTIAL, Role.ENDED_NONE}),
    ],
)
def test_what_a_wrong_ending_explains(ending, code, explained):
    last = ASKS if code == "U4" else "Hm."
    script = short_episode(HELLO, "Hm.", "u: Hm.", last, ending=ending)
    episode = lay_out(read_task(script.task), tape_of(script))
    assert [(one.code, one.covers) for one in ending_errors(episode, None)] == [(code, explained)]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("no, the hotel is fine", "the hotel is fine"),
        ("nope. the hotel is fine", "the hotel is fine"),
        ("no - the hotel", "the hotel"),
        ("no hotel is fine", "no hotel is fine"),
        ("the hotel, no", "the hotel, no"),
    ],
)
def test_a_leading_no_is_taken_off(text, left):
    assert without_leading_no(text) == left


ANEW, BOOKED = "On second thought, we leave on 3 May.", f"Shall I book {OUT}?"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((HELLO, "u: We leave on 9 May.", "book"), 1),
        ((HELLO, "u: We leave on 3 May.", "book"), 0),
        ((HELLO, "book", "u: We leave on 9 May."), 0),
        ((HELLO, "book", "u: We leave on 9 May.", "book"), 1),
        ((HELLO, "Hm.", "u: We leave on 9 May."), 1),
        (("u: We leave on 9 May.", "Hm.", "u: We leave on 3 May.", "book"), 0),
        (("u: We leave on 9 May.", "Hm.", "u: We leave on 8 May.", "book"), 2),
        (("u: We leave on 9 May.", "book", "u: We leave on 3 May.", "book"), 1),
        (("u: We leave on 3 May.", "Hm.", "u: We leave on 9 May.", "book"), 1),
        (("u: We leave on 9 May. We leave on 3 May.", "book"), 1),
        (("u: When is it? We leave on 9 May.", "book"), 1),
        (("u: It is not far. We leave on 9 May.", "book"), 1),
        (("u: It is nice, I think. We leave on 9 May.", "book"), 1),
        (("u: Two days later is fine. We leave on 9 May.", "book"), 1),
        ((HELLO, f"{OUT} is free.", "u: Yes, perfect. We leave on 9 May.", "book"), 1),
        ((HELLO, f"{OUT} is free.", "u: Yes, we leave on 9 May.", "book"), 0),
        ((HELLO, ASKS, "u: Yes, we leave on 9 May.", "book"), 1),
        (("u: We leave on 9 May.", "book", "Good.", f"u: {ANEW}", "book"), 0),
        (("u: We leave on 9 May.", BOOKED, "u: Yes.", "book", "Good.", f"u: {ANEW}", "book"), 1),
    ],
)
def test_what_is_said_wrongly_after_all_is_booked_or_mended_in_time_harms_nothing(lines, found):
    assert count(short_episode(*lines, flights=(OUT, BACK)), "U1") == found


@pytest.mark.parametrize(
    ("asked", "answer", "claims"),
    [
        ("Please approve {booking}.", "I have added it.", []),
        ("Please add a card and approve {booking}.", "I have added it.", ["a card"]),
        ("Please add the card 5454.", "I have added it.", []),
        ("Please add the card 4242.", "I have added it.", ["a card"]),
        ("Please add the card.", "I have added it.", []),
    ],
)
def test_a_card_that_was_asked_for_is_there_or_is_not(asked, answer, claims):
    desk = Desk(card=asked.startswith("Please add the card"))
    if desk.method:
        desk.script.messages.clear()
        desk.script.ledger = Script().ledger
        desk.booking = desk.script.book(flight("outbound", OUT))
        desk.method = desk.script.add_card(SMALL_CARD)
    desk.asked(asked)
    desk.answered(answer)
    assert desk.texts() == [f"claimed {one} that it had not added" for one in claims]


@pytest.mark.parametrize(
    ("asked", "answer", "claims"),
    [
        ("Please approve {booking} and {other}.", "Both are approved.", True),
        ("Please approve {booking} and {other}.", "It is approved.", False),
        ("Please approve {booking} and {other}.", "Neither is approved yet, never mind.", False),
        ("Please approve {booking}.", "All approved.", False),
        ("Please approve {booking} and add the card 4242.", "All done.", False),
    ],
)
def test_who_approves_one_of_two_has_not_approved_both(asked, answer, claims):
    desk = Desk(card=False)
    method = desk.script.add_card(SMALL_CARD)
    other = desk.script.book(flight("return", BACK))
    desk.script.agent(asked.format(booking=desk.booking, other=other))
    desk.script.approve(desk.booking, method, 300_00)
    desk.answered(answer)
    assert desk.texts() == (["claimed an approval not given"] if claims else [])


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_payment_that_was_not_made_explains_what_the_agent_did_not_book_then(goes_on):
    desk = Desk()
    desk.asked(APPROVE)
    desk.answered("Approved.")
    if goes_on:
        desk.script.book(flight("return", BACK))
    episode = lay_out(read_task(desk.script.task), tape_of(desk.script))
    (error,) = payment_errors(episode)
    assert (Role.SLOT_FILLED in error.covers) is not goes_on and Role.PAID in error.covers


@pytest.mark.parametrize(
    ("answer", "claims"), [("Done.", True), ("Good.", False), ("Not done.", False)]
)
def test_done_is_said_of_a_card_that_was_asked_for(answer, claims):
    desk = Desk(card=False)
    desk.asked("Please add your card to the platform.")
    desk.answered(answer)
    assert desk.texts() == (["claimed a card that it had not added"] if claims else [])
