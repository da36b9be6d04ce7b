"""Episodes whose events are edited after the fact, and what single verifiers say of them.

What tools refuse, such as a charge twice or a method of nobody's, can only come from a faulty
environment; a verifier says what is wrong about it all the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from crab_graph.eval.checks import CheckResult
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.replay import CallStep, MessageStep, Trajectory, replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.tools.ledger import Event, Ledger
from tests.eval.builders import (
    BACK,
    BACK_NEXT_DAY,
    BACK_NIGHT,
    BACK_OTHER_CARRIER,
    OUT,
    Plan,
    Script,
    flight,
    small_task,
)

Edit = Callable[[list[CallStep]], list[CallStep]]
"""What makes other calls of those of an episode."""


@cache
def right_tape() -> Trajectory:
    """The episode in which all is right."""
    script = Plan().write()
    read_task(script.task)
    return tape_of(script)


def tape_of(script: Script) -> Trajectory:
    return replay(script.task, read_transcript(script.messages))


def edited(tape: Trajectory, *edits: Edit, task: Any = None) -> Trajectory:
    """Return a tape with other calls, and the tables that their events give."""
    calls = list(tape.calls)
    for edit in edits:
        calls = edit(calls)
    steps: list[MessageStep | CallStep] = [*tape.messages, *calls]
    steps.sort(key=lambda step: step.seq)
    events = [event for call in calls for event in call.events]
    world = tape.ledger.world if task is None else task.world
    return replace(tape, steps=tuple(steps), ledger=Ledger.fold(world, events))


def judged(check: str, tape: Trajectory, task: Any = None) -> CheckResult:
    """Return what one verifier says of a tape, with its evidence."""
    reading = read_task(task or small_task())
    judge = next(one.judge for one in verifiers_of(reading) if one.id == check)
    return judge(lay_out(reading, tape))


def says(check: str, tape: Trajectory, task: Any = None) -> str:
    """Return the verdict of one verifier on a tape."""
    return str(judged(check, tape, task).verdict)


def evidence(check: str, tape: Trajectory) -> list[str]:
    """Return the texts of what one verifier saw in a tape."""
    return [one["text"] for one in judged(check, tape).evidence]


def wrote(call: CallStep, table: str) -> bool:
    """Tell whether a call added a row to a table."""
    return any(event["op"] == "insert" and event["table"] == table for event in call.events)


def rows(tape: Trajectory, table: str) -> list[dict[str, Any]]:
    """The rows that the episode added to a table."""
    return list(tape.ledger.inserted(table))


def changing(table: str, nth: int = 0, **values: Any) -> Edit:
    """Edit the nth row added to a table."""

    def edit(calls: list[CallStep]) -> list[CallStep]:
        seen, made = 0, []
        for call in calls:
            events = []
            for event in call.events:
                if event["op"] == "insert" and event["table"] == table:
                    if seen == nth:
                        event = {**event, "row": {**event["row"], **values}}
                    seen += 1
                events.append(event)
            made.append(call._replace(events=tuple(events)))
        assert seen > nth
        return made

    return edit


def dropping(is_wanted: Callable[[Event], bool]) -> Edit:
    """Leave out some events."""
    return lambda calls: [
        call._replace(events=tuple(event for event in call.events if not is_wanted(event)))
        for call in calls
    ]


def adding(table: str, nth: int, *events: Event) -> Edit:
    """Let the call that added the nth row to a table write further events."""

    def edit(calls: list[CallStep]) -> list[CallStep]:
        seq = [call.seq for call in calls if wrote(call, table)][nth]
        return [
            call._replace(events=(*call.events, *events)) if call.seq == seq else call
            for call in calls
        ]

    return edit


def insert(table: str, key: str, row: dict[str, Any]) -> Event:
    return {"op": "insert", "table": table, "key": key, "row": row}


def update(table: str, key: str, **values: Any) -> Event:
    return {"op": "update", "table": table, "key": key, "set": values}


def events_of(tape: Trajectory, table: str) -> list[Event]:
    """The events of an episode that add a row to a table."""
    events = (event for call in tape.calls for event in call.events)
    return [one for one in events if one["op"] == "insert" and one["table"] == table]


def short_episode(
    *lines: str, flights: Sequence[str] = (OUT,), ending: str = "###STOP###"
) -> Script:
    """An episode that says lines, `u: …` for the user, and does what single words say.

    `book` books the next of the flights, `cancel` cancels the first that is not paid, `refund` the
    first of all, `pay` approves and charges all that are not, `transfer` hands over. `{0}` is the
    first booking's id.
    """
    script, left = Script(), list(flights)
    made: list[str] = []
    unpaid: list[tuple[str, int]] = []
    for line in lines:
        match line:
            case "book":
                flight_id = left.pop(0)
                item = flight("return" if flight_id in _BACK else "outbound", flight_id)
                made.append(script.book(item))
                unpaid.append((made[-1], item.cents))
            case "cancel":
                script.call("cancel_flight", booking_id=unpaid.pop(0)[0])
            case "refund":
                script.call("cancel_flight", booking_id=made[0])
            case "pay":
                method = script.add_card()
                for booking, cents in unpaid:
                    script.approve(booking, method, cents)
                    script.charge(booking, method)
                unpaid = []
            case "transfer":
                script.call("transfer_to_human_agents", summary="The rest.")
            case _ if line.startswith("u: "):
                script.user(line[3:].format(*made))
            case _:
                script.agent(line.format(*made))
    script.user(ending)
    return script


_BACK = (BACK, BACK_NIGHT, BACK_NEXT_DAY, BACK_OTHER_CARRIER)
