import re
from dataclasses import replace

import pytest

from crab_graph.tools.registry import Owner
from tests.eval.builders import (
    ANA,
    ANNEX,
    ANNEX_ROOM,
    BACK,
    BACK_NEXT_DAY,
    BACK_NIGHT,
    BACK_OTHER_CARRIER,
    CUSTOMER,
    ELSEWHERE,
    HOTEL,
    LATE_ROOM,
    LEO,
    MUSEUM_AFAR,
    MUSEUM_ALL_DAY,
    OUT,
    OUT_MIDDAY,
    OUT_NEXT_DAY,
    ROOM,
    SHOW,
    SMALL_CARD,
    SMALL_ROOM,
    Plan,
    Script,
    attraction,
    build_task,
    failing,
    flight,
    graded,
    hotel,
)
from tests.eval.tapes import adding, edited, insert, right_tape, rows, says

RIGHT = Plan()
JOINT = {"D26", "D27", "D28", "D29", "D30", "D31", "D32"}
"""Checks of joint wishes, of which this task has none."""
YOUNGER_LEO = {**LEO, "date_of_birth": "1988-11-24"}


def test_the_right_trip_told_in_full_passes_both_gradings():
    verdict = graded(RIGHT)
    assert verdict.passed and verdict.strict["passed"]
    assert verdict.outcome == "pass" and verdict.fault is None and verdict.failures == []
    assert set(verdict.checks) == set(verdict.strict["checks"]) and len(verdict.checks) == 42
    untriggered = {name for name, word in verdict.checks.items() if word != "pass"}
    assert untriggered == {"C-PART", "C-NONE", *JOINT}


@pytest.mark.parametrize(
    ("slot", "check"),
    [("outbound", "D01"), ("return", "D02"), ("hotel", "D03"), ("attraction", "D04")],
)
def test_a_missing_slot_fails_its_check_alone(slot, check):
    verdict = graded(RIGHT.without(slot))
    assert failing(verdict) == {check}
    assert verdict.primary_failure == "missing_entity"


def test_checks_of_a_missing_slot_and_its_edges_are_not_evaluated():
    checks = graded(RIGHT.without("hotel")).checks
    unevaluated = {name for name, word in checks.items() if word == "not_evaluated"}
    assert unevaluated == {"D10", "D14", "D15", "D17", "D25", *JOINT}


@pytest.mark.parametrize(
    ("plan", "checks"),
    [
        (RIGHT.swapped(flight("outbound", OUT, [ANA])), {"D06"}),
        (RIGHT.swapped(attraction(tickets=3)), {"D06"}),
        (RIGHT.swapped(hotel(room=SMALL_ROOM)), {"D06"}),
        (
            RIGHT.swapped(flight("outbound", OUT, [ANA, {**LEO, "date_of_birth": "1988-11-24"}])),
            {"D07"},
        ),
        (RIGHT.swapped(flight("outbound", OUT, [ANA, ANA])), {"D07"}),
        (RIGHT.swapped(flight("outbound", OUT_MIDDAY)), {"D08"}),
        (RIGHT.swapped(flight("return", BACK_NIGHT)), {"D09"}),
        (RIGHT.swapped(hotel(ANNEX, ANNEX_ROOM)), {"D10"}),
        (RIGHT.swapped(attraction(SHOW)), {"D11"}),
        (RIGHT.swapped(flight("return", BACK_NEXT_DAY)), {"D13"}),
        (
            RIGHT.swapped(hotel(check_in="2027-05-04", check_out="2027-05-07")),
            {"D14"},
        ),
        (RIGHT.swapped(hotel(nights=2, check_out="2027-05-05")), {"D15"}),
        (RIGHT.swapped(attraction(MUSEUM_ALL_DAY)), {"D16"}),
        (RIGHT.swapped(flight("return", BACK_OTHER_CARRIER)), {"D18"}),
        (RIGHT.swapped(attraction(MUSEUM_AFAR)), {"D25"}),
    ],
)
def test_one_wrong_choice_told_truly_fails_its_check_alone(plan, checks):
    assert failing(graded(plan)) == checks


