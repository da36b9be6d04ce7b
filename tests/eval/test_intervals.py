"""95 % intervals: published ends, how each is made, and what they cover in simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from benchmarks.bench_coverage import (
    RATES,
    TARGET,
    TASKS,
    Grid,
    chances,
    change_cells,
    cover_changes,
    cover_rates,
    rate_cells,
)
from crab_graph.errors import UsageError
from crab_graph.eval.intervals import (
    difference_intervals,
    exact_interval,
    mean_intervals,
    share_intervals,
)


def of_share(values, strata=None, episodes=None, **more):
    strata = strata or [1] * len(values)
    (found,) = share_intervals([values], strata, episodes or len(values), **more)
    return found


def of_difference(values, strata=None, pairs=None):
    (found,) = difference_intervals([values], strata or [1] * len(values), pairs or len(values))
    return found


def clopper_pearson(passed, total):
    low = beta.ppf(0.025, passed, total - passed + 1) if passed else 0.0
    return low, beta.ppf(0.975, passed + 1, total - passed) if passed < total else 1.0


def passing(passed, tasks):
    return [1.0] * passed + [0.0] * (tasks - passed)


@pytest.mark.parametrize(
    ("passed", "total", "ends"),
    [
        (81, 263, (0.2527, 0.3676)),
        (15, 148, (0.0578, 0.1617)),
        (0, 20, (0.0, 0.1684)),
        (1, 29, (0.0009, 0.1776)),
    ],
)
def test_an_exact_interval_has_newcombes_published_ends(passed, total, ends):
    # R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 5.
    assert exact_interval(passed, total).ends == pytest.approx(ends, abs=5e-5)


def test_what_is_no_rate_is_refused_and_one_trial_has_no_interval():
    with pytest.raises(UsageError):
        exact_interval(3, 2)
    assert exact_interval(1, 1).ends is None
    assert exact_interval(0, 0).note == "no interval below 2 trials"


@pytest.mark.parametrize(("passed", "tasks"), [(8, 8), (0, 8), (3, 4), (1, 2), (19, 20)])
def test_few_tasks_of_one_trial_have_the_exact_interval_of_their_number(passed, tasks):
    found = of_share(passing(passed, tasks))
    assert found.ends == pytest.approx(clopper_pearson(passed, tasks))
    assert found.method == "exact"


def test_below_two_tasks_there_is_no_interval_and_a_note_says_so():
    for found in (of_share([0.5], episodes=4), of_difference([1.0]), mean_intervals([[3]], [1])[0]):
        assert found.ends is None
        assert found.note == "no interval below 2 tasks"
        assert found.as_json() == {
            "low": None,
            "high": None,
            "method": None,
            "note": "no interval below 2 tasks",
        }


def test_an_interval_needs_a_task_and_a_stratum_for_each():
    for rows, strata in (([[]], []), ([[1.0]], [1, 1]), ([1.0], [1])):
        with pytest.raises(UsageError):
            share_intervals(rows, strata, 1)  # type: ignore[arg-type]


def test_trials_that_always_agree_are_worth_no_more_than_their_tasks():
    once, often = of_share(passing(6, 8)), of_share(passing(6, 8), episodes=32)
    assert often.ends == pytest.approx(once.ends)


def test_trials_that_differ_as_chance_would_have_it_are_worth_more_than_their_tasks():
    # Four trials each of chance one half: spread as that of a binomial, 0.25 / 4.
    values = [0.25, 0.75] * 7
    low, high = of_share(values, episodes=56).ends or (0, 1)
    wide_low, wide_high = of_share(values).ends or (0, 1)
    assert wide_low < low < high < wide_high
    least_low, least_high = clopper_pearson(28, 56)
    assert low <= least_low + 1e-9 and least_high - 1e-9 <= high


def test_without_spread_a_task_counts_once():
    found = of_share([0.5] * 10, episodes=20)
    assert found.ends == pytest.approx(clopper_pearson(5, 10))


@pytest.mark.parametrize(
    ("passed", "strata", "method"),
    [
        (10, [1] * 30, "bootstrap"),
        (9, [1] * 30, "exact"),
        (21, [1] * 30, "exact"),
        (10, [1] * 15 + [2] * 15, "bootstrap"),
        (10, [1] * 16 + [2] * 14, "exact"),
        (15, [1] * 15 + [2] * 15, "exact"),  # no stratum has any width
    ],
)
def test_a_bootstrap_wants_fifteen_tasks_a_stratum_ten_of_both_outcomes_and_some_width(
    passed, strata, method
):
    assert of_share(passing(passed, len(strata)), strata).method == method


def test_a_bootstrap_resamples_within_strata():
    apart = passing(14, 15) + passing(1, 15)
    low, high = of_share(apart, [1] * 15 + [2] * 15).ends or (0, 1)
    pooled_low, pooled_high = of_share(apart).ends or (0, 1)
    assert high - low < 0.7 * (pooled_high - pooled_low)


def test_the_same_seed_has_the_same_interval():
    values = passing(40, 80)
    assert of_share(values) == of_share(values)
    assert of_share(values, seed=1).ends == pytest.approx(of_share(values).ends, abs=0.02)


def test_the_bootstrap_has_the_width_theory_gives():
    low, high = of_share(passing(200, 400)).ends or (0, 1)
    assert (low, high) == pytest.approx((0.5 - 1.96 * 0.025, 0.5 + 1.96 * 0.025), abs=0.006)


def test_the_bootstrap_agrees_with_drawing_tasks_one_by_one():
    rng = np.random.default_rng(7)
    values, strata = list(rng.random(120)), [1] * 80 + [2] * 40
    first, second = np.array(values[:80]), np.array(values[80:])
    draws = [
        (rng.choice(first, 80).sum() + rng.choice(second, 40).sum()) / 120 for _ in range(4000)
    ]
    found = of_share(values, strata)
    assert found.ends == pytest.approx(tuple(np.percentile(draws, [2.3, 97.7])), abs=0.006)


def test_weights_are_trials_that_are_pooled():
    # Turns of two tasks: a task with nine times the turns counts nine times.
    rates, turns = [0.5, 0.0] * 20, [9, 1] * 20
    low, high = of_share(rates, episodes=sum(turns), weights=turns).ends or (0, 1)
    assert low < 0.45 < high
    (mean,) = mean_intervals([rates], [1] * 40, weights=turns)
    assert mean.ends is not None and mean.ends[0] < 0.45 < mean.ends[1]


def test_no_difference_anywhere_is_known_as_well_as_its_tasks_tell():
    low, high = of_difference([0.0] * 8).ends or (0, 0)
    assert (low, high) == pytest.approx((-(1 - 0.025 ** (1 / 8)), 1 - 0.025 ** (1 / 8)))


def test_a_difference_and_its_opposite_have_opposite_ends():
    values = [1.0, 0.0, 0.0, -1.0, 1.0, 0.5, 0.0]
    low, high = of_difference(values, pairs=14).ends or (0, 0)
    back_low, back_high = of_difference([-one for one in values], pairs=14).ends or (0, 0)
    assert (low, high) == pytest.approx((-back_high, -back_low))
    assert low < sum(values) / 7 < high


def test_a_mean_of_counts_has_students_interval_or_none_where_every_task_is_alike():
    (found,) = mean_intervals([[1.0, 2.0, 3.0, 4.0]], [1] * 4)
    # 2.5 ± t(.975, 3) · s / √4, with s² = 5/3.
    reach = 3.182446 * (5 / 3) ** 0.5 / 2
    assert found.ends == pytest.approx((2.5 - reach, 2.5 + reach), abs=1e-5)
    assert found.method == "student"
    (alike,) = mean_intervals([[0.0] * 30], [1] * 30)
    assert (alike.ends, alike.note) == (None, "no interval: every task came out alike")
    (counts,) = mean_intervals([[0.0, 0.0, 5.0]], [1] * 3, bounds=(0, 10))
    assert counts.low == 0 and (counts.high or 0) > 5


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 2)), min_size=2, max_size=40),
    st.sampled_from([1, -1]),
)
def test_an_interval_holds_its_estimate_and_lies_where_rates_lie(tasks, sign):
    values, strata = [passed / 4 for passed, _ in tasks], [stratum for _, stratum in tasks]
    mean = sum(values) / len(values)
    low, high = of_share(values, strata, 4 * len(values), draws=200).ends or (1, 0)
    assert 0 <= low <= mean + 1e-9 and mean - 1e-9 <= high <= 1
    low, high = of_difference([sign * one for one in values], strata).ends or (1, 0)
    assert -1 <= low <= sign * mean + 1e-9 and sign * mean - 1e-9 <= high <= 1


@pytest.mark.slow
@pytest.mark.parametrize("tasks", TASKS)
def test_intervals_of_rates_cover(tasks):
    # The grid of all rates and kinds of tasks is among the slow tests.
    cells = [
        cover_rates(tasks, trials, likeness, rate, 1500, 600)
        for trials, likeness in ((1, 0.0), (4, 0.4))
        for rate in (RATES if tasks < 15 else RATES[::3])
    ]
    assert not [cell for cell in cells if cell.covered < TARGET]


@pytest.mark.parametrize("turns", [[60, 3, 3], [60] + [3] * 19, [4, 9, 2, 14, 7] * 6])
def test_intervals_of_pooled_shares_cover_also_where_one_task_outweighs_the_others(turns):
    rng = np.random.default_rng(len(turns))
    chance = chances(rng, 0.3, 0.4, (1500, len(turns)))
    rows, strata = rng.binomial(turns, chance) / np.array(turns), [1] * len(turns)
    found = share_intervals(rows, strata, sum(turns), weights=turns, draws=600)
    held = [low <= 0.3 <= high for low, high in (one.ends or (1, 0) for one in found)]
    assert np.mean(held) >= TARGET


@pytest.mark.parametrize("tasks", TASKS)
def test_intervals_of_paired_differences_cover(tasks):
    cells = [
        cover_changes(tasks, trials, 0.4, rate, change, 1500, 600)
        for trials in (1, 4)
        for rate, change in ((0.95, -0.1), (0.5, 0.0))
    ]
    assert not [cell for cell in cells if cell.covered < TARGET]


@pytest.mark.slow
@pytest.mark.parametrize("tasks", TASKS)
def test_intervals_cover_everywhere_in_the_grid(tasks):
    grid = Grid(sizes=[tasks])
    cells = [*rate_cells(grid), *change_cells(grid)]
    assert not [cell for cell in cells if cell.covered < TARGET]
