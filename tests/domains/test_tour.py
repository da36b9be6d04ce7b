"""Tours: seven slots in two cities, certified, told apart by users, and solved."""

from datetime import date
from importlib.resources import files

import pytest

from crab_graph.agents.reference import reference_agent
from crab_graph.agents.reference.handbook import handbook_of
from crab_graph.domain.contract import find_domain
from crab_graph.domains.generate import generate_benchmark
from crab_graph.eval.verdict import grade
from crab_graph.generation.grouped_csp import COUNT_LIMIT, Work
from crab_graph.personas.understanding import reading_of
from tests.personas.dialogue import talk

pytestmark = pytest.mark.slow

TOUR = find_domain("tour")
SLOTS = ("first_leg", "second_leg", "third_leg", "first_stay", "second_stay")
MOST_TOKENS = 60_000
BYTES_A_TOKEN = 4


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    return generate_benchmark(tmp_path_factory.mktemp("tour"), 4, domain="tour", distractors=400)


def test_a_tour_is_declared_on_two_hundred_lines():
    text = files("crab_graph.domains.tour").joinpath("domain.py").read_text("utf-8")
    assert len(text.splitlines()) <= 200
    assert [slot.id for slot in TOUR.slots] == [*SLOTS, "first_visit", "second_visit"]


def test_the_second_stay_begins_in_the_second_city_when_the_first_one_ends(benchmark):
    for task in benchmark:
        nights = task.request.nights
        legs = {one["seat_id"]: one for one in task.world.rows("seats")}
        departures = {one["departure_id"]: one for one in task.world.rows("departures")}
        for solution in task.solutions[:5]:
            first, second, third = (
                departures[legs[solution[slot]["seat_id"]]["departure_id"]] for slot in SLOTS[:3]
            )
            days = [date.fromisoformat(one["date"]) for one in (first, second, third)]
            assert [(one - days[0]).days for one in days] == [0, nights, 2 * nights]
            before, after = (solution[slot] for slot in SLOTS[3:])
            assert (before["check_in"], before["check_out"]) == (first["date"], second["date"])
            assert (after["check_in"], after["check_out"]) == (second["date"], third["date"])
            assert first["destination"] == second["origin"] == task.request.first_city
            assert second["destination"] == third["origin"] == task.request.second_city
            assert third["destination"] == first["origin"] == task.request.origin


@pytest.mark.parametrize("condition", ["generic", "ruse"])
def test_the_solver_books_every_tour_and_reads_no_more_than_it_may(benchmark, condition):
    for task in benchmark:
        dialogue = talk(task, reference_agent("solver", TOUR), condition)
        verdict = grade(task, dialogue.transcript)
        assert verdict.strict["passed"], (task.id, verdict.evidence, dialogue.text())
        results = [one for one in dialogue.transcript if one["role"] == "tool"]
        shown = sum(len(str(one["content"])) for one in results if one["owner"] == "agent")
        assert shown <= MOST_TOKENS * BYTES_A_TOKEN


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        (
            "Tour from Paris to Cologne and then on to Munich, 3 nights in each city.",
            {"origin": "Paris", "first_city": "Cologne", "second_city": "Munich", "nights": 3},
        ),
        (
            "The second attraction should be in the same district as the second stay.",
            {"second_district": True},
        ),
        (
            "I want the same district for the first stay and first attraction.",
            {"first_district": True},
        ),
        ("I want the same carrier on all three legs.", {"same_carrier": True}),
        ("The two attractions should be of different kinds.", {"unlike_kinds": True}),
        (
            "The first attraction should be a museum, the third leg in the morning.",
            {"first_visit_category": "museum", "third_leg_time_of_day": "morning"},
        ),
    ],
)
def test_what_is_said_of_one_city_is_not_heard_of_the_other(text, wishes):
    assert handbook_of(TOUR).reader.read([text], "2027-01-10") == wishes


@pytest.mark.slow
def test_tours_among_five_thousand_distractors_are_certified_with_bounded_work(
    tmp_path, monkeypatch
):
    tried: list[Work] = []
    spend = Work.spend

    def noted(work: Work) -> None:
        tried.append(work)
        spend(work)

    monkeypatch.setattr(Work, "spend", noted)
    made = generate_benchmark(tmp_path / "b", 8, domain="tour", distractors=5000, seed=3)
    with made.reading() as connection:
        for task in made:
            tried.clear()
            [certificate] = made.certify_tasks([task], connection)
            assert certificate.ok and len(tried) <= COUNT_LIMIT + 1, task.id


@pytest.mark.parametrize(
    "question",
    [
        "Please tell me the departure date exactly.",
        "What is your date of departure?",
        "Which day would you like to leave on?",
        "What is the earliest you could leave?",
    ],
)
def test_the_day_on_which_a_tour_begins_is_heard_to_be_asked_for(benchmark, question):
    briefing = benchmark[0].briefing
    assert "departure_date" in reading_of(question, briefing.lexicon, briefing.slots).asked
