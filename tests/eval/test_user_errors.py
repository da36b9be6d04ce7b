from typing import Any

import pytest

from crab_graph.eval.user_facts import UserConduct
from crab_graph.eval.verdict import grade
from tests.eval.builders import (
    ANNEX,
    NAMES,
    OTHER_METHOD,
    OUT,
    OUT_MIDDAY,
    OUT_NEXT_DAY,
    SMALL_CARD,
    Plan,
    Script,
    build_task,
    flight,
    graded,
    small_task,
)

RIGHT = Plan()


def codes(script):
    """The errors found; scripts are short, so how they end has tests of its own (U4)."""
    found = [error["code"] for error in graded(script).metrics["user_errors"]]
    return [code for code in found if code != "U4"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We leave on 3 May 2027.", []),
        ("Leaving 2027-05-03, or rather May 3.", []),
        ("We leave on 4 May 2027.", ["U1"]),
        ("We leave on May 4 and return on May 7.", ["U1", "U1"]),
        ("The return is on May 6, 2027.", []),
        ("Can we leave on May 4?", []),
        ("Departing between May 1 and May 5.", ["U1"]),
        ("A trip from Chicago to Pittsburgh.", []),
        ("The flight from Pittsburgh to Chicago.", []),
        ("A trip from Denver to Pittsburgh.", ["U1"]),
        ("A trip from Chicago to Denver.", ["U1"]),
        ("Dates of birth: 2 April 1990 and 23 November 1988.", []),
        ("We were born on 1990-04-02 and 1988-11-24.", ["U1"]),
        ("My birthday is 1990-04-03.", ["U1"]),
        ("We come back on May 6.", []),
        ("Returning 7 May 2027.", ["U1"]),
        ("Please be back before May 9.", []),
        ("The outbound flight should leave in the morning.", []),
        ("Outbound: night.", ["U1"]),
        ("Outbound in the morning or around noon.", []),
        ("Going out we want a midday flight.", ["U1"]),
        ("The return flight should leave around midday.", []),
        ("We want the return flight at night.", ["U1"]),
        ("We want the return flight at midday, the hotel for three nights.", []),
        ("The attraction should be in the evening.", ["U2"]),
        ("We want the museum 4 May 2027.", ["U2"]),
        ("The museum must be after we arrive on 3 May.", []),
        ("Both flights should be with the same airline.", []),
        ("Any airline is welcome.", ["U1"]),
        ("Hotel and attraction in the same district.", []),
        ("Hotel and museum can be in different districts.", ["U1"]),
        ("Our budget for the whole trip is $1,500.00.", []),
        ("Our budget for the whole trip is $900.", ["U1"]),
        ("We can spend at most $1,000.", ["U1"]),
        ("It stays within our budget, the flights cost $580.00.", []),
        ("It is just me.", ["U1"]),
        ("Two of us.", []),
        ("We leave on 4 May 2027, I think.", []),
        ("Outbound: night, not quite sure.", []),
        ("Leaving in early June (I guess).", []),
        ("Our budget for the whole trip is around $900, I believe.", []),
        ("It is for one less than 4 nights.", []),
        ("The whole trip may cost up to $1.5k.", []),
        ("Our budget for the whole trip is $1.5k.", []),
        ("Leaving on the first Monday of May 2027.", []),
        ("Outbound time of day: anything but morning or midday.", []),
    ],
)
def test_dates_places_and_births_are_held_against_the_profile(text, found):
    script = RIGHT.write()
    script.messages[0]["content"] = text
    assert codes(script) == found


def test_wishes_are_held_against_a_profile_that_has_them():
    task = build_task(attraction_time_of_day="morning", attraction_date="2027-05-04")
    for text, found in (
        ("The attraction should be in the morning.", []),
        ("Attraction: afternoon.", ["U1"]),
        ("We want the attraction on May 4.", []),
        ("Attraction 5 May 2027.", ["U1"]),
    ):
        script = Script(task)
        script.user(text)
        script.user("###STOP###")
        assert codes(script) == found, text


