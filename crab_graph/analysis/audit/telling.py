"""A perfect dialogue for any certified solution, told so that every check is triggered.

In a task with faults of the world the one that strikes is a card declined once: it stands in the
way of no solution, and the customer must be told of it.

Mutations are changes of a `Telling`; whatever they leave alone stays true (rulebook §13).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from crab_graph.analysis.audit.rehearsal import Item, items_of
from crab_graph.domains.task import SolutionIds, Task
from crab_graph.errors import CrabGraphError
from crab_graph.eval.replay import Trajectory, replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import Verdict, grade_trajectory
from crab_graph.money import format_cents, format_dollars
from crab_graph.tools.fault_schedule import FaultKind, WorldFault
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner

Message = dict[str, Any]
ToolUse = tuple[str, dict[str, Any]]
TextEdit = Callable[[str], str]
TrajectoryEdit = Callable[[Trajectory, Mapping[str, str]], Trajectory]
"""Changes a replayed trajectory; also gets the booking id of each slot."""

PROPOSAL, RESERVED, CLOSING, ANY = "proposal", "reserved", "closing", "any"
OFFER = "Would you like me to transfer you to a human agent?"
DECLINED = "declined"
"""The error of a charge that the bank declines."""
_AMPLE_CENTS = 100_000_000
_DECLINED_ONCE = (WorldFault(kind=FaultKind.DECLINED, nth=1),)


class Unplayable(CrabGraphError):
    """The task has not the stock that a telling needs."""


@dataclass(frozen=True, slots=True)
class Telling:
    """How an episode goes: what is booked, approved and charged, a slot each, and what is said."""

    task: Task
    items: tuple[Item, ...]
    surplus: tuple[Item, ...] = ()
    """What is booked on top."""
    known: tuple[Item, ...] = ()
    """What else the tables hold."""
    edits: tuple[tuple[str, TextEdit], ...] = ()
    """Changes of what the agent says, by part."""
    consent: str | None = None
    """What the user answers to the proposal; by default it approves each item by id."""
    asides: tuple[tuple[str, str], ...] = ()
    """Turns of agent and user before the agent books, after the consent."""
    opening_lines: tuple[str, ...] = ()
    """Turns of the agent, each answered, before the proposal."""
    reads: tuple[ToolUse, ...] = ()
    """Calls before the proposal."""
    calls: tuple[ToolUse, ...] = ()
    """Calls after the bookings."""
    rehearsed: frozenset[str] = frozenset()
    """Slots whose booking is made, cancelled, and made again."""
    unapproved: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    """Slots whose approval is recorded after the charge."""
    approved_cents: Mapping[str, int] = field(default_factory=dict)
    """Amounts approved, where they are not what is due."""
    uncharged: frozenset[str] = frozenset()
    offers_transfer: bool = False
    hides_mishap: bool = False
    """Whether the customer is not told of what the world broke."""
    says_amounts: bool = True
    token: str | None = "###STOP###"
    changes: tuple[TrajectoryEdit, ...] = ()
    reverses_rows: bool = False

    def item(self, slot: str) -> Item:
        """Return the item of a slot."""
        return next(item for item in self.items if item.slot.id == slot)

    def swapped(self, *items: Item) -> "Telling":
        """Return it with other items in their slots."""
        by_slot = {item.slot: item for item in items}
        return replace(self, items=tuple(by_slot.get(old.slot, old) for old in self.items))

    def without(self, slot: str) -> "Telling":
        """Return it without a slot."""
        return replace(self, items=tuple(item for item in self.items if item.slot.id != slot))

    def said(self, part: str, edit: TextEdit) -> "Telling":
        """Return it with a change of what the agent says."""
        return replace(self, edits=(*self.edits, (part, edit)))

    @property
    def all_items(self) -> tuple[Item, ...]:
        """All that is booked."""
        return (*self.items, *self.surplus)

    @property
    def cents(self) -> int:
        """What all costs."""
        return sum(item.cents for item in self.all_items)

    @property
    def paid(self) -> tuple[Item, ...]:
        """What has a price, of what fills the slots."""
        return tuple(item for item in self.items if not item.is_free)

    @property
    def whole(self) -> str:
        """A word of the domain that means all of it, such as `trip`."""
        return self.task.domain.grading.vocabulary().whole_words[0]

    def messages(self) -> list[Message]:
        """Return the transcript."""
        return _Script(self, self._prepared_task()).lines

    def grade(self) -> Verdict:
        """Grade the episode, replayed on the task with the rows that the telling adds."""
        task = self._prepared_task()
        script = _Script(self, task)
        trajectory = replay(task, read_transcript(script.lines))
        for change in self.changes:
            trajectory = change(trajectory, script.booking_ids)
        return grade_trajectory(task, trajectory)

    def _prepared_task(self) -> Task:
        """Return the task with the telling's rows and its order of rows."""
        new = [row for item in (*self.all_items, *self.known) if item.is_new for row in item.rows()]
        if not (new or self.reverses_rows):
            return _ample(self.task)
        tables = {name: dict(found) for name, found in _ample(self.task).world.tables.items()}
        for table, key, row in new:
            tables[table][key] = row
        order = -1 if self.reverses_rows else 1
        rows = {name: list(found.values())[::order] for name, found in tables.items()}
        return Task(_ample(self.task).spec, self.task.domain, lambda: rows)


