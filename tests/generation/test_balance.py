import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.domain.naming import draw_names
from crab_graph.domains.travel.domain import ATTRACTION
from crab_graph.generation.balance import Levels, choose_balanced
from crab_graph.generation.thinning import thin_out
from crab_graph.randomness import derive_array_rng, derive_rng


def choose(candidates, made_for, levels, wanted, shares=None):
    shares = shares or dict.fromkeys(made_for, 1)
    rng = derive_array_rng("balance", wanted)
    return choose_balanced(candidates, made_for, shares, levels, wanted, rng)


@given(st.lists(st.sampled_from("xy"), min_size=2, max_size=60), st.data())
def test_as_many_different_candidates_are_chosen_as_are_wanted(made_for, data):
    size = len(made_for)
    wanted = data.draw(st.integers(1, size))
    place = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    candidates = {"place": np.array(place)}
    present = {"place": np.array(data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=9)))}
    chosen = choose(candidates, made_for, [Levels(("place",), present, present)], wanted)
    assert len(set(chosen.tolist())) == len(chosen) == wanted
    assert 0 <= chosen.min() <= chosen.max() < size


def test_the_smallest_groups_are_filled_first():
    candidates = {"district": np.repeat([0, 1, 2, 3], 100)}
    present = {"district": np.repeat([0, 1, 2], [1, 40, 60])}
    chosen = choose(candidates, ["stars"] * 400, [Levels(("district",), present, present)], 120)
    added = np.bincount(candidates["district"][chosen], minlength=4)
    # Outside the present groups nothing is asked for: a quarter, as there were.
    assert abs(added[3] - 30) <= 3
    sizes = np.bincount(present["district"], minlength=4) + added
    assert np.ptp(sizes[:3]) <= 6


def test_two_groupings_are_levelled_at_once():
    rng = derive_array_rng("two groupings")
    candidates = {"day": rng.randint(0, 3, 600), "carrier": rng.randint(0, 3, 600)}
    present = {
        "day": np.repeat([0, 1, 2], [2, 30, 30]),
        "carrier": np.repeat([0, 1, 2], [30, 30, 2]),
    }
    levels = [Levels((name,), present, present) for name in present]
    chosen = choose(candidates, ["seat"] * 600, levels, 150)
    for name, own in present.items():
        sizes = np.bincount(own) + np.bincount(candidates[name][chosen], minlength=3)
        assert np.ptp(sizes) <= 10


def test_each_constraint_is_broken_as_often_as_its_share_says():
    made_for = ["seat"] * 90 + ["date"] * 90
    chosen = choose({"x": np.zeros(180)}, made_for, [], 60, {"seat": 3, "date": 1})
    assert abs(sum(made_for[place] == "seat" for place in chosen) - 45) <= 8


def test_what_there_is_too_little_of_is_made_up_for():
    made_for = ["seat"] * 5 + ["date"] * 90
    chosen = choose({"x": np.zeros(95)}, made_for, [], 60, {"seat": 1, "date": 1})
    assert len(chosen) == 60
    assert set(range(5)) <= set(chosen.tolist())


def test_the_length_of_a_name_does_not_tell_the_category():
    assert ATTRACTION.names is not None
    counts = {"museum": 390, "tour": 60, "show": 40}
    lengths: dict[str, list[int]] = {name: [] for name in counts}
    for seed in range(30):
        categories = [name for name, count in counts.items() for _ in range(count)]
        names = draw_names(
            ATTRACTION.names, derive_rng("names", seed), [{"category": one} for one in categories]
        )
        assert len(set(names)) == len(names)
        for category, name in zip(categories, names, strict=True):
            assert name.lower().endswith(category)
            lengths[category].append(len(name))
    means = [np.mean(own) for own in lengths.values()]
    assert np.ptp(means) < 0.5


def thinned(seeds, others, least, groupings=(("day",),), likely=None):
    rng = derive_array_rng("thinned", least)
    return thin_out(seeds, others, others if likely is None else likely, groupings, least, rng)


def test_groups_without_a_seed_come_down_to_about_the_size_of_those_with_one():
    others = {"day": np.repeat([0, 1, 2, 3], [2, 60, 60, 60])}
    kept = thinned({"day": np.array([0])}, others, 5)
    sizes = np.bincount(others["day"][kept], minlength=4)
    assert sizes[0] == 2  # the seed's companions stay
    assert all(1 <= size <= 5 for size in sizes[1:])


def test_pairs_are_thinned_out_as_well():
    days, carriers = np.repeat(np.arange(6), 40), np.tile(np.arange(4), 60)
    others = {"day": days, "carrier": carriers}
    seeds = {"day": np.array([9]), "carrier": np.array([9])}
    kept = thinned(seeds, others, 8, [("day", "carrier")])
    assert np.bincount(days[kept] * 4 + carriers[kept]).max() <= 2


def test_groups_that_rarely_come_up_in_solutions_keep_fewer():
    others = {"day": np.repeat([0, 1, 2], [20, 60, 60])}
    likely = {"day": np.repeat([0, 1, 2], [100, 100, 4])}
    kept = thinned({"day": np.array([0])}, others, 5, likely=likely)
    sizes = np.bincount(others["day"][kept], minlength=3)
    assert sizes[2] < sizes[1] / 3


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=4),
    st.lists(st.integers(0, 3), min_size=1, max_size=50),
    st.integers(1, 60),
)
def test_as_many_others_stay_as_must(seeds, others, least):
    kept = thinned({"day": np.array(seeds)}, {"day": np.array(others)}, least)
    assert len(set(kept.tolist())) == len(kept) >= min(least, len(others))
    assert kept.tolist() == sorted(kept.tolist())
