"""D19 to D24: for each conjunct two episodes that differ in it alone, one on each side."""

import pytest

from tests.eval.builders import (
    BACK,
    CARD,
    CUSTOMER,
    HOTEL,
    OTHER,
    OTHER_METHOD,
    OUT,
    OUT_SPARE,
    SMALL_CARD,
    SMALL_ROOM,
    Plan,
    Script,
    build_rows,
    build_task,
    failing,
    flight,
    graded,
    small_task,
)
from tests.eval.tapes import (
    adding,
    changing,
    dropping,
    edited,
    events_of,
    evidence,
    insert,
    right_tape,
    rows,
    says,
    tape_of,
    update,
)

PASS, FAIL = "pass", "fail"
PRICE = 300_00


@pytest.fixture(scope="module")
def two_cards():
    """The small task, in which both cards bear every charge."""
    tables = build_rows()
    for card in tables["cards"]:
        card["limit_cents"] = 900_000
    return build_task(tables)


class Paying:
    """An outbound flight for $300.00 that is booked, and both cards on the platform."""

    def __init__(self, task):
        self.script = Script(task)
        self.booking = self.script.book(flight("outbound", OUT))
        self.cards = {"A": self.script.add_card(CARD), "B": self.script.add_card(SMALL_CARD)}

    def approve(self, card="A", cents=PRICE, booking=None):
        self.script.approve(booking or self.booking, self.cards[card], cents)

    def charge(self, card="A", booking=None):
        assert "error" not in self.script.charge(booking or self.booking, self.cards[card])

    def word(self, check="D21"):
        self.script.user("###STOP###")
        return graded(self.script).checks[check]


@pytest.mark.parametrize(
    ("approved", "charged", "word"),
    [("A", "A", PASS), ("B", "B", PASS), ("A", "B", FAIL), ("B", "A", FAIL)],
)
def test_the_card_approved_is_the_card_charged(two_cards, approved, charged, word):
    paying = Paying(two_cards)
    paying.approve(approved)
    paying.charge(charged)
    assert paying.word() == word


@pytest.mark.parametrize(("cents", "word"), [(PRICE, PASS), (PRICE - 1, FAIL), (PRICE + 1, FAIL)])
def test_the_amount_approved_is_the_amount_charged(two_cards, cents, word):
    paying = Paying(two_cards)
    paying.approve(cents=cents)
    paying.charge()
    assert paying.word() == word


@pytest.mark.parametrize(("own", "word"), [(True, PASS), (False, FAIL)])
def test_the_booking_approved_is_the_booking_charged(two_cards, own, word):
    paying = Paying(two_cards)
    other = paying.script.book(flight("outbound", OUT))
    paying.approve(booking=paying.booking if own else other)
    paying.charge()
    assert paying.word() == word


@pytest.mark.parametrize(("first", "word"), [("approve", PASS), ("charge", FAIL)])
def test_the_approval_comes_before_the_charge(two_cards, first, word):
    paying = Paying(two_cards)
    for step in ("approve", "charge") if first == "approve" else ("charge", "approve"):
        getattr(paying, step)()
    assert paying.word() == word


def test_an_approval_recorded_with_the_charge_itself_is_no_earlier_one():
    approvals = events_of(right_tape(), "approvals")
    first = approvals[0]
    late = edited(
        right_tape(), dropping(lambda event: event is first), adding("transactions", 0, first)
    )
    assert (says("D21", right_tape()), says("D21", late)) == (PASS, FAIL)


@pytest.mark.parametrize(("approvals", "word"), [(2, PASS), (1, FAIL)])
def test_one_approval_covers_one_charge_only(approvals, word):
    # No tool charges a booking twice; whoever does needs an approval for each time.
    charge = rows(right_tape(), "transactions")[0]
    approval = rows(right_tape(), "approvals")[0]
    edits = [
        adding(
            "transactions",
            0,
            insert("transactions", "TX-90000001", {**charge, "transaction_id": "TX-90000001"}),
        )
    ]
    if approvals == 2:
        edits.append(
            adding(
                "approvals",
                0,
                insert("approvals", "AP-90000001", {**approval, "approval_id": "AP-90000001"}),
            )
        )
    assert says("D21", edited(right_tape(), *edits)) == word


