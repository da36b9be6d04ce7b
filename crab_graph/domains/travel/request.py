"""What the user of a travel task wants, who they are, and what of it they say how freely."""

from typing import Any, Literal

from crab_graph.money import format_cents
from crab_graph.personas.facts import Fact, FactLevel
from crab_graph.schema import FileModel

TimeOfDay = Literal["morning", "midday", "night"]
AttractionTimeOfDay = Literal["morning", "afternoon", "evening", "all-day"]


class TravelRequest(FileModel):
    """The requirements of one trip; a field that is `None` is no requirement.

    Dates are ISO dates, both ends of the departure window included; money is integer cents.
    """

    origin: str
    destination: str
    departure_first: str
    departure_last: str
    nights: int
    party_size: int
    outbound_time_of_day: TimeOfDay | None = None
    return_time_of_day: TimeOfDay | None = None
    seat_type: Literal["economy", "premium economy", "business"] | None = None
    seat_position: Literal["window", "aisle", "middle"] | None = None
    hotel_stars: int | None = None
    room_type: Literal["standard", "deluxe", "suite"] | None = None
    bed_type: Literal["twin", "queen", "king"] | None = None
    attraction_category: Literal["museum", "tour", "show"] | None = None
    attraction_time_of_day: AttractionTimeOfDay | None = None
    attraction_date: str | None = None
    budget_cents: int | None = None
    same_carrier: bool = False
    same_district: bool = False

    @property
    def date_mode(self) -> Literal["fixed", "flexible"]:
        """Whether the departure date is one day or a window."""
        return "fixed" if self.departure_first == self.departure_last else "flexible"


class ProfileTraveller(FileModel):
    """A person who travels."""

    name: str
    date_of_birth: str


class PaymentCard(FileModel):
    """A card as its owner names it."""

    card_id: str
    brand: str
    last4: str


class TravelProfile(FileModel):
    """The user's identity; the first traveller is the customer."""

    customer_id: str
    email: str
    travellers: tuple[ProfileTraveller, ...]
    payment_card: PaymentCard


_WISHES = {
    "outbound_time_of_day": "outbound",
    "return_time_of_day": "return",
    "seat_type": None,
    "seat_position": None,
    "hotel_stars": "hotel",
    "room_type": "hotel",
    "bed_type": "hotel",
    "attraction_category": "attraction",
    "attraction_time_of_day": "attraction",
    "attraction_date": "attraction",
}
"""The wishes about single offers, and the slot that each is about, where it is one."""


def facts_of(request: TravelRequest, profile: TravelProfile) -> tuple[Fact, ...]:
    """Return the user's facts: the outline of the trip is basic, all else waits to be asked for."""
    dates: Any = request.departure_first
    if request.date_mode == "flexible":
        dates = [request.departure_first, request.departure_last]
    basic = {
        "origin": request.origin,
        "destination": request.destination,
        "departure_date": dates,
        "nights": request.nights,
        "party_size": request.party_size,
    }
    details: dict[str, Any] = {
        "traveller_names": [traveller.name for traveller in profile.travellers],
        "birth_dates": [traveller.date_of_birth for traveller in profile.travellers],
        "customer_id": profile.customer_id,
        "email": profile.email,
        **{key: getattr(request, key) for key in _WISHES},
        "budget": None if request.budget_cents is None else format_cents(request.budget_cents),
        "same_carrier": request.same_carrier or None,
        "same_district": request.same_district or None,
        "payment_card": profile.payment_card.model_dump(),
    }
    return (
        *(Fact(key, value, FactLevel.BASIC) for key, value in basic.items()),
        *(
            Fact(key, value, FactLevel.DETAIL, _WISHES.get(key))
            for key, value in details.items()
            if value is not None
        ),
    )
