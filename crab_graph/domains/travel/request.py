"""What the user of a travel task wants and who they are, as files hold it."""

from typing import Literal

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
