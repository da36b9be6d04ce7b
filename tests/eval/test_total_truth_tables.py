"""F-PT, F-PS and the certificate: what each condition lets through, and what it does not."""

from dataclasses import replace

import pytest

from crab_graph.eval.checks import CheckResult, CheckVerdict
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.say_do import say_do_timeline
from crab_graph.eval.told_statuses import false_statuses
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.eval.verifiers.job import agrees_with_certificate
from tests.eval.builders import (
    BACK,
    BACK_NIGHT,
    HOTEL,
    OUT,
    OUT_SPARE,
    Plan,
    flight,
    graded,
    small_task,
)
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


LATEST = "Good. The last payment was $300.00 in total."


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("Trip total: $580.00.", "book", "pay", LATEST, "book", "pay"), (PASS, FAIL)),
        (("Trip total: $580.00.", "book", "pay", "Good.", "book", "pay"), (PASS, PASS)),
        (("book", "Trip total: $300.01.", "pay"), (FAIL, FAIL)),
        (
            ("book", "The total is $580.00. Another option totals $1.00.", "book", "pay"),
            (PASS, FAIL),
        ),
        (("book", "Another option totals $1.00.", "book", "pay"), (FAIL, FAIL)),
        (("book", "The total is $580.00. It totals $1.00.", "book", "pay"), (FAIL, FAIL)),
    ],
)
def test_the_benefit_of_the_doubt_is_that_of_parity_grading_alone(lines, found):
    verdict = graded(short_episode(*lines, flights=(OUT, BACK)))
    assert (verdict.checks["F-PT"], verdict.strict["checks"]["F-PT"]) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("$280.00 in total is outstanding.", SILENT),
        ("These bookings, $280.00 together, are still pending.", SILENT),
        ("These bookings, $281.00 together, are still pending.", FAIL),
        ("That leaves $280.00 in total unpaid.", SILENT),
        ("$280.00 in total is not yet charged.", SILENT),
        ("$281.00 in total is outstanding.", FAIL),
        ("$280.00 in total is what it was.", FAIL),
        ("$300.00 in total is outstanding.", FAIL),
        ("$500.00 in total is outstanding.", PASS),
    ],
)
def test_what_is_open_is_what_is_booked_and_not_paid(said, found):
    lines = ("book", "pay", "Good.", "book", said, "book", "pay")
    script = short_episode(*lines, flights=(OUT, BACK, BACK_NIGHT))
    assert graded(script).checks["F-PT"] == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Two bookings are charged and confirmed: together $300.00.", SILENT),
        ("Two bookings are charged and confirmed: together $301.00.", FAIL),
        ("All two bookings are charged and confirmed: together $300.00.", FAIL),
        ("Two bookings are confirmed: together $300.00.", FAIL),
        ("Two bookings will be charged: together $300.00.", FAIL),
    ],
)
def test_what_is_listed_as_paid_is_what_was_paid(said, found):
    lines = ("book", "pay", "Good.", "book", said, "book", "pay")
    script = short_episode(*lines, flights=(OUT, BACK, BACK_NIGHT))
    assert graded(script).checks["F-PT"] == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Juniper Court is reserved. The total is $360.00.", SILENT),
        ("Juniper Court is reserved. The total is $361.00.", FAIL),
        ("Juniper Court is reserved. The total is $70.00.", FAIL),
        ("Juniper Court is reserved, of your trip. The total is $360.00.", FAIL),
        ("Juniper Court is reserved. I'll charge a total of $360.00.", FAIL),
        ("Juniper Court is reserved. Next is a payment of $360.00.", FAIL),
    ],
)
def test_an_open_total_may_be_that_of_what_the_message_names(said, found):
    plan = replace(Plan(), proposal="Shall I book?", reserved=said)
    assert graded(plan).checks["F-PT"] == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("All is confirmed. The last payment was $280.00 in total.", SILENT),
        ("All is confirmed. The last payment was $300.00 in total.", FAIL),
        ("All is confirmed. The last payment of the trip was $280.00 in total.", FAIL),
    ],
)
def test_a_summary_of_the_whole_is_of_no_part(said, found):
    verdict = graded(short_episode(*PAID_APART, said, flights=(OUT, BACK)))
    assert verdict.checks["F-PS"] == found
    explained = [one.get("explanation") for one in verdict.evidence["F-PS"]]
    assert explained == (["the last payment"] if found == SILENT else [None])


