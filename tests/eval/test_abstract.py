from dataclasses import replace

import pytest

from tests.eval.builders import (
    ANNEX,
    BACK,
    HOTEL,
    MUSEUM,
    NAMES,
    OUT,
    OUT_MIDDAY,
    OUT_NEXT_DAY,
    OUT_SPARE,
    Plan,
    Script,
    failing,
    flight,
    graded,
    right_items,
)

RIGHT = Plan()
PROPOSAL = f"{RIGHT.told}\n\nTrip total: $1,010.00. Shall I book all of it?"


def proposing(old: str, new: str) -> Plan:
    assert old in PROPOSAL
    return replace(RIGHT, proposal=PROPOSAL.replace(old, new))


def check(plan: Plan, name: str) -> str:
    return graded(plan).checks[name]


@pytest.mark.parametrize(
    ("reserved", "verdict"),
    [
        ("Reserved. Trip total: $1,010.00.", "pass"),
        ("Reserved. Trip total: $1,010.01.", "fail"),
        ("Reserved. The overall cost is $1,009.99.", "fail"),
        ("Reserved. The overall cost should be roughly $1,009.99.", "pass"),
        ("Trip total: $1,010.00. Correction, trip total: $999.00.", "fail"),
        ("Trip total: $999.00. Correction, trip total: $1,010.00.", "pass"),
        ("Both flights: total $580.00.", "pass"),
        ("I will charge $300.00 now.", "fail"),
        ("Reserved. If you agree, trip total: $1,009.99.", "pass"),
    ],
)
def test_the_latest_total_before_a_charge_governs_it(reserved, verdict):
    assert check(replace(RIGHT, reserved=reserved), "F-PT") == verdict


def test_an_unscoped_total_may_be_that_of_the_charges_that_follow():
    items = tuple(right_items().values())
    script = Script()
    script.agent(f"{RIGHT.told}\n\nShall I book?")
    script.user("Yes")
    bookings = [(script.book(item), item.cents) for item in items]
    method = script.add_card()
    for booking_id, cents in bookings:
        script.approve(booking_id, method, cents)
        script.agent(f"I will now charge ${cents / 100:.2f}.")
        script.user("Fine.")
        script.charge(booking_id, method)
    script.agent("All is paid: $1,010.00 in total.")
    script.user("###STOP###")
    assert failing(graded(script)) == set()


def test_without_a_total_nothing_governs_and_strict_misses_it():
    plan = replace(proposing("Trip total: $1,010.00. ", ""), reserved="Please approve.")
    verdict = graded(plan)
    assert verdict.checks["F-PT"] == "not_triggered" and verdict.passed
    assert verdict.strict["checks"]["F-PT"] == "fail" and not verdict.strict["passed"]


@pytest.mark.parametrize(
    ("closing", "verdict"),
    [
        ("Everything is confirmed. Total charged: $1,010.00.", "pass"),
        ("Everything is confirmed. Total charged: $1,010.01.", "fail"),
        ("Everything is booked, $1,010.01 in total.", "fail"),
        ("Everything will be confirmed, total $1,010.01.", "not_triggered"),
        ("Everything is confirmed. It was a pleasure.", "not_triggered"),
        ("Total paid: $1.00. Everything is confirmed, the trip total is $1,010.00.", "pass"),
    ],
)
def test_a_summary_states_what_was_captured(closing, verdict):
    assert check(replace(RIGHT, closing=closing), "F-PS") == verdict


def test_strict_asks_for_a_summary_of_a_full_trip():
    verdict = graded(replace(RIGHT, closing="Enjoy Pittsburgh!"))
    assert verdict.strict["checks"]["F-PS"] == "fail" and verdict.passed


@pytest.mark.parametrize(
    ("cents", "strict"), [("$1,010.00", "pass"), ("$1,001.00", "fail")], ids=["right", "wrong"]
)
def test_a_total_behind_its_items_is_a_summary_for_strict_grading(cents, strict):
    items = "flights $300.00 + $280.00, hotel $360.00, museum $70.00"
    said = f"Charged to your Visa: {items}, so {cents} in total."
    verdict = graded(replace(RIGHT, closing=said))
    assert verdict.strict["checks"]["F-PS"] == strict
    assert verdict.strict["passed"] is (strict == "pass")


ELEVEN = ", ".join(f"FL-{number}" for number in range(11, 21))


