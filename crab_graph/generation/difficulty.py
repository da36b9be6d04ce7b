"""How hard a task is, and which ones are chosen (paper A.3, design §5).

Near misses make a task hard: combinations that break exactly one edge, which an agent that forgets
one dependency accepts. What a shortcut solves measures little (`generation.shortcuts`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crab_graph.generation.candidates import holds_beside
from crab_graph.generation.counting import EliminationCounter, Rows
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import Columns, take
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
        counter = EliminationCounter(folded.graph.node_ids, edges, objects, valid)
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


Group = tuple[str | int | bool | None, ...]


class Candidate(NamedTuple):
    """What selection knows of a task.

    Its number is its position in its stratum; tasks are spread over groups, and two whose seed
    solutions have the same content are one.
    """

    number: int
    solutions: int
    node_distractors: int
    edge_distractors: int
    active_edges: tuple[str, ...]
    group: Group
    content: str
    shortcuts: tuple[str, ...]


def select(candidates: Sequence[Candidate], wanted: int) -> list[Candidate]:
    """Return `wanted` candidates: no duplicates, hardest first, taking turns over the groups.

    A task with fewer valid solutions and more distractors is harder. What a shortcut solves is only
    taken where nothing else with the same active edges is left: what they solve depends on which
    edges are active, so that the choice would otherwise shift what tasks ask for.
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
            if bool(candidate.shortcuts) is solved:
                groups.setdefault(candidate.group, []).append(candidate)
        while any(groups.values()):
            ranking += [group.pop(0) for group in groups.values() if group]
    # Each set of edges is taken as near its frequency as whole numbers come.
    wanted = min(wanted, len(ranking))
    counts = Counter(candidate.active_edges for candidate in ranking)
    room = {edges: wanted * count // len(ranking) for edges, count in counts.items()}
    by_rest = sorted(counts, key=lambda edges: (-(wanted * counts[edges] % len(ranking)), edges))
    for edges in by_rest[: wanted - sum(room.values())]:
        room[edges] += 1
    chosen: list[Candidate] = []
    for candidate in ranking:
        if room[candidate.active_edges]:
            room[candidate.active_edges] -= 1
            chosen.append(candidate)
    return chosen