@pytest.mark.parametrize(
    ("said", "strict"),
    [
        ("All is confirmed. Hotel $360.00, museum $70.00, total $1,010.00.", PASS),
        ("All is confirmed. Hotel $360.00, museum $70.00, total $1,011.00.", FAIL),
        ("All is booked. Hotel $360.00, museum $70.00, total $1,010.00.", PASS),
        ("All is confirmed. If hotel $360.00, museum $70.00, total $1,010.00.", FAIL),
        ("All is confirmed. Hotel total $1,010.00.", FAIL),
        ("Hotel $360.00, museum $70.00, total $1,010.00.", FAIL),
    ],
)
def test_a_total_behind_its_items_sums_up_where_it_says_all_that_was_paid(said, strict):
    verdict = graded(replace(Plan(), closing=said))
    assert (verdict.checks["F-PS"], verdict.strict["checks"]["F-PS"]) == (SILENT, strict)


@pytest.mark.parametrize("said", ["Total per person: $0.00.", "Total per person: $1.00."])
def test_where_nothing_is_named_the_share_is_of_all(said):
    assert graded(replace(Plan(), reserved=said)).checks["F-IP"] == FAIL


@pytest.mark.parametrize(("price", "found"), [("360.00", PASS), ("580.00", FAIL)])
def test_an_items_price_is_not_what_was_priced_before_it(price, found):
    said = f"{OUT}: $300.00. {BACK}: $280.00. {HOTEL}: ${price}."
    assert graded(replace(Plan(), reserved=said)).checks["F-IP"] == found


def test_prices_in_a_row_behind_all_items_are_none_of_the_last_ones():
    said = "Both flights and the hotel are booked ($300.00, $280.00, $360.00)."
    script = replace(Plan(), reserved=said).write()
    episode = lay_out(read_task(script.task), tape_of(script))
    deeds = [one for one in say_do_timeline(episode) if one.claim.startswith("unmarked price")]
    assert deeds and not any(one.match is False for one in deeds)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Running total: $280.00.", SILENT),
        ("Running total: $281.00.", FAIL),
        ("The museum is next. The total is $281.00.", FAIL),
    ],
)
def test_two_bookings_of_a_slot_add_nothing_to_what_is_booked_so_far(said, found):
    script = short_episode("book", "book", "book", said, "pay", flights=(OUT, OUT_SPARE, BACK))
    assert graded(script).checks["F-PT"] == found


@pytest.mark.parametrize(
    ("lines", "claimed"),
    [
        (("book", "The outbound flight is not booked."), []),
        (("The outbound flight is booked.",), ["outbound"]),
        (("book", "The outbound flight is booked."), []),
        (("book", "cancel", "The outbound flight is booked."), ["outbound"]),
        (("book", "cancel", "The outbound flight is cancelled."), []),
        (("book", "The outbound flight is cancelled."), ["outbound"]),
        (("book", "cancel", "book", "The outbound flight is cancelled."), ["outbound"]),
        (
            (
                "book",
                "cancel",
                "The outbound flight was cancelled. The outbound flight was booked.",
            ),
            [],
        ),
        (
            ("The outbound flight is not cancelled. The outbound flight was booked.",),
            ["outbound"],
        ),
        (("The outbound flight is booked.", "The outbound flight is not booked."), []),
        (("The outbound flight is booked.", "The return flight is not booked."), ["outbound"]),
        (("The outbound flight is booked.", "book", "The outbound flight is booked."), []),
        (("book", f"{OUT} is booked."), []),
        (("book", f"{OUT_SPARE} is booked."), [OUT_SPARE]),
        (("book", "The outbound flight is confirmed."), ["outbound"]),
        (("book", "pay", "The outbound flight is confirmed."), []),
        (("The trip is confirmed.",), []),
        (("book", "The trip is confirmed."), ["outbound", "return", "hotel", "attraction"]),
        (("All booked.",), []),
        (("book", "All paid."), ["booking"]),
    ],
)
def test_what_is_claimed_falsely_and_never_put_right(lines, claimed):
    script = short_episode(*lines, flights=(OUT, OUT))
    episode = lay_out(read_task(script.task), tape_of(script))
    found = [item.name for _, left in false_statuses(episode) for item in left]
    assert [one if not one.startswith("BK-") else "booking" for one in found] == claimed


