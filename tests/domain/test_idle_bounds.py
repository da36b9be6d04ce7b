"""A wish for a bound that every offer meets is told with its value."""

from dataclasses import replace

import pytest

from crab_graph.domain.contract import find_domain
from crab_graph.domain.declaration import Want
from crab_graph.domain.idle_bounds import idle_bounds
from tests.domain.practice import PRACTICE


def told(*args, **options):
    return [*idle_bounds(replace(PRACTICE, wants=(Want("bound", *args, **options),)))]


def test_at_least_the_least_and_at_most_the_most_exclude_nothing():
    for compare, idle in (("at_least", 1), ("at_most", 5)):
        (line,) = told((1, 3, 5), ("physio.rating",), compare=compare)
        assert line == (
            f"want 'bound': {compare.replace('_', ' ')} {idle} excludes nothing, as physio.rating "
            f"can only be 1, 2, 3, 4, 5; leave {idle} out of its values"
        )


def test_a_bound_within_what_there_is_excludes_something():
    assert told((2, 3, 5), ("physio.rating",), compare="at_least") == []
    assert told((1,), ("physio.rating",)) == []
    assert told((4, 5), ("physio.rating", "physio.capacity"), compare="at_least") == []


@pytest.mark.parametrize("name", ["travel", "clinic", "tour"])
def test_no_wish_of_the_domains_that_ship_is_idle(name):
    declaration = find_domain(name).declaration
    assert declaration is not None
    assert [*idle_bounds(declaration)] == []