@lru_cache(maxsize=4)
def _ample(task: Task) -> Task:
    """Return a task with cards that no change exhausts; most cells of the matrix share it."""
    faults = _DECLINED_ONCE if task.spec.faults else ()
    tables = {name: dict(found) for name, found in task.world.tables.items()}
    for key, card in tables["cards"].items():
        tables["cards"][key] = card | {"limit_cents": _AMPLE_CENTS}
    rows = {name: list(found.values()) for name, found in tables.items()}
    return Task(task.spec.model_copy(update={"faults": faults}), task.domain, lambda: rows)


def perfect(task: Task, solution: SolutionIds) -> Telling:
    """Return the telling of a solution that passes both gradings."""
    return Telling(task, items_of(task, solution))


def curt(task: Task, solution: SolutionIds) -> Telling:
    """Return a telling that passes parity grading with names and ids alone."""
    return replace(perfect(task, solution), says_amounts=False)


Edit = Callable[[Telling], Telling | None]
"""Changes a telling; `None` where the task lacks what that needs."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A line of the mutation matrix, such as `M08`; exactly `flips` go from pass to fail.

    They are the ids of checks, or roles, which stand for all checks that have them.
    """

    id: str
    edit: Edit
    flips: frozenset[str] = frozenset()


def operator(name: str, edit: Edit, *flips: str) -> Operator:
    """Return an operator."""
    return Operator(name, edit, frozenset(flips))


def made_up_ids(item: Item, count: int) -> list[str]:
    """Return ids of the kind of an item that nothing has."""
    prefix = item.kind.prefixes[0][0]
    return [f"{prefix}-88{number:04d}" for number in range(count)]


def with_fields(**fields: Any) -> Edit:
    """Return the edit that sets fields of a telling."""
    return lambda telling: replace(telling, **fields)


