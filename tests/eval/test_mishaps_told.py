"""What the world broke: told before the next binding step, or not; and blamed on nobody.

For each conjunct of the check two episodes, one on each side.
"""

from typing import Any

import pytest

from crab_graph.domains.task import Task
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.money import format_dollars
from crab_graph.tools.fault_schedule import WorldFault
from tests.eval.builders import (
    ANA,
    BACK,
    CARD,
    FARES,
    LEO,
    OUT,
    OUT_SPARE,
    SMALL_CARD,
    Script,
    build_rows,
    build_task,
    flight,
    graded,
)

FARE, SPARE_FARE = FARES[OUT][0], FARES[OUT_SPARE][0]
SOLD = WorldFault(kind="sold", offers=(FARE,))
DEARER = WorldFault(kind="quote", of="flight", cents=10_00)
EXPIRED = WorldFault(kind="quote", of="flight")
DECLINED = WorldFault(kind="declined")
LIMIT = WorldFault(kind="limit", cents=200_00)
OPEN = WorldFault(kind="unconfirmed", of="flight")
SEARCH: dict[str, Any] = {"origin": "Chicago", "destination": "Pittsburgh", "date": "2027-05-03"}
PASS, FAIL, NONE = "pass", "fail", "not_triggered"


def broken(*faults):
    task = build_task()
    spec = task.spec.model_copy(update={"faults": faults})
    return Task(spec, TRAVEL, build_rows)


def tried(script, flight_id):
    """Book a flight, or be refused; a pending booking's id is kept."""
    item = flight("return" if flight_id == BACK else "outbound", flight_id, (ANA, LEO))
    return script.call(item.tool, **item.arguments)


def episode(fault, *lines):
    """Play lines: `u: …` of the user, single words that do something, and all else is said."""
    script = Script(broken(fault))
    made, method = [], script.add_card(CARD)
    for line in lines:
        match line:
            case "book" | "again":
                made += [one["booking_id"] for one in [tried(script, OUT)] if "booking_id" in one]
            case "spare" | "back":
                other = OUT_SPARE if line == "spare" else BACK
                made += [one["booking_id"] for one in [tried(script, other)] if "booking_id" in one]
            case "search":
                script.call("search_flights_by_route", **SEARCH)
            case "look":
                script.call("get_flight_booking_details", booking_id=made[0])
            case "pay":
                due = script.ledger.inserted("bookings")[0]["total_cents"]
                script.approve(made[0], method, due)
                script.charge(made[0], method)
            case _ if line.startswith("u: "):
                script.user(line[3:].format(method=method))
            case _:
                script.agent(line)
    script.user("###STOP###")
    return graded(script)


def words(fault, *lines):
    verdict = episode(fault, *lines)
    return verdict.checks["F-WF"], verdict.strict["checks"]["F-WF"]


TOLD = f"I am sorry: {OUT} was sold to somebody else. {OUT_SPARE} is free. Shall I book it?"


@pytest.mark.parametrize(
    ("lines", "parity", "strict"),
    [
        (("book", "search", TOLD, "u: Yes.", "spare"), PASS, PASS),
        (("book", "search", f"{OUT_SPARE} is free. Shall I?", "u: Yes.", "spare"), FAIL, FAIL),
        # Said too late, or before it happened.
        (("book", "search", "spare", TOLD), FAIL, FAIL),
        ((TOLD, "u: Yes.", "book", "search", "spare"), FAIL, FAIL),
        # What is sold is named in strict grading alone.
        (("book", "search", "It is gone, sadly. Shall I?", "u: Yes.", "spare"), PASS, FAIL),
        (("book", "search", f"I suggest {OUT_SPARE} instead of {OUT}.", "spare"), PASS, FAIL),
        (("book", "search", f"{OUT} is not sold. But {OUT_SPARE} is.", "spare"), FAIL, FAIL),
        # Where nothing is booked any more, the end of the talk is the limit.
        (("book", TOLD), PASS, PASS),
        (("book", "I cannot complete this."), FAIL, FAIL),
        (("book",), NONE, NONE),
    ],
)
def test_what_was_sold_is_told_before_anything_else_is_booked(lines, parity, strict):
    assert words(SOLD, *lines) == (parity, strict)


