"""A perfect dialogue for any certified solution, told so that every check is triggered.

Mutations are changes of a `Telling`; whatever they leave alone stays true (rulebook §13).
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from crab_graph.domains.task import SolutionIds, Task
from crab_graph.domains.travel.rehearsal import Item, items_of
from crab_graph.errors import CrabGraphError
from crab_graph.eval.replay import Trajectory, replay
from crab_graph.eval.transcript import read_transcript
from crab_graph.eval.verdict import Verdict, grade_trajectory
from crab_graph.money import format_cents, format_dollars
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.tables import Row
from crab_graph.tools.tool import Owner

Message = dict[str, Any]
TextEdit = Callable[[str], str]
TrajectoryEdit = Callable[[Trajectory, Mapping[str, str]], Trajectory]
"""Changes a replayed trajectory; also gets the booking id of each slot."""

PROPOSAL, RESERVED, CLOSING, ANY = "proposal", "reserved", "closing", "any"
OFFER = "Would you like me to transfer you to a human agent?"
_AMPLE_CENTS = 100_000_000


@dataclass(frozen=True, slots=True)
class Telling:
    """How an episode goes.

    Attributes:
        task: The task.
        items: What is booked, approved and charged, a slot each.
        surplus: What is booked on top.
        known: What else the tables hold.
        edits: Changes of what the agent says, by part.
        consent: What the user answers to the proposal; by default it approves each item by id.
        asides: Turns of agent and user before the agent books, after the consent.
        opening_lines: Turns of the agent, each answered, before the proposal.
        reads: Calls before the proposal.
        calls: Calls after the bookings.
        rehearsed: Slots whose booking is made, cancelled, and made again.
        unapproved: Slots without a recorded approval.
        late: Slots whose approval is recorded after the charge.
        approved_cents: Amounts approved, where they are not what is due.
        uncharged: Slots that stay pending.
        offers_transfer: Whether the last message offers a transfer.
        says_amounts: Whether prices and totals are stated.
        token: How the user ends it.
        changes: Changes of the replayed trajectory.
        reverses_rows: Whether the task's rows are loaded the other way round.
        removed_solution: Whether what is booked is certified no longer.
    """

    task: Task
    items: tuple[Item, ...]
    surplus: tuple[Item, ...] = ()
    known: tuple[Item, ...] = ()
    edits: tuple[tuple[str, TextEdit], ...] = ()
    consent: str | None = None
    asides: tuple[tuple[str, str], ...] = ()
    opening_lines: tuple[str, ...] = ()
    reads: tuple[tuple[str, dict[str, Any]], ...] = ()
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    rehearsed: frozenset[str] = frozenset()
    unapproved: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    approved_cents: Mapping[str, int] = field(default_factory=dict)
    uncharged: frozenset[str] = frozenset()
    offers_transfer: bool = False
    says_amounts: bool = True
    token: str | None = "###STOP###"
    changes: tuple[TrajectoryEdit, ...] = ()
    reverses_rows: bool = False
    removed_solution: bool = False

    def item(self, slot: str) -> Item:
        """Return the item of a slot."""
        return next(item for item in self.items if item.slot == slot)

    def swapped(self, *items: Item) -> "Telling":
        """Return it with other items in their slots."""
        by_slot = {item.slot: item for item in items}
        return replace(self, items=tuple(by_slot.get(old.slot, old) for old in self.items))

    def without(self, *slots: str) -> "Telling":
        """Return it without some slots."""
        return replace(self, items=tuple(item for item in self.items if item.slot not in slots))

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

    def trajectory(self) -> tuple[Task, Trajectory]:
        """Return the task, with the rows the telling adds, and the episode replayed on it."""
        task = self._prepared_task()
        script = _Script(self, task)
        trajectory = replay(task, read_transcript(script.write()))
        for change in self.changes:
            trajectory = change(trajectory, script.booking_ids)
        return task, trajectory

    def messages(self) -> list[Message]:
        """Return the transcript."""
        return _Script(self, self._prepared_task()).write()

    def grade(self) -> Verdict:
        """Grade the episode."""
        return grade_trajectory(*self.trajectory())

    def _prepared_task(self) -> Task:
        new = [row for item in (*self.all_items, *self.known) if item.is_new for row in item.rows()]
        if not (new or self.reverses_rows or self.removed_solution):
            return _ample(self.task)
        solutions = self.task.spec.solutions
        if self.removed_solution:
            booked = {item.slot: item.entity_id for item in self.items}
            solutions = tuple(one for one in solutions if not _books(one, booked))
        spec = self.task.spec.model_copy(update={"solutions": solutions})
        tables = _changed_tables(self.task, new)
        if self.reverses_rows:
            tables = {name: rows[::-1] for name, rows in tables.items()}
        return Task(spec, self.task.domain, lambda: tables)


def perfect(task: Task, solution: SolutionIds) -> Telling:
    """Return the telling of a solution that passes both gradings."""
    return Telling(task, items_of(task, solution))


def curt(task: Task, solution: SolutionIds) -> Telling:
    """Return a telling that passes parity grading with names and ids alone."""
    return replace(perfect(task, solution), says_amounts=False)


@lru_cache(maxsize=4)
def _ample(task: Task) -> Task:
    tables = _changed_tables(task, ())
    return Task(task.spec, task.domain, lambda: tables)


def _changed_tables(task: Task, rows: Iterable[tuple[str, str, Row]]) -> dict[str, list[Row]]:
    """Return a task's rows with some added or replaced, and cards that no change exhausts."""
    tables = {name: dict(found) for name, found in task.world.tables.items()}
    for key, card in tables["cards"].items():
        tables["cards"][key] = card | {"limit_cents": _AMPLE_CENTS}
    for table, key, row in rows:
        tables[table][key] = row
    return {name: list(found.values()) for name, found in tables.items()}


