from itertools import combinations, product
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from crab_graph.errors import UsageError
from crab_graph.eval.statistics import (
    Trials,
    compare,
    count_trials,
    holm,
    mcnemar_p,
    minimal_detectable_effect,
    pass_at_k,
    pass_hat_k,
    rests_on,
    sign_flip_p,
)

OUTCOMES = st.lists(st.lists(st.booleans(), min_size=3, max_size=5), min_size=1, max_size=6)


@given(OUTCOMES, st.integers(1, 3))
def test_pass_at_k_and_pass_hat_k_agree_with_brute_force(outcomes, k):
    trials = [Trials(1, sum(task), len(task)) for task in outcomes]
    some, every = [], []
    for task in outcomes:
        draws = list(combinations(task, k))
        some.append(sum(map(any, draws)) / len(draws))
        every.append(sum(map(all, draws)) / len(draws))
    assert pass_at_k(trials, k) == pytest.approx(sum(some) / len(some))
    assert pass_hat_k(trials, k) == pytest.approx(sum(every) / len(every))


@pytest.mark.parametrize("k", [0, 3])
def test_k_is_never_extrapolated(k):
    with pytest.raises(UsageError):
        pass_at_k([Trials(1, 1, 2), Trials(1, 1, 4)], k)


def test_a_rate_counts_the_tasks_that_have_trials():
    results = {"S1-001": [True, False], "S2-001": [True, True], "S3-001": []}
    assert pass_at_k(count_trials(results, {"S1-001": 1, "S2-001": 2}), 1) == 0.75


def test_a_contrast_is_paired_by_task():
    first, second = [1.0, 1.0, 0.5, 1.0], [0.5, 0.5, 0.0, 0.5]
    contrast = compare(first, second, [1, 1, 2, 2], 8)
    assert contrast.difference == -0.5
    low, high = contrast.interval.ends or (0, 0)
    assert -1 <= low < -0.5 < high <= 1
    assert contrast.relative_drop == pytest.approx(0.5 / 0.875)
    # Two of the 2⁴ equally likely sign patterns are as extreme.
    assert contrast.p == pytest.approx(2 / 16, abs=0.02)
    with pytest.raises(UsageError):
        compare([1.0], [], [1])


def test_no_difference_is_no_evidence():
    assert sign_flip_p([0.0, 0.0]) == 1.0
    assert mcnemar_p(0, 0) == 1.0


def test_mcnemar_is_the_exact_binomial_test():
    assert mcnemar_p(1, 9) == pytest.approx(2 * (1 + 10) / 2**10)
    assert mcnemar_p(5, 5) == 1.0


def test_holm_multiplies_by_what_is_left_and_never_falls():
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03})
    assert adjusted == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})


def test_the_detectable_effect_is_the_rulebooks():
    # 20 % discordant pairs of single trials, 200 tasks: 8.9 points.
    differences = [1.0] * 20 + [-1.0] * 20 + [0.0] * 160
    assert minimal_detectable_effect(differences) == pytest.approx(0.0887, abs=0.0005)
    assert minimal_detectable_effect([1.0]) is None


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
@settings(max_examples=25, deadline=None)
def test_sign_flips_agree_with_all_patterns_of_signs(steps):
    differences = [step / 4 for step in steps]
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in product((-1, 1), repeat=len(differences))
    ]
    exact = sum(total >= abs(sum(differences)) - 1e-9 for total in sums) / len(sums)
    assert sign_flip_p(differences) == pytest.approx(exact, abs=0.03)


@pytest.mark.parametrize("pair", [(0, 5), (3, 12), (10, 25), (40, 60)])
def test_mcnemar_agrees_with_scipys_binomial_test(pair):
    assert mcnemar_p(*pair) == pytest.approx(binomtest(min(pair), sum(pair)).pvalue)


def test_holms_published_example():
    # Holm's step-down procedure as in R: p.adjust(c(.01, .02, .03, .04, .05), "holm").
    adjusted = holm(dict(zip("abcde", (0.01, 0.02, 0.03, 0.04, 0.05), strict=True)))
    assert list(adjusted.values()) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert holm({}) == {}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_no_smaller_than_p_no_larger_than_bonferroni_and_in_its_order(values):
    p_values = {str(place): p for place, p in enumerate(values)}
    adjusted = holm(p_values)
    ordered = sorted(p_values, key=lambda name: (p_values[name], name))
    assert all(p <= adjusted[name] <= min(1, p * len(values)) for name, p in p_values.items())
    assert [adjusted[name] for name in ordered] == sorted(adjusted.values())


@pytest.mark.parametrize(("tasks", "effect"), [(200, 0.089), (50, 0.177)])
def test_the_rulebooks_detectable_effects(tasks, effect):
    discordant = tasks // 10
    differences = [1.0] * discordant + [-1.0] * discordant + [0.0] * (tasks - 2 * discordant)
    assert minimal_detectable_effect(differences) == pytest.approx(effect, abs=0.0025)


def test_unpaired_the_effect_would_be_fourteen_points():
    assert 2.80 * sqrt(2 * 0.5 * 0.5 / 200) == pytest.approx(0.14)


def test_pass_at_k_and_pass_hat_k_have_their_published_values():
    # Chen et al., Evaluating Large Language Models Trained on Code (2021), equation 1, and
    # Yao et al., tau-bench (2024), section 2: 1 - C(n-c, k) / C(n, k) and C(c, k) / C(n, k).
    trials = [Trials(1, 3, 8)]
    assert pass_at_k(trials, 4) == pytest.approx(1 - 5 / 70)
    assert pass_hat_k(trials, 2) == pytest.approx(3 / 28)
    assert pass_at_k(trials, 1) == pass_hat_k(trials, 1) == 3 / 8


def test_darwins_maize_has_the_p_that_fisher_counted():
    # R. A. Fisher, The Design of Experiments (1935), section 21: 15 pairs of plants, differences in
    # eighths of an inch; 863 of the 32,768 patterns of signs have a sum of 314 or more.
    heights = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert sum(heights) == 314
    assert sign_flip_p(heights) == pytest.approx(2 * 863 / 32_768, abs=0.005)


def test_mcnemars_exact_test_has_fays_published_p():
    # M. P. Fay, Exact McNemar's Test and Matching Confidence Intervals (2011), R package exact2x2.
    assert mcnemar_p(2, 9) == pytest.approx(0.06543, abs=5e-6)


def test_holms_procedure_has_its_textbook_values():
    # Adjusted as by `p.adjust(c(.01, .04, .03, .005), "holm")` of R's stats package.
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert list(adjusted.values()) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_tasks_and_episodes_are_told_apart():
    assert rests_on(1, 1) == "1 task, 1 episode"
    assert rests_on(1_200, 4_800, "pair") == "1,200 tasks, 4,800 pairs"