@pytest.mark.parametrize(("approved", "word"), [(True, PASS), (False, FAIL)])
def test_a_charge_that_was_refunded_needed_its_approval_too(two_cards, approved, word):
    paying = Paying(two_cards)
    if approved:
        paying.approve()
    paying.charge()
    paying.script.call("cancel_flight", booking_id=paying.booking)
    assert paying.word() == word


def test_approvals_cover_charges_in_any_order_and_all_of_them_count(two_cards):
    paying = Paying(two_cards)
    other = paying.script.book(flight("outbound", OUT))
    paying.approve(booking=other)
    paying.approve()
    paying.charge()
    paying.charge(booking=other)
    assert paying.word() == PASS


# --- D20: whose method, and since when


@pytest.mark.parametrize(
    ("method", "word"), [(None, PASS), (OTHER_METHOD, FAIL), ("PM-99999999", FAIL)]
)
def test_a_charge_uses_a_method_of_the_customer(method, word):
    edits = [changing("transactions", 1, payment_method_id=method)] if method else []
    assert says("D20", edited(right_tape(), *edits)) == word


def test_a_method_is_charged_only_once_it_is_registered():
    (added,) = events_of(right_tape(), "payment_methods")
    moved = dropping(lambda event: event is added)
    for nth, word in ((0, PASS), (1, FAIL)):
        late = edited(right_tape(), moved, adding("transactions", nth, added))
        assert says("D20", late) == word, nth


def test_a_method_that_was_there_from_the_beginning_may_be_charged(two_cards):
    tables = build_rows()
    held = {"payment_method_id": "PM-00000002", "customer_id": CUSTOMER, "card_id": CARD}
    tables["payment_methods"].append({**held, "brand": "Visa", "last4": "4242", "is_default": True})
    script = Script(build_task(tables))
    booking = script.book(flight("outbound", OUT))
    script.approve(booking, "PM-00000002", PRICE)
    script.charge(booking, "PM-00000002")
    script.user("###STOP###")
    assert graded(script).checks["D20"] == PASS


def test_what_happens_to_a_method_later_does_not_undo_its_registration():
    method = rows(right_tape(), "payment_methods")[0]
    key = method["payment_method_id"]
    for event in (
        update("payment_methods", key, is_default=False),
        insert("cards", key, {**small_task().world.tables["cards"][CARD], "card_id": key}),
    ):
        assert says("D20", edited(right_tape(), adding("transactions", 3, event))) == PASS


# --- D19: confirmed, and paid in full


def test_a_booking_is_confirmed_and_its_whole_amount_captured():
    booking = rows(right_tape(), "bookings")[0]["booking_id"]
    last = adding("transactions", 3, update("bookings", booking, status="pending"))
    for edits, word in (
        ([], PASS),
        ([last], FAIL),
        ([changing("transactions", 0, amount_cents=PRICE - 1)], FAIL),
        ([changing("transactions", 0, amount_cents=PRICE + 1)], FAIL),
        ([changing("bookings", 0, total_cents=PRICE - 1)], FAIL),
    ):
        assert says("D19", edited(right_tape(), *edits)) == word


def test_what_was_refunded_is_not_captured():
    charge = rows(right_tape(), "transactions")[0]
    back = {**charge, "transaction_id": "TX-90000001", "kind": "refund"}
    refund = adding("transactions", 3, insert("transactions", "TX-90000001", back))
    again = {**charge, "transaction_id": "TX-90000002"}
    anew = adding("transactions", 3, insert("transactions", "TX-90000002", again))
    assert says("D19", edited(right_tape(), refund)) == FAIL
    assert says("D19", edited(right_tape(), refund, anew)) == PASS
    assert says("D19", edited(right_tape(), anew)) == FAIL


def test_a_cancelled_booking_needs_no_payment(two_cards):
    paying = Paying(two_cards)
    paying.script.call("cancel_flight", booking_id=paying.booking)
    assert paying.word("D19") == PASS


# --- D22: the price due, and no money elsewhere


@pytest.mark.parametrize(("more", "word"), [(0, PASS), (1, FAIL), (-1, FAIL)])
def test_a_booking_amounts_to_the_price_due(more, word):
    assert (
        says("D22", edited(right_tape(), changing("bookings", 0, total_cents=PRICE + more))) == word
    )


