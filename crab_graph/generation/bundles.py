"""Entities of which several offers are parts: which there are, and how many offers each has.

Drawn one by one, offers would scatter over all entities that there could be, one on each. So the
entities of a task are chosen first, as they come up in solutions, and its objects are drawn as
parts of these. How many offers an entity has then follows from how many entities there are, and
tells nothing of what they were made for.
"""

from collections import Counter
from collections.abc import Sequence
from math import ceil

import numpy as np

from crab_graph.generation.constraint_graph import Codes, NodeType
from crab_graph.generation.objects import (
    IDENTITY,
    CodedObjects,
    Columns,
    IntArray,
    Mask,
    concatenate,
    length,
    take,
)


def entity_numbers(type_: NodeType, objects: Columns) -> IntArray:
    """Return a number for each object that those of one entity share."""
    numbers: IntArray = objects[IDENTITY] // type_.bundle_span
    return numbers


def entities_for(type_: NodeType, offers: float) -> int:
    """Return how many entities so many offers are parts of."""
    return max(1, ceil(offers / (type_.bundle_size or 1)))


def choose_entities(
    parts: Sequence[CodedObjects], count: int, rng: np.random.RandomState
) -> Codes | None:
    """Return about `count` of the entities that objects are parts of, by what bundles them.

    Those of the first part are all among them; of the others each is as likely as it has objects.
    `None` where the type bundles nothing, or into as many entities as it comes.
    """
    type_ = parts[0].type
    if not type_.bundle or type_.bundle_size is None:
        return None
    first, *others = parts
    rest = concatenate(others)
    objects = concatenate([first, take(rest, rng.permutation(length(rest)))])
    places = np.unique(entity_numbers(type_, objects), return_index=True)[1]
    asked = len(np.unique(entity_numbers(type_, first)))
    chosen = np.sort(places)[: max(count, asked)]
    return {name: objects.codes[name][chosen] for name in type_.bundle}


def are_parts(objects: CodedObjects, entities: Codes | None) -> Mask:
    """Return which objects are parts of some entities; all are where these are not limited."""
    if entities is None:
        return np.ones(length(objects), dtype=np.bool_)
    sizes = [len(objects.type.property_values[name]) for name in entities]
    own = np.ravel_multi_index([objects.codes[name] for name in entities], sizes)
    return np.isin(own, np.ravel_multi_index([*entities.values()], sizes))


class Occupancy:
    """How many offers each entity of a type has."""

    def __init__(self, type_: NodeType, identities: Sequence[int] | set[int] = ()) -> None:
        """Begin with the offers of some identities."""
        self._type = type_
        self._held: Counter[int] = Counter()
        if type_.bundle_limit is not None:
            self._held.update(number // type_.bundle_span for number in identities)

    def admit(self, identities: IntArray) -> IntArray:
        """Return the positions of those offers, in their order, that find room, and count them."""
        limit, span = self._type.bundle_limit, self._type.bundle_span
        if limit is None:
            return np.arange(len(identities))
        admitted = []
        for place, number in enumerate((identities // span).tolist()):
            if self._held[number] < limit:
                self._held[number] += 1
                admitted.append(place)
        return np.array(admitted, dtype=np.int64)
