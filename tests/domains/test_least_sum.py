"""Wishes for what costs least together: settled, counted, told, solved, graded."""

from dataclasses import replace
from itertools import product

import pytest

from crab_graph.agents.reference import reference_agent
from crab_graph.agents.reference.desk import Desk
from crab_graph.agents.reference.handbook import Handbook
from crab_graph.domain.contract import DOMAINS, find_domain
from crab_graph.domain.showing import BEFORE_FEES
from crab_graph.domain.validation import problems_of
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.least_pairs import LITTLE, NEAR
from crab_graph.domains.proof import certify_benchmark
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.errors import UnsatisfiableTask
from crab_graph.eval.verdict import grade
from crab_graph.generation.certify import StoredTask
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.search import search_solutions
from tests.domains.refusals import assert_refused
from tests.personas.dialogue import talk

pytestmark = pytest.mark.slow

WISHES = {
    "cheapest_flights": ("outbound", "return"),
    "cheapest_outing": ("outbound", "return", "attraction"),
}
"""What each wish wants the least sum of."""
CHECKS = {"cheapest_flights": "D31", "cheapest_outing": "D32"}
MANY = 20_000


@pytest.fixture(scope="module", params=("outing", pytest.param("least", marks=pytest.mark.slow)))
def domain(request):
    with pytest.MonkeyPatch.context() as patch:
        place = f"tests.domains.least:{request.param.upper()}"
        patch.setitem(DOMAINS.built_in, request.param, place)
        yield find_domain(request.param)


@pytest.fixture(scope="module", params=((3,), pytest.param((1, 2), marks=pytest.mark.slow)))
def benchmark(request, domain, tmp_path_factory):
    path, strata = tmp_path_factory.mktemp("least"), request.param
    return generate_benchmark(
        path, len(strata), domain=domain.name, strata=strata, seed=4, distractors=400, level=(5,)
    )


def wish_of(task):
    ((wish, _),) = task.request.settled
    return wish


def settled(task):
    return dict(task.request.settled)[wish_of(task)]


def stored(benchmark, task, request):
    graph = task.domain.build_graph(request)
    with benchmark.reading() as connection:
        found = StoredTask(connection, graph, task.domain.sources, task.id)
        return graph, found.offered(found.offers())


def total(task, trip):
    return sum(trip[slot]["price"] for slot in WISHES[wish_of(task)])


def alike(trip):
    return tuple((trip[slot]["carrier"], trip[slot]["date"]) for slot in ("outbound", "return"))


def sums(benchmark, task, most=None):
    """Return what counts of each trip that an agent could find, wish aside, costs together."""
    bound = () if most is None else ((wish_of(task), most),)
    graph, offered = stored(benchmark, task, task.request.model_copy(update={"settled": bound}))
    found = search_solutions(graph, offered, MANY)
    return sorted(total(task, one) for one in found)


def test_the_two_flights_that_count_cost_least_of_all_with_which_a_trip_fits(benchmark):
    for task in benchmark:
        for own in task.requests:
            every = sums(benchmark, own)
            assert every[0] == settled(own)
            assert every.count(settled(own)) == len(own.solutions) < len(every)


def test_hardly_dearer_ones_remain(benchmark):
    for task in benchmark:
        near = sums(benchmark, task, int(LITTLE * settled(task)))
        assert len(near) >= NEAR + len(task.solutions)


def test_cheaper_flights_that_go_together_leave_no_trip(benchmark):
    for task in benchmark:
        graph, offered = stored(benchmark, task, task.request)
        wish = wish_of(task)
        nodes = tuple(node for node in graph.nodes if node.id in WISHES[wish])
        alone = [one for one in graph.constraints if {*one.nodes} <= {*WISHES[wish]}]
        fits = search_solutions(
            ConstraintGraph(nodes, tuple(one for one in alone if one.name != wish)),
            {node.id: offered[node.id] for node in nodes},
            MANY,
        )
        assert len(nodes) == len(WISHES[wish])
        assert min(total(task, one) for one in fits) < settled(task)


def test_some_that_are_little_dearer_are_of_the_same_airlines_and_days(benchmark):
    seen = set()
    for task in benchmark:
        most = settled(task) * 5 // 4
        graph, offered = stored(
            benchmark, task, task.request.model_copy(update={"settled": ((wish_of(task), most),)})
        )
        found = search_solutions(graph, offered, MANY)
        own = {alike(one) for one in found if total(task, one) == settled(task)}
        seen |= {alike(one) for one in found if total(task, one) > settled(task)} & own
    assert seen