@pytest.mark.parametrize(
    ("plan", "flips"),
    [
        (proposing(OUT, "the early one"), {"F-ID"}),
        (proposing(f"({HOTEL})", ""), set()),
        (proposing(NAMES[HOTEL], "The hotel"), {"F-NM"}),
        (proposing(NAMES[MUSEUM], "The museum"), {"F-NM"}),
        (proposing(NAMES[HOTEL], NAMES[ANNEX]), {"F-NM"}),
        (proposing(NAMES[HOTEL], NAMES[HOTEL].upper()), set()),
        (proposing(f"Outbound: {OUT}", f"Outbound, rather than {OUT},"), {"F-ID"}),
        (proposing(f"Outbound: {OUT}", f"Outbound ({ELEVEN}): {OUT}"), {"F-ID"}),
        (proposing(OUT, f"<!-- {OUT} -->"), {"F-ID"}),
        (proposing(OUT, OUT.replace("-", "\u2011")), set()),
    ],
)
def test_what_is_booked_was_disclosed(plan, flips):
    # The bare consent approves what the proposal discloses, and flights are compared elsewhere.
    assert failing(graded(plan)) - {"F-AP", "F-IP"} == flips


def test_the_reason_an_id_is_undisclosed_is_told():
    verdict = graded(proposing(f"Outbound: {OUT}", f"Outbound, rather than {OUT},"))
    assert verdict.failures == ["id_mismatch"] and verdict.metrics["id_mismatch"] == ["negated"]


def test_ids_are_not_asked_for_where_none_was_spoken_of_but_names_are():
    told = f"{NAMES[HOTEL]} and {NAMES[MUSEUM]}, flights there and back. Shall I book?"
    verdict = graded(replace(RIGHT, proposal=told))
    assert verdict.checks["F-ID"] == "not_triggered" and verdict.checks["F-NM"] == "pass"
    assert verdict.strict["checks"]["F-ID"] == "fail"
    silent = graded(replace(RIGHT, proposal="Shall I book it?"))
    assert silent.primary_failure == "name_undisclosed"


@pytest.mark.parametrize(
    ("crowd", "strict"),
    [([OUT_MIDDAY, OUT_NEXT_DAY], "pass"), ([OUT_MIDDAY, OUT_NEXT_DAY, OUT_SPARE], "fail")],
)
def test_an_id_told_among_more_than_three_of_its_slot_fails_strict_only(crowd, strict):
    verdict = graded(proposing(f"Outbound: {OUT}", f"Outbound ({', '.join(crowd)}): {OUT}"))
    assert (verdict.checks["F-ID"], verdict.strict["checks"]["F-ID"]) == ("pass", strict)


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        (RIGHT, "pass"),
        (proposing("$150.00 per passenger", "$151.00 per passenger"), "fail"),
        (proposing("$300.00 for 2 passengers", "$301.00 for 2 passengers"), "fail"),
        (proposing("$150.00 per passenger, ", ""), "pass"),
        (proposing("$150.00 per passenger, $300.00 for 2 passengers", "$300.00"), "pass"),
        (proposing("$150.00 per passenger, $300.00 for 2 passengers", "$299.00"), "fail"),
        (proposing("$150.00 per passenger, $300.00 for 2 passengers", "$299.00, $150.00"), "pass"),
        (replace(RIGHT, closing=f"{OUT} was $299.00 for 2 passengers. All is confirmed."), "fail"),
        (replace(RIGHT, reserved="Amount due for both flights: $580.00."), "pass"),
        (replace(RIGHT, reserved="Amount due for both flights: $210.00."), "fail"),
        (replace(RIGHT, reserved=f"{OUT_MIDDAY} would be $1.00 per passenger."), "pass"),
    ],
)
def test_prices_said_of_booked_items_are_right(plan, verdict):
    assert check(plan, "F-IP") == verdict


def test_the_latest_message_with_a_price_before_the_capture_counts():
    mended = f"I misread it: {OUT} is $150.00 per passenger. Reserved, $1,010.00 in total."
    plan = proposing("$150.00 per passenger", "$151.00 per passenger")
    verdict = graded(replace(plan, reserved=mended))
    assert verdict.passed
    assert verdict.metrics["admitted_errors"] == 1
    assert verdict.metrics["unadmitted_corrections"] == 0


@pytest.mark.parametrize(
    ("consent", "verdict"),
    [
        ("Yes, go ahead.", "pass"),
        (f"Yes, book {OUT}.", "pass"),
        (f"Yes, but book {OUT_MIDDAY}.", "fail"),
        (f"I don't want {OUT}.", "fail"),
        ("Hm.", "not_triggered"),
    ],
)
def test_what_is_booked_is_what_was_approved(consent, verdict):
    assert check(replace(RIGHT, consent=consent), "F-AP") == verdict


