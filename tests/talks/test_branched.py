"""The kept branches: each was judged, and each is answered by today's user."""

import pytest

import crab_graph as cg
from benchmarks.bench_talks import FAULTY, READINGS, reading_of
from tests.talks.branched import FOLDER, load, names, replayed

ALL = names()


@pytest.fixture(scope="module")
def tasks():
    return cg.load_benchmark(FOLDER / "bench")


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_branch_was_judged_and_is_answered(name, tasks):
    head, steps = load(name)
    found = list(replayed(tasks[head["task"]], head["seed"], steps))
    assert len(found) == sum(len(step.get("tries", ())) for step in steps) > 50
    assert all(reading_of(one.said_of_it) in READINGS for one in found)
    assert all(one.now.strip() for one in found)


@pytest.mark.slow
def test_more_than_half_of_what_was_wrong_is_answered_otherwise(tasks):
    head, steps = load(ALL[1])
    wrong = [
        one
        for one in replayed(tasks[head["task"]], head["seed"], steps)
        if reading_of(one.said_of_it) in FAULTY
    ]
    assert sum(one.now != one.then for one in wrong) * 2 > len(wrong) > 0
