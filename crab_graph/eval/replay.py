"""A transcript run again on fresh tables: what was said and done, in order (rulebook §1)."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from crab_graph.domains.task import Task
from crab_graph.eval.transcript import MessageRole, TranscriptMessage
from crab_graph.text.phrases import TerminalToken, find_token, without_tokens
from crab_graph.tools.ledger import Event, Ledger, is_by_world
from crab_graph.tools.registry import Owner


class MessageStep(NamedTuple):
    """A visible turn: its place in the trace, its number among the visible messages, from 1.

    The text is without terminal tokens.
    """

    seq: int
    number: int
    speaker: Owner
    text: str


class CallStep(NamedTuple):
    """A tool call that was run, as it was given.

    `content` is what it returned, or why it was refused, as compact JSON; `events` what it wrote.
    """

    seq: int
    owner: Owner
    name: str
    arguments: Any
    content: str
    is_error: bool
    events: tuple[Event, ...]

    @property
    def is_own_error(self) -> bool:
        """Whether it was refused for something that the caller did, and not the world."""
        return self.is_error and not is_by_world(self.events)

    def as_json(self) -> dict[str, Any]:
        """Return the call as the `trace` of a verdict prints it."""
        return {
            "seq": self.seq,
            "owner": str(self.owner),
            "name": self.name,
            "arguments": self.arguments,
            "error" if self.is_error else "result": json.loads(self.content),
        }


class Discrepancy(NamedTuple):
    """A recorded tool result that the replay does not confirm."""

    seq: int
    name: str
    recorded: str
    replayed: str

    @property
    def is_undone(self) -> bool:
        """Whether it was recorded as done, and cannot be done in the replay."""
        return "error" in json.loads(self.replayed) and not self.recorded.startswith('{"error"')


@dataclass(frozen=True)
class Trajectory:
    """What happened in an episode, what the tables hold at the end, and how the user ended it."""

    steps: tuple[MessageStep | CallStep, ...]
    ledger: Ledger
    token: TerminalToken | None
    discrepancies: tuple[Discrepancy, ...]

    @cached_property
    def messages(self) -> tuple[MessageStep, ...]:
        """The visible messages."""
        return tuple([step for step in self.steps if isinstance(step, MessageStep)])

    @cached_property
    def calls(self) -> tuple[CallStep, ...]:
        """The calls."""
        return tuple([step for step in self.steps if isinstance(step, CallStep)])


def replay(task: Task, messages: Sequence[TranscriptMessage]) -> Trajectory:
    """Run the calls of a transcript in order on the task's initial tables.

    What comes after the user's terminal token is no part of the episode.
    """
    registry, ledger = task.domain.registry(), Ledger.fold(task.world)
    steps: list[MessageStep | CallStep] = []
    unanswered: dict[str, CallStep] = {}
    discrepancies: list[Discrepancy] = []
    token: TerminalToken | None = None
    visible = 0
    for message in messages:
        if message.role is MessageRole.TOOL:
            called = unanswered.pop(message.tool_call_id or "", None)
            if called is not None:
                discrepancies += _compare(called, message.content)
            continue
        # Results of the calls made together with the token may follow it; nothing else counts.
        if token is not None:
            break
        if message.role is MessageRole.SYSTEM:
            continue
        for call in message.tool_calls:
            done = registry.call(ledger, message.owner, call.name, call.arguments)
            ledger = ledger.extended(done.events) if done.events else ledger
            made = len(steps) + 1, message.owner, call.name, call.arguments
            step = CallStep(*made, done.content, done.is_error, done.events)
            steps.append(step)
            unanswered[call.id] = step
        if not message.tool_calls:
            visible += 1
            text = without_tokens(message.content)
            steps.append(MessageStep(len(steps) + 1, visible, message.owner, text))
        if message.role is MessageRole.USER:
            token = find_token(message.content)
    return Trajectory(tuple(steps), ledger, token, tuple(discrepancies))


def _compare(step: CallStep, content: str) -> Iterator[Discrepancy]:
    """Tell a recorded result that does not say the same; of two errors the code alone matters."""
    if content == step.content:
        return
    replayed = json.loads(step.content)
    try:
        recorded = json.loads(content)
    except ValueError:
        recorded = content
    is_same = recorded == replayed
    if isinstance(recorded, dict) and isinstance(replayed, dict) and "error" in replayed:
        is_same = recorded.get("error") == replayed["error"]
    if not is_same:
        shown = json.dumps(replayed, ensure_ascii=False)
        yield Discrepancy(step.seq, step.name, content, shown)
