"""F-…, C-…, D05 and D07: for each conjunct two episodes that differ in it alone, one each side."""

from dataclasses import replace

import pytest

from tests.eval.builders import (
    ANA,
    ANNEX,
    BACK,
    BACK_NIGHT,
    HOTEL,
    LEO,
    MUSEUM,
    NAMES,
    OUT,
    OUT_MIDDAY,
    OUT_NEXT_DAY,
    OUT_SPARE,
    Plan,
    Script,
    attraction,
    build_task,
    failing,
    flight,
    graded,
    hotel,
)
from tests.eval.tapes import changing, edited, right_tape, says
from tests.eval.tapes import short_episode as episode

PASS, FAIL, SILENT = "pass", "fail", "not_triggered"
RIGHT = Plan()
PRICE = 300_00


def words(script, *checks):
    verdict = graded(script)
    return [verdict.checks[check] for check in checks]


# --- F-ID and F-NM


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ((f"{OUT} is free.", "book"), PASS),
        (("book", f"{OUT} is free."), SILENT),
        (("A flight is free.", "book"), SILENT),
        ((f"{OUT_MIDDAY} is free.", "book"), FAIL),
        (("FL-99999 is free.", "book"), FAIL),
        ((f"{HOTEL} is free.", "book"), SILENT),
        ((f"u: {OUT}, please.", "book"), SILENT),
        ((f"u: {OUT}, please.", f"{OUT_MIDDAY} is free.", "book"), FAIL),
        ((f"We should avoid {OUT}.", "book"), FAIL),
        ((f"We should avoid {OUT}.", f"{OUT} is free.", "book"), PASS),
        ((f"{OUT_MIDDAY} is free.", "book", f"{OUT} is free."), FAIL),
    ],
)
def test_an_id_is_told_before_it_is_booked_where_ids_of_its_kind_are(lines, word):
    assert words(episode(*lines), "F-ID") == [word]


def test_the_latest_of_several_bookings_is_told_too_and_cancelled_ones_count():
    told = (f"{OUT} and {BACK} are free.", "book", "book")
    assert words(episode(*told, flights=(OUT, BACK)), "F-ID") == [PASS]
    assert words(episode(*told, flights=(OUT, BACK_NIGHT)), "F-ID") == [FAIL]
    gone = (f"{BACK} is free.", "book", "cancel", "book")
    assert words(episode(*gone, flights=(OUT, BACK)), "F-ID") == [FAIL]
    assert words(episode(f"{OUT}?", *gone, flights=(OUT, BACK)), "F-ID") == [PASS]


def listing(number):
    return ", ".join(f"FL-{at}" for at in range(11, 11 + number))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{OUT_MIDDAY} is free.", "absent"),
        (f"We should avoid {OUT}.", "negated"),
        (f"{OUT}, {listing(10)}", "over_cap"),
        (f"{OUT}, {listing(9)}", None),
    ],
)
def test_why_an_id_is_not_disclosed(text, reason):
    verdict = graded(episode(text, "book"))
    assert verdict.metrics.get("id_mismatch") == ([reason] if reason else None)
    told = [one["text"] for one in verdict.evidence["F-ID"]]
    assert told == (
        [f"the id of {OUT} was not disclosed before it was booked ({reason})"]
        if reason
        else [f"{OUT} was disclosed"]
    )


def test_an_id_that_is_negated_once_and_listed_once_is_over_the_cap():
    verdict = graded(episode(f"We should avoid {OUT}.", f"{OUT}, {listing(10)}", "book"))
    assert verdict.metrics["id_mismatch"] == ["over_cap"]


def test_the_message_that_first_discloses_is_the_evidence():
    verdict = graded(episode("Hello.", f"{OUT} is free.", f"{OUT} it is.", "book"))
    assert verdict.evidence["F-ID"] == [{"text": f"{OUT} was disclosed", "message": 2}]


def with_hotel(*lines):
    script = Script()
    for line in lines:
        if line == "book":
            script.book(hotel())
        else:
            script.agent(line)
    script.user("###STOP###")
    return script


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((f"{NAMES[HOTEL]} ({HOTEL}).", "book"), [PASS, PASS]),
        ((f"{HOTEL}.", "book"), [PASS, FAIL]),
        ((f"{NAMES[HOTEL]}.", "book"), [SILENT, PASS]),
        (("book", f"{NAMES[HOTEL]} ({HOTEL})."), [SILENT, FAIL]),
        (("book",), [SILENT, FAIL]),
        ((f"{NAMES[ANNEX]}.", "book"), [SILENT, FAIL]),
    ],
)
def test_a_name_is_told_before_it_is_booked_and_an_id_only_where_ids_are(lines, found):
    assert words(with_hotel(*lines), "F-ID", "F-NM") == found


