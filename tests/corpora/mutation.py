"""Mutations of honest transcripts: one statement or one deed is made false."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crab_graph.domain.verification import Role
from crab_graph.domains.task import Task
from crab_graph.eval.reading import lay_out, read_task
from crab_graph.eval.replay import replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import Verdict
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.randomness import derive_rng
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner
from tests.corpora.happened import Happened, Sold
from tests.corpora.transcripts import Message, Transcript

Lie = tuple[str, Callable[[], tuple[Message, ...] | None]]
"""What is changed, in words, and what makes the messages; `None` where it cannot be done."""
Mutator = Callable[[Happened], Iterator[Lie]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mutation.

    Attributes:
        checks: Roles of checks; one of them should fail that did not before.
        matters: Whether a customer would believe or pay otherwise in the end.
    """

    name: str
    checks: frozenset[Role]
    make: Mutator
    matters: bool = True


@dataclass(frozen=True, slots=True)
class Mutation:
    """A transcript with one thing in it that is false."""

    kind: Kind
    transcript: Transcript
    what: str
    messages: tuple[Message, ...] = field(repr=False)

    @property
    def name(self) -> str:
        """Kind and transcript."""
        return f"{self.kind.name}: {self.transcript.name}"


KINDS: dict[str, Kind] = {}


def kind(*checks: Role, matters: bool = True) -> Callable[[Mutator], Mutator]:
    """Register a mutator under its function's name."""

    def register(make: Mutator) -> Mutator:
        name = make.__name__.replace("_", " ")
        KINDS[name] = Kind(name, frozenset(checks), make, matters)
        return make

    return register


def mutations_of(transcript: Transcript, kinds: Sequence[str] = ()) -> Iterator[Mutation]:
    """Yield a transcript's mutations, at most one of each kind: drawn, always the same."""
    happened = Happened(_without_look_ups(transcript))
    for name in kinds or KINDS:
        lies = list(KINDS[name].make(happened))
        derive_rng(0, "mutation", name, transcript.name).shuffle(lies)
        made = ((what, make()) for what, make in lies)
        found = next(((what, messages) for what, messages in made if messages), None)
        if found is not None:
            yield Mutation(KINDS[name], transcript, *found)


def caught_by(mutation: Mutation, before: Verdict) -> list[str]:
    """Return the checks that the mutation should fail and does, and that held before."""
    task = mutation.transcript.task
    reading = read_task(task)
    episode = lay_out(reading, replay(task, read_transcript(mutation.messages)))
    return [
        one.id
        for one in verifiers_of(reading)
        if one.role in mutation.kind.checks
        and before.checks[one.id] != "fail"
        and one.judge(episode).is_failure
    ]


def _without_look_ups(transcript: Transcript) -> Transcript:
    """Return a transcript without calls that write nothing; no verdict asks for them."""
    kept = changed_calls(
        transcript.messages,
        lambda call: None if call["name"].startswith(("search_", "get_", "list_")) else call,
    )
    return replace(transcript, messages=kept)


def run_again(
    task: Task, happened: Happened, messages: Sequence[Message], needed: str = ""
) -> tuple[Message, ...] | None:
    """Run changed calls, and say the ids they made where the old ones were said.

    Ids follow from the number of the write, so that a call more or less changes later ones. A
    booking that costs something else is approved at what it costs then. `None` where the needed
    call, by its id, is refused.
    """
    registry, ledger = task.domain.registry(), Ledger.fold(task.world)
    renamed: dict[str, str] = {}
    due: dict[str, str] = {}
    lines: list[Message] = []
    for message in messages:
        line = json.loads(_renamed(json.dumps(message), renamed))
        for call in line.get("tool_calls") or ():
            arguments = call["arguments"]
            if call["name"] == "record_payment_approval" and arguments["booking_id"] in due:
                arguments["amount"] = due[arguments["booking_id"]]
            owner = Owner(line["owner"])
            outcome = registry.call(ledger, owner, call["name"], arguments)
            if outcome.is_error and call["id"] == needed:
                return None
            ledger = ledger.extended(outcome.events)
            _follow(json.loads(outcome.content), happened, call, renamed, due)
        lines.append(line)
    return tuple(lines)


def _follow(
    made: dict[str, Any],
    happened: Happened,
    call: dict[str, Any],
    renamed: dict[str, str],
    due: dict[str, str],
) -> None:
    """Note what a call made that has another id, or costs something else, than before."""
    known = happened.results.get(call["id"])
    if known is None:
        if "payment_method_id" in made:
            renamed[f"@{call['id']}"] = made["payment_method_id"]
        return
    before = json.loads(known.content)
    for name in ("booking_id", "payment_method_id", "transaction_id", "approval_id"):
        if name in before and name in made and name not in call["arguments"]:
            renamed[before[name]] = made[name]
    if "total" in before and made.get("total") not in (None, before["total"]):
        due[made["booking_id"]] = made["total"]


def _renamed(text: str, renamed: dict[str, str]) -> str:
    for number, old in enumerate(renamed):
        text = text.replace(old, f"\x00{number}\x01")
    for number, new in enumerate(renamed.values()):
        text = text.replace(f"\x00{number}\x01", new)
    return text


def without_call(messages: Sequence[Message], call_id: str) -> tuple[Message, ...]:
    """Return messages without one call."""
    return changed_calls(messages, lambda call: None if call["id"] == call_id else call)


def changed_calls(
    messages: Sequence[Message], change: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> tuple[Message, ...]:
    """Return messages with each call changed, or dropped where `None` is returned."""
    lines = []
    for message in messages:
        calls = message.get("tool_calls")
        if not calls:
            lines.append(message)
            continue
        kept = [new for new in map(change, calls) if new is not None]
        if kept:
            lines.append({**message, "tool_calls": kept})
    return tuple(lines)


def with_arguments(
    messages: Sequence[Message], call_id: str, **arguments: Any
) -> tuple[Message, ...]:
    """Return messages with other arguments in one call."""

    def change(call: dict[str, Any]) -> dict[str, Any]:
        if call["id"] != call_id:
            return call
        return {**call, "arguments": {**call["arguments"], **arguments}}

    return changed_calls(messages, change)


def one_call(owner: Owner, call_id: str, name: str, **arguments: Any) -> Message:
    """Return a message that holds one call."""
    call = {"id": call_id, "name": name, "arguments": arguments}
    role = "assistant" if owner is Owner.AGENT else "user"
    return {"role": role, "content": "", "owner": str(owner), "tool_calls": [call]}


def call_of(happened: Happened, tool: str, item: Sold) -> tuple[int, dict[str, Any]]:
    """Return the last call of a tool about a booking, with its place."""
    found = [
        one for one in happened.calls(tool) if one[1]["arguments"]["booking_id"] == item.booking_id
    ]
    return found[-1]