def test_certificates_have_the_comparison_counted_three_ways(benchmark):
    found = certify_benchmark(benchmark)
    for task in benchmark:
        (compared,) = found[task.id].comparisons
        assert found[task.id].comparisons == task.spec.certificate.comparisons and compared.ok
        assert compared.own.sql == compared.own.arrays == compared.own.search == len(task.solutions)
        assert compared.others.sql == compared.others.arrays == compared.others.search == 0
        assert compared.cents == settled(task)


def test_a_task_that_is_settled_too_high_is_not_certified(benchmark):
    task = benchmark[0]
    higher = next(one for one in sums(benchmark, task) if one > settled(task))
    expected = len(sums(benchmark, task, higher))
    assert_refused(benchmark, task, ((wish_of(task), higher),), expected)


def test_neither_faults_nor_changes_of_mind_leave_another_pair_the_cheapest(benchmark):
    for task in benchmark:
        slots = WISHES[wish_of(task)]
        parts = {
            str(value) for one in task.solutions for slot in slots for value in one[slot].values()
        }
        after = [one.certificate for one in task.spec.changes]
        assert after and all(one.ok for one in (task.spec.certificate, *after))
        for fault in task.spec.faults:
            assert parts.isdisjoint(fault.offers)
            dearer = fault.of if fault.kind == "quote" and fault.cents else ""
            assert dearer not in {one.kind for one in task.domain.slots if one.id in slots}


@pytest.mark.parametrize("condition", ("generic", "ruse"))
def test_the_solver_compares_and_passes(benchmark, domain, condition):
    solver = reference_agent("solver", domain)
    for task in benchmark:
        dialogue = talk(task, solver, condition)
        assert grade(task, dialogue.transcript).passed, (task.id, dialogue.text())


class Careless(Desk):
    """Takes another outbound flight than the cheapest of all has."""

    least = 0
    slots: tuple[str, ...] = ()

    def choose(self, offers):
        plan = offers.cheapest()
        while plan is not None and self.is_least(plan):
            taken = {part.offer_id for part in plan.parts if part.slot.id == "outbound"}
            left = [row for row in offers.offers["outbound"] if row["fare_id"] not in taken]
            offers = offers.only({"outbound": left})
            plan = offers.cheapest()
        return plan

    def is_least(self, plan):
        if any(BEFORE_FEES in part.row for part in plan.parts):
            return False  # it is priced as a whole first
        prices = [part.unit_cents for part in plan.parts if part.slot.id in self.slots]
        return sum(prices) <= self.least


def test_who_books_dearer_flights_fails_by_that_check_alone(benchmark, domain, monkeypatch):
    monkeypatch.setattr(Handbook, "compared", ())
    for task in benchmark:
        careless = Careless(domain)
        careless.slots = WISHES[wish_of(task)]
        careless.least = max(settled(own) for own in task.requests)
        verdict = grade(task, talk(task, careless, "generic").transcript)
        failed = {name for name, word in verdict.checks.items() if word == "fail"}
        check = CHECKS[wish_of(task)]
        assert failed == {check} and verdict.fault == "agent", (task.id, failed)
        assert "cost less together" in verdict.evidence[check][0]["text"]


LEVELS = {
    1: "ab82753a450de614",
    2: "c0359a4789863228",
    3: "da977f9979733a93",
    4: "5f7d57b7a4349119",
}


def test_levels_below_the_fifth_draw_the_rows_that_they_drew_without_the_wish(tmp_path):
    levels = tuple(LEVELS)
    made = generate_benchmark(tmp_path, 4, seed=31, distractors=200, strata=(1,), level=levels)
    assert {one.spec.level: one.spec.rows_sha256[:16] for one in made} == LEVELS


def test_a_fifth_level_always_asks_for_the_least_sum_of_the_most_parts():
    drawn = set()
    for seed, mode in product(range(12), ("fixed", "flexible")):
        try:
            draft = TRAVEL.draft(seed, {"date_mode": mode, "party": 2}, 2)
        except UnsatisfiableTask:
            continue
        ((name, _),) = draft.request.settled
        drawn.add(name)
    assert drawn == {"cheapest_outing"}


@pytest.mark.parametrize(
    ("said", "problem"),
    (
        ({"least": ("outbound.price",)}, "is to say that outbound.price is r.cheapest_flights"),
        ({"unless": "total_budget"}, "gives way to nothing"),
        ({"whichever": "hotel.district"}, "say one"),
        ({"values": (1, 2)}, "leave out `values`"),
    ),
)
def test_a_wish_for_a_sum_that_says_something_else_is_refused(said, problem):
    rules = TRAVEL.declaration.rules
    own = next(one for one in rules if one.name == "cheapest_flights")
    changed = (*(one for one in rules if one is not own), replace(own, **said))
    found = list(problems_of(replace(TRAVEL.declaration, rules=changed)))
    assert any(problem in line for line in found), found