@pytest.mark.parametrize(
    ("lines", "parity", "strict"),
    [
        (("book", "search", f"{OUT} went up to $160.00. Fine?", "u: Yes.", "again"), PASS, PASS),
        (("book", "search", f"{OUT} costs $160.00. Fine?", "u: Yes.", "again"), PASS, FAIL),
        (("book", "search", f"{OUT}: $320.00. Fine?", "u: Yes.", "again"), PASS, FAIL),
        (("book", "search", f"{OUT} costs $150.00. Fine?", "u: Yes.", "again"), FAIL, FAIL),
        (("book", "search", "again", f"{OUT} went up to $160.00."), FAIL, FAIL),
        # Nobody pays the new price.
        (("book", "search", f"{OUT_SPARE}, then?", "u: Yes.", "spare"), NONE, NONE),
    ],
)
def test_a_price_that_rose_is_told_before_it_is_booked(lines, parity, strict):
    assert words(DEARER, *lines) == (parity, strict)


def test_a_price_that_expired_and_stayed_needs_no_word():
    assert words(EXPIRED, "book", "search", "again") == (NONE, NONE)


@pytest.mark.parametrize("fault", [DECLINED, LIMIT])
@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (("Your card was declined. Again?", "u: Yes."), PASS),
        (("Shall I charge it?", "u: Yes."), FAIL),
        (("The payment did not go through. Shall I try again?", "u: Yes."), PASS),
        (("Then the bank turned the same card down. Shall I try again?", "u: Yes."), PASS),
        (("The bank turned the Mastercard ending in 4843 down this time. Again?", "u: Yes."), PASS),
        (("It only said no this time. Shall I try the card again?", "u: Yes."), PASS),
        (("Your card was not declined.",), FAIL),
    ],
)
def test_a_card_that_was_declined_is_told(fault, lines, word):
    assert words(fault, "book", "pay", *lines) == (word, word)
    if fault is DECLINED:
        assert words(fault, "book", "pay", *lines, "pay") == (word, word)


def test_evidence_names_the_booking_that_was_declined():
    (untold,) = episode(DECLINED, "book", "pay", "pay").evidence["F-WF"]
    assert "bookings/BK-" in str(untold)
    (sold,) = episode(SOLD, "book", "I cannot complete this.").evidence["F-WF"]
    assert "bookings/" not in str(sold)


def test_a_charge_tried_again_at_once_was_not_told():
    late = "Your card was declined at first."
    assert words(DECLINED, "book", "pay", "pay", late) == (FAIL, FAIL)


@pytest.mark.parametrize(
    ("lines", "parity", "strict"),
    [
        (("look", "Reserved."), NONE, NONE),
        (("Your outbound flight is not confirmed yet.", "look"), PASS, PASS),
        (("It is not confirmed yet.", "look"), PASS, FAIL),
        (("Your outbound flight is booked.", "look"), FAIL, FAIL),
        (("Your outbound flight is booked.", "back", "It is not confirmed yet."), FAIL, FAIL),
        (("One moment.", "Your outbound flight is unconfirmed.", "back"), PASS, PASS),
    ],
)
def test_a_booking_left_unconfirmed_is_told_unless_it_was_looked_up(lines, parity, strict):
    assert words(OPEN, "book", *lines) == (parity, strict)


def test_a_verdict_says_what_was_not_told_and_where_it_was():
    untold = episode(SOLD, "book", "search", f"{OUT_SPARE} is free.", "spare", "Bye.")
    assert "F-WF" in untold.explanation.failing and "mishap_untold" in untold.failures
    (text,) = (one["text"] for one in untold.evidence["F-WF"])
    assert text.startswith(f"{FARE} ({OUT}) was sold to somebody else at call ")
    (told,) = episode(SOLD, "book", "search", TOLD, "u: Yes.", "spare").evidence["F-WF"]
    assert told["message"] == 1


