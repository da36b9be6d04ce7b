"""A transcript run again on fresh tables: what was said and done, in order (rulebook §1)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from crab_graph.domains.task import Task
from crab_graph.eval.transcript import Role, TranscriptCall, TranscriptMessage
from crab_graph.text.phrases import TerminalToken, find_token, without_tokens
from crab_graph.tools.ledger import Event, Ledger
from crab_graph.tools.tool import Owner


class MessageStep(NamedTuple):
    """A visible turn.

    Attributes:
        seq: Its place in the trace.
        number: Its number among the visible messages, from 1.
        speaker: Who says it.
        text: What is said, without terminal tokens.
    """

    seq: int
    number: int
    speaker: Owner
    text: str


class CallStep(NamedTuple):
    """A tool call that was run.

    Attributes:
        seq: Its place in the trace.
        owner: Who called.
        name: The tool's name, as given.
        arguments: The arguments, as given.
        content: What it returned, or why it was refused, as compact JSON.
        is_error: Whether it was refused.
        events: What it wrote.
    """

    seq: int
    owner: Owner
    name: str
    arguments: Any
    content: str
    is_error: bool
    events: tuple[Event, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the call as the `trace` of a verdict prints it."""
        return {
            "seq": self.seq,
            "owner": str(self.owner),
            "name": self.name,
            "arguments": self.arguments,
            "error" if self.is_error else "result": json.loads(self.content),
        }


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A recorded tool result that the replay does not confirm."""

    seq: int
    name: str
    recorded: str
    replayed: str


@dataclass(frozen=True)
class Trajectory:
    """What happened in an episode.

    Attributes:
        steps: Visible messages and calls, by `seq`.
        ledger: The tables at the end.
        token: How the user ended it, or `None`.
        discrepancies: Recorded results that the replay does not confirm.
    """

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
    player = _Player(task)
    for message in messages:
        # Results of the calls made together with the token may follow it; nothing else counts.
        if player.token is not None and message.role is not Role.TOOL:
            break
        player.play(message)
    return Trajectory(tuple(player.steps), player.ledger, player.token, tuple(player.discrepancies))


class _Player:
    """Plays messages one by one."""

    def __init__(self, task: Task) -> None:
        self._registry = task.domain.registry()
        self.ledger = Ledger.fold(task.world)
        self.steps: list[MessageStep | CallStep] = []
        self.token: TerminalToken | None = None
        self.discrepancies: list[Discrepancy] = []
        self._visible = 0
        self._unanswered: dict[str, CallStep] = {}

    def play(self, message: TranscriptMessage) -> None:
        if message.role is Role.TOOL:
            self._compare(message)
        elif message.role is not Role.SYSTEM:
            for call in message.tool_calls:
                self._call(message.owner, call)
            if not message.tool_calls:
                self._say(message)
            if message.role is Role.USER:
                self.token = find_token(message.content)

    def _say(self, message: TranscriptMessage) -> None:
        self._visible += 1
        text = without_tokens(message.content)
        self.steps.append(MessageStep(len(self.steps) + 1, self._visible, message.owner, text))

    def _call(self, owner: Owner, call: TranscriptCall) -> None:
        outcome = self._registry.call(self.ledger, owner, call.name, call.arguments)
        step = CallStep(
            len(self.steps) + 1,
            owner,
            call.name,
            call.arguments,
            outcome.content,
            outcome.is_error,
            outcome.events,
        )
        if outcome.events:
            self.ledger = self.ledger.extended(outcome.events)
        self.steps.append(step)
        self._unanswered[call.id] = step

    def _compare(self, message: TranscriptMessage) -> None:
        step = self._unanswered.pop(message.tool_call_id or "", None)
        if step is None or message.content == step.content:
            return
        replayed = json.loads(step.content)
        try:
            recorded = json.loads(message.content)
        except ValueError:
            recorded = message.content
        if not _agree(recorded, replayed):
            shown = json.dumps(replayed, ensure_ascii=False)
            self.discrepancies.append(Discrepancy(step.seq, step.name, message.content, shown))


def _agree(recorded: Any, replayed: Any) -> bool:
    """Whether a recorded result says the same; of two errors the code alone matters."""
    if isinstance(recorded, dict) and isinstance(replayed, dict) and "error" in replayed:
        return bool(recorded.get("error") == replayed["error"])
    return bool(recorded == replayed)