def _books(solution: SolutionIds, booked: Mapping[str, str]) -> bool:
    return all(booked[slot] in ids.values() for slot, ids in solution.items())


class _Script:
    """Writes the transcript, running its calls so that later lines can name what they made."""

    def __init__(self, telling: Telling, task: Task) -> None:
        self._telling = telling
        self._task = task
        self._ledger = Ledger.fold(task.world)
        self._lines: list[Message] = []
        self.booking_ids: dict[str, str] = {}

    def write(self) -> list[Message]:
        telling = self._telling
        self._user("I would like to book a trip.")
        for text in telling.opening_lines:
            self._agent(ANY, text)
            self._user("I see.")
        for name, arguments in telling.reads:
            self._call(Owner.AGENT, name, arguments)
        self._agent(PROPOSAL, self._proposal())
        self._user(telling.consent if telling.consent is not None else self._consent())
        for asked, answered in telling.asides:
            self._agent(ANY, asked)
            self._user(answered)
        booked = self._book()
        if booked:
            self._pay(booked)
        closing = self._closing()
        self._agent(CLOSING, closing + (f" {OFFER}" if telling.offers_transfer else ""))
        self._user(" ".join(filter(None, ["Thanks.", telling.token])))
        return self._lines

    def _book(self) -> list[tuple[Item, str]]:
        booked = []
        for item in self._telling.all_items:
            booking_id = self._call(Owner.AGENT, item.tool, item.arguments)["booking_id"]
            if item.slot in self._telling.rehearsed:
                self._call(Owner.AGENT, "cancel_flight", {"booking_id": booking_id})
                booking_id = self._call(Owner.AGENT, item.tool, item.arguments)["booking_id"]
            self.booking_ids.setdefault(item.slot, booking_id)
            booked.append((item, booking_id))
        for name, arguments in self._telling.calls:
            self._call(Owner.AGENT, name, arguments)
        return booked

    def _pay(self, booked: list[tuple[Item, str]]) -> None:
        telling = self._telling
        self._agent(RESERVED, self._reserved())
        card = self._task.profile.payment_card.card_id
        added = self._call(Owner.USER, "add_payment_method_to_platform", {"card_id": card})
        method = added["payment_method_id"]
        early = [one for one in booked if one[0].slot not in telling.late | telling.unapproved]
        for item, booking_id in early:
            self._approve(item, booking_id, method)
        self._user(f"All is approved with {method}.")
        for item, booking_id in booked:
            if item.slot not in telling.uncharged:
                arguments = {"booking_id": booking_id, "payment_method_id": method}
                self._call(Owner.AGENT, "charge_booking", arguments)
        for item, booking_id in booked:
            if item.slot in telling.late:
                self._approve(item, booking_id, method)

    def _approve(self, item: Item, booking_id: str, method: str) -> None:
        cents = self._telling.approved_cents.get(item.slot, item.cents - item.surcharge)
        arguments = {"booking_id": booking_id, "payment_method_id": method}
        arguments["amount"] = format_cents(cents)
        self._call(Owner.USER, "record_payment_approval", arguments)

    def _proposal(self) -> str:
        telling = self._telling
        if not telling.all_items:
            return "I am afraid I found nothing."
        total = f"Trip total: {format_dollars(telling.cents)}. " if telling.says_amounts else ""
        return f"This is my plan.\n\n{self._told()}\n\n{total}Shall I book all of it?"

    def _consent(self) -> str:
        ids = [item.entity_id for item in self._telling.all_items]
        return f"Yes, please book {', '.join(ids)}." if ids else "What a pity."

    def _reserved(self) -> str:
        if not self._telling.says_amounts:
            return "All is reserved. Please approve the payments."
        total = format_dollars(self._telling.cents)
        return f"All is reserved, {total} in total for the trip. Please approve the payments."

    def _closing(self) -> str:
        telling = self._telling
        charged = [item.cents for item in telling.all_items if item.slot not in telling.uncharged]
        if not charged or not telling.says_amounts:
            return "That is all."
        total = format_dollars(sum(charged))
        return f"{self._told()}\n\nEverything is confirmed. Total charged: {total}."

    def _told(self) -> str:
        told = [tell(item, self._telling.says_amounts) for item in self._telling.all_items]
        return "\n".join(told)

    def _agent(self, part: str, text: str) -> None:
        for where, edit in self._telling.edits:
            if where in (part, ANY):
                text = edit(text)
        self._lines.append({"role": "assistant", "content": text})

    def _user(self, text: str) -> None:
        self._lines.append({"role": "user", "content": text})

    def _call(self, owner: Owner, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run a call; the empty result of a failed one makes the telling unusable at once."""
        call_id = f"call_{len(self._lines)}"
        role = "assistant" if owner is Owner.AGENT else "user"
        calls = [{"id": call_id, "name": name, "arguments": dict(arguments)}]
        self._lines.append({"role": role, "owner": str(owner), "content": "", "tool_calls": calls})
        outcome = self._task.domain.registry().call(self._ledger, owner, name, dict(arguments))
        self._ledger = self._ledger.extended(outcome.events)
        answer = {"role": "tool", "owner": str(owner), "tool_call_id": call_id}
        self._lines.append(answer | {"content": outcome.content})
        if outcome.error is not None:
            raise Unplayable(f"{name}: {outcome.error['message']}")
        result: dict[str, Any] = json.loads(outcome.content)
        return result


class Unplayable(CrabGraphError):
    """The task has not the stock that a telling needs."""


def tell(item: Item, says_amounts: bool = True) -> str:
    """Return the line that tells an item."""
    who = item.entity_id if item.name is None else f"{item.name} ({item.entity_id})"
    if not says_amounts:
        return f"- {item.slot.title()}: {who}"
    unit, whole = format_dollars(item.unit_cents), format_dollars(item.cents)
    one = item.kind.unit
    plural = one if item.units == 1 else f"{one}s"
    return f"- {item.slot.title()}: {who}, {unit} per {one}, {whole} for {item.units} {plural}"
