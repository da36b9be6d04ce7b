import pytest

from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.request_types import Profile, request_model
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.folding import fold
from crab_graph.generation.seeds import draw_solutions
from crab_graph.randomness import derive_array_rng


def folded(**changes):
    """A request of which only the outline is left, in a world of Denver and Portland."""
    blueprint = Blueprint(TRAVEL.declaration, request_model(TRAVEL.declaration), Profile)
    request = blueprint.request_type.model_validate(
        {
            "origin": "Denver",
            "destination": "Portland",
            "first_day": "2027-05-03",
            "last_day": "2027-05-03",
            "nights": 3,
            "party_size": 2,
            **changes,
        }
    )
    return fold(blueprint.build_graph(request), blueprint.node_types(request, seed=7))


def names(constraints):
    return {item.name for item in constraints}


def test_a_fixed_date_folds_the_trip_length_and_makes_the_stay_a_matter_of_the_hotel():
    graph = folded()
    assert graph.active_edges == ("attraction_fits_trip",)
    assert "trip_length" in names(graph.node_constraints["return"])
    assert "stay_covers_trip" in names(graph.node_constraints["hotel"])
    assert len(graph.domains["return"].allowed["date"]) == 1


def test_flexible_dates_keep_all_six_edges_active():
    graph = folded(
        last_day="2027-05-07", same_carrier=True, same_district=True, budget_cents=150_000
    )
    assert graph.active_edges == (
        "trip_length",
        "stay_covers_trip",
        "attraction_fits_trip",
        "same_carrier",
        "same_district",
        "total_budget",
    )


def test_a_budget_nobody_can_exceed_is_not_active():
    assert "total_budget" not in folded(budget_cents=100_000_000).active_edges


def test_an_attraction_day_between_the_flights_decides_the_timing():
    assert folded(attraction_date="2027-05-04").active_edges == ()


def test_a_day_outside_the_trip_has_no_seed():
    graph = folded(attraction_date="2027-05-02", attraction_time_of_day="morning")
    with pytest.raises(UnsatisfiableTask):
        draw_solutions(graph, 1, derive_array_rng("test"))
