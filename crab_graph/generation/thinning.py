"""Thinning out what meets a node's wishes, so that solutions are not those with few companions.

What agrees with a seed in all that edges read would complete it, and the exact test keeps it away:
the solution's offer would be the only one of its provider, or on its day of its make, that meets
the wishes. So that this says nothing, other groups of valid objects are cut down to about the same.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.generation.distractors import Distractors
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import Columns, IntArray, group, length, numbered_together
from crab_graph.randomness import derive_array_rng

KEPT, FEWEST_KEPT = 0.4, 40
"""Share of a node's edge distractors, and number, that stay at least where groups are levelled."""

SPREAD = (0.3, 1.7)
"""Within what the largest size of a group is drawn, in parts of the usual one: sizes differ."""

LOOSENESS = (1.0, 1.5, 2.0, 3.0, 5.0)
"""How much larger than those of seeds other groups may be: the least that leaves enough."""


class _Crowd(NamedTuple):
    """One grouping: each object's group, and of each group how large it may be and its seeds."""

    groups: IntArray
    share: NDArray[np.float64]
    seeds: IntArray


def thin_out(
    seeds: Columns,
    others: Columns,
    likely: Columns,
    groupings: Sequence[Sequence[str]],
    least: int,
    rng: np.random.RandomState,
) -> IntArray:
    """Return the positions of those others that stay, so that no group of a seed is set apart.

    What agrees with a seed in all that matters would complete it, so that seeds have few
    companions. Groups without one are cut down to about as many, less where `likely` objects are
    rarer than beside seeds; the first of each group stay. If that leaves fewer than `least`, more
    of each group do.
    """
    parts, size = (seeds, others, likely), length(seeds) + length(others)
    names = dict.fromkeys(name for names in groupings for name in names)
    numbers = {name: numbered_together(name, parts) for name in names}
    crowds = []
    for one in groupings:
        groups = group([numbers[name] for name in one], size + length(likely)).of_each
        count = int(groups.max()) + 1
        held = np.bincount(groups[: length(seeds)], minlength=count)
        often = (np.bincount(groups[size:], minlength=count) + 1).astype(np.float64)
        usual = float(np.cumsum(often[held > 0])[-1]) / int((held > 0).sum())
        share = SPREAD[0] + (SPREAD[1] - SPREAD[0]) * rng.random_sample(count)
        share *= np.minimum(often / usual, 1.0)
        crowds.append(_Crowd(groups[length(seeds) : size], share, held))
    kept = np.arange(0)
    for looseness in LOOSENESS:
        kept = _thinned(crowds, length(others), looseness)
        if len(kept) >= least:
            return kept
    rest = np.setdiff1d(np.arange(length(others)), kept)
    return np.sort(np.concatenate([kept, rest[: least - len(kept)]]))


def _thinned(crowds: Sequence[_Crowd], count: int, looseness: float) -> IntArray:
    """Return which of `count` objects stay where groups are so much larger than those of seeds."""
    kept = np.arange(count)
    for groups, share, seeds in crowds:
        own = np.flatnonzero(seeds)
        held = seeds[own] + np.bincount(groups[kept], minlength=len(share))[own]
        limit = np.maximum(1.0, np.rint(share * looseness * int(held.sum()) / len(own)))
        limit[own] = np.inf
        mine = groups[kept]
        kept = kept[_places_within(mine) < limit[mine]]
    return kept


def _places_within(groups: IntArray) -> IntArray:
    """Return of each object how many of its group stand before it."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    first = np.cumsum(sizes) - sizes
    places = np.empty(len(groups), dtype=np.int64)
    places[order] = np.arange(len(groups)) - first[groups[order]]
    return places


def thinned(
    folded: FoldedGraph,
    node: str,
    found: Distractors,
    own: Columns,
    likely: Columns,
    seed: int,
) -> IntArray:
    """Return the positions of a node's edge distractors that stay, so that no seed stands apart.

    `own` are the seeds' objects, `likely` ones come up in solutions. They are grouped by each two
    of the properties that active edges read, sums aside, by each alone, and by what bundles them.
    """
    if not found.broken:
        return np.arange(0)
    summed = {
        ref for edge in folded.edges if edge.linear is not None for ref in edge.linear.weights
    }
    names = [name for name in folded.edge_properties(node) if (node, name) not in summed]
    groupings: list[Sequence[str]]
    bundle = folded.types[folded.graph.type_of(node)].bundle
    groupings = [
        *((name,) for name in names),
        *combinations(names, 2),
        *([bundle] if bundle else []),
    ]
    least = max(FEWEST_KEPT, math.ceil(KEPT * len(found.broken)))
    rng = derive_array_rng(seed, "thinned", node)
    return thin_out(own, found.objects, likely, groupings, least, rng)
