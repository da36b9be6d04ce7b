"""The look-ups that a job needs, and what those made so far have shown.

What wishes decide is asked for; days that they do not decide are asked for one by one, those alone
that the constraints leave. What is held by the day comes last, one stay after the other: its days
are those of other slots, of which some are ruled out once their offers are known, and any stay with
which all fits will do.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.agents.reference.conversation import Action, Conversation
from crab_graph.agents.reference.full_prices import FullPrices
from crab_graph.agents.reference.handbook import Handbook
from crab_graph.agents.reference.mishaps import Mishaps
from crab_graph.agents.reference.wish_vocabulary import Wishes
from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.fields import Choice
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.constraints import Constraint, Ref, Value, equals
from crab_graph.generation.objects import Columns, group, try_out

Row = dict[str, Any]
Found = Mapping[str, list[Row]]
"""What is known of the offers of each slot, properties in engine values."""

_TRIED = 1_000_000
"""Most combinations of values on which a constraint is tried out."""


class Shown(NamedTuple):
    """What look-ups have shown: the calls that are missing, and the offers that fit by themselves.

    There are none while something is missing but further stays. The edges are those of the request,
    of which those of a stay speak of the days asked for; `days` are those among them that hold of
    all that was asked for together.
    """

    missing: list[Action]
    offers: Found
    edges: tuple[Constraint, ...]
    days: tuple[Constraint, ...]


class Lookups:
    """The look-ups of one request."""

    def __init__(
        self,
        book: Handbook,
        wishes: Wishes,
        graph: ConstraintGraph,
        *,
        prunes: bool = True,
        held: Collection[str] = (),
    ) -> None:
        """Plan them; without pruning, offers are kept that go together with none elsewhere.

        Offers that are `held` already no later look-up need show.
        """
        self._prunes = prunes
        self._held = held
        self._book = book
        self._wishes = wishes
        self._party = book.party(wishes) or 1
        self._decided = {slot.id: book.decided(slot.id, wishes) for slot in book.domain.slots}
        self._constraints = tuple(_spoken_of_stays(book, graph))
        self.edges = tuple(one for one in self._constraints if len(one.nodes) > 1)
        self._given = tuple(graph.constraints)
        self._either = frozenset(self._tied_choices())
        open_ = self._possible(needed=True)
        self._open = {**self._possible(needed=False), **open_}
        stays = ((slot.id, name) for slot in book.domain.slots for name in book.stay_days(slot.id))
        asked = {*open_, *stays}
        self.days = tuple(edge for edge in self.edges if asked.issuperset(edge.refs))

    def show(self, conversation: Conversation) -> Shown:
        """Return what the look-ups of a conversation have shown, and which are missing."""
        slots = self._book.domain.slots
        stays = [slot for slot in slots if self._book.stay_days(slot.id)]
        found: dict[str, list[Row]] = {slot.id: [{}] for slot in slots}
        values = self._left(self._open)
        others = self._calls([slot for slot in slots if slot not in stays], values)
        if missing := _unanswered(others, conversation):
            return Shown(missing, {}, (), ())
        found = self._fitting({**found, **self._read(others, conversation)})
        if not stays or not all(found.values()):
            return Shown([], found, self.edges, self.days)
        calls = self._calls(stays, self._left(_narrowed(values, found)))
        found = self._fitting({**found, **self._read(calls, conversation)})
        missing = _unanswered(calls, conversation)
        return Shown(missing, found, self.edges, self.days)

    def _calls(
        self, slots: Iterable[TaskSlot], values: Mapping[Ref, NDArray[Any]]
    ) -> dict[str, list[Action]]:
        return {slot.id: list(self._asked(slot, values)) for slot in slots}

    def _read(
        self, calls: Mapping[str, Iterable[Action]], conversation: Conversation
    ) -> dict[str, list[Row]]:
        """Return what has been found of each slot."""
        found: dict[str, list[Row]] = {}
        mishaps, prices = Mishaps(self._book, conversation), FullPrices(self._book, conversation)
        for slot, looks in calls.items():
            kind = self._book.kind_of(self._book.slots[slot])
            read = self._book.tools_of(self._book.slots[slot]).search.read
            results = [conversation.results.get(call.key, {}) for call in looks]
            rows = (row for result in results for row in read(result))
            found[slot] = mishaps.left(rows, kind.offer.key, is_rethought=bool(self._held))
            shown = {row[kind.offer.key] for row in found[slot]}
            earlier = conversation.of(self._book.tools_of(self._book.slots[slot]).search.tool)
            for row in (row for one in earlier for row in read(one.result)) if self._held else ():
                if row[kind.offer.key] in self._held and row[kind.offer.key] not in shown:
                    shown.add(row[kind.offer.key])
                    found[slot].append(row)
            found[slot] = prices.told(self._book.slots[slot], found[slot])
        return found

    def _possible(self, *, needed: bool) -> dict[Ref, NDArray[Any]]:
        """Return, for what no wish decides, all that it could be.

        What must be asked for, or the days that may be.
        """
        possible: dict[Ref, NDArray[Any]] = {}
        days = np.array(self._book.horizon(self._wishes), dtype=np.int64)
        for slot in self._book.domain.slots:
            stay, step = self._book.stay_days(slot.id), self._book.tools_of(slot).search
            asked = step.needed if needed else step.arguments
            for name in (step.arguments[one] for one in asked):
                declared = self._book.declared[slot.id].offer.fields.get(name)
                if name in stay:
                    possible[stay[name]] = days
                elif name in self._decided[slot.id]:
                    continue
                elif name in self._book.day_properties(slot.id):
                    possible[slot.id, name] = days
                elif needed and isinstance(declared, Choice):
                    possible[slot.id, name] = np.array(declared.values)
        for owner, name in self._either if needed else ():
            choice = self._book.declared[owner].offer.fields[name]
            if isinstance(choice, Choice):
                possible[owner, name] = np.array(choice.values)
        return possible

    def _tied_choices(self) -> Iterator[Ref]:
        """Yield what can be asked for of which a wish says together what will do: either of two."""
        for slot in self._book.domain.slots:
            declared, decided = self._book.declared[slot.id].offer.fields, self._decided[slot.id]
            open_ = {
                (slot.id, name)
                for name in self._book.tools_of(slot).search.arguments.values()
                if name not in decided and isinstance(declared.get(name), Choice)
            }
            for rule in self._given:
                if len(set(rule.refs)) > 1 and open_.issuperset(rule.refs):
                    yield from rule.refs

    def _left(self, values: Mapping[Ref, NDArray[Any]]) -> dict[Ref, NDArray[Any]]:
        """Return the values that no constraint over them alone rules out."""
        left = dict(values)
        rules = [one for one in self._given if one.refs and left.keys() >= set(one.refs)]
        while True:
            before = sum(map(len, left.values()))
            for rule in rules:
                refs = list(dict.fromkeys(rule.refs))
                if 0 < prod(len(left[ref]) for ref in refs) <= _TRIED:
                    truth = _tried(rule, refs, left)
                    for axis, ref in enumerate(refs):
                        others = tuple(one for one in range(len(refs)) if one != axis)
                        left[ref] = left[ref][truth.any(axis=others)]
            if sum(map(len, left.values())) == before:
                return left

    def _together(
        self, refs: Sequence[Ref], values: Mapping[Ref, NDArray[Any]]
    ) -> Iterator[tuple[Value, ...]]:
        """Yield the combinations of values that no constraint over them rules out."""
        rules = [one for one in self._given if one.refs and set(refs) >= set(one.refs)]
        for chosen in product(*(values[ref].tolist() for ref in refs)):
            known = dict(zip(refs, chosen, strict=True))
            if all(rule.holds(known) for rule in rules):
                yield chosen

    def _asked(self, slot: TaskSlot, values: Mapping[Ref, NDArray[Any]]) -> Iterator[Action]:
        """Yield the look-ups of a slot: one for each combination of what no wish decides."""
        decided, stay = self._decided[slot.id], self._book.stay_days(slot.id)
        step, places = self._book.tools_of(slot).search, self._book.kind_of(slot).places
        given: dict[str, Value] = {}
        refs: dict[str, Ref] = {}
        for argument, name in step.arguments.items():
            ref = stay.get(name, (slot.id, name))
            if name in decided:
                given[argument] = decided[name].told
            elif name == places:
                given[argument] = self._party
            elif ref in values and (
                argument in step.needed or len(values[ref]) == 1 or ref in self._either
            ):
                refs[argument] = ref
        if not {*given, *refs} >= set(step.needed):
            return
        open_ = list(dict.fromkeys(refs.values()))
        for chosen in self._together(open_, values):
            known = dict(zip(open_, chosen, strict=True))
            asked = {
                argument: self._book.told(slot.id, step.arguments[argument], known[ref])
                for argument, ref in refs.items()
            }
            yield Action(step.tool, {**given, **asked})

    def _fitting(self, found: Found) -> dict[str, list[Row]]:
        """Return what fits by itself, and goes together with something of each other slot."""
        kept = {slot: list(rows) for slot, rows in found.items()}
        for rule in self._constraints:
            if len(rule.nodes) == 1 and _are_shown(rule, kept):
                kept = _supported(rule, kept)
        pruning = self.edges if self._prunes else self.days
        edges = [edge for edge in pruning if edge.linear is None and _are_shown(edge, kept)]
        while all(kept.values()):
            before = sum(map(len, kept.values()))
            for edge in edges:
                kept = _supported(edge, kept)
            if sum(map(len, kept.values())) == before:
                break
        return kept


def _unanswered(calls: Mapping[str, Iterable[Action]], conversation: Conversation) -> list[Action]:
    """Return the calls that have no result yet, each once."""
    every = {call.key: call for looks in calls.values() for call in looks}
    return [call for key, call in every.items() if key not in conversation.results]


def columns_of(rows: Sequence[Row], names: Iterable[str]) -> Columns:
    """Return some properties of rows as columns."""
    return {name: np.array([row[name] for row in rows]) for name in names}


def _spoken_of_stays(book: Handbook, graph: ConstraintGraph) -> Iterator[Constraint]:
    """Yield the constraints, those about stays and their days as about the days asked for.

    What is found for some days goes with these alone; so the days are properties of the offer, and
    further constraints say that they are those of the slots that decide them.
    """
    ends = {
        slot.id: {ref: (slot.id, name) for name, ref in book.stay_days(slot.id).items()}
        for slot in book.domain.slots
    }
    for rule in graph.constraints:
        own = {ref: new for node in rule.nodes for ref, new in ends[node].items()}
        parameters = tuple(own.get(ref, ref) for ref in rule.parameters)
        yield rule if parameters == rule.parameters else replace(rule, parameters=parameters)
    for slot, days in ends.items():
        for ref, own_day in days.items():
            yield Constraint(f"{slot} {own_day[1]}", (own_day, ref), equals)


def _tried(
    rule: Constraint, refs: Sequence[Ref], values: Mapping[Ref, NDArray[Any]]
) -> NDArray[np.bool_]:
    """Return a constraint's answers, with an axis for the values of each property."""

    def along(ref: Ref) -> NDArray[Any]:
        shape = [-1 if one == ref else 1 for one in refs]
        return values[ref].reshape(shape)

    answer = np.asarray(rule.evaluate(along), dtype=np.bool_)
    return np.broadcast_to(answer, [len(values[ref]) for ref in refs])


