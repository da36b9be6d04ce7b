"""A step in which the agent calls tools by itself, wherever in it that is (paper section 3.3).

What it is answered, by chat models and by tools, is a list of entries, each kept before the agent
has it. A step that runs again, because it was killed, failed or was interrupted, begins with the
entries that it had, and is answered alike; what else it calls comes after them.
"""

import threading
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

from langchain_core.messages import AIMessage, messages_from_dict
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.types import interrupt

from crab_graph.agents.reply import Call, clean_text, plain
from crab_graph.agents.workplace import Memory, TurnOver, caller_of, path_of
from crab_graph.graph.accounts import timed
from crab_graph.graph.journal import Step
from crab_graph.graph.state import Message
from crab_graph.models.meter import Meter, current_meter
from crab_graph.models.recall import Question
from crab_graph.models.usage import Usage
from crab_graph.settings import OVERLONG_REPLY, reply_length
from crab_graph.tools.environment_tools import Answered, Invocation
from crab_graph.tools.ledger import Event, Ledger
from crab_graph.tools.registry import Owner, ToolRegistry
from crab_graph.tools.tables import World

Entry = dict[str, Any]

Reached = Callable[[int, int, Usage], str | None]
"""Which limit is reached after so many lines and tool errors, and so much usage, of a turn."""

_PATIENCE_SECONDS = 1.0
"""For so long a call waits for those that stand before it in its message, which may never come."""

_ALONE = (-1, 0)
"""Where a call stands that no model wrote."""


class OwnLines(NamedTuple):
    """What a turn adds to the episode: lines, the events of its calls, and their numbers."""

    lines: list[Message]
    events: list[Event]
    calls: int
    errors: int


class Scene(NamedTuple):
    """What surrounds a turn: the tools and the tables, how far it may go, and what was before it.

    A call may be `longest` characters long; of the messages the last `unseen` are new to the agent.
    """

    tools: ToolRegistry
    world: World
    log: Sequence[Event]
    reached: Reached
    longest: int
    memory: Memory | None
    unseen: int


@dataclass(slots=True)
class _Written:
    """A call as a model wrote it, in a message with others."""

    call_id: str | None
    name: str
    arguments: Any
    is_made: bool = False
    is_over: bool = False


@dataclass(slots=True)
class _Batch:
    """The calls that a model wrote in one message, with the text beside them."""

    text: str
    calls: list[_Written] = field(default_factory=list)