@pytest.mark.parametrize(("refunded", "word"), [(PRICE, PASS), (PRICE - 1, FAIL), (0, FAIL)])
def test_no_money_is_held_for_a_booking_that_is_not_active(refunded, word):
    booking = rows(right_tape(), "bookings")[0]["booking_id"]
    charge = rows(right_tape(), "transactions")[0]
    cancel = update("bookings", booking, status="cancelled")
    back = {**charge, "transaction_id": "TX-90000001", "kind": "refund", "amount_cents": refunded}
    events = [cancel, insert("transactions", "TX-90000001", back)] if refunded else [cancel]
    assert says("D22", edited(right_tape(), adding("transactions", 3, *events))) == word


def test_money_held_for_a_surplus_booking_is_no_wrong_amount():
    plan = Plan(surplus=(flight("outbound", OUT_SPARE),), offers_transfer=True)
    assert failing(graded(plan)) == {"D05"}


# --- D23: what may change


def test_a_method_or_a_booking_may_be_added_for_the_customer_alone():
    for table in ("payment_methods", "bookings"):
        assert says("D23", edited(right_tape(), changing(table, 0, customer_id=CUSTOMER))) == PASS
        assert says("D23", edited(right_tape(), changing(table, 0, customer_id=OTHER))) == FAIL


ITEMS = ("booked_fares", "booked_rooms", "booked_attractions")


@pytest.mark.parametrize("table", [*ITEMS, "transactions"])
def test_items_and_charges_belong_to_bookings_of_the_episode(table):
    row = rows(right_tape(), table)[0]
    for booking, word in ((row["booking_id"], PASS), ("BK-00000001", FAIL), ("BK-9", FAIL)):
        another = insert(table, "another", {**row, "booking_id": booking})
        assert says("D23", edited(right_tape(), adding(table, 0, another))) == word


@pytest.mark.parametrize(
    ("table", "key", "values", "word"),
    [
        ("customers", CUSTOMER, {"email": "ana@example.com"}, PASS),
        ("customers", CUSTOMER, {"email": "ana@example.org"}, FAIL),
        ("customers", CUSTOMER, {"name": "Leo Ruiz"}, FAIL),
        ("customers", CUSTOMER, {"phone": "555-0102"}, FAIL),
        ("customers", OTHER, {"email": "ana@example.com"}, FAIL),
        ("fares", "FA-50001", {"available": 7}, PASS),
        ("fares", "FA-50001", {"available": 7, "price_cents": 1}, FAIL),
        ("fares", "FA-50001", {"price_cents": 1}, FAIL),
        ("fares", "FA-50002", {"available": 8}, FAIL),
        ("bookings", "BK-00000001", {"status": "cancelled"}, FAIL),
        ("bookings", "BK-00000001", {"status": "confirmed"}, PASS),
        ("flights", OUT, {"carrier": "Skylark"}, FAIL),
        ("cards", CARD, {"limit_cents": 1}, PASS),
    ],
)
def test_what_was_there_changes_only_as_booking_and_the_profile_ask(table, key, values, word):
    tape = edited(right_tape(), adding("transactions", 3, update(table, key, **values)))
    assert says("D23", tape) == word


def test_data_that_was_wrong_may_be_set_to_what_the_profile_says():
    tables = build_rows()
    tables["customers"][0]["email"] = "old@example.com"
    tables["customers"][0]["date_of_birth"] = "1990-01-01"
    for values, word in (
        ({"email": "ana@example.com"}, PASS),
        ({"email": "leo@example.com"}, FAIL),
        ({"date_of_birth": "1990-04-02"}, PASS),
        ({"date_of_birth": "1988-11-23"}, FAIL),
        ({"email": "ana@example.com", "phone": "555-0000"}, FAIL),
        ({"phone": "555-0000", "email": "ana@example.com"}, FAIL),
    ):
        task = build_task(tables)
        tape = edited(
            right_tape(),
            adding("transactions", 3, update("customers", CUSTOMER, **values)),
            task=task,
        )
        assert says("D23", tape, task) == word, values


def test_a_transfer_is_no_collateral_and_any_other_new_row_is():
    made = insert("transfers", "HX-1", {"transfer_id": "HX-1", "summary": "all"})
    assert says("D23", edited(right_tape(), adding("transactions", 3, made))) == PASS
    fare = {**small_task().world.tables["fares"]["FA-50001"], "fare_id": "FA-99999"}
    new = insert("fares", "FA-99999", fare)
    assert says("D23", edited(right_tape(), adding("transactions", 3, new))) == FAIL


# --- D24: the tables stay sound