def test_strict_asks_for_an_approval_in_force_at_each_booking():
    verdict = graded(replace(RIGHT, consent="Hm."))
    assert verdict.passed and verdict.strict["checks"]["F-AP"] == "fail"


@pytest.mark.parametrize(
    ("plan", "flips"),
    [
        (RIGHT, set()),
        (replace(RIGHT, ending="Bye. ###TRANSFER###"), set()),
        (replace(RIGHT, ending="Bye. ###OUT-OF-SCOPE###"), {"C-OOS"}),
        (replace(RIGHT, ending="Bye."), {"C-FULL"}),
        (replace(RIGHT.without("hotel"), offers_transfer=False), {"D03", "C-PART"}),
        (RIGHT.without("hotel"), {"D03"}),
        (replace(RIGHT.without("hotel"), ending="Bye."), {"D03", "C-PART"}),
    ],
)
def test_the_conversation_ends_in_the_right_way(plan, flips):
    assert failing(graded(plan)) == flips


@pytest.mark.parametrize(
    ("token", "flips"),
    [("###STOP###", set()), ("###TRANSFER###", {"C-NONE"}), ("", {"C-NONE"})],
)
def test_without_a_booking_only_stop_will_do(token, flips):
    script = Script()
    script.user("Hello")
    script.agent("I cannot help you.")
    script.user(f"Bye. {token}")
    verdict = graded(script)
    assert failing(verdict) - {"D01", "D02", "D03", "D04"} == flips
    assert verdict.primary_failure == "no_booking"


def test_an_offer_must_come_after_the_last_booking_write():
    script = Script()
    script.agent(f"{OUT}, $150.00 per passenger. I can connect you with a human agent.")
    script.user("Yes, go ahead.")
    booking_id, method = script.book(flight("outbound", OUT)), script.add_card()
    script.approve(booking_id, method, 300_00)
    script.charge(booking_id, method)
    script.user("###STOP###")
    verdict = graded(script)
    assert verdict.checks["C-PART"] == "fail" and "uncancelled_partial" in verdict.failures
    script.messages.pop()
    script.call("transfer_to_human_agents", summary="The rest could not be booked.")
    script.user("###STOP###")
    assert graded(script).checks["C-PART"] == "pass"


def test_three_charged_slots_without_an_offer_lack_an_entity_first():
    verdict = graded(replace(RIGHT.without("hotel"), offers_transfer=False))
    assert verdict.failures == ["missing_entity", "uncancelled_partial"]


def test_a_token_in_agent_text_is_ignored():
    closing = "Everything is confirmed. Total charged: $1,010.00. ###OUT-OF-SCOPE###"
    assert graded(replace(RIGHT, closing=closing)).passed


def test_invisible_text_small_talk_and_spacing_flip_nothing():
    noisy = PROPOSAL.replace("Outbound", "**OUTBOUND**<!-- $5 total -->").replace("$1,010", "$1010")
    talk = f"Lovely weather! Your budget of $1,500.00 is safe.\n\n{noisy}"
    assert graded(replace(RIGHT, proposal=talk)).strict["passed"]


def test_an_overlong_listing_beside_the_disclosure_flips_nothing():
    script = RIGHT.write()
    script.messages.insert(1, {"role": "assistant", "content": f"I see {ELEVEN}, FL-99."})
    script.messages.insert(2, {"role": "user", "content": "Which is good?"})
    assert failing(graded(script)) == set()


def test_a_disclosed_flight_booked_and_cancelled_while_pending_flips_nothing():
    script = Script()
    script.user("Hello")
    script.agent(f"{OUT_MIDDAY} and {BACK} are free.")
    script.user("Let me see.")
    item = flight("outbound", OUT_MIDDAY)
    script.call("cancel_flight", booking_id=script.book(item))
    before = list(script.messages)
    plan = RIGHT.write()
    # Booking ids follow from how many were booked before, so the plan is written anew behind it.
    again = Script(messages=before)
    again.ledger = script.ledger
    for message in plan.messages:
        if message["role"] in ("user", "assistant") and not message.get("tool_calls"):
            again.messages.append(message)
        if message["content"] == RIGHT.consent:
            break
    bookings = [(again.book(item), item.cents) for item in RIGHT.items]
    method = again.add_card()
    for booking_id, cents in bookings:
        again.approve(booking_id, method, cents)
        again.charge(booking_id, method)
    again.agent("Everything is confirmed. Total charged: $1,010.00.")
    again.user("###STOP###")
    verdict = graded(again)
    assert failing(verdict) == set() and verdict.metrics["call_cancellation"] == 1
    assert verdict.metrics["unadmitted_corrections"] == 1
