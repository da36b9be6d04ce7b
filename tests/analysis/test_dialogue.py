"""A transcript as exchanges: each visible message with the calls that led up to it."""

from typing import Any

from crab_graph.analysis.viewer.exchanges import (
    RowChange,
    calls_of,
    describe_change,
    read_exchanges,
)


def test_calls_stand_beside_the_message_they_led_up_to(records):
    exchanges = read_exchanges(records[0].messages, records[0].trace)
    said = [(item.turn, item.speaker, [call.name for call in item.calls]) for item in exchanges]
    assert said == [
        (1, "user", []),
        (2, "agent", ["search_flights_by_route", "charge_booking"]),
        (3, "user", ["get_my_payment_cards"]),
        (4, "agent", ["book_flight_with_seats"]),
        (5, "user", []),
    ]


def test_a_call_knows_its_refusal_and_the_rows_it_wrote(records):
    calls = list(calls_of(read_exchanges(records[0].messages, records[0].trace)))
    refused, written = calls[1], calls[3]
    assert refused.result is None
    assert refused.error is not None
    assert refused.error["error"] == "unknown_id"
    assert [describe_change(change) for change in written.changes] == [
        "kind flight, entity id FL-48213, status pending, total $300.00",
        "available −1",
    ]


def test_calls_after_the_last_message_are_kept(records):
    exchanges = read_exchanges(records[0].messages[:3])
    assert (exchanges[-1].turn, exchanges[-1].calls[0].name) == (None, "search_flights_by_route")


def test_an_id_that_comes_up_again_belongs_to_the_latest_call():
    call: dict[str, Any] = {"id": "a", "name": "look", "arguments": {}}
    messages: list[dict[str, Any]] = []
    for number in (1, 2):
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": "a", "content": f'{{"n": {number}}}'})
    assert [call.result for call in calls_of(read_exchanges(messages))] == [{"n": 1}, {"n": 2}]


def test_an_answer_that_was_cut_short_takes_no_rows_of_another(records):
    messages = [
        message for message in records[0].messages if message.get("tool_call_id") != "call_1"
    ]
    calls = list(calls_of(read_exchanges(messages, records[0].trace[1:])))
    assert [len(call.changes) for call in calls] == [0, 0, 0, 2]


def test_an_update_shows_where_a_value_went():
    change = RowChange("bookings", "BK-1", "update", {"status": "confirmed", "paid_cents": 1250})
    assert describe_change(change) == "status → confirmed, paid → $12.50"
