"""The state of an episode at any of its messages, made again from what is kept of it.

A finished episode has a transcript, a trace of its calls, and what neither of them shows: how the
user's state changed, and what lies beside messages. From these an episode goes on otherwise without
its checkpoints.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from crab_graph.graph.accounts import without_took
from crab_graph.graph.state import (
    Batch,
    Counts,
    Message,
    Status,
    counts_of,
    ended,
    is_delivered,
    state_change,
    transcript_line,
)
from crab_graph.text.phrases import find_token
from crab_graph.tools.registry import Owner

Start = dict[str, Any]
"""Input of an episode's graph that goes on from there."""


def hidden_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `state_after` needs of a state besides the transcript and the trace."""
    lines = [*state.get("messages", ()), *state.get("user_messages", ())]
    beside = []
    for line in sorted(lines, key=lambda line: line["seq"]):
        shown = transcript_line(line)
        more = {key: value for key, value in line.items() if key not in shown}
        if more.keys() > {"seq"}:
            beside.append(more)
    kept = {name: list(state.get(name, ())) for name in ("user_states", "agent_states")}
    return {**kept, "beside": beside}


def steps_of(messages: Sequence[Message]) -> list[int]:
    """Return after how many messages each step of an episode ended, from 0; the last is the end."""
    ends = [0]
    pending = 0  # calls that are not answered yet: a batch is answered in one step
    for number, line in enumerate(messages, start=1):
        calls = len(line.get("tool_calls") or ())
        pending = calls or max(pending - 1, 0)
        if calls or not pending:
            ends.append(number)
    return ends


def visible_ends(messages: Sequence[Message]) -> list[int]:
    """Return after how many messages the N-th visible turn ended; the 0th is the start."""
    return [0, *(number for number, line in enumerate(messages, start=1) if is_delivered(line))]


def state_after(
    messages: Sequence[Message],
    trace: Sequence[Mapping[str, Any]],
    hidden: Mapping[str, Any],
    end: int,
    spec: str,
) -> Start:
    """Return an episode's state after the first messages of its transcript.

    Their number, `end`, is one of `steps_of`; the trace has the calls with the events they wrote,
    `hidden` is what `hidden_state` said, and the episode that goes on is begun with `spec`.
    """
    # What earlier steps took was paid by the episode that this one goes on from.
    beside = {one["seq"]: without_took(one) for one in hidden["beside"]}
    lines = [{**line, "seq": n} | beside.get(n, {}) for n, line in enumerate(messages[:end])]
    if not lines:
        return {}
    private = [line for line in lines if line.get("owner") == Owner.USER]
    called = [call for call in trace if call["seq"] < end]
    events = [{**event, "seq": call["seq"]} for call in called for event in call["events"]]
    changes = [one for one in hidden["user_states"] if one["seq"] < end]
    user_state: dict[str, Any] = {}
    for change in changes:
        kept = {key: value for key, value in user_state.items() if key not in change["drop"]}
        user_state = kept | change["set"]
    return {
        "messages": Batch(lines=[line for line in lines if line.get("owner") != Owner.USER]),
        "user_messages": Batch(lines=private),
        "events": Batch(lines=events),
        "user_states": Batch(lines=changes),
        "agent_states": Batch(
            lines=[one for one in hidden.get("agent_states", ()) if one["seq"] <= end]
        ),
        "user_state": user_state,
        "counts": _counts(lines),
        "turn": _turn(lines),
        "status": str(Status.RUNNING),
        "spec": spec,
    }


def with_line(start: Start, role: str, text: str, user_state: Mapping[str, Any]) -> Start:
    """Return a state in which `user` or `assistant` said something more; the other is next."""
    counts = counts_of(start)
    token = find_token(text) if role == "user" else None
    ending = {"status": str(Status.RUNNING)} if token is None else ended(Status.ENDED, token.word)
    changes = start.get("user_states", Batch(lines=[]))["lines"]
    changed = state_change(start.get("user_state", {}), user_state, counts["seq"])
    line = {"seq": counts["seq"], "role": role, "content": text}
    said = start.get("messages", Batch(lines=[]))["lines"]
    return {
        **start,
        "messages": Batch(lines=[*said, line]),
        "user_state": dict(user_state),
        "user_states": Batch(lines=[*changes, *changed]),
        "counts": {**counts, "seq": counts["seq"] + 1, "turns": counts["turns"] + 1},
        "turn": "agent" if role == "user" else "user",
        **ending,
    }


def _counts(lines: Sequence[Message]) -> Counts:
    callers = [line.get("owner") for line in lines for _ in line.get("tool_calls") or ()]
    answers = [line for line in lines if line["role"] == "tool" and line["owner"] == Owner.AGENT]
    return Counts(
        seq=len(lines),
        turns=sum(map(is_delivered, lines)),
        tool_errors=sum("error" in json.loads(line["content"]) for line in answers),
        agent_calls=callers.count(Owner.AGENT),
        user_calls=callers.count(Owner.USER),
    )


def _turn(lines: Sequence[Message]) -> str:
    last = lines[-1]
    if last.get("tool_calls"):
        return "environment"
    if last["role"] == "tool":
        return str(last["owner"])
    return "agent" if last["role"] == "user" else "user"
