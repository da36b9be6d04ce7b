"""F-PT, F-PS and F-IP: what each amount is held against, with the amount right and a cent off."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from crab_graph.eval.explained_totals import shares
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.replay import replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verifier import strict_checks
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.eval.verifiers.item_prices import find_quotes
from tests.eval.builders import (
    ANNEX,
    ANNEX_ROOM,
    BACK,
    BACK_NIGHT,
    HOTEL,
    OUT,
    OUT_MIDDAY,
    OUT_SPARE,
    Plan,
    flight,
    graded,
    hotel,
)
from tests.eval.tapes import short_episode

PASS, FAIL, SILENT = "pass", "fail", "not_triggered"
RIGHT = Plan()
PROPOSAL = f"{RIGHT.told}\n\nTrip total: $1,010.00. Shall I book all of it?"
BOTH = (OUT, BACK)
PAID_APART = ("book", "pay", "Good.", "book", "pay")


def checks(script, name):
    verdict = graded(script)
    return verdict.checks[name], verdict.strict["checks"][name]


def word(script, name):
    return graded(script).checks[name]


def laid_out(plan):
    script = plan.write()
    return lay_out(read_task(script.task), replay(script.task, read_transcript(script.messages)))


# --- F-PT


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("Trip total: $300.00.", "book", "pay"), PASS),
        (("Trip total: $300.01.", "book", "pay"), FAIL),
        (("book", "Trip total: $299.99.", "pay"), FAIL),
        (("book", "pay", "Trip total: $299.99."), SILENT),
        (("Trip total: $299.99.", "book"), SILENT),
        (("Trip total: $299.99.", "book", "Trip total: $300.00.", "pay"), PASS),
        (("Trip total: $300.00.", "book", "Trip total: $299.99.", "pay"), FAIL),
        (("u: Trip total: $299.99.", "book", "pay"), SILENT),
        (("book", "pay"), SILENT),
    ],
)
def test_the_total_before_a_charge_is_that_of_the_trip(lines, found):
    assert word(short_episode(*lines), "F-PT") == found


def test_each_charge_has_the_latest_total_before_it():
    lines = ("book", "The total is ${}.", "pay", "book", "The total is ${}.", "pay")
    for first, second, found in (
        ("300.00", "280.00", PASS),
        ("580.00", "580.00", PASS),
        ("300.00", "580.00", PASS),
        ("300.00", "281.00", FAIL),
        ("301.00", "280.00", FAIL),
        ("580.00", "280.00", PASS),
        ("280.00", "280.00", FAIL),
    ):
        amounts = iter((first, second))
        told = [line.format(next(amounts)) if "{}" in line else line for line in lines]
        assert word(short_episode(*told, flights=BOTH), "F-PT") == found, (first, second)


def test_a_total_that_is_scoped_to_the_trip_is_not_that_of_some_charges():
    lines = ("book", "{} total: $300.00.", "pay", "Done.", "book", "pay")
    for scope, found in (("Trip", FAIL), ("The", PASS)):
        told = [line.replace("{}", scope) for line in lines]
        assert word(short_episode(*told, flights=BOTH), "F-PT") == found


@pytest.mark.parametrize(
    ("total", "found"), [("300.00", FAIL), ("580.00", PASS), ("280.00", FAIL), ("581.00", FAIL)]
)
def test_what_is_pending_in_the_end_belongs_to_the_trip(total, found):
    lines = (f"Trip total: ${total}.", "book", "pay", "book")
    assert word(short_episode(*lines, flights=BOTH), "F-PT") == (
        PASS if total in ("580.00", "300.00") else found
    )


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("Trip total: $300.00.", "book", "pay"), PASS),
        (("book", "pay"), FAIL),
        (("book", "pay", "Trip total: $300.00."), FAIL),
        (("book",), SILENT),
        (("Hello.",), SILENT),
    ],
)
def test_strict_asks_for_a_total_before_the_first_charge(lines, found):
    assert checks(short_episode(*lines), "F-PT")[1] == found


def test_a_total_before_the_second_charge_alone_comes_too_late_for_strict():
    late = ("book", "book", "Trip total: $580.00.", "pay")
    assert checks(short_episode(*late, flights=BOTH), "F-PT") == (PASS, PASS)
    too_late = ("book", "pay", "book", "Trip total: $580.00.", "pay")
    assert checks(short_episode(*too_late, flights=BOTH), "F-PT") == (PASS, FAIL)


def test_coverage_of_totals_summaries_and_prices():
    def told(script):
        coverage = graded(script).metrics["coverage"]
        return {
            check: (coverage[check]["covered"], coverage[check]["opportunities"])
            for check in ("F-PT", "F-PS", "F-IP")
        }

    lines = ("book", "pay", f"{BACK} is $140.00 per passenger. Trip total: $580.00.", "book", "pay")
    script = short_episode(*lines, flights=BOTH)
    assert told(script) == {"F-PT": (1, 2), "F-PS": (0, 1), "F-IP": (1, 2)}
    done = short_episode(*lines, "All is confirmed, $580.00 in total.", flights=BOTH)
    assert told(done)["F-PS"] == (1, 1)
    assert told(short_episode("Hello.")) == {"F-PT": (0, 0), "F-PS": (0, 0), "F-IP": (0, 0)}
    assert told(short_episode("book"))["F-PS"] == (0, 0)
    assert told(short_episode("book", "All is confirmed, trip total $0.00."))["F-PS"] == (0, 0)


def test_evidence_of_a_total_names_its_message_and_what_it_could_be():
    right = graded(short_episode("Hello.", "Trip total: $300.00.", "book", "pay"))
    assert right.evidence["F-PT"] == [{"text": "stated $300.00: matches", "message": 2}]
    (wrong,) = graded(short_episode("Trip total: $1.00.", "book", "pay")).evidence["F-PT"]
    assert wrong["text"].startswith("stated $1.00: a whole total would be $300.00")
    (open_one,) = graded(short_episode("The total is $1.00.", "book", "pay")).evidence["F-PT"]
    assert open_one["text"].startswith("stated $1.00: an unscoped total would be $300.00")
    assert [one["amount"] for one in open_one["tried"]] == ["$300.00"]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("Running total: $1.00.", "book", "Trip total: $580.00.", "book", "pay"), PASS),
        (("book", "Running total: $1.00.", "Trip total: $580.00.", "book", "pay"), FAIL),
        (("book", "book", "pay", "Running total: $580.00."), SILENT),
        (("book", "book", "pay", "Running total: $579.00."), FAIL),
        (("book", "book", "pay", "Running total: $0.00."), FAIL),
        ((*PAID_APART, "Running total: $580.00."), SILENT),
        ((*PAID_APART, "Running total: $280.00."), SILENT),
        ((*PAID_APART, "Running total: $300.00."), FAIL),
        ((*PAID_APART, "Running total for the trip: $280.00."), FAIL),
        ((*PAID_APART, "$280.00 was paid in total.", "book", "pay"), SILENT),
        ((*PAID_APART, "So far the trip. $280.00 was paid in total.", "book", "pay"), FAIL),
        ((*PAID_APART, "Good.", "The last payment was $280.00 in total.", "book", "pay"), SILENT),
        ((*PAID_APART, "Good.", "The last payment was $300.00 in total.", "book", "pay"), FAIL),
    ],
)
def test_what_a_running_total_has_come_to(lines, found):
    assert word(short_episode(*lines, flights=(*BOTH, BACK_NIGHT)), "F-PT") == found


def test_evidence_of_running_totals_and_of_parts_says_each_once():
    def told(*lines):
        return graded(short_episode(*lines, flights=BOTH)).evidence["F-PT"]

    (wrong,) = told("book", "book", "pay", "Running total: $1.00.")
    assert [one["what"] for one in wrong["tried"]] == ["what was paid so far"]
    (parts,) = told("book", "Trip total: $300.00 ($200.00 + $90.00).", "pay")
    assert "come to $290.00" in parts["text"]
    (both,) = told("book", "Trip total: $310.00 ($200.00 + $90.00).", "pay")
    assert "come to $290.00" in both["text"]


# --- F-PS


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("book", "pay", "All is confirmed, trip total $300.00."), PASS),
        (("book", "pay", "All is confirmed, trip total $300.01."), FAIL),
        (("book", "pay", "All is confirmed, trip total $299.99."), FAIL),
        (("All is confirmed, trip total $299.99.", "book", "pay"), SILENT),
        (("book", "All is confirmed, trip total $299.99.", "pay"), SILENT),
        (("book", "pay", "The trip total is $300.00."), SILENT),
        (("book", "pay", "The trip total is $299.99."), FAIL),
        (("book", "pay", "All is confirmed."), SILENT),
        (("book", "pay", "All is booked, trip total $299.99."), FAIL),
        (("book", "All is booked, trip total $299.99."), SILENT),
        (("book", "All is confirmed, trip total $0.00."), PASS),
        (("book", "All is confirmed, trip total $300.00."), FAIL),
        (("All is confirmed, trip total $300.00.",), SILENT),
        (
            (
                *("book", "pay", "All is confirmed, trip total $1.00."),
                "All is confirmed, trip total $300.00.",
            ),
            PASS,
        ),
        (
            (
                *("book", "pay", "All is confirmed, trip total $300.00."),
                "All is confirmed, trip total $1.00.",
            ),
            FAIL,
        ),
        (("book", "pay", "All is confirmed. Once paid, the trip total is $1.00."), SILENT),
    ],
)
def test_a_summary_after_the_last_write_tells_what_was_captured(lines, found):
    assert word(short_episode(*lines), "F-PS") == found


def test_what_was_captured_for_a_booking_that_is_gone_does_not_count():
    for amount, found in (("300.00", PASS), ("580.00", FAIL)):
        script = short_episode("book", "book", "pay", flights=BOTH)
        script.messages.pop()
        booking = next(
            row for row in script.ledger.inserted("bookings") if row["entity_id"] == BACK
        )
        script.call("cancel_flight", booking_id=booking["booking_id"])
        script.agent(f"All is confirmed, trip total ${amount}.")
        script.user("###STOP###")
        assert word(script, "F-PS") == found


def test_strict_asks_for_a_summary_of_a_full_job_alone():
    silent = replace(RIGHT, closing="Have a nice time!")
    assert checks(silent, "F-PS") == (SILENT, FAIL)
    assert checks(RIGHT, "F-PS") == (PASS, PASS)
    part = replace(RIGHT.without("hotel"), reserved="Please approve.", closing="Enjoy it!")
    assert checks(part, "F-PS") == (SILENT, SILENT)


# --- F-IP


def proposing(old, new):
    assert old in PROPOSAL
    return replace(RIGHT, proposal=PROPOSAL.replace(old, new))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{OUT} is $150.00 per passenger.", PASS),
        (f"{OUT} is $150.01 per passenger.", FAIL),
        (f"{OUT} is $300.00 per passenger.", FAIL),
        (f"{OUT} is $300.00 for 2 passengers.", PASS),
        (f"{OUT} is $150.00 for 2 passengers.", FAIL),
        (f"{OUT} is $300.00.", PASS),
        (f"{OUT} is $150.00.", PASS),
        (f"{OUT} is $149.99.", FAIL),
        (f"{OUT} is $149.99, $150.00.", PASS),
        (f"{OUT} is $149.99, $300.00.", PASS),
        (f"{OUT} is $150.00, $300.00.", PASS),
        (f"{OUT} is $150.00, $300.00 for 2 passengers.", PASS),
        (f"{OUT} is $149.99, $151.00.", FAIL),
        (f"{OUT} is $149.99, $150.00 per passenger.", FAIL),
        (f"{OUT} is $149.99, $300.00 for 2 passengers.", FAIL),
        (f"{OUT} is $150.00 per passenger, $150.00.", PASS),
        (f"{OUT} is $150.00 per passenger, $300.00.", PASS),
        (f"{OUT} is $150.00, $151.00 per passenger.", FAIL),
        (f"{OUT_MIDDAY} is $149.99.", SILENT),
        (f"{BACK} is $149.99.", SILENT),
    ],
)
def test_what_a_price_is_held_against_by_its_mark(text, found):
    assert word(short_episode(text, "book", "pay"), "F-IP") == found
    assert word(short_episode("book", "pay", text), "F-IP") == found
    assert word(short_episode("book", text, "pay"), "F-IP") == found


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((f"{OUT} is $1.00 per passenger.", f"{OUT} is $150.00.", "book", "pay"), PASS),
        ((f"{OUT} is $150.00.", f"{OUT} is $1.00 per passenger.", "book", "pay"), FAIL),
        ((f"{OUT} is $150.00.", "book", "pay", f"{OUT} was $1.00 per passenger."), FAIL),
        (("book", "pay", f"{OUT} was $1.00 per passenger.", f"{OUT} was $150.00."), FAIL),
        ((f"{OUT} is $1.00 per passenger.", "book"), SILENT),
        ((f"{OUT} is $1.00 per passenger.", "book", "cancel"), SILENT),
        ((f"{OUT} is $1.00.", f"{OUT} is $150.00.", "book", "pay"), PASS),
        (("book", "pay", f"{OUT} was $1.00.", f"{OUT} was $300.00."), PASS),
        (("book", "pay", f"{OUT} was $300.00.", f"{OUT} was $1.00."), FAIL),
        (("book", f"{OUT} is $1.00.", "pay", f"{OUT} was $300.00."), FAIL),
        (("book", "pay", f"{OUT} was $300.00.", f"{OUT} was $300.00."), PASS),
    ],
)
def test_the_last_prices_before_the_capture_and_all_after_it_count(lines, found):
    assert word(short_episode(*lines), "F-IP") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Booking {0}: $300.00.", PASS),
        ("Booking {0}: $150.00.", FAIL),
        ("Booking {0}: $150.00, $300.00.", PASS),
        ("Booking {0}: total $300.00.", PASS),
        ("Booking {0}: total $299.00.", FAIL),
        ("Booking {1}: total $280.00.", PASS),
        ("Booking {1}: total $300.00.", FAIL),
        ("Both flights: total $580.00.", PASS),
        ("Both flights: total $579.00.", FAIL),
        ("Outbound flight: total $300.00.", PASS),
        ("Outbound flight: total $280.00.", FAIL),
        (f"Outbound flight {OUT}: total $299.00.", FAIL),
        (f"{OUT}, total for the outbound flight: $300.00.", PASS),
        (f"Outbound flight {OUT}: total $580.00.", FAIL),
        (f"The outbound flight is $300.00 in total, {OUT_MIDDAY} would be $240.00.", PASS),
        (f"The outbound flight is $299.00 in total, {OUT_MIDDAY} would be $240.00.", FAIL),
        (f"{OUT}: total so far $300.00.", PASS),
        (f"{OUT}: total so far $299.00.", FAIL),
        (f"{OUT}: total so far $299.00. {OUT_MIDDAY} would be $240.00.", SILENT),
        ("If so, approve $300.00 for {0} and $280.00 for {1}, together $580.00.", PASS),
        ("If so, approve $300.00 for {0} and $280.00 for {1}, together $570.00.", FAIL),
        ("If so, approve $300.00 for {0} and $280.00 for {1}, together $300.00.", FAIL),
        ("If so, approve $300.00 for {0} and $281.00 for {1}, together $580.00.", FAIL),
        ("If so, $580.00 in total for {0} and {1}, please.", PASS),
        ("If so, $590.00 in total for {0} and {1}, please.", FAIL),
        (f"If so, {{0}} and {OUT_MIDDAY} together are $590.00.", SILENT),
        ("If so, {1} costs $280.00 in total.", PASS),
        ("If so, {1} costs $281.00 in total.", FAIL),
        ("If so, {0} and {1} together are $290.00 per passenger.", PASS),
        ("If so, {0} and {1} together are $300.00 per passenger.", FAIL),
    ],
)
def test_what_a_price_is_about(text, found):
    lines = ("book", "book", text, "pay")
    assert word(short_episode(*lines, flights=BOTH), "F-IP") == found


def test_what_stands_first_of_what_each_booking_cost_is_no_share_of_a_person():
    said = "I charged your card for each of the two bookings: $300.00 for the outbound flight."
    assert word(short_episode("book", "book", "pay", said, flights=BOTH), "F-IP") == SILENT


@pytest.mark.parametrize(("amount", "found"), [("360.00", PASS), ("361.00", FAIL)])
def test_the_word_for_a_slot_means_what_is_booked_for_it_later(amount, found):
    assert word(proposing("Trip total", f"Hotel total: ${amount}. Trip total"), "F-IP") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Booking {0}: total $299.00.", FAIL),
        ("Booking {1}: total $269.00.", FAIL),
        ("Booking {1}: total $270.00.", PASS),
        (f"Outbound flight {OUT}: total $299.00.", FAIL),
        (f"{OUT_SPARE} is $134.00 per passenger.", FAIL),
        ("Outbound flight: total $299.00.", SILENT),
        (f"{OUT} and {OUT_SPARE} total $570.00.", SILENT),
    ],
)
def test_of_two_bookings_in_a_slot_an_id_tells_which_and_the_word_does_not(text, found):
    lines = ("book", "book", text, "pay")
    assert word(short_episode(*lines, flights=(OUT, OUT_SPARE)), "F-IP") == found


def test_an_entity_that_is_booked_twice_has_no_price_of_its_own():
    lines = ("book", "book", f"{OUT} is $1.00 per passenger.", "pay")
    assert word(short_episode(*lines, flights=(OUT, OUT)), "F-IP") == SILENT
    assert word(short_episode(*lines, flights=(OUT, BACK)), "F-IP") == FAIL


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((f"{OUT} is $150.00.", "book", "pay"), PASS),
        ((f"{OUT} is $151.00.", "book", "pay"), FAIL),
        (("book", "pay", f"{OUT} was $150.00."), FAIL),
        (("book", "pay"), FAIL),
        (("book",), SILENT),
        ((f"{BACK} is $140.00.", "book", "pay"), FAIL),
        (("book", "pay", "book", f"{OUT} was $150.00.", "pay"), FAIL),
    ],
)
def test_strict_asks_for_a_right_price_of_each_booking_before_its_charge(lines, found):
    assert checks(short_episode(*lines, flights=BOTH), "F-IP")[1] == found


def test_evidence_of_a_price():
    told = graded(short_episode(f"{OUT} is $150.00 per passenger.", "book", "pay"))
    (right,) = told.evidence["F-IP"]
    assert right["message"] == 1 and "tried" not in right and "explanation" not in right
    assert "unit price $150.00 of BK-" in right["text"]
    (wrong,) = graded(short_episode(f"{OUT} is $149.00.", "book", "pay")).evidence["F-IP"]
    assert [(one["what"], one["amount"]) for one in wrong["tried"]] == [
        ("the amount", "$300.00"),
        ("one unit", "$150.00"),
    ]
    (unit,) = graded(short_episode(f"{OUT} is $149.00 per passenger.", "book", "pay")).evidence[
        "F-IP"
    ]
    assert [one["amount"] for one in unit["tried"]] == ["$150.00"]
    (whole,) = graded(short_episode(f"{OUT} is $149.00 for 2 passengers.", "book", "pay")).evidence[
        "F-IP"
    ]
    assert [one["amount"] for one in whole["tried"]] == ["$300.00"]


def test_the_reading_of_a_price_is_told_where_it_is_not_the_first():
    def explanations(text):
        found = graded(short_episode(text, "book", "pay")).evidence["F-IP"]
        return [one.get("explanation") for one in found]

    assert explanations(f"{OUT} is $300.00.") == [None]
    assert explanations(f"{OUT} is $150.00 per passenger.") == [None]
    assert explanations(f"{OUT} is $150.00.") == ["read as one unit"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{HOTEL} and {OUT}: $660.00 in total.", PASS),
        (f"{HOTEL} and {OUT}: $659.00 in total.", FAIL),
    ],
)
def test_a_group_costs_what_its_members_cost(text, found):
    assert word(replace(RIGHT, reserved=text), "F-IP") == found


def test_a_surplus_booking_has_prices_too():
    plan = replace(RIGHT, surplus=(flight("outbound", OUT_SPARE),), offers_transfer=True)
    assert word(plan, "F-IP") == PASS
    assert word(replace(plan, closing=f"{OUT_SPARE} was $134.00 per passenger."), "F-IP") == FAIL


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Total per person: $505.00.", PASS),
        ("Total per person: $505.01.", FAIL),
        ("Total per person: $504.99.", FAIL),
        ("Total per person: $1,010.00.", FAIL),
        (f"{HOTEL}: total $180.00 per person.", PASS),
        (f"{HOTEL}: total $181.00 per person.", FAIL),
        (f"You fly with {OUT} and {BACK}.\n\nTotal per person: $290.00.", PASS),
        (f"You fly with {OUT} and {BACK}.\n\nTotal per person: $291.00.", FAIL),
        (f"You fly with {OUT} and {BACK}.\n\nTotal per person: $505.00.", PASS),
    ],
)
def test_what_each_one_pays_is_a_share_of_all_or_of_what_is_named(text, found):
    assert word(replace(RIGHT, reserved=text), "F-IP") == found


def test_the_share_of_a_job_of_which_a_part_is_missing_is_not_known():
    part = replace(RIGHT.without("hotel"), reserved="Total per person: $1.00.")
    assert word(replace(part, proposal="Shall I book?"), "F-IP") == SILENT


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{OUT_MIDDAY} and {HOTEL}: $120.00 each.", PASS),
        (f"{OUT_MIDDAY} and {HOTEL}: $121.00 each.", FAIL),
        (f"{OUT_MIDDAY} and {BACK}: $120.00 each.", FAIL),
        (f"{OUT_MIDDAY} and {BACK}: $140.00 each.", FAIL),
        (f"{OUT_MIDDAY} and {HOTEL}: $240.00.", PASS),
        (f"{OUT_MIDDAY} and {HOTEL}: $241.00.", FAIL),
        (f"{OUT_MIDDAY} and {HOTEL}: $480.00.", PASS),
        (f"{OUT_MIDDAY} and {BACK}: $240.00.", FAIL),
        (f"{OUT_MIDDAY} and {BACK}: $280.00.", FAIL),
        (f"{OUT_MIDDAY} and {BACK}: $520.00.", PASS),
    ],
)
def test_one_price_of_several_things_is_of_each_where_they_cost_the_same(text, found):
    plan = RIGHT.swapped(flight("outbound", OUT_MIDDAY))
    plan = plan.swapped(hotel(nights=2, check_out="2027-05-05"))
    assert word(replace(plan, reserved=text), "F-IP") == found


@pytest.mark.parametrize(
    ("by_booking", "cents", "found"),
    [
        (False, "240.00", PASS),
        (False, "241.00", FAIL),
        (False, "200.00", PASS),
        (True, "240.00", PASS),
        (True, "241.00", FAIL),
        (True, "200.00", FAIL),
        (True, "480.00", PASS),
    ],
)
def test_things_may_cost_the_same_whose_units_do_not(by_booking, cents, found):
    plan = RIGHT.swapped(flight("outbound", OUT_MIDDAY)).swapped(hotel(ANNEX, ANNEX_ROOM))
    booked = [row["booking_id"] for row in plan.write().ledger.inserted("bookings")]
    one, other = (booked[0], booked[2]) if by_booking else (OUT_MIDDAY, ANNEX)
    assert word(replace(plan, reserved=f"{one} and {other}: ${cents}."), "F-IP") == found


@pytest.mark.parametrize(("people", "each"), [(0, 301), (1, 301), (2, 150), (3, 100)])
def test_a_share_is_what_one_of_all_pays(people, each):
    episode: Any = SimpleNamespace(reading=SimpleNamespace(people=range(people)))
    (down, up) = [one.cents for one in shares(episode, 301, "a share")]
    assert (down, up) == (each, each + (301 % max(people, 1) > 0))


PAID_SUM, OWN_SUM = f"{HOTEL} comes to $1,010.00 paid.", f"{HOTEL} comes to $1,010.00."
NIGHTS_SUM = "$1,010.00 for 3 nights"
PRICED = f"{HOTEL} comes to $360.00. {OUT} comes to $300.00."


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ([PAID_SUM, OWN_SUM], [True, False]),
        ([OWN_SUM, PAID_SUM], [False, True]),
        ([f"{HOTEL} comes to $360.00.", PAID_SUM, OWN_SUM], [True, True, False]),
        (
            [f"{HOTEL}: {NIGHTS_SUM}, paid. It has a view.", f"{HOTEL}: {NIGHTS_SUM}."],
            [True, False],
        ),
        ([PRICED, f"{HOTEL} comes to $660.00."], [True, True, True]),
        ([f"{HOTEL} comes to $660.00.", PRICED], [False, True, True]),
    ],
)
def test_prices_of_one_item_in_a_message_are_judged_each_by_what_stands_beside_it(said, right):
    episode = laid_out(replace(Plan(), closing=" ".join(said)))
    last = episode.dialogue.agent[-1]
    assert [one.is_right for one in find_quotes(episode) if one.message is last] == right


def test_an_unmet_duty_names_the_booking_that_it_is_about_and_no_other():
    episode = laid_out(replace(Plan(), proposal="Shall I book all of it?", reserved="Approve?"))
    verifiers = verifiers_of(episode.reading)
    parity = {one.id: one.judge(episode) for one in verifiers}
    found = strict_checks(episode, parity, verifiers)
    prices, totals = found["F-IP"].evidence, found["F-PT"].evidence
    assert [one["rows"] for one in prices] == [[f"bookings/{key}"] for key in episode.confirmed]
    assert totals == ({"text": "undisclosed: a total before the first charge"},)
