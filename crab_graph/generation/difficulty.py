"""How hard a task is, and which ones are chosen (paper A.3, design §5).

Near misses make a task hard: combinations that break exactly one edge, which an agent that forgets
one dependency accepts. What solvers in a hurry solve measures little: each commits to one object a
node, in order, the cheapest that is compatible with what it has so far.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.candidates import holds_beside
from crab_graph.generation.constraints import Ref
from crab_graph.generation.counting import EliminationCounter, Rows
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import IDENTITY, Columns, IntArray, take
from crab_graph.generation.seeds import SeedSolution

MINIMUM = 10
"""Combinations that must break each active edge alone."""


def count_near_misses(
    folded: FoldedGraph,
    objects: Mapping[str, Columns],
    valid: Rows,
    names: Sequence[str] | None = None,
    enough: int | None = None,
) -> dict[str, int]:
    """Return, for each active edge or those named, how many combinations break nothing else.

    `valid` has the positions of the node-valid objects. From `enough` objects of one node on that
    stand in such combinations, their number is returned, a lower bound in a fifth of the time.
    """
    counts = {}
    for edge in folded.edges if names is None else [e for e in folded.edges if e.name in names]:
        edges = [other.negated() if other is edge else other for other in folded.edges]
        counter = EliminationCounter(folded.graph.node_ids, edges, objects)
        if enough is not None:
            node = max(edge.nodes, key=lambda node: len(valid[node]))
            involved = int(counter.has_solution(node, valid[node], valid).sum())
            if involved >= enough:
                counts[edge.name] = involved
                continue
        counts[edge.name] = counter.count(valid)
    return counts


def lacks_near_misses(
    folded: FoldedGraph,
    objects: Mapping[str, Columns],
    valid: Rows,
    seeds: Sequence[SeedSolution],
) -> str | None:
    """Return the name of an edge that fewer than `MINIMUM` combinations break alone, if any.

    Seeds with one object exchanged are counted first; only where they are too few are all
    combinations.
    """
    own_of = {node: take(objects[node], rows) for node, rows in valid.items()}
    sure: Counter[str] = Counter()
    for item in seeds:
        ways: Counter[str] = Counter()
        for node, own in own_of.items():
            breaks = np.array([~holds_beside(edge, node, item, own) for edge in folded.edges])
            alone = (breaks & (breaks.sum(axis=0) == 1)).sum(axis=1).tolist()
            ways.update(dict(zip(folded.active_edges, alone, strict=True)))
        sure |= ways  # of each edge the seed with the most
    for edge in folded.edges:
        if sure[edge.name] < MINIMUM:
            counts = count_near_misses(folded, objects, valid, [edge.name], enough=MINIMUM)
            if counts[edge.name] < MINIMUM:
                return edge.name
    return None


PRICE = "price"
"""The property that a solver in a hurry looks at first."""


def solve_cheapest(folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows) -> bool:
    """Return whether taking the cheapest compatible object next, node by node, solves the task.

    The objects of each node are given as columns, with the positions of the node-valid ones.
    """
    return _chain_solves(folded, objects, valid, valid[folded.graph.node_ids[0]])


def solve_rarest(folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows) -> bool:
    """Return whether beginning with the rarest value of some property solves the task.

    Every property that the first node's edges read is tried, as a rare date may betray the seed.
    """
    first = folded.graph.node_ids[0]
    for name in folded.edge_properties(first):
        if name == PRICE:
            continue
        column = objects[first][name][valid[first]]
        values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(values) > 1:
            start = valid[first][codes == counts.argmin()]
            if _chain_solves(folded, objects, valid, start):
                return True
    return False


def solve_from_random(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, rng: np.random.RandomState
) -> bool:
    """Return whether the chain solves the task from a first object drawn at random."""
    first = folded.graph.node_ids[0]
    start = valid[first][[rng.randint(len(valid[first]))]]
    return _chain_solves(folded, objects, valid, start)


def _chain_solves(
    folded: FoldedGraph, objects: Mapping[str, Columns], valid: Rows, start: IntArray
) -> bool:
    """Whether the cheapest next object that breaks no edge, sums aside, leads to a solution."""
    places: dict[str, IntArray] = {}

    def value(ref: Ref) -> NDArray[Any]:
        return objects[ref[0]][ref[1]][places[ref[0]]]

    for node in folded.graph.node_ids:
        places[node] = valid[node] if places else start
        for edge in folded.edges:
            if edge.linear is None and node in edge.nodes and places.keys() >= set(edge.nodes):
                fits = np.asarray(edge.evaluate(value), dtype=np.bool_)
                places[node] = places[node][np.broadcast_to(fits, places[node].shape)]
        if len(places[node]) == 0:
            return False
        # Where nothing has a price, any order will do that the objects are not made in.
        looked_at = PRICE if PRICE in objects[node] else IDENTITY
        places[node] = places[node][[value((node, looked_at)).argmin()]]
    return all(np.all(edge.evaluate(value)) for edge in folded.edges)


Group = tuple[str | int | bool | None, ...]


class Candidate(NamedTuple):
    """What selection knows of a task.

    Its number is its position in its stratum; tasks are spread over groups, and two whose seed
    solutions have the same content are one. A shortcut is a solver that does not reason.
    """

    number: int
    solutions: int
    node_distractors: int
    edge_distractors: int
    active_edges: int
    group: Group
    content: str
    solved_by_shortcut: bool


def select(candidates: Sequence[Candidate], wanted: int) -> list[Candidate]:
    """Return `wanted` candidates: no duplicates, hardest first, taking turns over the groups.

    A task with fewer valid solutions and more distractors is harder. What a shortcut solves is only
    taken where nothing else with as many active edges is left: shortcuts fail more often where
    edges are many, so that the choice would otherwise shift their number.
    """
    distinct: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda item: item.number):
        distinct.setdefault(candidate.content, candidate)
    hardest_first = sorted(
        distinct.values(),
        key=lambda one: (one.solutions, -one.node_distractors, -one.edge_distractors, one.number),
    )
    ranking: list[Candidate] = []
    for solved in (False, True):
        groups: dict[Group, list[Candidate]] = {}
        for candidate in hardest_first:
            if candidate.solved_by_shortcut is solved:
                groups.setdefault(candidate.group, []).append(candidate)
        while any(groups.values()):
            ranking += [group.pop(0) for group in groups.values() if group]
    # Each number of edges is taken as near its frequency as whole numbers come.
    wanted = min(wanted, len(ranking))
    counts = Counter(candidate.active_edges for candidate in ranking)
    room = {number: wanted * count // len(ranking) for number, count in counts.items()}
    by_rest = sorted(counts, key=lambda number: (-(wanted * counts[number] % len(ranking)), number))
    for number in by_rest[: wanted - sum(room.values())]:
        room[number] += 1
    chosen: list[Candidate] = []
    for candidate in ranking:
        if room[candidate.active_edges]:
            room[candidate.active_edges] -= 1
            chosen.append(candidate)
    return chosen