def test_why_a_name_or_an_id_is_missing_is_told_of_itself():
    by_id = graded(with_hotel(f"{HOTEL}.", "book"))
    assert by_id.evidence["F-NM"][0]["text"].endswith("(absent)")
    by_name = graded(with_hotel(f"{ANNEX} is free. {NAMES[HOTEL]} too.", "book"))
    assert by_name.metrics["id_mismatch"] == ["absent"]


def test_a_flight_has_no_name_to_tell():
    assert words(episode(f"{OUT} is free.", "book"), "F-NM") == [SILENT]
    assert words(episode("Hello."), "F-ID", "F-NM") == [SILENT, SILENT]


def test_evidence_says_that_a_name_was_told():
    verdict = graded(with_hotel(f"{NAMES[HOTEL]}.", "book"))
    assert verdict.evidence["F-NM"] == [
        {"text": f"the name of {HOTEL} was disclosed", "message": 1}
    ]
    missing = graded(with_hotel("book")).evidence["F-NM"]
    text = f"the name of {HOTEL} was not disclosed before it was booked (absent)"
    assert [one["text"] for one in missing] == [text]


@pytest.mark.parametrize(
    ("others", "word"),
    [((), PASS), ((OUT_MIDDAY, OUT_NEXT_DAY), PASS), ((OUT_MIDDAY, OUT_NEXT_DAY, OUT_SPARE), FAIL)],
)
def test_strict_counts_the_entities_of_the_slot_that_a_message_discloses(others, word):
    verdict = graded(episode(f"{', '.join((OUT, *others))}, {BACK}", "book"))
    assert verdict.strict["checks"]["F-ID"] == word and verdict.checks["F-ID"] == PASS


def test_strict_asks_for_ids_and_names_of_whatever_is_booked():
    for lines, found in (
        (("book",), [FAIL, FAIL]),
        ((f"{NAMES[HOTEL]}.", "book"), [FAIL, PASS]),
        ((f"{HOTEL}.", "book"), [PASS, FAIL]),
        (("Hello.",), [SILENT, SILENT]),
    ):
        strict = graded(with_hotel(*lines)).strict["checks"]
        assert [strict["F-ID"], strict["F-NM"]] == found


def coverage(script, check):
    told = graded(script).metrics["coverage"][check]
    return told["covered"], told["opportunities"]


def test_coverage_of_ids_names_and_approvals():
    told = (f"{OUT} is free. Shall I book it?", "u: Yes.", "book", "book")
    both = episode(*told, flights=(OUT, BACK))
    assert coverage(both, "F-ID") == (1, 2)
    assert coverage(both, "F-AP") == (1, 2)
    assert coverage(with_hotel("book"), "F-NM") == (0, 1)
    assert coverage(with_hotel(f"{NAMES[HOTEL]}.", "book"), "F-NM") == (1, 1)
    surplus = episode("book", flights=("FL-30001",))
    assert coverage(surplus, "F-AP") == (0, 1)


# --- F-AP


ASKS = f"{OUT} is free. Shall I book it?"


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ((ASKS, "u: Yes.", "book"), PASS),
        ((ASKS, "u: Hm.", "book"), SILENT),
        ((f"u: Yes, book {OUT_MIDDAY}.", "book"), FAIL),
        ((f"u: Yes, book {BACK}.", "book"), SILENT),
        (("book", f"u: Yes, book {OUT_MIDDAY}."), FAIL),
        (("book", f"u: Yes, book {OUT}."), PASS),
        ((f"u: I don't want {OUT}.", "book"), FAIL),
        (("book", f"u: I don't want {OUT}."), SILENT),
        ((f"u: I don't want {OUT}.", "book", f"u: Yes, book {OUT}."), PASS),
        ((f"u: I don't want {OUT}.", "book", f"u: Yes, book {BACK}."), FAIL),
        ((f"u: I don't want {OUT}.", "book", f"u: Yes, book {OUT_MIDDAY}."), FAIL),
        ((f"u: I don't want {OUT}.", f"u: Yes, book {OUT}.", "book"), PASS),
        ((f"u: I don't want {OUT_MIDDAY}.", "book"), SILENT),
        ((f"u: Yes, book {OUT_MIDDAY}.", "book", "cancel"), SILENT),
    ],
)
def test_what_is_booked_is_what_stands_approved_and_was_not_rejected(lines, word):
    assert words(episode(*lines), "F-AP") == [word]


def test_an_approval_that_healed_a_rejection_and_was_cleared_has_healed_it():
    lines = (f"u: I don't want {OUT}.", "book", f"u: Yes, book {OUT}.")
    choice = (f"{OUT} or {OUT_MIDDAY}. Shall I book?", "u: Yes.")
    assert words(episode(*lines, *choice), "F-AP") == [PASS]
    assert words(episode(*lines[:2], *choice), "F-AP") == [FAIL]


