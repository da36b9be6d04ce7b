"""The state of one episode: a small `TypedDict` of JSON-like values (paper section 3.3).

What the agent may see (`messages`) and what only the user sees (`user_messages`) are separate
channels. Growing channels store deltas, because a plain list channel is written whole at every
step. What was called, and with what result, is read from the messages: a trace beside them would be
stored twice.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import Annotated, Any, Literal

from langgraph.channels import DeltaChannel
from typing_extensions import TypedDict

from crab_graph.graph.accounts import Spent

Message = dict[str, Any]
"""A transcript line (role, content, tool_calls, tool_call_id, owner) with its place, `seq`."""

Turn = Literal["agent", "user", "environment"]

_SNAPSHOT_EVERY = 100
_STATE_ONLY = frozenset({"seq", "own", "caller", "took"})


class Status(StrEnum):
    """Whether the episode goes on; the only thing that says so (`next == ()` does not)."""

    RUNNING = "running"
    ENDED = "ended"
    BUDGET_EXHAUSTED = "budget_exhausted"
    INFRA_ERROR = "infra_error"


class Counts(TypedDict):
    """Running numbers of the episode."""

    seq: int
    turns: int
    tool_errors: int
    agent_calls: int
    user_calls: int


class Ending(TypedDict):
    """Why the episode is over: a terminal token, a limit, or a failure and whose it was."""

    reason: str
    fault: str | None
    error: str | None


class Batch(TypedDict):
    """What a node adds to a history.

    It is no bare list, because LangGraph turns every dict with a role in a list that is written to
    a delta channel into a message object.
    """

    lines: list[dict[str, Any]]


def append(history: list[Any], batches: Sequence[Batch | list[Any]]) -> list[Any]:
    """Return the history with the batches at its end, leaving both as they were."""
    added = (batch["lines"] if isinstance(batch, dict) else batch for batch in batches)
    return [*history, *chain.from_iterable(added)]


History = Annotated[list[dict[str, Any]], DeltaChannel(append, snapshot_frequency=_SNAPSHOT_EVERY)]


class EpisodeState(TypedDict, total=False):
    """All that is checkpointed.

    `user_states` says how the user's state changed at which message: from it and the messages the
    state at any message can be made again. `agent_states` are what the agent remembered after which
    message, each as far as it was new. `spent` is missing where no model was asked.
    """

    messages: History
    user_messages: History
    events: History
    user_state: dict[str, Any]
    user_states: History
    agent_states: History
    counts: Counts
    turn: str
    status: str
    ending: Ending
    spec: str
    spent: Spent


class AgentInput(TypedDict, total=False):
    """The part of the state that the agent node and its edge read: nothing of the user's.

    The events say what the agent's own calls find, and are not shown to it.
    """

    messages: History
    events: History
    agent_states: History
    counts: Counts
    turn: str
    status: str
    spent: Spent


HISTORIES = frozenset(
    name for name, hint in EpisodeState.__annotations__.items() if hint is History
)
"""The parts of the state that grow."""


def joined(state: Mapping[str, Any], update: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state with what a node returned, put together as the graph's channels do."""
    grown = {
        name: append(state.get(name, []), [batch])
        for name, batch in update.items()
        if name in HISTORIES
    }
    return {**state, **update, **grown}


def counts_of(state: Mapping[str, Any]) -> Counts:
    """Return the numbers so far; those of a fresh episode are zero."""
    found: Counts | None = state.get("counts")
    return found or Counts(seq=0, turns=0, tool_errors=0, agent_calls=0, user_calls=0)


def ended(status: Status, reason: str) -> dict[str, Any]:
    """Return the update that ends an episode by a token or a limit."""
    return {"status": str(status), "ending": Ending(reason=reason, fault=None, error=None)}


def state_change(
    before: Mapping[str, Any], after: Mapping[str, Any], seq: int
) -> list[dict[str, Any]]:
    """Return how the user's state changes with a message, as one entry or none."""
    new = {key: value for key, value in after.items() if key not in before or before[key] != value}
    gone = sorted(before.keys() - after.keys())
    return [{"seq": seq, "set": new, "drop": gone}] if new or gone else []


def is_finished(state: Mapping[str, Any]) -> bool:
    """Return whether an episode in this state is over; a state without a status is a fresh one."""
    return str(state.get("status", Status.RUNNING)) != Status.RUNNING


def transcript_of(state: Mapping[str, Any]) -> list[Message]:
    """Return both sides' messages as a transcript, in the order in which they happened."""
    lines = [*state.get("messages", ()), *state.get("user_messages", ())]
    return [transcript_line(message) for message in sorted(lines, key=lambda line: line["seq"])]


def user_view(state: Mapping[str, Any]) -> list[Message]:
    """Return what the user has seen: delivered turns of both sides, its own calls and results."""
    delivered = [line for line in state.get("messages", ()) if is_delivered(line)]
    lines = [*delivered, *state.get("user_messages", ())]
    return [transcript_line(message) for message in sorted(lines, key=lambda line: line["seq"])]


def is_delivered(message: Message) -> bool:
    """Return whether a message reached the other side; text beside tool calls does not."""
    return message["role"] in {"assistant", "user"} and not message.get("tool_calls")


def transcript_line(message: Message) -> Message:
    """Return a message without what only the state needs."""
    return {key: value for key, value in message.items() if key not in _STATE_ONLY}