def test_names_of_travellers_are_compared_without_case_and_order():
    leo = {**LEO, "passenger_name": "LEO  RUIZ"}
    assert failing(graded(RIGHT.swapped(flight("outbound", OUT, [leo, ANA])))) == set()


def test_the_window_includes_both_ends_and_no_day_more():
    shifted = replace(
        RIGHT.swapped(flight("outbound", OUT_NEXT_DAY))
        .swapped(flight("return", BACK_NEXT_DAY))
        .swapped(hotel(check_in="2027-05-04", check_out="2027-05-07")),
    )
    assert failing(graded(shifted)) == {"D12"}
    wide = build_task(last_day="2027-05-04")
    assert "D12" not in failing(graded(shifted, wide))


def test_the_budget_is_inclusive_to_the_cent():
    assert failing(graded(RIGHT, build_task(budget_cents=1010_00))) == set()
    assert "D17" in failing(graded(RIGHT, build_task(budget_cents=1009_99)))


def test_edges_that_are_not_asked_for_are_not_evaluated():
    task = build_task(budget_cents=None, same_carrier=False, same_district=False)
    checks = graded(RIGHT, task).checks
    assert [checks[name] for name in ("D17", "D18", "D25")] == ["not_evaluated"] * 3


@pytest.mark.parametrize(
    "item",
    [flight("outbound", OUT_MIDDAY), flight("outbound", ELSEWHERE), attraction(MUSEUM_AFAR)],
)
def test_a_second_or_misplaced_booking_is_surplus(item):
    verdict = graded(replace(RIGHT, surplus=(item,), offers_transfer=True))
    assert failing(verdict) == {"D05"}


def test_a_pending_booking_fails_payment():
    plan = replace(RIGHT, charges=False, offers_transfer=True, closing="I could not charge it.")
    verdict = graded(plan)
    assert failing(verdict) == {"D19"} and verdict.primary_failure == "payment"


@pytest.mark.parametrize("amount", [0, 300_01])
def test_a_capture_without_an_exact_approval_fails(amount):
    assert failing(graded(replace(RIGHT, approvals={"outbound": amount}))) == {"D21"}


def test_an_approval_after_the_capture_or_used_twice_does_not_cover_it():
    script = Script()
    booking_id, method = script.book(flight("outbound", OUT)), script.add_card()
    script.charge(booking_id, method)
    script.approve(booking_id, method, 300_00)
    script.user("###STOP###")
    assert graded(script).checks["D21"] == "fail"
    # No tool charges a booking twice, so that a faulty one is played here.
    charge = rows(right_tape(), "transactions")[0]
    again = insert("transactions", "TX-90000001", {**charge, "transaction_id": "TX-90000001"})
    assert says("D21", right_tape()) == "pass"
    twice = adding("transactions", 0, again)
    assert says("D21", edited(right_tape(), twice)) == "fail"
    approval = rows(right_tape(), "approvals")[0]
    other = insert("approvals", "AP-90000001", {**approval, "approval_id": "AP-90000001"})
    assert says("D21", edited(right_tape(), twice, adding("approvals", 0, other))) == "pass"


def test_changing_customer_data_unasked_is_collateral():
    script = RIGHT.write()
    end = script.messages.pop()
    script.call("update_customer", customer_id=CUSTOMER, phone="555-0000")
    script.messages.append(end)
    verdict = graded(script)
    assert failing(verdict) == {"D23"} and verdict.primary_failure == "collateral"


@pytest.mark.parametrize(("email", "fails"), [("ana@example.com", False), ("x@example.com", True)])
def test_customer_data_may_be_set_to_the_profile(email, fails):
    script = RIGHT.write()
    end = script.messages.pop()
    script.call("update_customer", customer_id=CUSTOMER, email=email)
    script.messages.append(end)
    assert ("D23" in failing(graded(script))) is fails


