"""Algorithms 1 to 3 of the paper against brute force on small graphs."""

from itertools import product
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crab_graph.errors import TooLargeToEnumerate, UnsatisfiableTask
from crab_graph.generation.constraint_graph import (
    ConstraintGraph,
    Derived,
    Node,
    NodeType,
    Property,
)
from crab_graph.generation.constraints import (
    Constraint,
    Value,
    at_least,
    bounded_sum,
    differs,
    equals,
)
from crab_graph.generation.csp import (
    Sampling,
    list_bindings,
    sample_binding,
)
from crab_graph.generation.folding import fold
from crab_graph.generation.listable_graph import build_listable_graph
from crab_graph.generation.objects import IDENTITY, length, profiles, rows
from crab_graph.generation.paper import (
    are_universally_bad,
    generate_edge_distractors,
    generate_node_distractors,
    sample_seed_solutions,
)

NODES = (Node("a", "thing"), Node("b", "thing"), Node("c", "other"))


def shifted(first, second, by):
    return second == first + by


def thing(name):
    """Objects with two free properties and a price that one of them and a level decide."""
    price: dict[tuple[Value, ...], Value] = {
        (kind, level): 3 * (kind == "q") + level for kind in "pq" for level in range(3)
    }
    return NodeType(
        name=name,
        properties=(
            Property("x", (0, 1, 2, 3)),
            Property("kind", ("p", "q")),
            Property("level", (0, 1, 2)),
        ),
        derived=(Derived("price", ("kind", "level"), price),),
        domain_constraints=(
            Constraint(f"{name} rule", ((name, "x"), (name, "level")), differs, sentence=""),
        ),
        identity=("x", "kind", "level"),
    )


@st.composite
def graphs(draw):
    choices = [
        Constraint("shift", (("a", "x"), ("b", "x")), shifted, {"by": draw(st.integers(0, 2))}),
        Constraint("alike", (("b", "kind"), ("c", "kind")), equals),
        bounded_sum(
            "sum",
            {("a", "price"): 1, ("b", "price"): 2, ("c", "price"): 1},
            draw(st.integers(2, 14)),
            "",
        ),
        Constraint("a_kind", (("a", "kind"),), equals, {"required": "p"}),
        Constraint("c_x", (("c", "x"),), at_least, {"minimum": draw(st.integers(1, 3))}),
        Constraint("b_price", (("b", "price"),), at_least, {"minimum": draw(st.integers(1, 3))}),
    ]
    used = tuple(item for item in choices if draw(st.booleans()))
    try:
        folded = fold(ConstraintGraph(NODES, used), {n: thing(n) for n in ("thing", "other")})
    except UnsatisfiableTask:
        return draw(st.nothing())
    return build_listable_graph(folded)


def satisfying(graph, node, constraints):
    """All objects of a node that satisfy its domain constraints and others, by brute force."""
    type_ = graph.type_of(node)
    found = []
    for values in product(*(item.values for item in type_.properties)):
        item = dict(zip(type_.property_values, values, strict=True))
        item["price"] = type_.derive("price", item)
        own = {(node, name): value for name, value in item.items()}
        ruled = {(type_.name, name): value for name, value in item.items()}
        ruled_in = all(one.holds(ruled) for one in type_.domain_constraints)
        if ruled_in and all(one.holds(own) for one in constraints):
            found.append(item)
    return found


def plain(objects):
    return sorted(
        ({name: value for name, value in item.items() if name != IDENTITY} for item in objects),
        key=repr,
    )


def joined(objects):
    return {(node, name): value for node, item in objects.items() for name, value in item.items()}


def solved(graph):
    """All solutions by brute force."""
    nodes = graph.folded.graph.node_ids
    own = [satisfying(graph, node, graph.folded.node_constraints[node]) for node in nodes]
    for items in product(*own):
        values = joined(dict(zip(nodes, items, strict=True)))
        if all(edge.holds(values) for edge in graph.folded.edges):
            yield values


