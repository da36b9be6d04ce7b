from functools import partial

import numpy as np
import pytest

from crab_graph.domain.contract import find_domain
from crab_graph.generation.constraint_graph import ConstraintGraph, Node, NodeType, Property
from crab_graph.generation.constraints import Constraint, at_least
from crab_graph.generation.difficulty import count_near_misses, lacks_near_misses
from crab_graph.generation.folding import fold
from crab_graph.generation.objects import IDENTITY, rows, valid_rows
from crab_graph.generation.population import populate
from crab_graph.generation.seeds import (
    Sampler,
    choose_seed_solutions,
    draw_solutions,
    redraw,
    sample_solutions,
)
from crab_graph.randomness import derive_array_rng, derive_rng


def drawn(flexible):
    axes = {"date_mode": "flexible" if flexible else "fixed", "party": 2}
    folded = find_domain("travel").draft(11, axes).folded
    return folded, draw_solutions(folded, 50, derive_array_rng("test"))


def holds(folded, parts):
    values = {(node, key): value for node, item in parts.items() for key, value in item.items()}
    return all(edge.holds(values) for edge in folded.edges) and all(
        one.holds(values) for own in folded.node_constraints.values() for one in own
    )


def sampled(flexible):
    folded, _ = drawn(flexible)
    return folded, sample_solutions(folded, 50, derive_array_rng("test"))


@pytest.mark.parametrize("flexible", [False, True])
@pytest.mark.parametrize("draw", [drawn, sampled])
def test_drawn_solutions_meet_every_constraint(draw, flexible):
    folded, solutions = draw(flexible)
    columns = {node: rows(own) for node, own in solutions.items()}
    assert len(columns["hotel"]) >= 24
    for place in range(24):
        assert holds(folded, {node: own[place] for node, own in columns.items()})


def ordered(name="x"):
    """Two nodes with a number each, the second one's at least the first one's: 55 solutions."""
    item = NodeType("item", (Property(name, tuple(range(10))),), (), (), (name,))
    edge = Constraint("order", (("b", name), ("a", name)), at_least)
    graph = ConstraintGraph((Node("a", "item"), Node("b", "item")), (edge,))
    return fold(graph, {"item": item})


def test_the_solver_draws_each_solution_as_often_as_any_other():
    """Not so shuffled domains and the first solution, which favour what leaves room."""
    shares = []
    for number in range(20):
        solutions = sample_solutions(ordered(), 400, derive_array_rng(number))
        assert solutions is not None
        shares.append(float((solutions["a"]["x"] >= 8).mean()))
    assert abs(sum(shares) / 20 - 3 / 55) < 0.02


def test_a_property_may_be_called_a_place():
    solutions = sample_solutions(ordered("place"), 50, derive_array_rng("test"))
    assert solutions is not None
    assert (solutions["b"]["place"] >= solutions["a"]["place"]).all()


def test_seeds_that_are_too_much_work_for_the_solver_are_drawn_by_arrays(monkeypatch):
    folded, _ = drawn(True)
    make = partial(populate, folded, seed_count=1, closure=range(1, 2), distractors=0, seed=3)
    assert make().sampler is Sampler.CSP
    monkeypatch.setattr("crab_graph.generation.seeds.SEED_WORK", 50)
    made = make()
    assert made.sampler is Sampler.ARRAYS
    assert made.closure == 1


def test_redrawn_objects_complete_some_solution():
    folded, solutions = drawn(True)
    others = [rows(own) for node, own in solutions.items() if node != "hotel"]
    names = [node for node in solutions if node != "hotel"]
    for item in rows(redraw(folded, "hotel", solutions, derive_array_rng("again")))[:10]:
        assert any(
            holds(folded, {**dict(zip(names, parts, strict=True)), "hotel": item})
            for parts in zip(*others, strict=True)
        )


def test_seeds_share_no_object_and_depend_on_the_seed_alone():
    folded, solutions = drawn(True)
    seeds = choose_seed_solutions(folded, solutions, 4, derive_rng("seeds"))
    assert seeds == choose_seed_solutions(folded, solutions, 4, derive_rng("seeds"))
    for node in folded.graph.node_ids:
        assert len({seed[node][IDENTITY] for seed in seeds}) == 4


def test_the_quick_look_at_near_misses_agrees_with_the_count():
    folded = find_domain("travel").draft(11, {"date_mode": "flexible", "party": 2}).folded
    made = populate(folded, seed_count=1, closure=range(1, 2), distractors=400, seed=3)
    objects = {node.id: made.objects[node.type] for node in folded.graph.nodes}
    valid = {node: valid_rows(own, folded.node_constraints[node]) for node, own in objects.items()}
    exact = count_near_misses(folded, objects, valid)
    least = count_near_misses(folded, objects, valid, enough=10)
    assert all(n == least[name] if n < 10 else 10 <= least[name] <= n for name, n in exact.items())
    few = [name for name, n in exact.items() if n < 10]
    assert lacks_near_misses(folded, objects, valid, made.seeds) == (few[0] if few else None)
    nothing = {node: np.zeros(0, dtype=np.int64) for node in valid}
    assert lacks_near_misses(folded, objects, nothing, made.seeds) == folded.edges[0].name
