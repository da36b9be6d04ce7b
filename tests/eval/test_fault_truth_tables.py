"""Failure modes and faults: for each conjunct two episodes, one on each side."""

import pytest

from crab_graph.domain.verification import Role
from crab_graph.eval.attribution import attribute
from crab_graph.eval.blame import UserError
from crab_graph.eval.checks import judge
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.user_facts import covered_checks, fact_fates, is_broken
from crab_graph.eval.verifier import Verifier
from crab_graph.eval.verifiers import verifiers_of
from tests.eval.builders import (
    BACK,
    OUT,
    OUT_MIDDAY,
    OUT_NEXT_DAY,
    OUT_SPARE,
    SMALL_CARD,
    Plan,
    Script,
    build_task,
    flight,
    graded,
    small_task,
)
from tests.eval.tapes import short_episode, tape_of


def failing(*roles):
    return [Verifier(f"X{at}", role, "", lambda _: judge(())) for at, role in enumerate(roles)]


def error(*covers):
    return UserError("U1", 1, "", frozenset(covers))


PAID, WISH, SOUND = Role.PAID, Role.WISH, Role.SOUND


@pytest.mark.parametrize(
    ("failed", "errors", "state", "fault"),
    [
        ((), (), {}, None),
        ((PAID,), (), {}, "agent"),
        ((), (), {"is_infra": True}, "infra"),
        ((SOUND,), (), {"is_infra": True}, "infra"),
        ((), (), {"is_certain": False}, "environment"),
        ((PAID,), (error(PAID),), {"is_certain": False}, "environment"),
        ((SOUND,), (), {}, "environment"),
        ((PAID, SOUND), (error(PAID, SOUND),), {}, "environment"),
        ((PAID,), (error(PAID),), {}, "user"),
        ((PAID,), (error("X0"),), {}, "user"),
        ((PAID,), (error("X1"),), {}, "agent"),
        ((PAID,), (error(WISH),), {}, "agent"),
        ((PAID, WISH), (error(PAID),), {}, "agent"),
        ((PAID, WISH), (error(PAID), error(WISH)), {}, "user"),
        ((PAID, WISH), (error("X0", WISH),), {}, "user"),
        ((PAID,), (error(PAID),), {"is_overlong": True}, "agent"),
        ((), (), {"is_overlong": True}, None),
    ],
)
def test_whose_fault_it_is(failed, errors, state, fault):
    known = {"is_certain": True, "is_infra": False, **state}
    assert attribute(failing(*failed), errors, **known) == fault


OFFER = "Shall I connect you with a human agent?"


def modes(script):
    return set(graded(script).failures)


@pytest.mark.parametrize(
    ("lines", "ending", "found"),
    [
        (("Hello.",), "###STOP###", {"no_booking", "missing_entity"}),
        (("Hello.",), "Bye.", {"no_booking", "missing_entity", "no_terminal"}),
        (
            ("Hello.",),
            "###TRANSFER###",
            {"no_booking", "missing_entity", "transfer_without_booking"},
        ),
        (("book", "pay", OFFER), "###STOP###", {"missing_entity"}),
        (("book", "pay"), "###STOP###", {"missing_entity", "uncancelled_partial"}),
        (("book", "pay", OFFER), "Bye.", {"missing_entity", "no_terminal"}),
        (("book", "pay"), "Bye.", {"missing_entity", "no_terminal", "uncancelled_partial"}),
        (("book", OFFER), "###STOP###", {"missing_entity", "payment"}),
        (("book", "pay", OFFER), "###OUT-OF-SCOPE###", {"missing_entity", "out_of_scope"}),
        (("book", "pay"), "###OUT-OF-SCOPE###", {"missing_entity", "out_of_scope"}),
    ],
)
def test_what_an_episode_shows(lines, ending, found):
    assert modes(short_episode(*lines, ending=ending)) == found


def test_a_finished_job_that_is_not_ended_shows_that_alone():
    assert modes(Plan(ending="Bye.")) == {"no_terminal"}
    assert modes(Plan()) == set()


def declined(*, then):
    """A charge that the first card did not bear; what happens to the booking is told by `then`."""
    script = Script()
    script.agent(f"{OUT} it is.")
    booking, method = script.book(flight("outbound", OUT)), script.add_card(SMALL_CARD)
    assert "error" in script.charge(booking, method)
    if then == "paid":
        better = script.add_card()
        script.approve(booking, better, 300_00)
        script.charge(booking, better)
    elif then == "cancelled":
        script.call("cancel_flight", booking_id=booking)
    elif then == "surplus":
        spare = script.book(flight("outbound", OUT_SPARE))
        assert "error" in script.charge(spare, method)
    script.agent(OFFER)
    script.user("###STOP###")
    return script


