"""The life of a booking, and what the verifiers read of an episode: each bound from both sides."""

from dataclasses import replace

import pytest

from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.errors import BenchmarkError, UsageError
from crab_graph.eval.checks import seen
from crab_graph.eval.history import BookingPrice, BookingRecord, History, Payment, read_history
from crab_graph.eval.reading import TaskReading, read_task
from crab_graph.eval.replay import CallStep, Trajectory
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner
from tests.eval.builders import build_rows, build_task, small_task
from tests.eval.tapes import insert, update


@pytest.fixture
def reading():
    known = read_task(small_task())
    return TaskReading(known.task, known.catalogue, known.checks)


def record(made_at=10, slot="outbound", name="BK-1", **changes):
    return BookingRecord(name, "flight", "FL-10001", slot, made_at, **changes)


def paid(seq, cents, booking="BK-1"):
    return Payment(seq, f"TX-{seq}", booking, "PM-1", cents)


@pytest.mark.parametrize(
    ("seq", "is_active", "is_confirmed"),
    [
        (10, False, False),
        (11, True, False),
        (20, True, False),
        (21, True, True),
        (30, True, True),
        (31, False, False),
    ],
)
def test_a_booking_is_active_and_confirmed_from_one_place_to_another(seq, is_active, is_confirmed):
    booking = record(confirmed_at=20, cancelled_at=30)
    assert (booking.is_active(seq), booking.is_confirmed(seq)) == (is_active, is_confirmed)


def test_a_booking_without_a_slot_fills_none_and_one_that_is_gone_neither():
    bookings = (
        record(name="BK-1"),
        record(name="BK-2", slot=None),
        record(name="BK-3", made_at=12),
        record(name="BK-4", cancelled_at=15),
    )
    history = History(by_id={one.booking_id: one for one in bookings})
    names = [
        {slot: [one.booking_id for one in held] for slot, held in history.filling(seq).items()}
        for seq in (10, 12, 15, 16)
    ]
    three = ["BK-1", "BK-3", "BK-4"]
    assert names == [
        {},
        {"outbound": ["BK-1", "BK-4"]},
        {"outbound": three},
        {"outbound": ["BK-1", "BK-3"]},
    ]


def test_the_last_of_the_writes_and_of_the_charges_of_a_booking():
    assert History().last_write == 0 and History(writes=[3, 7]).last_write == 7
    history = History(charges=[paid(4, 1), paid(6, 2), paid(8, 4, "BK-2")])
    assert [history.charged_at(one) for one in ("BK-1", "BK-2", "BK-3")] == [6, 8, float("inf")]


def test_what_a_booking_cost_just_before_a_place():
    history = History(
        prices=[BookingPrice(2, "BK-1", 5), BookingPrice(4, "BK-1", 6), BookingPrice(5, "BK-2", 7)]
    )
    known = [history.price_before("BK-1", seq) for seq in (2, 3, 4, 5, 9)]
    assert [one and one.cents for one in known] == [None, 5, 5, 6, 6]
    assert [history.cents_before(record(), seq) for seq in (3, 4, 5)] == [5, 5, 6]


def test_what_was_captured_is_charges_less_refunds_of_a_booking_or_of_all():
    history = History(
        charges=[paid(1, 10), paid(2, 20, "BK-2")], refunds=[paid(3, 4), paid(4, 5, "BK-2")]
    )
    assert [history.captured(one) for one in ("BK-1", "BK-2", "BK-3", None)] == [6, 15, 0, 21]


BOOKED = {"kind": "flight", "entity_id": "FL-1", "status": "pending", "total_cents": 5}
MOVED = {"booking_id": "BK-1", "payment_method_id": "PM-1", "amount_cents": 5}


def told(*calls):
    """Return the history of calls, each an owner and what it writes, at the places 1, 2, 3, …"""
    steps = [
        CallStep(seq, owner, "any", {}, "{}", False, events)
        for seq, (owner, *events) in enumerate(calls, start=1)
    ]
    tape = Trajectory(tuple(steps), Ledger.fold(small_task().world), None, ())
    return read_history(tape, {"FL-1": "outbound"}.get)


def test_what_events_make_of_a_booking():
    made = insert("bookings", "BK-1", BOOKED)
    for status, confirmed_at, cancelled_at in (
        ("confirmed", 2, float("inf")),
        ("cancelled", float("inf"), 2),
        ("pending", float("inf"), float("inf")),
    ):
        later = told((Owner.AGENT, made), (Owner.AGENT, update("bookings", "BK-1", status=status)))
        (booking,) = later.bookings
        assert (booking.confirmed_at, booking.cancelled_at) == (confirmed_at, cancelled_at)
        (booking,) = told(
            (Owner.AGENT, insert("bookings", "BK-1", {**BOOKED, "status": status}))
        ).bookings
        assert booking.confirmed_at == (1 if status == "confirmed" else float("inf"))
    elsewhere = insert("bookings", "BK-2", {**BOOKED, "entity_id": "FL-2"})
    assert [one.slot for one in told((Owner.AGENT, made, elsewhere)).bookings] == ["outbound", None]