def _are_shown(rule: Constraint, found: Found) -> bool:
    return all(found[node] and name in found[node][0] for node, name in rule.refs)


def _supported(rule: Constraint, found: Found) -> dict[str, list[Row]]:
    """Return what satisfies a constraint with something of each other node that it speaks of."""
    shown: dict[str, Columns] = {}
    groups = {}
    for node in rule.nodes:
        columns = columns_of(found[node], rule.properties_of(node))
        groups[node] = group(list(columns.values()), len(found[node]))
        shown[node] = {name: own[groups[node].example] for name, own in columns.items()}
    if prod(len(one.example) for one in groups.values()) > _TRIED:
        return dict(found)
    truth = try_out(rule, shown)
    kept = dict(found)
    for axis, node in enumerate(rule.nodes):
        others = tuple(one for one in range(len(rule.nodes)) if one != axis)
        holds = np.asarray(truth.any(axis=others))[groups[node].of_each]
        if not holds.all():
            kept[node] = [row for row, is_kept in zip(found[node], holds, strict=True) if is_kept]
    return kept


def _narrowed(values: Mapping[Ref, NDArray[Any]], found: Found) -> dict[Ref, NDArray[Any]]:
    """Return the values that something found has."""
    narrowed = dict(values)
    for (slot, name), own in values.items():
        if name in found[slot][0]:
            narrowed[slot, name] = own[np.isin(own, [row[name] for row in found[slot]])]
    return narrowed