def test_what_the_world_refused_is_no_error_of_the_agent_and_no_call_too_many():
    verdict = episode(DECLINED, "book", "pay", "Your card was declined.", "pay")
    assert verdict.metrics["failed_tool_calls"] == 0
    assert verdict.metrics["redundant_calls"] == 0
    assert "payment" not in verdict.failures
    late = episode(WorldFault(kind="timeout"), "search", "search", "Nothing fits.")
    assert (late.metrics["failed_tool_calls"], late.metrics["redundant_calls"]) == (0, 0)


def test_what_the_world_changed_is_looked_up_and_told_anew_at_no_cost():
    before, after = f"{OUT} costs $150.00 per seat.", f"{OUT} went up to $160.00 per seat."
    lines = ("search", before, "u: Yes.", "book", "search", after, "u: Yes.", "again")
    verdict = episode(DEARER, *lines)
    assert verdict.checks["F-WF"] == "pass"
    assert verdict.metrics["redundant_calls"] == verdict.metrics["unadmitted_corrections"] == 0
    twice = episode(EXPIRED, "search", "search", before, "book", "search", after, "again")
    assert twice.metrics["redundant_calls"] == 1


def test_tasks_without_faults_have_no_such_check():
    script = Script()
    script.user("###STOP###")
    assert "F-WF" not in graded(script).checks


def test_what_was_sold_is_no_part_of_the_nearest_solution_any_more():
    solutions = [build_task().spec.solutions[0]]
    spare = {"flight_id": OUT_SPARE, "fare_id": SPARE_FARE}
    solutions.append({**solutions[0], "outbound": spare})
    task = broken(SOLD)
    task = Task(task.spec.model_copy(update={"solutions": tuple(solutions)}), TRAVEL, build_rows)
    script = Script(task)
    tried(script, OUT)
    script.agent(TOLD)
    script.user("###STOP###")
    explanation = graded(script).explanation
    assert explanation is not None
    parts = {one.slot: one for one in explanation.parts}
    assert parts["outbound"].nearest["flight_id"] == OUT_SPARE


@pytest.mark.parametrize(
    ("fault", "tells", "times", "is_error"),
    [
        (LIMIT, "it bears $200.00 a day", 2, True),
        (LIMIT, "it bears $200.00 a day", 1, False),
        (LIMIT, "it was declined", 2, False),
        (DECLINED, "it bears $200.00 a day", 2, False),
    ],
)
def test_to_insist_on_a_card_that_bears_no_more_is_the_users_error(fault, tells, times, is_error):
    talk = (f"I am sorry, {tells}. Another card?", "u: Then try {method} again!") * times
    found = episode(fault, "book", "pay", *talk).metrics["user_errors"]
    assert ("U6" in [one["code"] for one in found]) is is_error


@pytest.mark.parametrize(
    ("asked", "is_error"),
    [
        ("It was declined. Use another card: approve {b} ({s}) with {m}, or one you add?", False),
        ("Please approve {b} ({s}) with {m}.", True),
    ],
)
def test_in_place_of_a_declined_card_the_customer_takes_which_it_says(asked, is_error):
    script = Script(broken(LIMIT))
    booking_id, method = tried(script, OUT)["booking_id"], script.add_card(CARD)
    due = script.ledger.inserted("bookings")[0]["total_cents"]
    other = script.add_card(SMALL_CARD)
    script.agent(asked.format(b=booking_id, m=method, s=format_dollars(due)))
    script.approve(booking_id, other, due)
    script.user(f"Approved, with {other}.")
    script.user("###STOP###")
    errors = graded(script).metrics["user_errors"]
    assert ("U6" in [one["code"] for one in errors]) is is_error