class OwnTurn:
    """The workplace of an agent during one step; see `crab_graph.agents.workplace`."""

    def __init__(self, scene: Scene, step: Step | None) -> None:
        """Begin a step, whose entries are kept where it can be known again."""
        self.memory, self.unseen = scene.memory, scene.unseen
        self.thread = (
            f"{step.thread}:agent" if step else (self.memory or {}).get("thread", uuid4().hex)
        )
        self.over: str | None = None
        self.overlong: tuple[Call, int] | None = None
        self._scene = scene
        self._step = step
        self._ledger = Ledger.fold(scene.world)
        self._entries: list[Entry] = []
        self._unused: list[Entry] = []
        self._batches: dict[int, _Batch] = {}
        self._changed = threading.Condition()
        self._outside: Context = copy_context()
        self._meter: Meter | None = None

    def start(self) -> None:
        """Ready the tools; called where the agent runs."""
        self._meter = current_meter()
        self.load()
        events = [event for entry in self._made() for event in entry["events"]]
        self._ledger = Ledger.fold(self._scene.world, [*self._scene.log, *events])

    def load(self) -> None:
        """Recall what was answered when this step ran before."""
        for entry in () if self._step is None else self._step.entries():
            self._entries.insert(entry.get("before", len(self._entries)), entry)
        self.again()

    def again(self) -> None:
        """Begin the turn again: what was answered in it is answered alike."""
        self._unused = list(self._entries)
        self._batches = {}

    # What the agent's models and tools are answered

    def knows(self, question: Question) -> bool:
        """Return whether a reply to a question was there when the step ran before."""
        with self._changed:
            return self._known_reply(question) is not None

    def recall(self, question: Question) -> list[dict[str, Any]] | None:
        """Return the reply to a question, if it was there when the step ran before."""
        with self._changed:
            known = self._known_reply(question)
            if known is None:
                self._check_open()
                return None
            self._unused.remove(known)
            self._expect(known)
            return list(known["reply"])

    def record(self, question: Question, reply: list[dict[str, Any]]) -> None:
        """Keep a reply."""
        with self._changed:
            self._check_given_up()
            entry = {"kind": "reply", "who": _who(), "question": list(question), "reply": reply}
            self._keep(entry)
            self._expect(entry)

    def invoke(self, invocation: Invocation) -> Answered:
        """Run a call in the environment, and record it."""
        call = Call(invocation.name, plain(invocation.arguments))
        with self._changed:
            written = self._written(call, invocation.call_id)
            if written is None:
                return self._answer(call, _ALONE)
            number, place = written
            batch = self._batches[number].calls
            batch[place].is_made = True
            self._wait_for(batch[:place], may_wait=invocation.may_wait)
            try:
                return self._answer(call, written)
            finally:
                batch[place].is_over = True
                self._changed.notify_all()

    def leave(self, calls: Sequence[Call]) -> None:
        """Record calls of tools that nobody has, each where it stood among the others."""
        with self._changed:
            for call in calls:
                if self._used(call) is not None:
                    continue  # it was recorded when the step ran before
                written = self._written(call, None) or _ALONE
                if written is not _ALONE:
                    self._batches[written[0]].calls[written[1]].is_made = True
                places = (tuple(one.get("written", _ALONE)) for one in self._entries)
                later = (number for number, place in enumerate(places) if place > written)
                self._run(call, written, before=next(later, len(self._entries)))

    def called(self) -> set[str]:
        """Return the names of the tools that were called."""
        return {one["name"] for one in self._made()}

    def ask_person(self, value: Any) -> Any:
        """Stop the episode's graph until whoever plays it has answered."""
        return self._outside.run(interrupt, value)

    # What is written down

    def lines(self, seq: int, calls_before: int) -> OwnLines:
        """Return the turn's calls and results as lines with numbers from `seq` on."""
        lines: list[Message] = []
        events: list[Event] = []
        calls = 0
        for group in self._groups():
            asked: Message = {"seq": seq + len(lines), "role": "assistant", "owner": "agent"}
            asked |= {"content": group[0]["text"], "tool_calls": []}
            if group[0]["caller"]:
                asked["caller"] = group[0]["caller"]
            lines.append(asked)
            for entry in group:
                calls += 1
                name = f"call_{calls_before + calls}"
                call = {"id": name, "name": entry["name"], "arguments": entry["arguments"]}
                asked["tool_calls"].append(call)
                line: Message = {"seq": seq + len(lines), "role": "tool", "owner": "agent"}
                events += [{**event, "seq": line["seq"]} for event in entry["events"]]
                line |= {"tool_call_id": name, "content": entry["content"]}
                took = {"took": {"seconds": entry["seconds"]}} if "seconds" in entry else {}
                lines.append(line | took)
        return OwnLines(lines, events, calls, sum(map(_is_own_error, self._made())))

    def _made(self) -> list[Entry]:
        return [one for one in self._entries if one["kind"] == "call"]

    def _groups(self) -> list[list[Entry]]:
        """Return the calls in order, those of one message together where nothing came between."""
        groups: list[list[Entry]] = []
        for entry in self._made():
            number = entry["written"][0]
            if groups and number >= 0 and groups[-1][0]["written"][0] == number:
                groups[-1].append(entry)
            else:
                groups.append([entry])
        return groups

    # One answer

    def _answer(self, call: Call, written: tuple[int, int]) -> Answered:
        known = self._used(call)
        if known is None:
            self._check_open()
            length = reply_length("", (call.arguments,))
            if length > self._scene.longest:
                self.over, self.overlong = OVERLONG_REPLY, (call, length)
                raise TurnOver(self.over)
            known = self._run(call, written)
        if not any(one["kind"] == "call" for one in self._unused):
            self._check_open()
        return Answered(known["content"], known["is_error"])

    def _run(self, call: Call, written: tuple[int, int], before: int | None = None) -> Entry:
        run = partial(self._scene.tools.call, self._ledger, Owner.AGENT, *call)
        outcome, seconds = timed(run)
        text = self._batches[written[0]].text if written is not _ALONE else ""
        entry: Entry = {"kind": "call", "who": _who(), "text": text}
        entry |= {"caller": caller_of(_metadata())}
        entry |= {"name": call.name, "arguments": call.arguments, "written": list(written)}
        entry |= {"content": outcome.content, "is_error": outcome.is_error}
        entry |= {"is_own_error": outcome.is_own_error, "seconds": seconds}
        self._keep(entry | {"events": list(outcome.events)}, before)
        self._ledger = self._ledger.extended(outcome.events)
        return entry

    def _keep(self, entry: Entry, before: int | None = None) -> None:
        place = len(self._entries) if before is None else before
        if place < len(self._entries):
            entry["before"] = place
        if self._step is not None:
            self._step.add(entry)
        self._entries.insert(place, entry)

    def _used(self, call: Call) -> Entry | None:
        """Return the first outcome of the same call that was not handed out yet, and use it."""
        alike = [
            one
            for one in self._unused
            if one["kind"] == "call" and (one["name"], one["arguments"]) == call
        ]
        own = [one for one in alike if one["who"] == _who()]
        found = next(iter(own or alike), None)
        if found is not None:
            self._unused.remove(found)
        return found

    def _known_reply(self, question: Question) -> Entry | None:
        """Return the reply that the same asker got to the same question, or to one much alike."""
        replies = (one for one in self._unused if one["kind"] == "reply")
        own = [one for one in replies if one["who"] == _who()]
        exact = [one for one in own if one["question"][0] == question.exact]
        loose = (one for one in own if one["question"][1] == question.loose)
        return next(iter(exact or loose), None)

    def _check_given_up(self) -> None:
        if self._meter is not None:
            self._meter.check_open()

    def _check_open(self) -> None:
        self._check_given_up()
        errors = sum(map(_is_own_error, self._made()))
        lines = len(self._made()) + len(self._groups())
        usage = {} if self._meter is None else self._meter.usage
        self.over = self.over or self._scene.reached(lines, errors, usage)
        if self.over is not None:
            raise TurnOver(self.over)

    # The order of calls that are made at once

    def _expect(self, reply: Entry) -> None:
        """Remember which calls a model wrote, and in which order."""
        (message, *_) = messages_from_dict(reply["reply"])
        if isinstance(message, AIMessage) and message.tool_calls:
            calls = (_Written(c["id"], c["name"], plain(c["args"])) for c in message.tool_calls)
            number = next(n for n, one in enumerate(self._entries) if one is reply)
            self._batches[number] = _Batch(clean_text(str(message.text)), list(calls))

    def _written(self, call: Call, call_id: str | None) -> tuple[int, int] | None:
        """Return the number of the message in which a model wrote a call last, and its place."""
        for number, batch in sorted(self._batches.items(), reverse=True):
            for place, one in enumerate(batch.calls):
                is_same = (one.name, one.arguments) == call and call_id in (None, one.call_id)
                if is_same and not one.is_made:
                    return number, place
        return None

    def _wait_for(self, earlier: Sequence[_Written], *, may_wait: bool) -> None:
        names = self._scene.tools.names(Owner.AGENT)
        ours = [one for one in earlier if one.name in names]
        if may_wait:
            self._changed.wait_for(lambda: all(one.is_over for one in ours), _PATIENCE_SECONDS)
        for one in ours:
            one.is_over = True  # whoever comes later waits for it no more


def _is_own_error(call: Entry) -> bool:
    """Tell whether a call was refused, and not by the world; earlier versions knew no world."""
    return bool(call.get("is_own_error", call["is_error"]))


def _metadata() -> dict[str, Any]:
    config = var_child_runnable_config.get()
    return dict((config or {}).get("metadata") or {})


def _who() -> str:
    """Return what tells those who ask apart: an agent, its nodes, its place among parallel ones."""
    metadata = _metadata()
    path = metadata.get("langgraph_path") or ()
    return f"{metadata.get('lc_agent_name') or ''}:{path_of(metadata)}:{path[1:2]}"