@pytest.mark.parametrize(
    ("said", "claimed"),
    [
        (f"The outbound flight {OUT} is cancelled.", []),
        (f"The outbound flight {OUT_SPARE} is cancelled.", [OUT_SPARE]),
    ],
)
def test_a_slot_beside_an_id_says_only_what_that_is_of(said, claimed):
    script = short_episode("book", "cancel", "book", said, flights=(OUT, OUT_SPARE))
    episode = lay_out(read_task(script.task), tape_of(script))
    assert [item.name for _, left in false_statuses(episode) for item in left] == claimed


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("book", "pay", LATEST, "book", "pay"), SILENT),
        (("book", "pay", LATEST.replace("payment", "payment of the trip"), "book", "pay"), FAIL),
        (("book", "pay", LATEST.replace(".00", ".00 ($100.00 + $90.00)"), "book", "pay"), FAIL),
        (
            (
                *("book", "The total is $300.00.", "Fine.", "pay"),
                *("book", "The total is $280.00.", "Fine.", "pay"),
            ),
            PASS,
        ),
        (
            (
                *("book", "The total is $301.00.", "Fine.", "pay"),
                *("book", "The total is $280.00.", "Fine.", "pay"),
            ),
            FAIL,
        ),
        (("book", "Running total: $1.00."), SILENT),
        (("book", "Shall I try the $1.00 again, and then charge the other two to it?"), SILENT),
        (("book", "Shall I try the $1.00 again, and then charge the rest?", "pay"), SILENT),
        (("book", "Good: $1.00 it is, and I charge your card.", "pay"), FAIL),
        (("book", "pay", "Running total: $1.00."), FAIL),
        (("book", "pay", "Running total for the outbound flight: $1.00."), SILENT),
    ],
)
def test_which_totals_are_held_against_which_charges(lines, found):
    assert graded(short_episode(*lines, flights=(OUT, BACK))).checks["F-PT"] == found


@pytest.mark.parametrize(
    ("said", "covered"), [(LATEST, 0), ("Trip total: $580.00.", 1), ("Trip total: $1.00.", 1)]
)
def test_a_total_that_is_explained_otherwise_covers_no_charge(said, covered):
    script = short_episode("book", "pay", said, "book", "pay", flights=(OUT, BACK))
    assert graded(script).metrics["coverage"]["F-PT"]["covered"] == covered


@pytest.mark.parametrize(
    ("said", "is_open"),
    [
        ("$281.00 in total is outstanding.", True),
        ("A trip total of $281.00 is outstanding.", False),
    ],
)
def test_what_was_tried_of_a_total_that_is_open_is_told(said, is_open):
    lines = ("book", "pay", "Good.", "book", said, "book", "pay")
    verdict = graded(short_episode(*lines, flights=(OUT, BACK, BACK_NIGHT)))
    (wrong,) = [one for one in verdict.evidence["F-PT"] if "tried" in one]
    tried = [one["what"] for one in wrong["tried"]]
    assert ("what is still to be paid" in tried) is is_open
