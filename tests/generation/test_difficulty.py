from hypothesis import given
from hypothesis import strategies as st

from crab_graph.generation.difficulty import Candidate, select


def candidate(number, solutions=1, group="a", content=None, solved=False, edge=1000, edges=4):
    return Candidate(
        number=number,
        solutions=solutions,
        node_distractors=1000,
        edge_distractors=edge,
        group=(group,),
        content=content or str(number),
        active_edges=tuple(f"edge {number}" for number in range(edges)),
        shortcuts=("cheapest",) if solved else (),
    )


def numbers(chosen):
    return [item.number for item in chosen]


def test_the_hardest_of_each_group_takes_its_turn():
    candidates = [
        candidate(0, solutions=9, group="a"),
        candidate(1, solutions=2, group="a"),
        candidate(2, solutions=5, group="b"),
        candidate(3, solutions=3, group="a"),
    ]
    assert numbers(select(candidates, 3)) == [1, 2, 3]


def test_more_distractors_are_harder():
    assert numbers(select([candidate(0, edge=900), candidate(1, edge=950)], 2)) == [1, 0]


def test_equal_seed_solutions_count_once():
    assert numbers(select([candidate(0, content="x"), candidate(1, content="x")], 2)) == [0]


def test_what_a_shortcut_solves_comes_last():
    candidates = [candidate(0, solved=True), candidate(1, solutions=7), candidate(2, solutions=8)]
    assert numbers(select(candidates, 2)) == [1, 2]
    assert numbers(select(candidates, 3)) == [1, 2, 0]


@given(st.permutations(range(12)), st.integers(0, 14))
def test_the_order_of_candidates_does_not_matter(order, wanted):
    made = [
        candidate(number, solutions=number % 5, group=number % 3, solved=number % 4 == 0)
        for number in range(12)
    ]
    assert select([made[number] for number in order], wanted) == select(made, wanted)


def test_each_set_of_active_edges_keeps_its_share():
    candidates = [
        candidate(number, edges=2 + number % 2, solved=number % 2 == 1) for number in range(12)
    ]
    chosen = select(candidates, 6)
    assert sorted(len(one.active_edges) for one in chosen) == [2, 2, 2, 3, 3, 3]


def test_of_a_set_of_active_edges_what_no_shortcut_solves_comes_first():
    candidates = [candidate(0, edges=2, solved=True), candidate(1, edges=2), candidate(2, edges=3)]
    assert sorted(numbers(select(candidates, 2))) == [1, 2]