def test_under_doubt_the_first_value_is_no_error_and_another_is():
    script = RIGHT.write()
    script.messages[0]["content"] = "We leave on 4 May 2027."
    transcript = script.messages

    def found(*, doubts):
        conduct = UserConduct(None, {"origin": 1}, doubts=doubts)
        return [
            error["code"]
            for error in grade(script.task, transcript, conduct=conduct).metrics["user_errors"]
        ]

    assert (found(doubts=False), found(doubts=True)) == (["U1"], [])
    transcript[0]["content"] = "We leave on 4 May 2027."
    transcript.insert(1, {"role": "assistant", "content": "Which day exactly do you leave?"})
    transcript.insert(2, {"role": "user", "content": "We leave on 5 May 2027."})
    assert found(doubts=True) == ["U1"]


def test_a_wish_the_profile_has_not_is_invented_and_none_needs_no_grounds():
    task = build_task(same_carrier=False, same_district=False)
    for text, found in (("The same airline, please.", ["U2"]), ("Any district is welcome.", [])):
        script = Script(task)
        script.user(text)
        script.user("###STOP###")
        assert codes(script) == found, text


@pytest.mark.parametrize(
    ("text", "found"), [("Yes, the 2-star hotel works.", []), ("We need 2 stars.", ["U1"])]
)
def test_to_take_what_is_offered_states_nothing(text, found):
    script = Script()
    script.agent(f"There is {NAMES[ANNEX]}, 2 stars. Shall I book it?")
    script.user(text)
    script.agent("I am sorry, I cannot go on.")
    script.user("###STOP###")
    assert codes(script) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We want a hotel of at least 4 stars, unless that breaks the budget.", []),
        ("The hotel should have 5 stars.", ["U1"]),
    ],
)
def test_a_joint_wish_is_stated_with_the_words_of_the_wish_that_it_replaces(text, found):
    script = Script(build_task(stars_unless=4, hotel_stars=None))
    script.user(text)
    script.user("###STOP###")
    assert codes(script) == found


def test_a_window_is_stated_wrongly_only_outside_of_it():
    task = build_task(last_day="2027-05-07")
    for text, found in (
        ("We leave between May 3 and May 7.", []),
        ("Leaving on May 8, 2027.", ["U1"]),
    ):
        script = Script(task)
        script.user(text)
        script.user("###STOP###")
        assert codes(script) == found


def test_a_wrong_date_explains_what_was_booked_for_it():
    script = RIGHT.swapped(flight("outbound", OUT_NEXT_DAY)).write()
    script.messages[0]["content"] = "A trip leaving on 4 May 2027."
    verdict = graded(script)
    assert verdict.checks["D12"] == "fail"
    assert verdict.fault == "user" and verdict.outcome == "user_fault"
    assert graded(RIGHT.swapped(flight("outbound", OUT_NEXT_DAY))).fault == "agent"


@pytest.mark.parametrize(
    ("said", "found"),
    [("On second thought, we leave on 3 May 2027.", []), ("We leave on 3 May 2027.", ["U1"])],
)
def test_an_announced_change_of_mind_mends_what_was_booked_without_a_yes(said, found):
    script = Script()
    script.user("We leave on 4 May 2027.")
    script.book(flight("outbound", OUT_NEXT_DAY))
    script.agent("What time do you want to leave?")
    script.user(said)
    script.user("###STOP###")
    assert codes(script).count("U1") == len(found)


@pytest.fixture
def pending():
    script = Script()
    return script, script.book(flight("outbound", OUT)), script.add_card()


def test_approving_with_another_method_than_asked_is_the_users_error(pending):
    script, booking_id, method = pending
    other = script.add_card(SMALL_CARD)
    script.agent(f"Please approve $300.00 for {booking_id} with {method}.")
    script.approve(booking_id, other, 300_00)
    script.user("Approved.")
    script.user("###STOP###")
    assert codes(script) == ["U6"]
    assert "another method" in graded(script).metrics["user_errors"][-1]["text"]


