"""A wish for the cheaper of two districts: settled by the tables, counted, told, solved, graded."""

from collections import defaultdict
from dataclasses import replace

import pytest

from crab_graph.agents.reference import reference_agent
from crab_graph.agents.reference.desk import Desk
from crab_graph.agents.reference.handbook import Handbook
from crab_graph.domain.contract import DOMAINS, find_domain
from crab_graph.domain.validation import problems_of
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.proof import certify_benchmark
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.eval.verdict import grade
from crab_graph.generation.certify import StoredTask
from crab_graph.generation.search import search_solutions
from tests.domains.refusals import assert_refused
from tests.personas.dialogue import talk

pytestmark = pytest.mark.slow

WISH = "cheaper_district"
MANY = 20_000


@pytest.fixture(scope="module")
def domain():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(DOMAINS.built_in, "cheaper", "tests.domains.cheaper:CHEAPER")
        yield find_domain("cheaper")


@pytest.fixture(scope="module", params=(2, pytest.param(5, marks=pytest.mark.slow)))
def benchmark(request, domain, tmp_path_factory):
    path = tmp_path_factory.mktemp("cheaper")
    level = (request.param,)
    return generate_benchmark(
        path, 2, domain="cheaper", strata=(1, 3), seed=4, distractors=400, level=level
    )


def settled(task):
    return dict(task.request.settled)[WISH]


def trips(benchmark, task):
    """Return what each trip costs that an agent could find, by the district of its hotel."""
    asked = task.request.model_copy(update={"settled": ()})
    graph = task.domain.build_graph(asked)
    with benchmark.reading() as connection:
        stored = StoredTask(connection, graph, task.domain.sources, task.id)
        found = search_solutions(graph, stored.offered(stored.offers()), MANY)
    costs = defaultdict(list)
    for one in found:
        costs[one["hotel"]["district"]].append(task.domain.cost_of_solution(one, asked))
    return costs


def test_the_cheapest_trip_of_all_is_in_the_district_that_counts(benchmark):
    for task in benchmark:
        for own in task.requests:
            costs = {name: min(found) for name, found in trips(benchmark, own).items()}
            assert costs.keys() <= set(task.request.cheaper_district.split(" or "))
            assert min(costs, key=lambda name: costs[name]) == settled(own)
            assert sorted(costs.values())[0] not in sorted(costs.values())[1:]


def test_the_other_district_would_do_but_for_the_price(benchmark):
    for task in benchmark:
        assert trips(benchmark, task).keys() == set(task.request.cheaper_district.split(" or "))


def test_certificates_have_the_comparison_counted_three_ways(benchmark):
    found = certify_benchmark(benchmark)
    for task in benchmark:
        (compared,) = found[task.id].comparisons
        assert found[task.id].comparisons == task.spec.certificate.comparisons and compared.ok
        assert compared.own.sql == compared.own.arrays == compared.own.search > 0
        assert compared.others.sql == compared.others.arrays == compared.others.search == 0
        assert compared.cents == min(trips(benchmark, task)[settled(task)])


def test_a_task_that_is_settled_wrongly_is_not_certified(benchmark):
    task = benchmark[0]
    (other,) = set(task.request.cheaper_district.split(" or ")) - {settled(task)}
    expected = len(trips(benchmark, task)[other])
    assert_refused(benchmark, task, ((WISH, other),), expected)


def test_what_changes_and_faults_leave_is_still_the_cheaper(benchmark):
    for task in benchmark:
        after = [one.certificate for one in task.spec.changes]
        for certificate in (task.spec.certificate, *after):
            struck = [one for one in certificate.recoveries if one.offer and one.needed]
            assert certificate.ok and all(one.comparisons for one in struck)


@pytest.mark.parametrize("condition", ("generic", "ruse"))
def test_the_solver_compares_and_passes(benchmark, domain, condition):
    solver = reference_agent("solver", domain)
    for task in benchmark:
        dialogue = talk(task, solver, condition)
        assert grade(task, dialogue.transcript).passed, (task.id, dialogue.text())


class Careless(Desk):
    """Takes the dearer of the two districts."""

    def choose(self, offers):
        plan = offers.cheapest()
        if plan is None:
            return None
        (taken,) = (one.row["district"] for one in plan.parts if one.slot.id == "hotel")
        others = [row for row in offers.offers["hotel"] if row["district"] != taken]
        return offers.only({"hotel": others}).cheapest()


def test_who_books_in_the_dearer_district_fails_by_that_check_alone(benchmark, domain, monkeypatch):
    monkeypatch.setattr(Handbook, "compared", ())
    for task in (one for one in benchmark if not one.difficulties[1:]):
        verdict = grade(task, talk(task, Careless(domain), "generic").transcript)
        failed = {name for name, word in verdict.checks.items() if word == "fail"}
        assert failed == {"D30"} and verdict.fault == "agent"
        (reason, *_) = verdict.evidence["D30"]
        assert settled(task) in reason["text"], reason


@pytest.mark.parametrize(
    ("said", "problem"),
    (
        ({"whichever": "hotel.city"}, "say the one field that it reads"),
        ({"whichever": "hotel.district", "unless": "total_budget"}, "gives way to nothing"),
        ({"whichever": "hotel.price"}, "say the one field that it reads"),
        ({"holds": lambda hotel, r: hotel.district == r.cheaper_district}, "fewer than two"),
    ),
)
def test_a_wish_that_compares_nothing_is_refused(said, problem):
    rules = TRAVEL.declaration.rules
    own = next(one for one in rules if one.name == WISH)
    changed = (*(one for one in rules if one is not own), replace(own, **said))
    found = list(problems_of(replace(TRAVEL.declaration, rules=changed)))
    assert any(problem in line for line in found), found
