import numpy as np
import pytest

from crab_graph.domain.contract import find_domain
from crab_graph.generation.difficulty import count_near_misses, lacks_near_misses
from crab_graph.generation.objects import IDENTITY, rows, valid_rows
from crab_graph.generation.population import populate
from crab_graph.generation.seeds import choose_seed_solutions, draw_solutions, redraw
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


@pytest.mark.parametrize("flexible", [False, True])
def test_drawn_solutions_meet_every_constraint(flexible):
    folded, solutions = drawn(flexible)
    columns = {node: rows(own) for node, own in solutions.items()}
    assert len(columns["hotel"]) >= 50
    for place in range(50):
        assert holds(folded, {node: own[place] for node, own in columns.items()})


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
