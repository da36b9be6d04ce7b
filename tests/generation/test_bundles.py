"""Entities are chosen before their offers, and none has more offers than it may."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.generation.bundles import (
    Occupancy,
    are_parts,
    choose_entities,
    entities_for,
    entity_numbers,
)
from crab_graph.generation.constraint_graph import NodeType, Property
from crab_graph.generation.objects import IDENTITY, CodedObjects, length


def shows(**limits):
    """Return a type of seats: rows and prices, of shows in a hall on a day."""
    sizes = {"row": 5, "hall": 4, "price": 3, "day": 6, "left": 9}
    return NodeType(
        "seat",
        tuple(Property(name, tuple(range(size))) for name, size in sizes.items()),
        derived=(),
        domain_constraints=(),
        identity=("row", "hall", "price", "day"),
        bundle=("hall", "day"),
        **limits,
    )


def drawn(type_, seed, size=200):
    rng = np.random.RandomState(seed)
    return CodedObjects(
        type_, {name: rng.randint(0, len(own), size) for name, own in type_.property_values.items()}
    )


@given(seed=st.integers(0, 2**32 - 1))
def test_objects_of_one_entity_have_one_number_and_others_another(seed):
    objects = drawn(shows(), seed)
    shared = [*zip(objects["hall"].tolist(), objects["day"].tolist(), strict=True)]
    numbers = entity_numbers(objects.type, objects).tolist()
    assert len({*zip(shared, numbers, strict=True)}) == len(set(shared)) == len(set(numbers))


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 30))
def test_what_is_asked_for_is_among_the_entities_and_the_rest_are_as_many_as_wanted(seed, count):
    type_ = shows(bundle_size=4)
    asked, likely = drawn(type_, seed, 3), drawn(type_, seed // 2)
    entities = choose_entities([asked, likely], count, np.random.RandomState(seed))
    own = len({*entity_numbers(type_, asked).tolist()})
    known = own + len(
        {*entity_numbers(type_, likely).tolist()} - {*entity_numbers(type_, asked).tolist()}
    )
    assert entities is not None
    assert length(entities) == min(max(count, own), known)
    assert are_parts(asked, entities).all()
    assert are_parts(likely, None).all()


def test_entities_are_as_many_as_it_takes_and_not_limited_where_no_size_is_declared():
    assert [entities_for(shows(bundle_size=4), offers) for offers in (0, 4, 9)] == [1, 1, 3]
    objects = drawn(shows(), 1)
    assert choose_entities([objects, objects], 5, np.random.RandomState(0)) is None


@given(seed=st.integers(0, 2**32 - 1), limit=st.integers(1, 6))
def test_no_entity_admits_more_than_it_may(seed, limit):
    type_ = shows(bundle_limit=limit)
    first, second = (
        np.unique(drawn(type_, own, 60)[IDENTITY]) for own in (seed, (seed + 1) % 2**32)
    )
    second = np.setdiff1d(second, first)
    kept = first[Occupancy(type_).admit(first)]
    room = Occupancy(type_, set(kept.tolist()))
    kept = np.append(kept, second[room.admit(second)])
    held = Counter((kept // type_.bundle_span).tolist())
    assert max(held.values()) <= limit
    offered = Counter((np.append(first, second) // type_.bundle_span).tolist())
    assert held == {key: min(limit, number) for key, number in offered.items()}
