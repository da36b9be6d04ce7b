"""Bookings that were made wrongly and then cancelled or changed (the extended toolset)."""

from typing import Any

import pytest

from crab_graph.eval.replay import replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import grade
from tests.eval.builders import (
    ANA,
    BACK,
    HOTEL,
    LEO,
    OUT,
    ROOM,
    SMALL_ROOM,
    STAY,
    Item,
    Plan,
    Script,
    attraction,
    failing,
    flight,
    graded,
    hotel,
    right_items,
    small_task,
)
from tests.tools.final_state import final_rows

EXTENDED = small_task().with_toolset("extended")
PLAN = Plan()
PEOPLE = [{"fare_id": "FA-50001", **ANA}, {"fare_id": "FA-50001", **LEO}]
WRONG_ROOM = hotel(room=SMALL_ROOM)
RIGHT_STAY = {"room_ids": [ROOM], **STAY, "guests": 2}


class Desk:
    """Writes the script of an agent that books one thing wrongly."""

    def __init__(self, wrong: Item) -> None:
        self.script = Script(EXTENDED)
        self.items = right_items()
        self.wrong = wrong.slot
        self.script.user("A trip from Chicago to Pittsburgh on 3 May, 3 nights, two of us.")
        self.script.agent(f"{PLAN.told}\n\nTrip total: {PLAN.total}. Shall I book all of it?")
        self.script.user("Yes, go ahead.")
        made = {**self.items, wrong.slot: wrong}
        self.booked = {slot: self.script.book(item) for slot, item in made.items()}
        self.cents = {slot: item.cents for slot, item in made.items()}
        self.method = ""

    def modify(self, tool: str, **arguments: Any) -> None:
        changed = self.script.call(tool, booking_id=self.booked[self.wrong], **arguments)
        assert changed["status"] == "pending", changed
        self.cents[self.wrong] = self.items[self.wrong].cents

    def rebook(self) -> None:
        self.booked[self.wrong] = self.script.book(self.items[self.wrong])
        self.cents[self.wrong] = self.items[self.wrong].cents

    def approve(self, *slots: str) -> None:
        self.script.agent("All is reserved. Please add your card and approve the amounts.")
        self.method = self.method or self.script.add_card()
        for slot in slots or self.booked:
            self.script.approve(self.booked[slot], self.method, self.cents[slot])
        self.script.user("Card added and all approved.")

    def charge(self, *slots: str) -> None:
        for slot in slots or self.booked:
            self.script.charge(self.booked[slot], self.method)

    def close(self) -> Script:
        self.script.agent(f"Everything is confirmed. Total charged: {PLAN.total}.")
        self.script.user("Thanks. ###STOP###")
        return self.script


@pytest.mark.parametrize(
    ("wrong", "tool", "arguments"),
    [
        (WRONG_ROOM, "modify_hotel_booking", RIGHT_STAY),
        (hotel(nights=2, check_out="2027-05-05"), "modify_hotel_booking", RIGHT_STAY),
        (flight("outbound", OUT, [ANA]), "modify_flight_seats", {"seats": PEOPLE}),
        (flight("outbound", OUT, [ANA, ANA]), "modify_flight_seats", {"seats": PEOPLE}),
        (attraction(tickets=3), "modify_attraction_booking", {"tickets": 2}),
    ],
)
def test_a_pending_booking_that_is_changed_into_the_right_one_passes_both_gradings(
    wrong, tool, arguments
):
    desk = Desk(wrong)
    desk.modify(tool, **arguments)
    desk.approve()
    desk.charge()
    verdict = graded(desk.close())
    assert failing(verdict) == set()
    assert verdict.passed and verdict.strict["passed"] and not verdict.unconfirmed
    assert verdict.metrics["call_cancellation"] == 0


@pytest.mark.parametrize(
    ("wrong", "tool"),
    [
        (WRONG_ROOM, "cancel_hotel_booking"),
        (attraction(tickets=1), "cancel_attraction_booking"),
        (flight("return", BACK, [ANA]), "cancel_flight"),
    ],
)
@pytest.mark.parametrize("is_charged", [False, True])
def test_a_wrong_booking_that_is_cancelled_and_booked_anew_passes(wrong, tool, is_charged):
    desk = Desk(wrong)
    if is_charged:
        desk.approve()
        desk.charge()
    desk.script.agent("My mistake: one of these bookings is wrong. I cancel it and book it anew.")
    desk.script.user("Please do.")
    cancelled = desk.script.call(tool, booking_id=desk.booked[desk.wrong])
    assert (cancelled["refunded"] != "0.00") is is_charged
    desk.rebook()
    mended = [desk.wrong] if is_charged else []
    desk.approve(*mended)
    desk.charge(*mended)
    verdict = graded(desk.close())
    assert failing(verdict) == set()
    assert verdict.passed and verdict.strict["passed"]
    assert verdict.metrics["call_cancellation"] == 1
    assert verdict.metrics["unadmitted_corrections"] == 0


