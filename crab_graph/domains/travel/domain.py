"""The travel domain: flights out and back, a hotel and an attraction (paper section 3.5)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from crab_graph.dates import day_number, iso_date
from crab_graph.domain.contract import AgentKit, Domain, Draft, TaskAxis
from crab_graph.domain.declaration import TaskProperty
from crab_graph.domains.travel.checks import TRAVEL_GRADING
from crab_graph.domains.travel.constraints import build_graph
from crab_graph.domains.travel.declared import TRAVEL_DECLARATION
from crab_graph.domains.travel.market import node_types
from crab_graph.domains.travel.materialize import materialize
from crab_graph.domains.travel.names import read_data
from crab_graph.domains.travel.offers import ALL_TABLES, KINDS, TRAVEL_SLOTS, kinds_of_slots
from crab_graph.domains.travel.people import people, sample_profile
from crab_graph.domains.travel.request import TravelProfile, TravelRequest, facts_of
from crab_graph.domains.travel.sampling import optional_edges, sample_request, with_budget
from crab_graph.domains.travel.tools import build_travel_registry
from crab_graph.domains.travel.wording import travel_briefing, travel_policy
from crab_graph.generation.constraints import Value
from crab_graph.generation.features import Surface
from crab_graph.generation.folding import fold
from crab_graph.generation.search import Solution
from crab_graph.randomness import derive_rng
from crab_graph.settings import Toolset


def draft(seed: int, axes: Mapping[str, Value]) -> Draft:
    """Draw a request with its budget, and who makes it.

    Raises:
        UnsatisfiableTask: the request contradicts itself; draw with another seed.
    """
    party_size = int(axes["party"])
    flexible = axes["date_mode"] == "flexible"
    request = sample_request(seed, flexible=flexible, party_size=party_size)
    types = node_types(request, seed)
    if optional_edges(seed, request.date_mode).budget:
        request = with_budget(request, fold(build_graph(request), types), seed)
    ahead = derive_rng(seed, "today").randint(14, 75)
    today = iso_date(day_number(request.departure_first) - ahead)
    profile = sample_profile(seed, party_size)
    return Draft(request, profile, today, fold(build_graph(request), types))


def with_edges(draft: Draft, names: Sequence[str], seed: int) -> Draft:
    """Return a draft with exactly these optional edges; a budget it has not is drawn.

    Raises:
        UnsatisfiableTask: the request contradicts itself then.
    """
    types = draft.folded.types
    request: TravelRequest = draft.request.model_copy(
        update={
            "same_carrier": "same_carrier" in names,
            "same_district": "same_district" in names,
            "budget_cents": draft.request.budget_cents if "total_budget" in names else None,
        }
    )
    folded = fold(build_graph(request), types)
    if "total_budget" in names and request.budget_cents is None:
        request = with_budget(request, folded, seed)
        folded = fold(build_graph(request), types)
    return draft._replace(request=request, folded=folded)


def describe_solution(solution: Solution) -> dict[str, Any]:
    """Return the ids of a solution; the room is booked from arrival to return."""
    ids: dict[str, Any] = {
        slot: {key: solution[slot][key] for key in (kind.entity.key, kind.offer.key)}
        for slot, kind in kinds_of_slots().items()
    }
    for end, leg in (("check_in", "outbound"), ("check_out", "return")):
        ids["hotel"][end] = iso_date(solution[leg]["date"])
    return ids


def group_of(request: TravelRequest) -> tuple[str | int | bool | None, ...]:
    """Return the properties that affect booking, over which tasks are spread (paper A.3)."""
    return (
        request.party_size,
        request.budget_cents is not None,
        request.date_mode,
        request.seat_position,
        request.hotel_stars,
    )


_BANDS = ("under $1,000", "$1,000-1,999", "$2,000-2,999", "$3,000-3,999", "$4,000 and more")
_BUDGETS = (*_BANDS, "any")


def _budget_band(request: TravelRequest) -> str:
    if request.budget_cents is None:
        return _BUDGETS[-1]
    return _BANDS[min(request.budget_cents // 100_000, len(_BANDS) - 1)]


def _property(name: str, field: str, *values: str) -> TaskProperty:
    return TaskProperty(name, values, lambda request: str(getattr(request, field) or "any"))


PROPERTIES = (
    _property("passengers", "party_size", "1", "2", "3", "4"),
    TaskProperty("budget", _BUDGETS, _budget_band),
    _property("dates", "date_mode", "fixed", "flexible"),
    _property("nights", "nights", "2", "3", "4", "5"),
    _property("seat position", "seat_position", "window", "aisle", "any"),
    _property("seat type", "seat_type", "economy", "premium economy", "business", "any"),
    _property("hotel stars at least", "hotel_stars", "2", "3", "4", "any"),
    _property("attraction", "attraction_category", "museum", "tour", "show", "any"),
)
"""What tasks are distributed over: the paper's five groups (A.3, Figure 8) and three more."""

AXES = (
    TaskAxis("date_mode", "dates", ("fixed", "flexible"), lambda request: str(request.date_mode)),
    TaskAxis("party", "party", (1, 2, 3, 4), lambda request: int(request.party_size)),
)

TRAVEL = Domain(
    name="travel",
    slots=TRAVEL_SLOTS,
    tables=ALL_TABLES,
    request_type=TravelRequest,
    profile_type=TravelProfile,
    surfaces={name: Surface(**one) for name, one in read_data("surfaces.toml").items()},
    draft=draft,
    build_graph=build_graph,
    group=group_of,
    facts=facts_of,
    materialize=materialize,
    people=people,
    describe_solution=describe_solution,
    kinds=KINDS,
    briefing=travel_briefing,
    toolsets={
        one: AgentKit(partial(build_travel_registry, one), partial(travel_policy, toolset=one))
        for one in Toolset
    },
    grading=TRAVEL_GRADING,
    job="trip",
    axes=AXES,
    properties=PROPERTIES,
    optional_edges=("total_budget", "same_carrier", "same_district"),
    with_edges=with_edges,
    declaration=TRAVEL_DECLARATION,
)