class _Script:
    """Writes the transcript, running its calls so that later lines can name what they made."""

    def __init__(self, telling: Telling, task: Task) -> None:
        self._telling = telling
        self._task = task
        self._says_amounts = telling.says_amounts and telling.cents > 0
        self._ledger = Ledger.fold(task.world)
        self.lines: list[Message] = []
        self.booking_ids: dict[str, str] = {}
        self._propose()
        payable = [one for one in self._book() if not one[0].is_free]
        if payable:
            self._pay(payable)
        self._close()

    def _propose(self) -> None:
        telling = self._telling
        items = telling.all_items
        self._user("Please help me to book everything.")
        for text in telling.opening_lines:
            self._agent(ANY, text)
            self._user("I see.")
        for name, arguments in telling.reads:
            self._call(Owner.AGENT, name, arguments)
        total = ""
        if self._says_amounts:
            total = f"{telling.whole.capitalize()} total: {format_dollars(telling.cents)}. "
        plan = f"This is my plan.\n\n{self._told()}\n\n{total}Shall I book all of it?"
        self._agent(PROPOSAL, plan if items else "I am afraid I found nothing.")
        consent = telling.consent
        if consent is None:
            ids = ", ".join(item.entity_id for item in items)
            consent = f"Yes, please book {ids}." if items else "What a pity."
        self._user(consent)
        for asked, answered in telling.asides:
            self._agent(ANY, asked)
            self._user(answered)

    def _book(self) -> list[tuple[Item, str]]:
        booked = []
        for item in self._telling.all_items:
            booking_id = self._booking_id(item)
            if item.slot.id in self._telling.rehearsed and item.tools.cancel is not None:
                self._call(Owner.AGENT, item.tools.cancel, {"booking_id": booking_id})
                booking_id = self._booking_id(item)
            self.booking_ids.setdefault(item.slot.id, booking_id)
            booked.append((item, booking_id))
        for name, arguments in self._telling.calls:
            self._call(Owner.AGENT, name, arguments)
        return booked

    def _booking_id(self, item: Item) -> str:
        made = self._call(Owner.AGENT, item.tools.book, item.arguments)
        return str(made["booking_id"])

    def _pay(self, booked: list[tuple[Item, str]]) -> None:
        telling = self._telling
        total = f", {format_dollars(telling.cents)} in total for the {telling.whole}"
        amount = total if self._says_amounts else ""
        self._agent(RESERVED, f"All is reserved{amount}. Please approve the payments.")
        card = self._task.profile.payment_card.card_id
        added = self._call(Owner.USER, "add_payment_method_to_platform", {"card_id": card})
        method = {"payment_method_id": added["payment_method_id"]}
        early = [one for one in booked if one[0].slot.id not in telling.late | telling.unapproved]
        self._approve(early, method)
        self._user(f"All is approved with {added['payment_method_id']}.")
        for item, booking_id in booked:
            if item.slot.id not in telling.uncharged:
                self._charge(booking_id, method)
        self._approve([one for one in booked if one[0].slot.id in telling.late], method)

    def _charge(self, booking_id: str, method: Mapping[str, str]) -> None:
        charge = ("charge_booking", {"booking_id": booking_id, **method})
        if self._call(Owner.AGENT, *charge, may_fail=True).get("error") != DECLINED:
            return
        if not self._telling.hides_mishap:
            self._agent(ANY, f"The card for {booking_id} was declined. Shall I try it again?")
            self._user("Yes, please try it again.")
        self._call(Owner.AGENT, *charge)

    def _approve(self, booked: list[tuple[Item, str]], method: Mapping[str, str]) -> None:
        for item, booking_id in booked:
            cents = self._telling.approved_cents.get(item.slot.id, item.cents - item.surcharge)
            arguments = {"booking_id": booking_id, **method, "amount": format_cents(cents)}
            self._call(Owner.USER, "record_payment_approval", arguments)

    def _close(self) -> None:
        telling = self._telling
        closing = "That is all."
        held = [item for item in telling.all_items if item.slot.id not in telling.uncharged]
        if held and telling.says_amounts:
            total = format_dollars(sum(item.cents for item in held))
            charged = f" Total charged: {total}." if self._says_amounts else ""
            closing = f"{self._told()}\n\nEverything is confirmed.{charged}"
        self._agent(CLOSING, closing + (f" {OFFER}" if telling.offers_transfer else ""))
        self._user(" ".join(filter(None, ["Thanks.", telling.token])))

    def _told(self) -> str:
        lines = []
        for item in self._telling.all_items:
            who = item.entity_id if item.name is None else f"{item.name} ({item.entity_id})"
            line = f"- {item.slot.word[:1].upper()}{item.slot.word[1:]}: {who}"
            if self._telling.says_amounts and not item.is_free:
                unit, what = format_dollars(item.unit_cents), item.kind.unit
                plural = what if item.units == 1 else f"{what}s"
                whole = f"{format_dollars(item.cents)} for {item.units} {plural}"
                line += f", {unit} per {what}, {whole}"
            lines.append(line)
        return "\n".join(lines)

    def _agent(self, part: str, text: str) -> None:
        for where, edit in self._telling.edits:
            if where in (part, ANY):
                text = edit(text)
        self.lines.append({"role": "assistant", "content": text})

    def _user(self, text: str) -> None:
        self.lines.append({"role": "user", "content": text})

    def _call(
        self, owner: Owner, name: str, arguments: Mapping[str, Any], *, may_fail: bool = False
    ) -> dict[str, Any]:
        """Run a call; the empty result of a failed one makes the telling unusable at once."""
        call_id = f"call_{len(self.lines)}"
        role = "assistant" if owner is Owner.AGENT else "user"
        calls = [{"id": call_id, "name": name, "arguments": dict(arguments)}]
        self.lines.append({"role": role, "owner": str(owner), "content": "", "tool_calls": calls})
        outcome = self._task.domain.registry().call(self._ledger, owner, name, dict(arguments))
        self._ledger = self._ledger.extended(outcome.events)
        answer = {"role": "tool", "owner": str(owner), "tool_call_id": call_id}
        self.lines.append(answer | {"content": outcome.content})
        result: dict[str, Any] = json.loads(outcome.content)
        if outcome.error is not None and not (may_fail and result.get("error") == DECLINED):
            raise Unplayable(f"{name}: {outcome.error['message']}")
        return result
