"""Changed minds: later requests that the same tables answer too, with few solutions of their own.

A task that admits a change of mind is certified for the request before and for the one after. What
offers happen to fit the later request could be millions, so one slot is tightened: of its offers
that complete a solution of the later request one is kept, and the others give way to offers of the
same kind that complete none, of any request. Another change is of the request that the last left.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.contract import Domain, Draft
from crab_graph.domain.request_types import SETTLED, fixed_values
from crab_graph.domains.rival_offers import exchanged, with_dearer_rivals
from crab_graph.domains.task import ChangeKind, SolutionIds
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.bundles import Occupancy
from crab_graph.generation.candidates import Identities, draw_distinct
from crab_graph.generation.counting import EliminationCounter
from crab_graph.generation.folding import FoldedGraph, fold
from crab_graph.generation.objects import (
    IDENTITY,
    CodedObjects,
    Columns,
    IntArray,
    concatenate,
    length,
    take,
    valid_rows,
)
from crab_graph.generation.population import Population
from crab_graph.generation.rivals import Contest
from crab_graph.generation.seeds import SeedSolution
from crab_graph.randomness import derive_array_rng, derive_rng, derive_seed

MOST_AFTER = 64
"""Solutions that a later request has at most."""

FEW_AFTER = 4
"""So few need not be fewer."""

FRESH = 1500
"""Offers drawn of the slot that is tightened, among which those that complete nothing are taken."""

TARGETS = 16
"""Offers that complete a solution of which it is counted how many."""

PROPOSED = 10
"""Other requests that are tried before a draft is given up: most have theirs among the first few,
and another draft is sooner had than what the rest would still yield."""

HOPELESS = 16 * MOST_AFTER
"""Where the first `FEW_AFTER` targets complete more than this, no other is looked at."""

BESIDE_SEED = 0.5
"""Share of tasks in which all but the tightened slot can stay as it was, where that can be."""

SHIFTS = (-2, -1, 1, 2)
"""Days by which a window moves."""

RAISES = (1.1, 1.2, 1.3)
"""What a budget grows by that is raised along with another wish."""


class LaterRequest(NamedTuple):
    """What is wanted otherwise: its facts, fields of the request, and how many people are left."""

    kind: ChangeKind
    keys: tuple[str, ...]
    fields: Mapping[str, Any]
    people: int | None = None

    def of(self, request: Any) -> Any:
        """Return the request after the change."""
        return request.model_copy(update=dict(self.fields))


def proposals(domain: Domain, draft: Draft, seed: int) -> list[LaterRequest]:
    """Return what could be wanted otherwise, in the order in which it is tried.

    Kinds take turns, so that none is tried before the others in every task.
    """
    rng = derive_rng(seed, "second request")
    kinds = [list(make(domain, draft)) for make in (_wishes, _dates, _raised, _parties)]
    for own in kinds:
        rng.shuffle(own)
    rng.shuffle(kinds)
    found = []
    while any(kinds):
        for own in kinds:
            found += [own.pop()] if own else []
    return found


def _wishes(domain: Domain, draft: Draft) -> Iterator[LaterRequest]:
    """Yield each wish with another value."""
    people = domain.declaration.people
    for want in domain.declaration.wants:
        now = getattr(draft.request, want.key)
        is_size = people is not None and want.key == people.size
        if want.role or now is None or is_size or want.axis is not None:
            continue
        values = want.values(draft.request) if callable(want.values) else fixed_values(want)
        for value in dict.fromkeys(values):
            if value != now and (want.compare == "equals" or not want.on):
                yield LaterRequest(ChangeKind.WISH, (want.key,), {want.key: value})


def _dates(domain: Domain, draft: Draft) -> Iterator[LaterRequest]:
    window = domain.declaration.window
    for days in SHIFTS if window is not None else ():
        moved = {
            name: iso_date(day_number(getattr(draft.request, name)) + days)
            for name in ("first_day", "last_day")
        }
        if window is not None and moved["first_day"] > draft.today:
            yield LaterRequest(ChangeKind.DATE, (window.key,), moved)


def _raised(domain: Domain, draft: Draft) -> Iterator[LaterRequest]:
    budget, cents = domain.declaration.budget, getattr(draft.request, "budget_cents", None)
    if budget is None or cents is None:
        return
    step = budget.step * 100
    for wish, share in product(_wishes(domain, draft), RAISES):
        more = -int(-cents * share // step) * step
        fields = {**wish.fields, "budget_cents": more}
        yield LaterRequest(ChangeKind.BUDGET, (*wish.keys, "budget"), fields)


def _parties(domain: Domain, draft: Draft) -> Iterator[LaterRequest]:
    """Yield the party without its last one, who takes a wish along."""
    people = domain.declaration.people
    size = 0 if people is None else int(getattr(draft.request, people.size))
    if people is None or size < 2:
        return
    fewer = {people.size: size - 1}
    for wish in _wishes(domain, draft._replace(request=draft.request.model_copy(update=fewer))):
        keys = (people.size, people.names, people.birth_dates, *wish.keys)
        yield LaterRequest(ChangeKind.PARTY, keys, {**fewer, **wish.fields}, size - 1)


def moved_slots(before: Sequence[SolutionIds], after: Sequence[SolutionIds]) -> tuple[str, ...]:
    """Return the slots that must be booked otherwise after a change, whatever was solved before.

    For each solution before, the nearest one after is taken.
    """
    moved: set[str] = set()
    for one in before:
        differing = [{slot for slot in one if one[slot] != other[slot]} for other in after]
        moved |= min(differing, key=lambda slots: len(slots))
    return tuple(slot for slot in before[0] if slot in moved)


class Successor(NamedTuple):
    """A population that answers a later request too, what changes for it, and its draft."""

    population: Population
    change: LaterRequest
    draft: Draft
    solutions: int


def with_later_requests(
    domain: Domain, draft: Draft, population: Population, seed: int, number: int
) -> tuple[Successor, ...]:
    """Return for each of so many changes of mind the population that answers all requests up to it.

    No fact is changed twice. The last population is that of the task. Where there are several the
    party stays as it is: for another one all would have to be looked up anew, each time.

    Raises:
        UnsatisfiableTask: so many could not be had.
    """
    successors: list[Successor] = []
    for order in range(number):
        own = derive_seed(seed, "change of mind", order) if order else seed
        successors.append(
            _with_another(domain, draft, population, own, successors, is_alone=number == 1)
        )
        population = successors[-1].population
    return tuple(successors)


def _with_another(
    domain: Domain,
    draft: Draft,
    population: Population,
    seed: int,
    successors: Sequence[Successor],
    *,
    is_alone: bool,
) -> Successor:
    """Return the population with one slot tightened for another request.

    Raises:
        UnsatisfiableTask: no change of mind could be had.
    """
    last = successors[-1].draft if successors else draft
    earlier = [draft.folded, *(one.draft.folded for one in successors)]
    changed = {key for one in successors for key in one.change.keys}
    options = [
        one
        for one in proposals(domain, last, seed)
        if changed.isdisjoint(one.keys) and (is_alone or one.people is None)
    ]
    for number, change in enumerate(options[:PROPOSED]):
        try:
            after = _changed(domain, last, change)
        except UnsatisfiableTask:
            continue
        for node in _differing(earlier[-1], after.folded):
            made = _Tightening(earlier, after.folded, population, node, (seed, number)).made()
            if made is None:
                continue
            with suppress(UnsatisfiableTask):
                final = with_dearer_rivals((*earlier, after.folded), made.population, seed)
                _check_as_before(successors, final)
                return _settled(domain, last, Successor(final, change, after, made.solutions))
    raise UnsatisfiableTask("no change of mind has solutions of its own")


def _check_as_before(successors: Sequence[Successor], population: Population) -> None:
    """Refuse a population in which an earlier change of mind has other solutions than it had.

    Raises:
        UnsatisfiableTask: there is such a change.
    """
    for successor in successors:
        if _Objects(successor.draft.folded, population.objects, {}).all() != successor.solutions:
            raise UnsatisfiableTask("a change of mind takes solutions of another")


def _settled(domain: Domain, draft: Draft, successor: Successor) -> Successor:
    """Return the same with the least sum that a wish for one comes to after the change.

    What the request before takes for it bounds that: the later is made to have solutions there.

    Raises:
        UnsatisfiableTask: there is no such sum, or every trip comes to it.
    """
    population, change, after, _ = successor
    for lesser in after.folded.graph.lesser:
        graph = successor.draft.folded.graph
        objects = {one.id: population.objects[one.type] for one in graph.nodes}
        cents = Contest(graph, objects).least_sum(lesser)
        if cents is None:
            raise UnsatisfiableTask(f"wish '{lesser.name}': there is no solution")
        change = change._replace(fields={**change.fields, SETTLED: ((lesser.name, cents),)})
        after = _changed(domain, draft, change)
        solutions = _Objects(after.folded, population.objects, {}).all()
        free = _changed(domain, draft, change._replace(fields={**change.fields, SETTLED: ()}))
        if _Objects(free.folded, population.objects, {}).all() == solutions:
            raise UnsatisfiableTask(f"wish '{lesser.name}': a change of mind leaves nothing dearer")
        successor = Successor(population, change, after, solutions)
    return successor


def _changed(domain: Domain, draft: Draft, change: LaterRequest) -> Draft:
    request, profile = change.of(draft.request), draft.profile
    if change.people is not None:
        profile = profile.model_copy(update={"people": profile.people[: change.people]})
    folded = fold(domain.build_graph(request), draft.folded.types)
    return draft._replace(request=request, profile=profile, folded=folded)


def _differing(before: FoldedGraph, after: FoldedGraph) -> list[str]:
    """Return the nodes of which the requests ask something else, folded edges included."""
    asked = [
        {
            node: {(item.name, repr(item.constants)) for item in one.node_constraints[node]}
            for node in one.graph.node_ids
        }
        for one in (before, after)
    ]
    return [node for node in before.graph.node_ids if asked[0][node] != asked[1][node]]


class _Tightened(NamedTuple):
    population: Population
    solutions: int


class _Tightening:
    """Replaces objects of one node until a later request has few solutions.

    None of those that come fits the node by an earlier request, so that no solution is one of both;
    and no part of a seed goes, so that the solutions of the first request stay as they are.
    """

    def __init__(
        self,
        earlier: Sequence[FoldedGraph],
        after: FoldedGraph,
        population: Population,
        node: str,
        drawn: tuple[int, int],
    ) -> None:
        self._earlier, self._after, self._node = earlier, after, node
        self._population, self._drawn = population, drawn
        self._type = after.types[after.graph.type_of(node)]
        self._own = population.objects[self._type.name]

    def made(self) -> _Tightened | None:
        """Return the tightened population; `None` where that cannot be done."""
        fresh = self._fresh()
        if fresh is None or not isinstance(self._own, CodedObjects):
            return None
        size, objects = length(self._own), concatenate([self._own, fresh])
        all_objects = {**self._population.objects, self._type.name: objects}
        after = _Objects(self._after, all_objects, {self._type.name: size})
        new = np.setdiff1d(after.proposed(self._node), self._fitting(self._earlier, objects))
        known = after.present(self._node)
        # Both at once: what is joined of the other nodes is the same.
        completes = after.completes(self._node, np.concatenate([known, new]))
        out, completes = known[completes[: len(known)]], completes[len(known) :]
        origins = self._population.origins[self._type.name]
        if any(origins[place] == "seed" for place in out.tolist()):
            return None
        rng = derive_array_rng(*self._drawn, "tightening", self._node)
        target = self._target(after, rng.permutation(new[completes]), rng)
        if target is None or target.solutions > MOST_AFTER:
            return None
        out = out if len(out) else self._spare(rng)
        kept = np.setdiff1d(np.arange(size), out)
        room = Occupancy(self._type, self._own[IDENTITY][kept].tolist())
        calm = rng.permutation(new[~completes])
        one, rest = (
            own[room.admit(objects[IDENTITY][own])] for own in (np.array([target.place]), calm)
        )
        added = np.concatenate([one, rest[: len(out) - len(one)]])
        if not len(one) or len(added) != len(out):
            return None
        first = self._earlier[0]
        made = exchanged(first, self._node, self._population, kept, take(objects, added))
        return _Tightened(made, target.solutions)

    def _fitting(self, graphs: Sequence[FoldedGraph], objects: Columns) -> IntArray:
        """Return the places of what fits the node by any of some requests."""
        found = [valid_rows(objects, one.node_constraints[self._node]) for one in graphs]
        return np.unique(np.concatenate([*found, np.zeros(0, dtype=np.int64)]))

    def _fresh(self) -> CodedObjects | None:
        """Return other objects that the later request could take at the node."""
        rng = derive_array_rng(*self._drawn, "second request", self._node)
        taken: Identities = set(self._own[IDENTITY].tolist())
        return draw_distinct(self._after.domains[self._node], FRESH, rng, taken)

    def _target(
        self, after: "_Objects", found: IntArray, rng: np.random.RandomState
    ) -> "_Target | None":
        """Return the object that is to complete solutions of the later request, the fewest.

        Every other time it is one that goes together with all else of a solution of the first.
        """
        if rng.random_sample() < BESIDE_SEED:
            beside = after.completes(self._node, found, self._population.seeds[0])
            found = found[beside] if beside.any() else found
        best: _Target | None = None
        for tried, place in enumerate(found[:TARGETS].tolist()):
            if tried == FEW_AFTER and best is not None and best.solutions > HOPELESS:
                break
            number = after.count(self._node, np.array([place]))
            if best is None or number < best.solutions:
                best = _Target(place, number)
            if number <= FEW_AFTER:
                break
        return best

    def _spare(self, rng: np.random.RandomState) -> IntArray:
        """Return one object that breaks a wish, to make room."""
        name = self._type.name
        made_for = zip(self._population.nodes[name], self._population.origins[name], strict=True)
        mine = [at for at, one in enumerate(made_for) if one == (self._node, "node")]
        fitting = self._fitting(self._earlier[1:], self._own)
        return rng.permutation(np.setdiff1d(np.array(mine, dtype=np.int64), fitting))[:1]


class _Target(NamedTuple):
    """An object, by its place, and how many solutions it completes."""

    place: int
    solutions: int


class _Objects:
    """All objects by node, of which those that fit are told; some of a type are only proposed.

    `sizes` says how many of the objects of a type are there.
    """

    def __init__(
        self, folded: FoldedGraph, objects: Mapping[str, Columns], sizes: Mapping[str, int]
    ) -> None:
        self._folded = folded
        self._objects = {node.id: objects[node.type] for node in folded.graph.nodes}
        self._fits = {
            node: valid_rows(own, folded.node_constraints[node])
            for node, own in self._objects.items()
        }
        self._rows: dict[str, IntArray] = {}
        for node in folded.graph.nodes:
            fits = self._fits[node.id]
            self._rows[node.id] = fits[fits < sizes.get(node.type, length(objects[node.type]))]
        nodes = folded.graph.node_ids
        self._counter = EliminationCounter(nodes, folded.edges, self._objects, self._fits)

    def present(self, node: str) -> IntArray:
        """Return the places of what fits a node and is there."""
        return self._rows[node]

    def proposed(self, node: str) -> IntArray:
        """Return the places of what fits a node and is only proposed."""
        return np.setdiff1d(self._fits[node], self.present(node))

    def completes(
        self, node: str, places: IntArray, beside: SeedSolution | None = None
    ) -> NDArray[np.bool_]:
        """Return which objects complete a solution, be it beside the parts of one alone."""
        rows = self._rows if beside is None else self._only(beside)
        return self._counter.has_solution(node, places, rows)

    def count(self, node: str, places: IntArray) -> int:
        """Return how many solutions some objects complete; above `MOST_AFTER` at least so many."""
        return self._counter.count({**self._rows, node: places}, MOST_AFTER)

    def all(self) -> int:
        """Return how many solutions there are; above `MOST_AFTER` at least so many."""
        return self._counter.count(self._rows, MOST_AFTER)

    def _only(self, beside: SeedSolution) -> dict[str, IntArray]:
        return {
            node: own[self._objects[node][IDENTITY][own] == beside[node][IDENTITY]]
            for node, own in self._rows.items()
        }