def test_cancelling_a_booking_of_another_customer_is_collateral():
    script = RIGHT.write()
    end = script.messages.pop()
    script.call("cancel_flight", booking_id="BK-00000001")
    script.messages.append(end)
    assert {"D23"} <= failing(graded(script))


def test_a_booking_for_another_customer_is_collateral():
    script = RIGHT.write()
    end = script.messages.pop()
    seats = [{"fare_id": "FA-50001", **ANA}]
    script.call("book_flight_with_seats", customer_id="CU-30999", flight_id=OUT, seats=seats)
    script.messages.append(end)
    assert "D23" in failing(graded(script))


def test_a_room_that_is_not_free_on_every_night_cannot_be_booked():
    script = Script()
    booked = script.call(hotel().tool, **hotel(HOTEL, LATE_ROOM).arguments)
    assert "error" in booked
    script.user("###STOP###")
    assert graded(script).metrics["failed_tool_calls"] == 1


def test_booked_then_cancelled_in_time_flips_nothing():
    script = Script()
    script.agent(f"{OUT_MIDDAY} leaves at noon. {OUT} leaves early.")
    script.call("cancel_flight", booking_id=script.book(flight("outbound", OUT_MIDDAY)))
    rest = RIGHT.write()
    script = Script(messages=script.messages)
    script.messages += [{**message, "content": message["content"]} for message in rest.messages[:3]]
    script.user("Never mind. ###STOP###")
    verdict = graded(script)
    assert failing(verdict) == {"D01", "D02", "D03", "D04"}
    assert verdict.metrics["call_cancellation"] == 1


def test_a_declined_card_that_is_not_replaced_is_a_payment_failure():
    script = Script()
    booking_id, method = script.book(flight("outbound", OUT)), script.add_card(SMALL_CARD)
    script.approve(booking_id, method, 300_00)
    assert "error" in script.charge(booking_id, method)
    script.user("###STOP###")
    assert graded(script).primary_failure == "payment"


def test_another_customers_method_cannot_be_charged():
    script = Script()
    booking_id = script.book(flight("return", BACK))
    assert "error" in script.charge(booking_id, "PM-00000001")


def test_a_trip_that_contradicts_the_certificate_is_the_environments_fault():
    task = build_task()
    task.spec = task.spec.model_copy(update={"solutions": ()})
    verdict = graded(RIGHT, task)
    assert verdict.passed and verdict.outcome == "pass" and verdict.fault == "environment"


def test_a_trip_beyond_the_solutions_that_are_kept_without_repair_contradicts_nothing():
    task = build_task()
    certificate = task.spec.certificate.model_copy(update={"sql": 5000, "arrays": 5000})
    task.spec = task.spec.model_copy(update={"solutions": (), "certificate": certificate})
    verdict = graded(RIGHT, task)
    assert verdict.passed and verdict.fault is None


def test_evidence_names_rows_and_constraints():
    evidence = graded(RIGHT.swapped(flight("outbound", OUT_MIDDAY))).evidence["D08"]
    assert "outbound_time_of_day broken" in evidence[0]["text"]
    assert evidence[0]["rows"][0].startswith("bookings/BK-")


def test_evidence_tells_days_and_times_as_people_write_them():
    evidence = graded(RIGHT).evidence
    (fits,) = evidence["D16"]
    assert re.search(r"outbound.date = \d{4}-\d\d-\d\d, outbound.arrival = \d\d:\d\d", fits["text"])


def test_private_tables_are_no_collateral():
    script = RIGHT.write()
    end = script.messages.pop()
    script.call("set_default_payment_card", Owner.USER, card_id=SMALL_CARD)
    script.messages.append(end)
    assert failing(graded(script)) == set()


def test_one_room_is_not_held_twice():
    script = Script()
    script.book(hotel())
    second = script.call(hotel().tool, **hotel(HOTEL, ROOM).arguments)
    assert "error" in second