def test_each_booking_needs_its_own_approval():
    script = episode(f"u: Yes, book {OUT} and {BACK}.", "book", "book", flights=(OUT, BACK_NIGHT))
    verdict = graded(script)
    assert verdict.checks["F-AP"] == FAIL
    told = [one["text"] for one in verdict.evidence["F-AP"]]
    assert told == [f"{BACK_NIGHT} is booked, {BACK} was approved"]


def test_evidence_of_approvals_and_rejections():
    approved = graded(episode(f"u: Yes, book {OUT}.", "book")).evidence["F-AP"]
    assert [one["text"].startswith(f"{OUT} was approved") for one in approved] == [True]
    assert approved[0]["message"] == 1 and approved[0]["explanation"]
    rejected = graded(episode(f"u: I don't want {OUT}.", "book")).evidence["F-AP"]
    assert [one["text"] for one in rejected] == [f"{OUT} was booked after the user had rejected it"]


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ((f"u: Yes, book {OUT}.", "book"), PASS),
        (("book", f"u: Yes, book {OUT}."), FAIL),
        (("book",), FAIL),
        (("Hello.",), SILENT),
        (("book", "cancel"), SILENT),
    ],
)
def test_strict_asks_for_an_approval_before_each_booking_that_stays(lines, word):
    assert graded(episode(*lines)).strict["checks"]["F-AP"] == word


# --- C-…


OFFER = "Shall I connect you with a human agent?"


@pytest.mark.parametrize(
    ("lines", "ending", "word"),
    [
        (("book", OFFER), "###STOP###", PASS),
        (("book", OFFER), "###TRANSFER###", PASS),
        (("book", OFFER), "Bye.", FAIL),
        (("book",), "###STOP###", FAIL),
        ((OFFER, "book"), "###STOP###", FAIL),
        (("book", OFFER), "###OUT-OF-SCOPE###", SILENT),
        (("book", "transfer"), "###STOP###", PASS),
        (("book", "u: A human agent, please."), "###STOP###", FAIL),
        (("book", OFFER, "pay"), "###STOP###", FAIL),
        (("book", OFFER, "cancel", "book"), "###STOP###", FAIL),
        ((OFFER,), "###STOP###", SILENT),
    ],
)
def test_part_of_the_job_ends_with_an_offer_after_the_last_write(lines, ending, word):
    script = episode(*lines, flights=(OUT, OUT), ending=ending)
    assert words(script, "C-PART") == [word]


@pytest.mark.parametrize(
    ("ending", "found"),
    [
        ("###STOP###", [PASS, SILENT, SILENT, PASS]),
        ("###TRANSFER###", [PASS, SILENT, SILENT, FAIL]),
        ("Bye.", [PASS, SILENT, SILENT, FAIL]),
        ("###OUT-OF-SCOPE###", [FAIL, SILENT, SILENT, SILENT]),
    ],
)
def test_how_a_talk_without_a_booking_ends(ending, found):
    script = episode("Hello.", ending=ending)
    assert words(script, "C-OOS", "C-FULL", "C-PART", "C-NONE") == found
    if ending == "Bye.":
        (told,) = graded(script).evidence["C-NONE"]
        assert told["text"].endswith("ended without a terminal token")
    if ending == "###TRANSFER###":
        (told,) = graded(script).evidence["C-NONE"]
        assert told["text"].endswith("ended with ###TRANSFER###")


@pytest.mark.parametrize(
    ("ending", "word"),
    [
        ("###STOP###", PASS),
        ("###TRANSFER###", PASS),
        ("Bye.", FAIL),
        ("###OUT-OF-SCOPE###", SILENT),
    ],
)
def test_how_a_finished_job_ends(ending, word):
    assert words(replace(RIGHT, ending=ending), "C-FULL", "C-PART", "C-NONE") == [
        word,
        SILENT,
        SILENT,
    ]


def test_a_booking_that_was_cancelled_leaves_nothing_booked():
    script = episode("book", "cancel")
    assert words(script, "C-FULL", "C-PART", "C-NONE") == [SILENT, SILENT, PASS]


@pytest.mark.parametrize(
    ("edit", "state"),
    [
        (None, "C-FULL"),
        (changing("transactions", 0, amount_cents=1), "C-PART"),
        (changing("bookings", 0, entity_id="FL-30001"), "C-PART"),
    ],
)
def test_a_job_is_full_when_each_slot_is_paid_in_full_and_nothing_is_surplus(edit, state):
    tape = right_tape() if edit is None else edited(right_tape(), edit)
    told = {check: says(check, tape) for check in ("C-FULL", "C-PART", "C-NONE")}
    assert [check for check, word in told.items() if word != SILENT] == [state]