def test_refusing_a_strangers_method_is_none(pending):
    script, booking_id, method = pending
    script.agent(f"Please approve $300.00 for {booking_id} with {OTHER_METHOD}.")
    script.approve(booking_id, method, 300_00)
    script.user("Approved, with my own card.")
    script.user("###STOP###")
    assert codes(script) == []


def test_approving_another_booking_than_asked_is_the_users_error(pending):
    script, booking_id, method = pending
    other = script.book(flight("outbound", OUT))
    script.agent(f"Please approve $300.00 for {booking_id}.")
    script.approve(other, method, 300_00)
    script.user("Approved.")
    script.user("###STOP###")
    assert codes(script) == ["U6"]


def test_approving_the_others_that_are_asked_for_by_words_is_none(pending):
    script, booking_id, method = pending
    other = script.book(flight("outbound", OUT))
    script.agent(f"Please approve $300.00 for {booking_id}, and the other one.")
    script.approve(booking_id, method, 300_00)
    script.approve(other, method, 300_00)
    script.user("Approved.")
    script.user("###STOP###")
    assert codes(script) == []


ASKED = "What are the dates of birth of the travellers?"


def withholding(*answers):
    script = Script()
    script.user("A trip, please.")
    for answer in answers:
        script.agent(ASKED)
        script.user(answer)
    script.agent("I cannot help without them. I can transfer you to a human agent.")
    script.user("###STOP###")
    return script


def errors(script, conduct, code="U3"):
    verdict = grade(small_task(), script.messages, conduct=conduct)
    return [error["text"] for error in verdict.metrics["user_errors"] if error["code"] == code]


def test_a_fact_asked_for_twice_and_never_told_was_withheld():
    told = {"origin": 1}
    twice = withholding("I'd rather not.", "No, sorry about that.")
    assert errors(twice, UserConduct(None, told)) == ["withheld birth_dates, asked for twice"]
    assert errors(withholding("I'd rather not."), UserConduct(None, told)) == []


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        (("I'd rather not.", "No, I won't tell you."), 1),
        (("I'd rather not.",), 0),
        (("Why do you need that?", "You decide."), 1),
        (("I'd rather not.", "Fine: 1990-04-02 and 1988-11-23."), 0),
        (("I'd rather not, but the hotel should have 3 stars.", "Skip it."), 0),
        # Rules cannot read these, so the fact may have been told.
        (("Second of April.", "And Leo on the 23rd of November."), 0),
        (("", "I'd rather not."), 1),
    ],
)
def test_without_a_record_only_plain_evasions_withhold(answers, found):
    told = ["withheld birth_dates, asked for twice"] * found
    assert errors(withholding(*answers), None) == told


def test_what_was_withheld_explains_what_is_missing_for_it():
    script = withholding("I'd rather not.", "I don't want to say.")
    verdict = graded(script)
    assert (verdict.fault, verdict.outcome) == ("user", "user_fault")


def test_of_a_record_the_condition_says_how_much_an_answer_gives():
    told = {"origin": 1}
    twice = withholding("Hm.", "Well.")
    assert errors(twice, UserConduct(None, told)) == ["withheld birth_dates, asked for twice"]
    assert errors(twice, None) == []


def test_a_user_that_gave_as_much_as_its_condition_allows_withheld_nothing():
    # One fact an answer, and each answer gave one: the first, the third and the fifth message tell.
    twice = withholding("My name is Ana.", "My e-mail is ana@example.com.")
    told = {"origin": 1, "traveller_names": 3, "email": 5}
    assert errors(twice, UserConduct(1, told)) == []


def test_what_was_told_vaguely_was_not_withheld():
    told = UserConduct(None, {"origin": 1})
    spoken = withholding("Hm.", "Dates of birth: in spring, and in the fall.")
    assert errors(spoken, told) == []
    refused = withholding("Hm.", "Dates of birth? I'd rather not.")
    assert errors(refused, told) == ["withheld birth_dates, asked for twice"]


