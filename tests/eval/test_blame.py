"""Whose fault: each rule of rulebook §10 by a pair of episodes, one on each side."""

import pytest

from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.eval.user_facts import UserConduct
from crab_graph.eval.verdict import grade
from tests.eval.builders import (
    ANNEX,
    NAMES,
    OUT,
    OUT_MIDDAY,
    RIGHT_CENTS,
    SMALL_CARD,
    Plan,
    Script,
    flight,
    graded,
    right_items,
    small_task,
)

ENOUGH = "I'm sorry, I cannot help you any further."


def found(script, code, conduct=None):
    verdict = grade(script.task, script.messages, conduct=conduct)
    return [one["text"] for one in verdict.metrics["user_errors"] if one["code"] == code]


def talk(*turns, end="###STOP###", last=None):
    """Agent and user in turn, after a greeting of each; `last` is the agent's last word."""
    script = Script()
    script.user("Hello, a trip from Chicago to Pittsburgh.")
    script.agent("Good day!")
    script.user("Good day.")
    for request, answer in turns:
        script.agent(request)
        script.user(answer)
    if last is not None:
        script.agent(last)
    script.user(end)
    return script


BIRTHS = "What are the dates of birth?"
STARS = "How many stars should the hotel have?"


@pytest.mark.parametrize(
    ("last", "is_early"),
    [
        ("How many nights do you stay?", True),
        ("Please tell me your budget.", True),
        (BIRTHS, False),
        (f"{NAMES[ANNEX]} costs $80.00. It cannot be cancelled. Shall I book it?", True),
        ("Unfortunately nothing is free. Shall I look again?", False),
        ("I won't do that. What else?", False),
        ("Shall I connect you with a human agent?", False),
        ("Shall we end this chat?", False),
        ("Is there anything else I can help you with?", False),
        ("Anything else before I search?", True),
        ("All four are booked and paid. Anything else?", False),
        ("I am looking.", False),
    ],
)
def test_a_user_that_ends_while_it_is_asked_anew_ends_too_early(last, is_early):
    script = talk((BIRTHS, "1990-04-02 and 1988-11-23."), last=last)
    assert bool(found(script, "U4")) is is_early


def test_the_same_request_after_a_booking_is_a_new_one():
    script = talk(("Do you approve it?", "Yes."))
    del script.messages[-1]
    script.book(flight("outbound", OUT))
    script.agent("Do you approve it?")
    script.user("###STOP###")
    assert found(script, "U4")
    again = talk(("Do you approve it?", "Yes."), last="Do you approve it?")
    assert not found(again, "U4")


def test_in_its_first_two_turns_no_user_ends_but_where_nothing_can_be_done():
    script = Script()
    script.user("Hello.")
    script.agent("Good day.")
    script.user("###STOP###")
    assert found(script, "U4")
    script.messages[1]["content"] = ENOUGH
    assert not found(script, "U4")


@pytest.mark.parametrize(("idle", "is_early"), [(1, True), (2, False)])
def test_whose_patience_has_run_out_may_leave(idle, is_early):
    # The least patient user takes three turns that bring nothing, the last one included.
    waits = [(f"Still looking, {'very ' * number}hard.", "Fine.") for number in range(idle)]
    script = talk((BIRTHS, "1990-04-02 and 1988-11-23."), *waits, last="Are you still there?")
    assert bool(found(script, "U4")) is is_early
    patient = UserConduct(None, {"birth_dates": 5}, patience=8)
    assert found(script, "U4", patient)


def test_what_is_newly_asked_for_or_told_starts_patience_again():
    idle = [("Still looking.", "Fine."), ("Still at it.", "Fine.")]
    script = talk(*idle, (STARS, "3 stars."), last="Are you still there?")
    assert found(script, "U4")
    silent = talk(*idle, ("Still there.", "Outbound in the morning."), last="Are you still there?")
    assert found(silent, "U4")


