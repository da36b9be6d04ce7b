"""The kept branches: each was judged, and each is answered by today's user."""

import pytest

from benchmarks.bench_talks import FAULTY, READINGS, reading_of
from tests.talks.branched import branches_of, load, names

ALL = names()


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_branch_was_judged_and_is_answered(name):
    _, steps = load(name)
    found = branches_of(name)
    assert len(found) == sum(len(step.get("tries", ())) for step in steps) > 50
    assert all(reading_of(one.said_of_it) in READINGS for one in found)
    assert all(one.now.strip() for one in found)


@pytest.mark.slow
def test_more_than_half_of_what_was_wrong_is_answered_otherwise():
    wrong = [one for one in branches_of(ALL[1]) if reading_of(one.said_of_it) in FAULTY]
    assert sum(one.now != one.then for one in wrong) * 2 > len(wrong) > 0
