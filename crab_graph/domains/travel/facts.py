"""What the user of a travel task knows, and how freely they say it (paper A.3)."""

from typing import Any

from crab_graph.domains.travel.request import TravelProfile, TravelRequest
from crab_graph.money import format_cents
from crab_graph.personas.facts import Fact, FactLevel

_WISHES = (
    ("outbound_time_of_day", "outbound"),
    ("return_time_of_day", "return"),
    ("seat_type", None),
    ("seat_position", None),
    ("hotel_stars", "hotel"),
    ("room_type", "hotel"),
    ("bed_type", "hotel"),
    ("attraction_category", "attraction"),
    ("attraction_time_of_day", "attraction"),
    ("attraction_date", "attraction"),
)


def facts_of(request: TravelRequest, profile: TravelProfile) -> tuple[Fact, ...]:
    """Return the user's facts: the outline of the trip is basic, all else waits to be asked for."""
    dates: Any = request.departure_first
    if request.date_mode == "flexible":
        dates = [request.departure_first, request.departure_last]
    basic = (
        ("origin", request.origin),
        ("destination", request.destination),
        ("departure_date", dates),
        ("nights", request.nights),
        ("party_size", request.party_size),
    )
    identity = (
        ("traveller_names", [traveller.name for traveller in profile.travellers]),
        ("birth_dates", [traveller.date_of_birth for traveller in profile.travellers]),
        ("customer_id", profile.customer_id),
        ("email", profile.email),
    )
    facts = [Fact(key, value, FactLevel.BASIC) for key, value in basic]
    facts += [Fact(key, value, FactLevel.DETAIL) for key, value in identity]
    for key, slot in _WISHES:
        value = getattr(request, key)
        if value is not None:
            facts.append(Fact(key, value, FactLevel.DETAIL, slot))
    if request.budget_cents is not None:
        facts.append(Fact("budget", format_cents(request.budget_cents), FactLevel.DETAIL))
    if request.same_carrier:
        facts.append(Fact("same_carrier", True, FactLevel.DETAIL))
    if request.same_district:
        facts.append(Fact("same_district", True, FactLevel.DETAIL))
    facts.append(Fact("payment_card", profile.payment_card.model_dump(), FactLevel.DETAIL))
    return tuple(facts)
