"""What a patient knows, for tests of what users of any domain say."""

from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.personas.briefing import Fact, FactLevel

BASIC = {
    "specialty": "neurology",
    "gp_date": "2027-06-30",
    "panel": "imaging",
    "sessions": 5,
    "within": 5,
}
DETAILS = {
    "customer_id": "CU-50059",
    "plan": "Medicore",
    "physio_focus": "knee",
    "gp_time_of_day": "morning",
    "lab_time_of_day": "morning",
    "budget": "365.00",
    "same_district": True,
    "payment_card": {"card_id": "CD-6255", "brand": "Visa", "last4": "5747"},
}
FACTS = [Fact(key, value, FactLevel.BASIC) for key, value in BASIC.items()] + [
    Fact(key, value, FactLevel.DETAIL) for key, value in DETAILS.items()
]
PATIENT = CLINIC.briefing(CLINIC.slots, FACTS, "S1-002", "2027-06-09")
LINGUIST = CLINIC.briefing(
    CLINIC.slots,
    [*FACTS, Fact("language_unless", "Arabic", FactLevel.DETAIL)],
    "S1-002",
    "2027-06-09",
)
