from collections import Counter
from itertools import product

import pytest

from crab_graph.domain.contract import find_domain
from crab_graph.domains.construction import closure_band
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.objects import IDENTITY, rows
from crab_graph.generation.population import populate
from crab_graph.generation.search import search_solutions


def population(seed, stratum, flexible, distractors=400):
    axes = {"date_mode": "flexible" if flexible else "fixed", "party": 1 + seed % 4}
    for attempt in range(20):
        try:
            task = find_domain("travel").draft(seed * 100 + attempt, axes)
            return task, populate(
                task.folded,
                seed_count=stratum,
                closure=closure_band(stratum, 4),
                distractors=distractors,
                seed=seed,
            )
        except UnsatisfiableTask:
            continue
    raise AssertionError("no draft could be populated")


CASES = list(product((1, 4), (False, True)))


@pytest.mark.parametrize(("stratum", "flexible"), CASES)
def test_distractors_add_no_valid_solution(stratum, flexible):
    task, made = population(3, stratum, flexible)
    tables = {name: rows(columns) for name, columns in made.objects.items()}
    graph = task.folded.graph
    found = search_solutions(graph, {n.id: tables[n.type] for n in graph.nodes}, 100_000)
    assert len(found) == made.closure
    parts = {node: {seed[node][IDENTITY] for seed in made.seeds} for node in graph.node_ids}
    assert all(one[node][IDENTITY] in parts[node] for one in found for node in graph.node_ids)


@pytest.mark.parametrize(("stratum", "flexible"), CASES)
def test_each_distractor_breaks_the_constraint_it_was_made_for(stratum, flexible):
    task, made = population(5, stratum, flexible)
    for name, columns in made.objects.items():
        objects = zip(
            rows(columns), made.nodes[name], made.origins[name], made.broken[name], strict=True
        )
        for item, node, origin, broken in objects:
            failed = {
                one.name
                for one in task.folded.node_constraints[node]
                if not one.holds({(node, key): value for key, value in item.items()})
            }
            if origin == "node":
                assert broken in failed
            else:
                assert not failed


def test_a_node_distractor_fits_no_other_node_of_its_table():
    task, made = population(8, 1, True)
    flights = zip(rows(made.objects["flight"]), made.origins["flight"], strict=True)
    for item, origin in flights:
        for node in ("outbound", "return"):
            valid = all(
                one.holds({(node, key): value for key, value in item.items()})
                for one in task.folded.node_constraints[node]
            )
            assert not (valid and origin == "node")


def test_no_offer_exists_twice():
    _, made = population(9, 3, False)
    for columns in made.objects.values():
        assert max(Counter(columns[IDENTITY].tolist()).values()) == 1


def test_distractors_are_split_evenly_over_the_nodes():
    _, made = population(4, 2, True, distractors=402)
    counted = Counter(
        node
        for name in made.objects
        for node, origin in zip(made.nodes[name], made.origins[name], strict=True)
        if origin != "seed"
    )
    assert sorted(counted.values()) == [100, 100, 101, 101]


def test_no_distractors_may_be_asked_for():
    _, made = population(4, 2, True, distractors=0)
    assert made.distractor_count("node") == made.distractor_count("edge") == 0