def test_a_surplus_booking_makes_a_full_job_a_partial_one():
    spoilt = replace(RIGHT, surplus=(flight("outbound", OUT_SPARE),), offers_transfer=True)
    assert words(spoilt, "C-FULL", "C-PART", "D05") == [SILENT, PASS, FAIL]
    pending = replace(RIGHT, charges=False, offers_transfer=True, closing="Not paid.")
    assert words(pending, "C-FULL", "C-PART", "D05") == [SILENT, PASS, PASS]


# --- D01 to D07


def test_a_slot_counts_as_filled_by_a_pending_booking_and_not_by_a_cancelled_one():
    assert words(episode("book"), "D01", "D02", "D05") == [PASS, FAIL, PASS]
    assert words(episode("book", "cancel"), "D01", "D05") == [FAIL, PASS]
    assert words(episode("book", "book", flights=(OUT, OUT)), "D01", "D05") == [PASS, FAIL]
    again = episode("book", "cancel", "book", flights=(OUT, OUT))
    assert words(again, "D01", "D05") == [PASS, PASS]
    assert words(episode("book", flights=("FL-30001",)), "D01", "D05") == [FAIL, FAIL]


@pytest.mark.parametrize(
    ("seats", "word"),
    [
        ((ANA, LEO), PASS),
        ((LEO, ANA), PASS),
        ((ANA, ANA), FAIL),
        ((LEO, LEO), FAIL),
        ((ANA, {**LEO, "date_of_birth": ANA["date_of_birth"]}), FAIL),
        (({**ANA, "passenger_name": "Leo Ruiz"}, LEO), FAIL),
        (({**ANA, "passenger_name": "ana RUIZ"}, LEO), PASS),
        ((ANA,), PASS),
    ],
)
def test_every_traveller_is_somebody_else_of_the_profile(seats, word):
    script = Script()
    script.book(flight("outbound", OUT, seats))
    script.user("###STOP###")
    assert words(script, "D07") == [word]


def test_people_are_judged_where_any_are_stored():
    assert words(with_hotel("book"), "D07") == ["not_evaluated"]
    assert words(episode("book"), "D07") == [PASS]


def test_constraints_are_judged_where_all_their_slots_are_filled_once():
    both = ("D13", "D18")
    assert words(episode("book"), *both) == ["not_evaluated"] * 2
    assert words(episode("book", "book", flights=(OUT, BACK)), *both) == [PASS, PASS]
    twice = episode("book", "book", "book", flights=(OUT, OUT, BACK))
    assert words(twice, "D08", "D09", *both) == ["not_evaluated", PASS, *["not_evaluated"] * 2]


# --- agreement with the certificate


@pytest.mark.parametrize(
    ("plan", "solutions", "contradicts"),
    [
        (RIGHT, True, False),
        (RIGHT, False, True),
        (RIGHT.swapped(flight("outbound", OUT_MIDDAY)), True, False),
        (RIGHT.without("hotel"), False, False),
        (RIGHT.swapped(flight("outbound", OUT, [ANA])), False, False),
        (RIGHT.swapped(attraction(MUSEUM, tickets=1)), False, False),
    ],
)
def test_constraints_agree_with_the_certified_solutions(plan, solutions, contradicts):
    task = build_task()
    if not solutions:
        task.spec = task.spec.model_copy(update={"solutions": ()})
    assert (graded(plan, task).fault == "environment") is contradicts


@pytest.mark.parametrize(
    ("sql", "arrays", "fault"),
    [(5, 5, None), (1, 5, "environment"), (1, 1, "environment"), (0, 5, "environment")],
)
def test_more_solutions_than_are_kept_excuse_an_unknown_one(sql, arrays, fault):
    task = build_task()
    known = [{**task.spec.solutions[0], "attraction": {"attraction_id": "AT-10003"}}]
    certificate = task.spec.certificate.model_copy(update={"sql": sql, "arrays": arrays})
    task.spec = task.spec.model_copy(update={"solutions": tuple(known), "certificate": certificate})
    assert graded(RIGHT, task).fault == fault


def test_a_wrong_trip_that_is_certified_is_the_environments_fault_too():
    task = build_task(outbound_time_of_day="midday")
    assert graded(RIGHT, task).fault == "environment"
    assert failing(graded(RIGHT, build_task())) == set()


def test_what_is_certified_and_wrong_is_told_where_more_solutions_exist_than_are_kept():
    task = build_task(outbound_time_of_day="midday")
    certificate = task.spec.certificate.model_copy(update={"sql": 5, "arrays": 5})
    task.spec = task.spec.model_copy(update={"certificate": certificate})
    assert graded(RIGHT, task).fault == "environment"