def test_a_user_that_d4_lets_give_up_is_not_at_fault():
    script = talk((BIRTHS, "Leave me alone."), last=STARS)
    told = {"origin": 1}
    assert found(script, "U4", UserConduct(None, told, patience=6, overlooks=True))
    gave_up = UserConduct(None, told, patience=6, overlooks=True, gave_up=True)
    assert not found(script, "U4", gave_up)
    facts = [{"key": "origin", "turn": 1, "reactions": "corrected 3, gave_up 7"}]
    conduct = UserConduct.from_record("neutral", ("d4",), facts)
    assert conduct is not None and conduct.gave_up


@pytest.mark.parametrize(
    ("answers", "is_deaf"),
    [
        (("Hm.", "Well, well."), True),
        (("Hm.",), False),
        (("Hm.", "1990-04-02 and 1988-11-23."), False),
        (("Which ones?", "Whose?"), False),
        (("Hm.", "Our dates of birth are in the spring and in the fall."), False),
        (("We like museums.", "We like museums."), True),
    ],
)
def test_a_plain_question_passed_over_twice_is_the_users_error(answers, is_deaf):
    script = talk(*((f"{BIRTHS} {'Please! ' * n}", said) for n, said in enumerate(answers)))
    told = ["passed over birth_dates, asked twice"] * is_deaf
    assert found(script, "U9") == told


@pytest.mark.parametrize("said", ["Outbound in the morning.", "Nothing else."])
def test_who_asks_for_anything_at_all_has_asked_for_whatever_is_told(said):
    asked = f"{BIRTHS} Is there anything else I should know?"
    script = talk((asked, said), (f"{asked} Please!", said))
    assert bool(found(script, "U9")) is (said == "Nothing else.")


def test_too_many_questions_may_be_objected_to_as_far_as_the_condition_allows():
    many = "Which stars, room type, bed type, seat type and seat position, and what budget?"
    script = talk((many, "One thing at a time."), (f"{many} Please!", "One thing at a time."))
    assert found(script, "U9", UserConduct(None, {"origin": 1}))
    assert not found(script, "U9", UserConduct(None, {"origin": 1}, most_questions=3))


def test_who_pays_when_asked_to_need_not_answer_what_else_was_asked():
    def paid(script, is_paid):
        booking, method = script.book(flight("outbound", OUT)), script.add_card()
        for wish in ("", " Please!"):
            script.agent(f"Please approve $300.00 for {booking}. {BIRTHS}{wish}")
            if is_paid:
                script.approve(booking, method, 300_00)
            script.user("Good.")
        script.user("###STOP###")
        return script

    assert not found(paid(Script(), True), "U9")
    assert found(paid(Script(), False), "U9")


def test_what_is_passed_over_explains_what_was_booked_without_it():
    def script(opening):
        made = Plan().swapped(flight("outbound", OUT_MIDDAY)).write()
        made.messages[0]["content"] = opening
        asked = "At what time of day should the outbound flight leave?"
        for text in (asked, f"{asked} Please!"):
            made.messages[1:1] = [
                {"role": "assistant", "content": text},
                {"role": "user", "content": "Hm."},
            ]
        return made

    deaf = graded(script("A trip from Chicago to Pittsburgh."))
    assert (deaf.checks["D08"], deaf.fault) == ("fail", "user")
    told = graded(script("Chicago to Pittsburgh. Outbound in the morning."))
    assert (told.checks["D08"], told.fault) == ("fail", "agent")
    assert "U9" in [one["code"] for one in told.metrics["user_errors"]]


def asked_to_pay(request, answer, *, approves=False, adds=False, has_card=False):
    script = Script()
    booking = script.book(flight("outbound", OUT))
    if has_card:
        script.add_card()
    script.agent(request.format(booking))
    method = script.add_card(SMALL_CARD) if adds else None
    if approves:
        script.approve(booking, method or "", 300_00)
    script.user(answer)
    script.agent(ENOUGH)
    script.user("###STOP###")
    return script


BOTH = "Please add your card and approve $300.00 for {}."


