"""Drawing a trip that somebody might want: requests and budgets."""

from collections.abc import Mapping
from itertools import product
from random import Random
from typing import NamedTuple, TypeVar

import numpy as np

from crab_graph.dates import day_number, iso_date
from crab_graph.domains.travel.market import values_of
from crab_graph.domains.travel.names import CITIES
from crab_graph.domains.travel.offers import kinds_of_slots
from crab_graph.domains.travel.request import TravelRequest
from crab_graph.generation.folding import FoldedGraph
from crab_graph.randomness import derive_array_rng, derive_rng

T = TypeVar("T")


class OptionalEdges(NamedTuple):
    """Which of the edges that not every trip has a request asks for."""

    budget: bool
    carrier: bool
    district: bool


WINDOW_DAYS = 5
"""Days in a flexible departure window, both ends included."""

EDGE_ODDS: Mapping[str, Mapping[OptionalEdges, float]] = {
    "fixed": {
        OptionalEdges(False, False, False): 0.30,
        OptionalEdges(False, True, False): 0.20,
        OptionalEdges(False, True, True): 0.08,
        OptionalEdges(True, True, False): 0.02,
        OptionalEdges(True, True, True): 0.40,
    },
    "flexible": {
        OptionalEdges(*asked): (0.8 if asked[0] else 0.2)
        * (0.86 if asked[1] else 0.14)
        * (0.86 if asked[2] else 0.14)
        for asked in product((True, False), repeat=3)
    },
}
"""How often a budget, one carrier and one district are asked for together.

Where one of them is all that ties a flight or a hotel to the rest, the solution stands out: it is
the cheap one, or alone in its district. With a fixed date the three therefore mostly come together
or not at all; a carrier alone does least harm, as the day's programme ties the flights as well.
Together with the edges that every trip has, these odds give the paper's 2.5 active edges on fixed
dates and 5.5 on flexible ones (Figure 5)."""

BUDGET_QUANTILE = (0.10, 0.30)
"""The budget is a cost that this share of random node-valid combinations stays under; it is drawn
before the seeds, so it says nothing about them."""


def sample_request(seed: int, *, flexible: bool, party_size: int) -> TravelRequest:
    """Draw a request without its budget, for 1 to 4 travellers."""
    rng = derive_rng(seed, "request")
    origin, destination = rng.sample(sorted(CITIES), 2)
    first = day_number("2027-01-20") + rng.randrange(300)
    last = first + WINDOW_DAYS - 1 if flexible else first
    nights = rng.randint(2, 5)
    edges = optional_edges(seed, "flexible" if flexible else "fixed")
    dated = not flexible and rng.random() < 0.15
    parts, beds = values_of("flight", "time_of_day"), values_of("hotel", "bed_type")
    rooms = values_of("hotel", "room_type")
    return TravelRequest(
        origin=origin,
        destination=destination,
        departure_first=iso_date(first),
        departure_last=iso_date(last),
        nights=nights,
        party_size=party_size,
        outbound_time_of_day=_maybe(rng, 0.45, parts),
        return_time_of_day=_maybe(rng, 0.45, parts),
        seat_type=_maybe(rng, 0.6, ("economy", "economy", "premium economy", "business")),
        seat_position=_maybe(rng, 0.5, ("window", "aisle")),
        hotel_stars=_maybe(rng, 0.7, (2, 3, 3, 4)),
        room_type=_maybe(rng, 0.4, rooms[:2] if party_size == 1 else rooms),
        bed_type=_maybe(rng, 0.4, beds[1:] if party_size > 2 else beds),
        attraction_category=_maybe(rng, 0.7, values_of("attraction", "category")),
        attraction_time_of_day=_maybe(rng, 0.35, ("morning", "afternoon", "evening")),
        attraction_date=iso_date(first + rng.randint(1, nights - 1)) if dated else None,
        same_carrier=edges.carrier,
        same_district=edges.district,
    )


def optional_edges(seed: int, mode: str) -> OptionalEdges:
    """Draw which optional edges a request asks for, given its date mode."""
    odds = EDGE_ODDS[mode]
    return derive_rng(seed, "optional edges").choices(list(odds), list(odds.values()))[0]


def with_budget(request: TravelRequest, folded: FoldedGraph, seed: int) -> TravelRequest:
    """Return the request with a budget, whatever the draw of its edges says."""
    share = derive_rng(seed, "budget share").uniform(*BUDGET_QUANTILE)
    array_rng = derive_array_rng(seed, "budget prices")
    size, kinds = 4000, kinds_of_slots()
    total = np.zeros(size, dtype=np.int64)
    for node, domain in folded.domains.items():
        prices = domain.draw(array_rng, size)["price"]
        drawn = prices[array_rng.randint(0, len(prices), size)]
        total += kinds[node].cost(drawn, request)
    budget = int(np.sort(total)[int(share * size)])
    return request.model_copy(update={"budget_cents": -(-budget // 1000) * 1000})


def _maybe(rng: Random, odds: float, values: tuple[T, ...]) -> T | None:
    value = rng.choice(values)
    return value if rng.random() < odds else None