@given(graphs())
def test_solve_node_lists_what_brute_force_finds(graph):
    for node, constraints in graph.folded.node_constraints.items():
        expected = satisfying(graph, node, constraints)
        assert plain(rows(graph.objects[node])) == plain(expected)
        pinned = {"price": 2, "x": 1}
        found = rows(graph.solve_node(node, constraints, pinned))
        assert plain(found) == plain(o for o in expected if (o["price"], o["x"]) == (2, 1))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(graphs(), st.integers(1, 3), st.sampled_from(Sampling), st.randoms(use_true_random=False))
def test_seed_solutions_are_distinct_solutions(graph, count, sampling, rng):
    try:
        seeds = sample_seed_solutions(graph, count, 5, sampling, rng)
    except UnsatisfiableTask:
        assert sum(1 for _ in solved(graph)) < 4 * count
        return
    assert len(seeds) == count
    assert all(one not in seeds[:position] for position, one in enumerate(seeds))
    for seed in seeds:
        values = joined(seed)
        assert all(item.holds(values) for item in graph.folded.graph.constraints)


@given(graphs(), st.sampled_from((0.01, 0.4, 1.0)), st.randoms(use_true_random=False))
def test_node_distractors_are_the_share_rho_of_what_breaks_each_constraint(graph, rho, rng):
    made = generate_node_distractors(graph, rho, rng)
    for node, constraints in graph.folded.node_constraints.items():
        for item in constraints:
            others = [other for other in constraints if other is not item]
            violating = plain(satisfying(graph, node, [*others, item.negated()]))
            drawn = plain(
                one
                for one, broken in zip(rows(made[node].objects), made[node].broken, strict=True)
                if broken == item.name
            )
            assert len(drawn) == -int(-len(violating) * rho // 1)
            assert all(one in violating for one in drawn)


@given(graphs(), st.randoms(use_true_random=False))
def test_universally_bad_is_what_no_combination_of_valid_profiles_completes(graph, rng):
    for edge in graph.folded.edges:
        names = {node: edge.properties_of(node) for node in edge.nodes}
        shown = {node: profiles(graph.objects[node], own) for node, own in names.items()}
        if not all(shown.values()):
            continue
        valid = {node: rng.sample(own, rng.randint(1, len(own))) for node, own in shown.items()}
        for node in edge.nodes:
            mask = are_universally_bad(edge, node, shown[node], valid)
            others = [other for other in edge.nodes if other != node]
            for profile, bad in zip(shown[node], mask, strict=True):
                combinations = product(*(valid[other] for other in others))
                assert bad == (
                    not any(
                        edge.holds(
                            {
                                (owner, name): value
                                for owner, values in zip(
                                    [node, *others], [profile, *combination], strict=True
                                )
                                for name, value in zip(names[owner], values, strict=True)
                            }
                        )
                        for combination in combinations
                    )
                )


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=50)
@given(graphs(), st.randoms(use_true_random=False))
def test_no_pair_of_pools_satisfies_an_edge_through_a_distractor_made_for_it(graph, rng):
    """What Algorithm 3 does ensure: against one constraint alone, its distractors never combine."""
    try:
        seeds = sample_seed_solutions(graph, 1, 5, Sampling.SHUFFLE, rng)
    except UnsatisfiableTask:
        return
    made = generate_edge_distractors(graph, seeds, rng)
    for edge in graph.folded.edges:
        pools = {}
        for node in edge.nodes:
            own = made.get(node)
            tagged = zip(rows(own.objects), own.broken, strict=True) if own else ()
            pools[node] = [(seeds[0][node], True)]
            pools[node] += [(item, False) for item, broken in tagged if broken == edge.name]
        for combination in product(*pools.values()):
            chosen = {node: item for node, (item, _) in zip(pools, combination, strict=True)}
            whole = all(is_seed for _, is_seed in combination)
            assert whole or not edge.holds(joined(chosen))


def two_that_must_be_alike():
    alike = Constraint("alike", (("a", "x"), ("b", "x")), equals)
    types = {name: thing(name) for name in ("thing", "other")}
    return build_listable_graph(fold(ConstraintGraph(NODES, (alike,)), types))


