"""What the user of a travel task wants, who they are, and what of it they say how freely."""

from typing import Any, Literal, NamedTuple

from crab_graph.domains.travel.offers import ATTRACTION, HOTEL, OUTBOUND, RETURN
from crab_graph.money import format_cents
from crab_graph.personas.briefing import Fact, FactLevel
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

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Any:  # type: ignore[override]
        """Return a request, which declared domains give the window by other names."""
        for name, other in (("first_day", "departure_first"), ("last_day", "departure_last")):
            if name in values:
                values[other] = values.pop(name)
        return super().model_construct(_fields_set, **values)

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


class Wish(NamedTuple):
    """A wish about single offers: the property it is about, how it is said, and in which slots."""

    name: str
    sentence: str
    slots: tuple[str, ...]


_FLIGHTS = (OUTBOUND, RETURN)

WISHES = {
    "outbound_time_of_day": Wish("time_of_day", "time of day is {}", (OUTBOUND,)),
    "return_time_of_day": Wish("time_of_day", "time of day is {}", (RETURN,)),
    "seat_type": Wish("seat_type", "seat type is {}", _FLIGHTS),
    "seat_position": Wish("seat_position", "seat position is {}", _FLIGHTS),
    "hotel_stars": Wish("stars", "has at least {} stars", (HOTEL,)),
    "room_type": Wish("room_type", "room type is {}", (HOTEL,)),
    "bed_type": Wish("bed_type", "bed type is {}", (HOTEL,)),
    "attraction_category": Wish("category", "is a {}", (ATTRACTION,)),
    "attraction_time_of_day": Wish("time_of_day", "is in the {}", (ATTRACTION,)),
    "attraction_date": Wish("date", "is on {}", (ATTRACTION,)),
}
"""The wishes that a request can have, by its fields."""


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
        **{key: getattr(request, key) for key in WISHES},
        "budget": None if request.budget_cents is None else format_cents(request.budget_cents),
        "same_carrier": request.same_carrier or None,
        "same_district": request.same_district or None,
        "payment_card": profile.payment_card.model_dump(),
    }
    only_slot = {key: wish.slots[0] for key, wish in WISHES.items() if len(wish.slots) == 1}
    return (
        *(Fact(key, value, FactLevel.BASIC) for key, value in basic.items()),
        *(
            Fact(key, value, FactLevel.DETAIL, only_slot.get(key))
            for key, value in details.items()
            if value is not None
        ),
    )