@pytest.mark.parametrize(
    ("then", "shows"), [("left", True), ("paid", False), ("cancelled", False), ("surplus", True)]
)
def test_a_failed_charge_counts_unless_it_was_made_good(then, shows):
    assert ("payment" in modes(declined(then=then))) is shows


FIRST = "the first booking"


@pytest.mark.parametrize(
    ("name", "arguments", "shows"),
    [
        ("charge_booking", {"booking_id": FIRST}, True),
        ("charge_booking", {"booking_id": "BK-9"}, False),
        ("cancel_flight", {"booking_id": FIRST, "reason": "none"}, False),
        ("charge_booking", "what?", False),
    ],
)
def test_a_failed_charge_of_a_surplus_booking_counts(name, arguments, shows):
    # Two in one slot are for the check of surplus, so that what is pending there shows nothing.
    script = Script()
    first = script.book(flight("outbound", OUT))
    script.book(flight("outbound", OUT_SPARE))
    if isinstance(arguments, dict):
        arguments = {key: first if one == FIRST else one for key, one in arguments.items()}
    call = {"id": "c9", "name": name, "arguments": arguments}
    script.messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
    script.agent(OFFER)
    script.user("###STOP###")
    assert ("payment" in modes(script)) is shows


def test_the_reasons_of_undisclosed_ids_are_those_of_bookings_that_were_not_disclosed():
    lines = (f"{OUT} is free. We should avoid {BACK}.", "book", "book")
    both = graded(short_episode(*lines, flights=(OUT, BACK)))
    assert both.metrics["id_mismatch"] == ["negated"]
    neither = graded(short_episode("FL-9 is free.", "book", "book", flights=(OUT, BACK)))
    assert neither.metrics["id_mismatch"] == ["absent"]


def judged(script, task=None):
    reading = read_task(task or small_task())
    episode = lay_out(reading, tape_of(script))
    return episode, {one.id: one.judge(episode) for one in verifiers_of(reading)}


@pytest.mark.parametrize(
    ("told", "fates"),
    [
        ({}, {}),
        ({"origin": 1, "hotel_stars": 1}, {"origin": "in_time", "hotel_stars": "in_time"}),
        ({"origin": 2, "hotel_stars": 2}, {"origin": "late", "hotel_stars": "in_time"}),
        ({"origin": 99}, {"origin": "in_time"}),
        ({"outbound_time_of_day": 1}, {"outbound_time_of_day": "ignored"}),
        ({"outbound_time_of_day": 2}, {"outbound_time_of_day": "late"}),
        (
            {"return_time_of_day": 2, "seat_type": 1},
            {"return_time_of_day": "in_time", "seat_type": "in_time"},
        ),
        ({"return_time_of_day": 3}, {"return_time_of_day": "late"}),
        ({"payment_card": 3}, {"payment_card": "in_time"}),
        ({"payment_card": 4}, {"payment_card": "late"}),
        ({"customer_id": 1}, {"customer_id": "in_time", "email": None}),
        ({"email": 1}, {"email": "in_time", "customer_id": None}),
        ({"room_type": 1}, {}),
    ],
)
def test_what_became_of_each_fact(told, fates):
    lines = ("u: Hi.", "book", "u: More.", "book", "u: Last.", "pay", "u: Paid.")
    episode, results = judged(short_episode(*lines, flights=(OUT_MIDDAY, BACK)))
    never = dict.fromkeys((fact.key for fact in small_task().facts), "never")
    known = {key: fate for key, fate in {**never, **fates}.items() if fate is not None}
    assert fact_fates(episode, results, told) == known


JOINT = {"D26", "D27", "D28", "D29", "D30", "D31", "D32"}
"""Checks of joint wishes, which none of these tasks has."""
NIGHT, FINE = {"outbound_time_of_day": "night"}, {"seat_type": "business"}


@pytest.mark.parametrize(
    ("flight_id", "request_", "key", "broken", "covered"),
    [
        (OUT, {}, "outbound_time_of_day", False, {"D08"}),
        (OUT, NIGHT, "outbound_time_of_day", True, {"D08"}),
        (OUT, NIGHT | FINE, "outbound_time_of_day", True, set()),
        (OUT, NIGHT, "seat_type", False, {"D09"}),
        (OUT, FINE, "seat_type", True, {"D08", "D09"}),
        (OUT, {}, "departure_date", False, {"D12", "D13", "D14", "D15", "D16"}),
        (OUT_NEXT_DAY, {}, "departure_date", True, {"D12", "D13", "D14", "D15", "D16"}),
    ],
)
def test_of_a_check_of_wishes_a_fact_explains_what_is_its_own_alone(
    flight_id, request_, key, broken, covered
):
    task = build_task(**request_)
    script = Script(task)
    script.book(flight("outbound", flight_id))
    script.user("###STOP###")
    episode, results = judged(script, task)
    assert is_broken(episode, results, key) is broken
    assert covered_checks(episode, key) - JOINT == covered
