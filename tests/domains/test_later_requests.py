"""Properties of second requests: what the first asks stays as it was, and the second can be met."""

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import crab_graph as cg
from crab_graph.domain.contract import find_domain
from crab_graph.domains.construction import draw_draft, populate_draft
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.later_requests import (
    MOST_AFTER,
    moved_slots,
    proposals,
    with_later_requests,
)
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.certify import count_offers
from crab_graph.generation.objects import IDENTITY, length, rows
from crab_graph.generation.search import search_solutions
from tests.domain.drawn import seeds, strata

pytestmark = pytest.mark.slow

DISTRACTORS = 200
SLOW_DRAWS = (HealthCheck.too_slow, HealthCheck.filter_too_much)
domains = st.sampled_from(("travel", "clinic")).map(find_domain)


def drawn(domain, seed, level=1):
    """Return a draft of a domain, with values on its axes that its seed chooses."""
    axes = strata(domain.declaration)
    draft = draw_draft(domain, seed, axes[seed % len(axes)], level)
    return draft, populate_draft(draft, seed % 4 + 1, DISTRACTORS, seed)


def solutions(graph, objects, most):
    """Return the solutions among objects by type of node, each as identities by node."""
    found = search_solutions(
        graph, {node.id: rows(objects[node.type]) for node in graph.nodes}, most
    )
    return {tuple(sorted((node, row[IDENTITY]) for node, row in one.items())) for one in found}


def with_twins(domain, seed, number=1):
    """A draft, its objects and its later requests; draws that do not admit them are passed over."""
    try:
        draft, population = drawn(domain, seed)
        return draft, population, with_later_requests(domain, draft, population, seed, number)
    except UnsatisfiableTask:
        assume(False)
        raise


@settings(max_examples=12, deadline=None, suppress_health_check=SLOW_DRAWS)
@given(domain=domains, seed=seeds)
def test_both_requests_have_the_solutions_that_are_said_and_share_none(domain, seed):
    draft, population, (twin,) = with_twins(domain, seed)
    before, after = draft.folded.graph, twin.draft.folded.graph
    objects = twin.population.objects
    first = solutions(before, objects, population.closure + 100)
    second = solutions(after, objects, MOST_AFTER + 100)
    assert first == solutions(before, population.objects, population.closure + 100)
    assert len(first) == population.closure == count_offers(before, objects)
    assert len(second) == twin.solutions == count_offers(after, objects)
    assert 0 < len(second) <= MOST_AFTER and not first & second


@settings(max_examples=12, deadline=None, suppress_health_check=SLOW_DRAWS)
@given(domain=domains, seed=seeds)
def test_the_tables_stay_as_large_and_nothing_in_them_is_impossible(domain, seed):
    draft, population, (twin,) = with_twins(domain, seed)
    for name, own in twin.population.objects.items():
        assert length(own) == length(population.objects[name])
        assert len(np.unique(own[IDENTITY])) == length(own)
        told = (twin.population.nodes, twin.population.origins, twin.population.broken)
        assert {len(one[name]) for one in told} == {length(own)}
        for rule in draft.folded.types[name].domain_constraints:
            assert np.all(rule.evaluate(lambda ref, own=own: own[ref[1]]))
    assert twin.population.distractor_count("seed") == population.distractor_count("seed")


@settings(max_examples=6, deadline=None, suppress_health_check=SLOW_DRAWS)
@given(domain=domains, seed=seeds)
def test_another_change_leaves_the_solutions_of_the_requests_before_as_they_were(domain, seed):
    draft, population, twins = with_twins(domain, seed, 2)
    objects, seen = twins[-1].population.objects, set[tuple[object, ...]]()
    first = solutions(draft.folded.graph, objects, population.closure + 100)
    assert first == solutions(draft.folded.graph, population.objects, population.closure + 100)
    for twin in twins:
        after = solutions(twin.draft.folded.graph, objects, MOST_AFTER + 100)
        assert len(after) == twin.solutions == count_offers(twin.draft.folded.graph, objects)
        assert 0 < len(after) <= MOST_AFTER and not after & (first | seen)
        seen |= after
    before, then = (set(twin.change.keys) for twin in twins)
    assert before.isdisjoint(then) and all(twin.change.people is None for twin in twins)


@settings(max_examples=40, deadline=None, suppress_health_check=SLOW_DRAWS)
@given(domain=domains, seed=seeds)
def test_what_could_be_wanted_otherwise_is_a_request_that_somebody_may_have(domain, seed):
    axes = strata(domain.declaration)
    try:
        draft = draw_draft(domain, seed, axes[seed % len(axes)], 1)
    except UnsatisfiableTask:
        assume(False)
    known = draft.request.model_dump()
    found = proposals(domain, draft, seed)
    assert found == proposals(domain, draft, seed)
    for one in found:
        request = one.of(draft.request)
        changed = {name for name, value in request.model_dump().items() if value != known[name]}
        assert changed and changed == set(one.fields)
        assert request == domain.request_type.model_validate(request.model_dump())
        assert domain.declaration.window is None or request.first_day > draft.today
        assert (getattr(request, "budget_cents", 0) or 0) >= (known.get("budget_cents") or 0)
        assert one.people is None or 1 <= one.people < len(draft.profile.people)


SLOTS = ("out", "back", "stay")
combinations = st.sets(
    st.sampled_from(list(product(range(3), repeat=len(SLOTS)))), min_size=1, max_size=8
)


@given(before=combinations, after=combinations)
def test_whatever_was_booked_moving_those_slots_meets_the_second_request(before, after):
    first, second = ([dict(zip(SLOTS, one, strict=True)) for one in own] for own in (before, after))
    moved = moved_slots(first, second)
    for one in first:
        assert any(all(one[s] == other[s] for s in SLOTS if s not in moved) for other in second)
    assert before & after or moved
    assert not before <= after or not moved


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    path = tmp_path_factory.mktemp("last word")
    return generate_benchmark(path, 1, strata=(2,), seed=5, distractors=400, changes=True)[0]


@settings(max_examples=5, deadline=None, suppress_health_check=SLOW_DRAWS)
@given(condition=st.sampled_from(("generic", "ruse", "d6", "d1+d3", "terse+d4")), seed=seeds)
def test_whoever_says_it_whenever_the_last_word_counts(task, condition, seed):
    episode = cg.run_episode(task, agent="solver", user=condition, seed=seed)
    word = episode.metrics["last_word"]
    assert episode.passed and word["request"] == "changed"
    told = [one for one in episode.facts if one["reason"] == "changed"]
    assert {one["key"] for one in told} == set(task.spec.changes[0].keys)
    assert {one["turn"] for one in told} == {word["message"]}
    assert not episode.metrics["user_errors"]
