"""What a traveller of several cities knows, for tests of what users of any domain say."""

from crab_graph.domains.tour.domain import TOUR
from crab_graph.personas.briefing import Fact, FactLevel

BASIC = {
    "origin": "Zurich",
    "first_city": "Brussels",
    "second_city": "Hamburg",
    "departure_date": "2027-10-24",
    "nights": 2,
    "party_size": 2,
}
DETAILS = {
    "customer_id": "CU-73457",
    "traveller_names": ["Rafael Calloway", "Noor Keller"],
    "birth_dates": ["1996-02-26", "1984-06-30"],
    "travel_class": "standard",
    "third_leg_time_of_day": "morning",
    "stars": 3,
    "second_visit_category": "concert",
    "same_carrier": True,
    "second_district": True,
    "payment_card": {"card_id": "CD-8039", "brand": "Visa", "last4": "4073"},
}
FACTS = [Fact(key, value, FactLevel.BASIC) for key, value in BASIC.items()] + [
    Fact(key, value, FactLevel.DETAIL) for key, value in DETAILS.items()
]
TOURIST = TOUR.briefing(TOUR.slots, FACTS, "S1-001", "2027-09-20")
THRIFTY = TOUR.briefing(
    TOUR.slots,
    [*FACTS, Fact("second_cheaper", True, FactLevel.DETAIL)],
    "S1-001",
    "2027-09-20",
)
VARIED = TOUR.briefing(
    TOUR.slots,
    [*FACTS, Fact("unlike_kinds", True, FactLevel.DETAIL)],
    "S1-001",
    "2027-09-20",
)