def test_a_wrong_booking_that_is_left_beside_the_right_one_is_surplus():
    desk = Desk(WRONG_ROOM)
    desk.rebook()
    desk.approve()
    desk.charge()
    verdict = graded(desk.close())
    assert "D05" in failing(verdict) and not verdict.passed


def test_a_wrong_booking_that_is_cancelled_and_not_replaced_is_missing():
    desk = Desk(WRONG_ROOM)
    desk.script.call("cancel_hotel_booking", booking_id=desk.booked.pop("hotel"))
    desk.approve()
    desk.charge()
    assert "D03" in failing(graded(desk.close()))


def test_an_approval_of_the_old_amount_does_not_cover_the_new_one():
    desk = Desk(WRONG_ROOM)
    desk.approve()
    desk.modify("modify_hotel_booking", **RIGHT_STAY)
    desk.charge()
    assert failing(graded(desk.close())) == {"D21"}


def test_a_user_who_approved_what_was_due_is_not_at_fault_for_a_later_change():
    desk = Desk(WRONG_ROOM)
    desk.method = desk.script.add_card()
    desk.script.agent(
        f"Please approve the payment of $210.00 for {desk.booked['hotel']}; it may become $360.00."
    )
    desk.script.approve(desk.booked["hotel"], desk.method, 210_00)
    desk.script.user("Approved.")
    desk.approve("outbound", "return", "attraction")
    desk.modify("modify_hotel_booking", **RIGHT_STAY)
    desk.charge()
    verdict = graded(desk.close())
    assert failing(verdict) == {"D21", "F-IP"}
    assert (verdict.fault, verdict.metrics["user_errors"]) == ("agent", [])


def test_a_user_who_claims_to_have_approved_a_changed_booking_without_doing_so_is():
    desk = Desk(WRONG_ROOM)
    desk.approve()
    desk.modify("modify_hotel_booking", **RIGHT_STAY)
    desk.script.agent(f"Please approve the new amount of {desk.booked['hotel']}, $360.00, as well.")
    desk.script.user("I have approved it.")
    desk.charge()
    verdict = graded(desk.close())
    assert failing(verdict) == {"D21"}
    assert verdict.outcome == "user_fault"


def test_an_approval_of_the_new_amount_covers_it():
    desk = Desk(WRONG_ROOM)
    desk.approve()
    desk.modify("modify_hotel_booking", **RIGHT_STAY)
    desk.approve("hotel")
    desk.charge()
    assert graded(desk.close()).passed


def test_a_change_for_the_worse_is_graded_as_it_stands_in_the_end():
    desk = Desk(right_items()["hotel"])
    stay = {"room_ids": [SMALL_ROOM], **STAY, "guests": 1}
    desk.modify("modify_hotel_booking", **stay)
    desk.cents["hotel"] = WRONG_ROOM.cents
    desk.approve()
    desk.charge()
    assert "D06" in failing(graded(desk.close()))


def test_an_offer_of_transfer_must_be_repeated_after_a_change():
    verdicts = []
    for offers_last in (True, False):
        desk = Desk(attraction(tickets=3))
        desk.approve("outbound", "return")
        desk.charge("outbound", "return")
        said = "I cannot complete this. Shall I connect you with a human agent?"
        if not offers_last:
            desk.script.agent(said)
        desk.modify("modify_attraction_booking", tickets=2)
        desk.script.agent(said if offers_last else "The number of tickets is right now.")
        desk.script.user("No, thanks. ###STOP###")
        verdicts.append(graded(desk.script).checks["C-PART"])
    assert verdicts == ["pass", "fail"]


def test_the_tools_of_the_other_toolset_are_unknown_to_a_replay_with_the_papers():
    desk = Desk(WRONG_ROOM)
    desk.modify("modify_hotel_booking", **RIGHT_STAY)
    desk.approve()
    desk.charge()
    messages = desk.close().messages
    verdict = grade(small_task(), messages)
    assert "D06" in failing(verdict)
    assert verdict.unconfirmed[0].name == "modify_hotel_booking"
    assert grade(small_task(), messages, toolset="extended").passed
    assert not grade(EXTENDED, messages, toolset="parity").passed


def test_a_replay_folds_to_the_tables_of_the_live_calls():
    desk = Desk(WRONG_ROOM)
    desk.modify("modify_hotel_booking", **RIGHT_STAY)
    desk.approve()
    desk.charge()
    script = desk.close()
    replayed = replay(EXTENDED, read_transcript(script.messages)).ledger
    assert final_rows(replayed) == final_rows(script.ledger)
    stays = replayed.find("booked_rooms", "booking_id", desk.booked["hotel"])
    assert [row["room_id"] for row in stays] == [ROOM]
    assert replayed.get("bookings", desk.booked["hotel"])["entity_id"] == HOTEL  # type: ignore[index]


def test_a_task_has_one_form_for_each_toolset():
    assert small_task().with_toolset("extended") is EXTENDED
    assert small_task().with_toolset(None) is small_task()
    assert EXTENDED.with_toolset("extended") is EXTENDED
    assert EXTENDED.id == small_task().id
