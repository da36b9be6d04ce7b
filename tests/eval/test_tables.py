"""What the tools would not do: events edited after the fact, as a faulty environment would."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crab_graph.eval.replay import CallStep, replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import grade_trajectory
from crab_graph.tools.ledger import Event, Ledger
from tests.eval.builders import OTHER_METHOD, OUT, Plan, failing, small_task

Edit = Callable[[Event], list[Event]]


def regraded(edit: Edit):
    task = small_task()
    trajectory = replay(task, read_transcript(Plan().write().messages))
    steps = []
    for step in trajectory.steps:
        if isinstance(step, CallStep):
            written = tuple(new for event in step.events for new in edit(event))
            step = step._replace(events=written)
        steps.append(step)
    events = [event for step in steps if isinstance(step, CallStep) for event in step.events]
    ledger = Ledger.fold(task.world, events)
    return grade_trajectory(task, replace(trajectory, steps=tuple(steps), ledger=ledger))


def row_edit(table: str, **values: Any) -> Edit:
    """Edit the first row inserted into a table."""
    done: list[str] = []

    def edit(event: Event) -> list[Event]:
        if event["op"] == "insert" and event["table"] == table and not done:
            done.append(event["key"])
            return [{**event, "row": {**event["row"], **values}}]
        return [event]

    return edit


def both(*edits: Edit) -> Edit:
    def edit(event: Event) -> list[Event]:
        events = [event]
        for one in edits:
            events = [new for event in events for new in one(event)]
        return events

    return edit


def test_events_left_alone_pass():
    assert regraded(lambda event: [event]).passed


def test_a_capture_by_a_foreign_method_fails_even_when_approved():
    foreign = {"payment_method_id": OTHER_METHOD}
    verdict = regraded(both(row_edit("transactions", **foreign), row_edit("approvals", **foreign)))
    assert failing(verdict) == {"D20"}


def test_an_amount_that_is_not_the_price_due_fails():
    verdict = regraded(
        both(
            row_edit("bookings", total_cents=301_00),
            row_edit("transactions", amount_cents=301_00),
            row_edit("approvals", amount_cents=301_00),
        )
    )
    assert "D22" in failing(verdict) and "D24" not in failing(verdict)


@pytest.mark.parametrize(
    "edit",
    [
        lambda event: [] if event["op"] == "add" else [event],
        row_edit("transactions", amount_cents=1),
        row_edit("booked_fares", booking_id="BK-99999999"),
        lambda event: [*([event, {**event, "delta": 20}] if event["op"] == "add" else [event])],
    ],
)
def test_tables_that_do_not_add_up_are_the_environments_fault(edit):
    verdict = regraded(edit)
    assert (verdict.fault, verdict.outcome) == ("environment", "infra_error")
    assert verdict.error != "the verdict contradicts the task's certificate"
    said = [verdict.checks, verdict.strict["checks"], verdict.evidence, verdict.failures]
    assert not any(said) and verdict.primary_failure is None and verdict.explanation is None


def test_a_change_of_an_entity_is_collateral():
    def edit(event: Event) -> list[Event]:
        if event["table"] == "approvals":
            values = {"carrier": "Skylark"}
            changed = {"op": "update", "table": "flights", "key": OUT, "set": values}
            return [event, changed]
        return [event]

    assert "D23" in failing(regraded(edit))