@pytest.mark.parametrize(("more", "word"), [(0, PASS), (1, FAIL), (-1, FAIL)])
def test_stock_sinks_by_what_is_taken(more, word):
    move = {"op": "add", "table": "fares", "key": "FA-50001", "column": "available", "delta": more}
    assert says("D24", edited(right_tape(), adding("bookings", 0, move))) == word


def test_stock_sinks_by_what_active_bookings_hold_and_no_others():
    script = Script()
    first = script.book(flight("outbound", OUT))
    assert says("D24", tape_of(script)) == PASS
    script.call("cancel_flight", booking_id=first)
    assert says("D24", tape_of(script)) == PASS
    kept = dropping(lambda event: event["op"] == "add" and event["delta"] > 0)
    assert says("D24", edited(tape_of(script), kept)) == FAIL


def test_a_baseline_booking_gives_its_stock_back_once():
    script = Script()
    script.call("cancel_flight", booking_id="BK-00000001")
    tape = tape_of(script)
    assert says("D24", tape) == PASS
    kept = dropping(lambda event: event["op"] == "add")
    assert says("D24", edited(tape, kept)) == FAIL
    # One that was cancelled from the beginning has nothing to give back.
    tables = build_rows()
    tables["bookings"][0]["status"] = "cancelled"
    tables["transactions"] = []
    task = build_task(tables)
    touched = update("bookings", "BK-00000001", status="cancelled")
    for edits, word in (([], PASS), ([add_stock("FA-50001", 1)], FAIL)):
        tape = edited(right_tape(), adding("bookings", 0, touched, *edits), task=task)
        assert says("D24", tape, task) == word
    still = update("bookings", "BK-00000001", status="confirmed")
    assert says("D24", edited(right_tape(), adding("bookings", 0, still))) == PASS


@pytest.mark.parametrize(
    ("before", "after", "stock"),
    [("confirmed", "cancelled", 1), ("confirmed", "confirmed", 0), ("cancelled", "cancelled", 0)],
)
def test_a_booking_that_was_there_gives_back_what_it_holds_when_it_is_cancelled(
    before, after, stock
):
    tables = build_rows()
    tables["bookings"][0]["status"] = before
    task = build_task(tables)
    changed = update("bookings", "BK-00000001", status=after, entity_id=BACK)
    for moved in (0, 1):
        tape = edited(
            right_tape(),
            adding("bookings", 0, changed, add_stock("FA-50001", moved)),
            task=task,
        )
        assert says("D24", tape, task) == (PASS if moved == stock else FAIL)


def test_an_offer_that_is_new_has_no_stock_to_compare_with():
    fare = {**small_task().world.tables["fares"]["FA-50001"], "fare_id": "FA-99999"}
    new = insert("fares", "FA-99999", fare)
    assert says("D24", edited(right_tape(), adding("transactions", 3, new))) == PASS


def test_what_is_skipped_hides_nothing_behind_it():
    """A new offer, a cancelled stay and money for nobody come before what does not add up."""
    fare = {**small_task().world.tables["fares"]["FA-50001"], "fare_id": "FA-00001"}
    new = insert("fares", "FA-00001", fare)
    wrong = add_stock("FA-50001", 1)
    tape = edited(right_tape(), adding("transactions", 3, new, wrong))
    assert says("D24", tape) == FAIL
    item, booking = rows(right_tape(), "booked_rooms")[0], rows(right_tape(), "bookings")[2]
    held = []
    for number, status in (("1", "cancelled"), ("2", "pending")):
        key = f"BK-9000000{number}"
        held += [
            insert("bookings", key, {**booking, "booking_id": key, "status": status}),
            insert("booked_rooms", key, {**item, "item_key": key, "booking_id": key}),
        ]
    assert said_by_d24(edited(right_tape(), adding("transactions", 3, *held))) == 2
    charge = rows(right_tape(), "transactions")[0]
    for booking_id in ("BK-9", "BK-00000001"):
        more = {**charge, "transaction_id": f"TX-{booking_id}", "booking_id": booking_id}
        held.append(insert("transactions", more["transaction_id"], more))
    assert said_by_d24(edited(right_tape(), adding("transactions", 3, *held[-2:]))) == 2


def said_by_d24(tape):
    return len(evidence("D24", tape))


def add_stock(fare, delta):
    return {"op": "add", "table": "fares", "key": fare, "column": "available", "delta": delta}


