import statistics

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from crab_graph.generation.features import (
    Meaning,
    Standing,
    Surface,
    Yardstick,
    area_under_curve,
    derive_features,
    derive_standings,
)

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
    yardsticks={
        "cents over its like": Yardstick(Standing.RATIO, "cents", ("kind",)),
        "cents among all": Yardstick(Standing.RANK, "cents", ()),
        "cents of the day": Yardstick(Standing.RANK, "cents", ("kind", "day")),
        "mean of the kind": Yardstick(Standing.MEAN, "cents over its like", ("kind",)),
    },
)
COLUMNS = ["id", "name", "kind", "day", "cents"]
ROWS = [("X-17", "Ann", "a", 1, 1250), ("X-42", "Bob", "a", 1, 300), ("X-05", "Cy", "b", 1, 90)]


def features():
    return derive_features(SURFACE, COLUMNS, ROWS)


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


def test_numbers_are_compared_with_those_of_what_is_alike():
    assert column("cents over its like") == [1250 / 775, 300 / 775, 1]
    assert column("cents among all") == [2.5 / 3, 1.5 / 3, 0.5 / 3]
    assert column("cents of the day") == [0.75, 0.25, 0.5]
    assert column("mean of the kind") == [1, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=12))
def test_each_comparison_is_what_a_slow_reading_of_it_says(rows):
    yardsticks = {
        one.value: Yardstick(one, "n", ("of",)) for one in (Standing.RANK, Standing.MEAN)
    } | {"ratio": Yardstick(Standing.RATIO, "n", ("of",))}
    surface = Surface("", ids=("id",), yardsticks=yardsticks)
    found = derive_standings(surface, ["id", "of", "n"], [("X-1", *row) for row in rows])
    for place, (of, number) in enumerate(rows):
        own = [other for group, other in rows if group == of]
        below = sum((other < number) + (other == number) / 2 for other in own)
        middle = statistics.median(own)
        expected = [below / len(own), statistics.fmean(own), number / middle if middle else 1]
        assert np.allclose(found.values[place, -3:], expected)


def test_among_some_offers_only_how_they_stand_is_told():
    found = derive_standings(SURFACE, COLUMNS, ROWS[1:])
    assert set(found.meanings) == {Meaning.OTHERS, Meaning.ALIKE}
    assert found.values[:, found.names.index("rows per kind")].tolist() == [1, 1]


def test_only_ids_names_digits_and_order_mean_nothing():
    found = features()
    meant = {
        name
        for name, meaning in zip(found.names, found.meanings, strict=True)
        if meaning is not Meaning.NOTHING
    }
    assert meant == {"day", "cents", "rows per kind", "rows per day", "rows per cents"} | {
        *SURFACE.groupings,
        *SURFACE.yardsticks,
    }