@pytest.mark.parametrize(
    ("script", "is_false"),
    [
        (asked_to_pay(BOTH, "Approved.", adds=True), True),
        (asked_to_pay(BOTH, "Approved.", adds=True, approves=True), False),
        (asked_to_pay(BOTH, "Card added.", adds=True), False),
        (asked_to_pay(BOTH, "Card added."), True),
        (asked_to_pay(BOTH, "It was added before.", has_card=True), False),
        (asked_to_pay(BOTH, "Done."), True),
        (asked_to_pay(BOTH, "Get it done."), False),
        (asked_to_pay(BOTH, "Not approved."), False),
        (asked_to_pay("We wait.", "Approved."), False),
    ],
)
def test_another_call_in_the_same_turn_excuses_no_payment_that_is_claimed(script, is_false):
    assert bool(found(script, "U6")) is is_false


@pytest.mark.parametrize(
    ("offer", "text", "is_invented"),
    [
        ("Which hotel?", "We need a hotel with a spa.", True),
        ("Which hotel?", "The hotel must have a pool.", True),
        ("Which hotel?", "Parking is required? No idea.", False),
        ("Which hotel?", "A pool would be nice, if we need one.", False),
        ("Which hotel?", "We don't need a pool.", False),
        ("Which hotel?", "We saw a pool.", False),
        ("I found one with a pool. Good?", "No, we want one with a gym.", True),
        ("I found Juniper Court. Good?", "No, it has no pool.", True),
        ("I found Juniper Court. Good?", "It has no pool.", False),
        ("Do you want breakfast?", "Yes, we want breakfast.", False),
        ("I found Juniper Court. Good?", "No, we want 2 stars.", False),
    ],
)
def test_what_the_domain_sells_beside_all_wishes_is_an_invented_demand(offer, text, is_invented):
    assert bool(found(talk((offer, text)), "U2")) is is_invented


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("No, we stay 4 nights.", True),
        ("No, we stay 3 nights.", False),
        ("No, 4 nights is wrong.", False),
        ("No, not 4 nights.", False),
        ("We never said 4 nights.", False),
    ],
)
def test_what_follows_a_leading_no_is_stated(text, is_wrong):
    assert bool(found(talk(("You stay a week?", text)), "U1")) is is_wrong


def test_declared_domains_have_amenities_of_their_own():
    assert "parking" in CLINIC.grading.amenities
    assert "parking" not in small_task().domain.grading.amenities


def test_without_a_record_the_users_words_tell_what_it_gave():
    recap = "So you want to fly out around midday, right?"

    def script(opening):
        made = Plan().swapped(flight("outbound", OUT_MIDDAY)).write()
        made.messages[0]["content"] = opening
        made.messages[1:1] = [
            {"role": "assistant", "content": recap},
            {"role": "user", "content": "Yes, that's right."},
        ]
        return graded(made)

    silent = script("A trip from Chicago to Pittsburgh.")
    assert (silent.metrics["user_errors"][0]["code"], silent.fault) == ("U8", "user")
    told = script("A trip from Chicago to Pittsburgh. Outbound in the morning.")
    assert (told.metrics["user_errors"], told.fault) == ([], "agent")


def test_of_a_slot_with_surplus_d05_alone_speaks():
    surplus = flight("outbound", OUT_MIDDAY)
    paid = graded(Plan(surplus=(surplus,)))
    assert (paid.checks["D05"], paid.checks["D19"]) == ("fail", "pass")
    unpaid = graded(Plan(surplus=(surplus,), charges=False))
    assert (unpaid.checks["D05"], unpaid.checks["D19"]) == ("fail", "fail")
    script = Script()
    script.agent("All of it, shall I book it?")
    for item in (flight("outbound", OUT), surplus):
        script.book(item)
    script.user("###STOP###")
    verdict = graded(script)
    assert (verdict.checks["D05"], verdict.checks["D19"]) == ("fail", "pass")
    assert verdict.primary_failure == "missing_entity"


def test_the_right_episode_shows_no_error():
    assert sum(item.cents for item in right_items().values()) == RIGHT_CENTS
    assert graded(Plan()).metrics["user_errors"] == []
