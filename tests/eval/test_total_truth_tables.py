"""F-PT, F-PS and the certificate: what each condition lets through, and what it does not."""

from dataclasses import replace

import pytest

from crab_graph.eval.checks import CheckResult, CheckVerdict
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.eval.verifiers.job import agrees_with_certificate
from tests.eval.builders import BACK, BACK_NIGHT, OUT, OUT_SPARE, Plan, flight, graded, small_task
from tests.eval.tapes import (
    adding,
    changing,
    edited,
    evidence,
    right_tape,
    rows,
    short_episode,
    tape_of,
    update,
)

PASS, FAIL, SILENT = "pass", "fail", "not_triggered"
PAID_APART = ("book", "pay", "Good.", "book", "pay")


def texts(script, check):
    return [one["text"] for one in graded(script).evidence.get(check, ())]


def results(tape):
    episode = lay_out(read_task(small_task()), tape)
    return episode, {one.id: one.judge(episode) for one in verifiers_of(episode.reading)}


@pytest.mark.parametrize("cents", [300_00, 900_00])
def test_a_price_that_is_not_the_one_due_says_nothing_of_the_certificate(cents):
    episode, said = results(edited(right_tape(), changing("bookings", 0, total_cents=cents)))
    budget = next(one.id for one in episode.reading.checks if one.role == "budget")
    assert said[budget].is_failure is (cents > 300_00)
    assert agrees_with_certificate(episode, said)
    broken = {**said, budget: CheckResult(CheckVerdict.FAIL)}
    assert agrees_with_certificate(episode, broken) is (cents > 300_00)


def test_a_constraint_is_told_with_its_sentence_where_it_has_one():
    same, units = (evidence(check, right_tape())[0] for check in ("D18", "D06"))
    assert same.startswith("same_carrier holds (both flights are with one carrier): outbound.")
    assert units.startswith("outbound_units holds: ")


def test_a_total_after_the_last_charge_explains_no_charge():
    lines = (*PAID_APART, "The last payment was $280.00 in total.")
    assert texts(short_episode(*lines, flights=(OUT, BACK)), "F-PT") == []
    assert texts(short_episode(*lines, "book", "pay", flights=(OUT, BACK, BACK_NIGHT)), "F-PT")


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "full"),
        ({"surplus": (flight("outbound", OUT_SPARE),)}, "partial"),
        ({"charges": False}, "partial"),
        ({"items": ()}, "none"),
    ],
)
def test_how_much_of_the_job_is_booked(changes, state):
    episode, _ = results(tape_of(replace(Plan(), **changes).write()))
    assert episode.state == state


def test_a_booking_that_is_paid_and_not_confirmed_leaves_the_job_open():
    booking = rows(right_tape(), "bookings")[0]["booking_id"]
    pending = adding("transactions", 3, update("bookings", booking, status="pending"))
    episode, _ = results(edited(right_tape(), pending))
    assert episode.state == "partial" and booking not in episode.confirmed
