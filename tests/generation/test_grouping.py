import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.generation.grouping import group

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
