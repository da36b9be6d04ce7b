import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from crab_graph.generation.features import Surface, area_under_curve, derive_features

SMALL = st.integers(0, 4).map(float)


@st.composite
def two_groups(draw):
    features = draw(st.integers(1, 3))
    return tuple(
        draw(arrays(np.float64, (draw(st.integers(1, 6)), features), elements=SMALL))
        for _ in range(2)
    )


@given(two_groups())
def test_the_area_is_the_chance_to_rank_a_solution_above_a_distractor(groups):
    solutions, distractors = groups
    for feature, area in enumerate(area_under_curve(solutions, distractors)):
        wins = [
            1.0 if one > other else 0.5 if one == other else 0.0
            for one in solutions[:, feature]
            for other in distractors[:, feature]
        ]
        assert abs(area - sum(wins) / len(wins)) < 1e-12


SURFACE = Surface(
    "",
    ids=("id",),
    names=("name",),
    prices=("cents",),
    groupings={"rows per kind and day": ("kind", "day")},
)


def features():
    rows = [("X-17", "Ann", "a", 1, 1250), ("X-42", "Bob", "a", 1, 300), ("X-05", "Cy", "b", 1, 90)]
    return derive_features(SURFACE, ["id", "name", "kind", "day", "cents"], rows)


def column(name):
    found = features()
    return found.values[:, found.names.index(name)].tolist()


def test_ids_names_and_prices_are_read_to_the_digit():
    assert column("id order") == [17, 42, 5]
    assert column("id digit 2") == [1, 4, 0]
    assert column("name length") == [3, 3, 2]
    assert column("cents digit 3") == [2, 3, 0]


def test_rows_that_share_a_value_are_counted():
    assert column("rows per kind") == [2, 2, 1]
    assert column("rows per kind and day") == [2, 2, 1]
    assert column("rows per day") == [3, 3, 3]


def test_only_ids_names_digits_and_order_mean_nothing():
    found = features()
    meant = {n for n, no in zip(found.names, found.is_arbitrary, strict=True) if not no}
    assert meant == {"day", "cents", "rows per kind", "rows per day", "rows per cents"} | {
        "rows per kind and day"
    }