def test_prices_are_noted_when_they_are_written_and_of_bookings_of_the_episode():
    made = insert("bookings", "BK-1", BOOKED)
    changes = [
        update("bookings", "BK-1", total_cents=6),
        update("bookings", "BK-1", status="confirmed"),
        update("bookings", "BK-0", status="cancelled"),
    ]
    history = told((Owner.AGENT, made), *((Owner.AGENT, one) for one in changes))
    assert history.prices == [(1, "BK-1", 5), (2, "BK-1", 6)]
    assert [one.booking_id for one in history.bookings] == ["BK-1"]
    assert history.bookings[0].confirmed_at == 3


def test_charges_refunds_approvals_and_transfers_go_apart():
    history = told(
        (Owner.AGENT, insert("transactions", "TX-1", {**MOVED, "kind": "charge"})),
        (Owner.AGENT, insert("transactions", "TX-2", {**MOVED, "kind": "refund"})),
        (Owner.USER, insert("approvals", "AP-1", MOVED)),
        (Owner.AGENT, insert("transfers", "HX-1", {})),
        (Owner.AGENT, update("transactions", "TX-1", kind="refund"), insert("cards", "CD-1", {})),
    )
    found = [history.charges, history.refunds, history.approvals]
    assert [[one.transaction_id for one in some] for some in found] == [
        ["TX-1"],
        ["TX-2"],
        ["AP-1"],
    ]
    assert history.transferred_at == [4]
    assert history.approvals[0].terms == history.charges[0].terms == ("BK-1", "PM-1", 5)


def test_writes_are_the_places_where_the_agent_books_or_moves_money():
    made = insert("bookings", "BK-1", BOOKED)
    charge = insert("transactions", "TX-1", {**MOVED, "kind": "charge"})
    for owner, event, is_write in (
        (Owner.AGENT, made, True),
        (Owner.USER, made, False),
        (Owner.AGENT, charge, True),
        (Owner.AGENT, insert("cards", "CD-1", {}), False),
    ):
        assert told((owner, event)).writes == ([1] if is_write else [])


def test_evidence_names_rows_and_messages_where_it_has_any():
    assert seen("so") == {"text": "so"}
    assert seen("so", message=0) == {"text": "so", "message": 0}
    assert seen("so", "bookings/1", "bookings/2") == {
        "text": "so",
        "rows": ["bookings/1", "bookings/2"],
    }


def test_where_nothing_has_a_price_no_check_is_of_money(reading):
    paid_for = {one.id for one in verifiers_of(reading)}
    vars(reading)["is_free"] = True
    free = {one.id for one in verifiers_of(reading)}
    assert free < paid_for and {"F-PT", "D19"} <= paid_for - free and "F-ID" in free


def test_no_two_checks_have_one_label(reading):
    twice = TaskReading(reading.task, reading.catalogue, reading.checks + reading.checks[:1])
    with pytest.raises(UsageError, match=f"label '{reading.checks[0].id}'"):
        verifiers_of(twice)


@pytest.mark.parametrize(
    ("table", "row", "values", "wrong"),
    [
        ("flights", 8, {"flight_id": "FL-999"}, None),
        ("flights", 8, {"flight_id": "XX-30001"}, "'XX-30001' is no id of a flight"),
        ("hotels", 1, {"name": "Grand Old House"}, None),
        ("hotels", 1, {"name": "Juniper"}, "the name of HT-1002 has one word"),
        ("hotels", 1, {"name": "Juniper Court"}, "HT-1001 and HT-1002 have one name"),
        ("rooms", 0, {"room_id": "HR-99"}, None),
        ("rooms", 0, {"room_id": "HT-99"}, "'HT-99' of the table rooms reads like the id"),
    ],
)
def test_ids_and_names_that_could_be_confused_are_refused(table, row, values, wrong):
    tables = build_rows()
    tables[table][row].update(values)
    if wrong is None:
        assert read_task(build_task(tables)).catalogue
    else:
        with pytest.raises(BenchmarkError, match=f"{wrong}.*cannot be graded"):
            read_task(build_task(tables))


def test_no_two_kinds_of_ids_begin_alike():
    words = TRAVEL.grading.vocabulary()
    alike = replace(words, booking_prefix=words.prefixes["hotel"])
    task = build_task()
    task.domain = replace(TRAVEL, grading=replace(TRAVEL.grading, vocabulary=lambda: alike))
    with pytest.raises(BenchmarkError, match="two kinds of ids begin alike: FL, HT, AT, HT"):
        read_task(task)


@pytest.mark.parametrize(
    ("facts", "people"),
    [
        ({}, ()),
        ({"traveller_names": ["Ana Ruiz"]}, ()),
        ({"birth_dates": ["1990-04-02"]}, ()),
        (
            {"traveller_names": ["Ana Ruiz"], "birth_dates": ["1990-04-02"]},
            (("ana ruiz", "1990-04-02"),),
        ),
    ],
)
def test_people_are_known_by_name_and_birth_date_both(reading, facts, people):
    vars(reading)["facts"] = facts
    assert reading.people == people


@pytest.mark.parametrize(
    ("cents", "seq", "is_shown"),
    [
        (80_15, 5, True),
        (80_15, 4, False),
        (240_45, 5, True),
        (160_30, 5, False),
        (240_46, 5, False),
        (79_85, 5, False),
        (26_05, 5, False),
    ],
)
def test_a_price_is_shown_once_an_answer_holds_it_or_that_of_one_unit(cents, seq, is_shown):
    history = History(answers=[(4, '{"price": "80.15"}')], units=frozenset({3}))
    assert history.shown({cents, 1_00}, seq) == ({cents} if is_shown else set())