def test_edge_distractors_are_node_valid_and_every_bad_profile_is_used_up():
    graph = two_that_must_be_alike()
    seeds = sample_seed_solutions(graph, 1, 5, Sampling.SHUFFLE, Random(3))
    made = generate_edge_distractors(graph, seeds, Random(3))
    own = {node: {item["x"] for item in rows(made[node].objects)} for node in made}
    seed = seeds[0]["a"]["x"]
    # Each other value went to one of the two nodes, and thereby ceased to be bad for the other.
    assert own["a"] | own["b"] == {0, 1, 2, 3} - {seed}
    assert not own["a"] & own["b"]
    assert length(made["a"].objects) == 4 * len(own["a"])


def test_both_strategies_of_sample_csp_draw_solutions_and_enumeration_draws_each_once():
    graph = two_that_must_be_alike()
    everything = {((("a", "x"), value), (("b", "x"), value)) for value in range(4)}
    drawn = [tuple(one.items()) for one in graph.sample_csp(10, Random(1), Sampling.ENUMERATE)]
    assert len(drawn) == 4
    assert set(drawn) == everything
    shuffled = list(graph.sample_csp(40, Random(1), Sampling.SHUFFLE))
    assert len(shuffled) == 40
    assert {tuple(one.items()) for one in shuffled} <= everything


@settings(max_examples=25)
@given(graphs(), st.randoms(use_true_random=False))
def test_enumeration_finds_all_solutions_of_the_mini_csp_where_they_fit(graph, rng):
    names = {node: graph.folded.edge_properties(node) for node in graph.folded.graph.node_ids}
    refs = [(node, name) for node, own in names.items() for name in own]
    there_are = {tuple(values[ref] for ref in refs) for values in solved(graph)}
    drawn = list(graph.sample_csp(10_000, rng, Sampling.ENUMERATE))
    assert sorted(tuple(one[ref] for ref in refs) for one in drawn) == sorted(there_are)


@pytest.mark.parametrize(("limit", "work"), [(3, 1_000), (100, 2)])
def test_what_is_too_large_to_enumerate_is_refused(monkeypatch, limit, work):
    graph = two_that_must_be_alike()
    monkeypatch.setattr("crab_graph.generation.csp.ENUMERATION_LIMIT", limit)
    monkeypatch.setattr("crab_graph.generation.grouped_csp.WORK_LIMIT", work)
    with pytest.raises(TooLargeToEnumerate, match="'shuffle'"):
        next(graph.sample_csp(1, Random(0), Sampling.ENUMERATE))


def test_where_profiles_are_too_many_some_are_drawn_and_all_their_solutions_found(monkeypatch):
    graph = two_that_must_be_alike()
    monkeypatch.setattr("crab_graph.generation.csp.ENUMERATION_LIMIT", 9)
    monkeypatch.setattr("crab_graph.generation.csp.FEWEST_PROFILES", 3)
    monkeypatch.setattr("crab_graph.generation.csp.FEWEST_SOLUTIONS", 2)
    sizes = [len(list(graph.sample_csp(9, Random(n), Sampling.ENUMERATE))) for n in range(8)]
    assert set(sizes) == {2, 3}  # of four values each keeps three
    monkeypatch.setattr("crab_graph.generation.csp.FEWEST_SOLUTIONS", 4)
    with pytest.raises(TooLargeToEnumerate):
        next(graph.sample_csp(1, Random(0), Sampling.ENUMERATE))


def test_a_budget_out_of_reach_is_proven_without_search():
    domains = {("n", str(number)): list(range(5, 60)) for number in range(8)}
    budget = bounded_sum("budget", {ref: 1 for ref in domains}, 39, "")
    assert sample_binding(domains, [budget], (), Random(0)) is None
    assert list_bindings(domains, [budget], ()) == []


def test_where_bindings_run_out_the_full_graph_is_solved():
    graph = two_that_must_be_alike()
    seeds = sample_seed_solutions(graph, 3, 0, Sampling.SHUFFLE, Random(5))
    assert len(seeds) == 3
    assert all(seed["a"]["x"] == seed["b"]["x"] for seed in seeds)