@pytest.mark.parametrize(("seats", "word"), [(2, PASS), (1, FAIL)])
def test_no_more_is_taken_than_there_is(seats, word):
    tables = build_rows()
    tables["fares"][0]["available"] = seats
    task = build_task(tables)
    assert says("D24", edited(right_tape(), task=task), task) == word


def test_two_stays_in_one_room_may_touch_and_not_overlap():
    item = rows(right_tape(), "booked_rooms")[0]
    booking = rows(right_tape(), "bookings")[2]
    for first, last, status, word in (
        ("2027-05-06", "2027-05-08", "pending", PASS),
        ("2027-05-05", "2027-05-08", "pending", FAIL),
        ("2027-05-01", "2027-05-03", "pending", PASS),
        ("2027-05-01", "2027-05-04", "pending", FAIL),
        ("2027-05-04", "2027-05-05", "pending", FAIL),
        ("2027-05-04", "2027-05-05", "cancelled", PASS),
    ):
        days = {"check_in": first, "check_out": last}
        named = {"booking_id": "BK-90000001", "item_key": "BK-90000001/1"}
        other = {**booking, "booking_id": "BK-90000001", "status": status}
        events = (
            insert("bookings", "BK-90000001", other),
            insert("booked_rooms", "BK-90000001/1", {**item, **named, **days}),
        )
        assert says("D24", edited(right_tape(), adding("transactions", 3, *events))) == word, days
        room = {"room_id": SMALL_ROOM, "item_key": "BK-90000001/1"}
        elsewhere = (
            events[0],
            insert("booked_rooms", "BK-90000001/1", {**item, **named, **days, **room}),
        )
        assert says("D24", edited(right_tape(), adding("transactions", 3, *elsewhere))) == PASS


def test_a_stay_may_take_the_room_of_one_that_was_cancelled_and_not_of_one_that_was_there():
    item = rows(right_tape(), "booked_rooms")[0]
    for status, word in (("confirmed", FAIL), ("cancelled", PASS)):
        tables = build_rows()
        held = {"booking_id": "BK-00000002", "customer_id": OTHER, "kind": "hotel"}
        tables["bookings"].append({**held, "entity_id": HOTEL, "status": status, "total_cents": 1})
        tables["booked_rooms"] = [
            {**item, "booking_id": "BK-00000002", "item_key": "BK-00000002/1"}
        ]
        task = build_task(tables)
        assert says("D24", edited(right_tape(), task=task), task) == word


def test_items_lead_to_a_booking_and_an_offer():
    item = rows(right_tape(), "booked_rooms")[0]
    for changed, word in (
        ({"check_in": "2027-05-06", "check_out": "2027-05-07"}, PASS),
        ({"booking_id": "BK-9"}, FAIL),
        ({"booking_id": "BK-00000001"}, PASS),
        ({"booking_id": "BK-00000001", "room_id": "RM-9"}, FAIL),
    ):
        row = {
            **item,
            "check_in": "2027-05-06",
            "check_out": "2027-05-07",
            "item_key": "x",
            **changed,
        }
        assert (
            says(
                "D24", edited(right_tape(), adding("bookings", 3, insert("booked_rooms", "x", row)))
            )
            == word
        )


def test_what_is_captured_fits_the_status_of_the_booking():
    booking = rows(right_tape(), "bookings")[0]["booking_id"]
    charge = rows(right_tape(), "transactions")[0]
    gone = dropping(
        lambda event: event.get("row", {}).get("transaction_id") == charge["transaction_id"]
    )
    pending = adding("transactions", 3, update("bookings", booking, status="pending"))
    for edits, word in (
        ([], PASS),
        ([gone], FAIL),
        ([pending], FAIL),
        ([pending, gone], PASS),
        ([changing("transactions", 0, amount_cents=PRICE - 1)], FAIL),
        ([changing("transactions", 0, amount_cents=PRICE + 1)], FAIL),
    ):
        assert says("D24", edited(right_tape(), *edits)) == word
    foreign = {**charge, "transaction_id": "TX-9", "booking_id": "BK-9"}
    nowhere = adding("transactions", 3, insert("transactions", "TX-9", foreign))
    assert says("D24", edited(right_tape(), nowhere)) == FAIL
    known = {**foreign, "booking_id": "BK-00000001"}
    twice = adding("transactions", 3, insert("transactions", "TX-9", known))
    assert says("D24", edited(right_tape(), twice)) == FAIL