def test_what_was_told_later_was_not_withheld():
    twice = withholding("Later.", "Fine: 1990-04-02 and 1988-11-23.")
    assert errors(twice, UserConduct(None, {"origin": 1, "birth_dates": 5})) == []


def said_yes(request, answer, before="A trip from Chicago to Pittsburgh.", booked=True):
    script = Script()
    script.user(before)
    script.agent(request)
    script.user(answer)
    if booked:
        script.book(flight("outbound", OUT_MIDDAY))
    script.user("###STOP###")
    return script


MIDDAY_PLAN = (
    f"Outbound flight {OUT_MIDDAY} at midday, economy aisle, $240.00 for 2. Shall I book it?"
)
MIDDAY_RECAP = "So you want to fly out around midday, right?"


@pytest.mark.parametrize(
    ("script", "settled", "found"),
    [
        (said_yes(MIDDAY_PLAN, "Yes, go ahead."), {}, 1),
        (said_yes(MIDDAY_RECAP, "Yes, that's right."), {}, 1),
        (said_yes(MIDDAY_RECAP, "No, in the morning."), {}, 0),
        (said_yes(MIDDAY_RECAP, "Yes, that's right."), {"outbound_time_of_day": 1}, 0),
        (said_yes(MIDDAY_RECAP, "Yes, that's right.", "Outbound in the morning."), {}, 0),
        (said_yes(MIDDAY_RECAP, "Yes, that's right.", booked=False), {}, 0),
        (said_yes("So you fly out in the morning, right?", "Yes, that's right."), {}, 0),
    ],
)
def test_a_yes_to_another_value_is_false_where_the_right_one_was_not_given(script, settled, found):
    conduct = UserConduct(None, {"origin": 1}, settled=settled)
    told = ["said yes to another value for outbound_time_of_day"] * found
    assert errors(script, conduct, "U8") == told


@pytest.mark.parametrize(("overlooks", "fault"), [(False, "user"), (True, "agent")])
def test_a_false_yes_explains_what_was_booked_but_not_where_errors_may_be_overlooked(
    overlooks, fault
):
    script = RIGHT.swapped(flight("outbound", OUT_MIDDAY)).write()
    script.messages[0]["content"] = "A trip from Chicago to Pittsburgh."
    script.messages.insert(1, {"role": "assistant", "content": MIDDAY_RECAP})
    script.messages.insert(2, {"role": "user", "content": "Yes, that's right."})
    conduct = UserConduct(None, {"origin": 1}, overlooks=overlooks)
    verdict = grade(small_task(), script.messages, conduct=conduct)
    assert verdict.fault == fault
    assert "U8" in [error["code"] for error in verdict.metrics["user_errors"]]


def test_the_conduct_is_read_from_a_record():
    facts: list[dict[str, Any]] = [
        {"key": "origin", "turn": 1},
        {"key": "email", "turn": None},
    ]
    assert UserConduct.from_record("terse", ("d2",), facts) == UserConduct(
        1, {"origin": 1}, settled={"origin": 1}, patience=5
    )
    assert UserConduct.from_record("neutral", ("d4",), facts) == UserConduct(
        None, {"origin": 1}, overlooks=True, settled={"origin": 1}, patience=6
    )
    assert UserConduct.from_record("none", (), [{"key": "origin", "turn": None}]) is None
    doubting = UserConduct.from_record("neutral", ("d3",), facts)
    assert doubting is not None and doubting.doubts and not doubting.overlooks
    # How much a persona or a dimension of a file gives is not known here; what it told is.
    assert UserConduct.from_record("neutral", ("shouts",), facts) == UserConduct(
        None, {"origin": 1}, is_limit_known=False, settled={"origin": 1}
    )
    pirate = UserConduct.from_record("pirate", (), facts)
    assert pirate == UserConduct(None, {"origin": 1}, is_limit_known=False, settled={"origin": 1})
