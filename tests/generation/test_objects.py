import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.domain.contract import find_domain
from crab_graph.generation.objects import (
    IDENTITY,
    CodedObjects,
    concatenate,
    group,
    length,
    numbered_together,
    rows,
    take,
)
from crab_graph.randomness import derive_array_rng


@pytest.fixture(scope="module")
def folded():
    return find_domain("travel").draft(41, {"date_mode": "flexible", "party": 2}).folded


@pytest.fixture(scope="module", params=["outbound", "hotel", "attraction"])
def drawn(request, folded):
    return folded.domains[request.param].draw(derive_array_rng(1, request.param), 200)


def test_coded_objects_say_what_their_columns_say(drawn):
    plain = dict(drawn)
    assert rows(drawn) == rows(plain)
    chosen = np.array([5, 0, 5])
    assert rows(take(drawn, chosen)) == rows(take(plain, chosen))
    mask = plain["price"] > np.median(plain["price"])
    assert rows(take(drawn, mask)) == rows(take(plain, mask))
    assert rows(concatenate([drawn, drawn])) == 2 * rows(plain)
    assert rows(concatenate([drawn, plain])) == 2 * rows(plain)
    assert length(drawn) == length(plain)


def test_objects_are_found_again_by_their_free_properties(drawn):
    assert rows(CodedObjects.of(drawn.type, rows(drawn))) == rows(drawn)


def test_numbers_are_alike_exactly_where_values_are(drawn):
    for name in drawn:
        if name != IDENTITY:
            found = numbered_together(name, [drawn, drawn]).tolist()
            values = 2 * drawn[name].tolist()
            assert len(set(zip(found, values, strict=True))) == len(set(found)) == len(set(values))


def test_a_property_with_one_value_takes_nothing_from_the_stream():
    rng, untouched = derive_array_rng(3), derive_array_rng(3)
    rng.randint(0, 1, 100)
    assert rng.randint(0, 1000) == untouched.randint(0, 1000)


numbers = st.integers(-3, 3) | st.sampled_from([-(2**40), 2**40])


@given(st.lists(st.tuples(numbers, numbers, st.sampled_from(["a", "b", "ab"])), max_size=12))
def test_rows_are_in_one_group_exactly_where_all_their_columns_agree(rows):
    columns = [
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.int64),
        np.array([row[2] for row in rows], dtype=object),
    ]
    found = group(columns, len(rows))
    assert len(found.example) == len(set(rows))
    assert [rows[found.example[own]] for own in found.of_each] == rows


def test_without_columns_all_rows_are_one_group():
    assert group([], 3).of_each.tolist() == [0, 0, 0]
