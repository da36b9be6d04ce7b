"""What assistants wrote to users of the clinic: questions, plans, requests to book and to pay."""

import pytest

from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wording import word_fact

BASIC, DETAIL = FactLevel.BASIC, FactLevel.DETAIL
FACTS = (
    Fact("specialty", "orthopedics", BASIC),
    Fact("gp_date", ["2027-09-17"], BASIC),
    Fact("panel", "cardiac stress test", BASIC),
    Fact("sessions", 3, BASIC),
    Fact("within", 5, BASIC),
    Fact("customer_id", "CU-25789", DETAIL),
    Fact("budget", "350.00", DETAIL),
)
TIMES = {"gp_time_of_day", "lab_time_of_day", "specialist_time_of_day", "physio_time_of_day"}


def brief():
    return CLINIC.briefing(CLINIC.slots, FACTS, "T-1", "2027-08-20")


def read(text):
    return Reading(text, brief().lexicon, brief().slots)


ASKED = [
    ("What time of day suits you for the blood work?", {"lab_time_of_day"}),
    ("And for the consultant, mornings, afternoons or evenings?", {"specialist_time_of_day"}),
    ("Any time-of-day preferences for each of the four appointments?", TIMES),
    ("What time would you like your physio sessions to be?", {"physio_time_of_day"}),
    ("Which lab work did the doctor order?", {"panel"}),
    ("What kind of specialist are you looking for?", {"specialty"}),
    ("Do you need a cardiologist, a neurologist or someone else?", {"specialty"}),
    ("Is it an orthopaedist or a dermatologist you should see?", {"specialty"}),
    ("How long should the course of physiotherapy be?", {"sessions"}),
    ("Which body part is the physiotherapy for?", {"physio_focus"}),
    ("Which part of the body are the physio sessions meant for?", {"physio_focus"}),
    (
        "For the physio I need two things: the number of sessions and the area to be treated.",
        {"sessions", "physio_focus"},
    ),
    ("Do you have health coverage I should take into account?", {"plan"}),
    ("Is there a deadline by which the consultation has to take place?", {"within"}),
    ("Does the lab need to be near the specialist's office?", {"same_district"}),
    ("Must consultant and physio be of one group?", {"same_practice"}),
    ("Do you have a preferred provider group?", {"same_practice"}),
    ("Hi. Need:\n- customer ID\n- insurer\n- physio area", {"customer_id", "plan", "physio_focus"}),
    ("Still open:\n1. Physio area\n2. Spending cap", {"physio_focus", "budget"}),
    (
        "Only these are left: the time of day for the consultation, and your overall budget.",
        {"specialist_time_of_day", "budget"},
    ),
    ("Please approve the four payments: BK-56513497 $22.80, BK-75982325 $224.40.", set()),
]


@pytest.mark.parametrize(("text", "keys"), ASKED, ids=[row[0][:50] for row in ASKED])
def test_a_patient_hears_what_is_asked(text, keys):
    assert set(read(text).asked) - {"payment_card"} == keys


TO_BOOK = [
    "GP: Dr. Leila Dubois (DR-30927), $22.80. All right with you?",
    "Everyone takes BlueShield (DR-30927, $22.80). Shall I grab these for you?",
    "Just whether I may book that for you!",
    "- GP: Dr. Tomas Silva (DR-18459), $22.80\n- Sum: $282.20\nOK?",
    "Are you happy with the five items above, $282.20 in all? Then I book.",
]


@pytest.mark.parametrize("text", TO_BOOK)
def test_a_patient_hears_a_request_to_book(text):
    assert read(text).asks_booking


TO_PAY = [
    "I need your OK to take the money. Could you put your Visa on your profile and then sign off "
    "these amounts?\n- BK-34060721 GP visit $32.80",
    "BK-56513497 is Dr. Dubois ($22.80). Which one would you like to use? Pop it onto the platform "
    "and give each of the four your blessing, then I'll settle the bill.",
    "On hold: BK-53598045 $22.80. Next: which card? Put it on file, then authorise all four.",
]


@pytest.mark.parametrize("text", TO_PAY)
def test_a_patient_hears_that_a_card_and_approvals_are_wanted(text):
    reading = read(text)
    assert reading.asks_card and reading.asks_approval and not reading.asks_choice


def test_a_patient_hears_that_all_is_paid():
    assert read("All four reservations have been settled, for $592.60 in total.").claims_done


@pytest.mark.parametrize(
    "text",
    [
        "After the lab results the specialist takes over.",
        "Once its results are in, the consultant takes over on the Monday at 7:10 pm.",
        "The lab has handed over the results to the specialist.",
        "I've passed you on to the cardiologist for the 27th.",
        "Shall I put you through to a specialist, say a cardiologist?",
    ],
)
def test_a_doctor_is_no_human_agent(text):
    assert not read(text).has_transferred and not read(text).offers_transfer


def test_a_human_agent_is_offered():
    assert read("I'll connect you with a human agent.").offers_transfer
    assert read("I have handed your case over to a colleague.").has_transferred


PLAN = """Here is what I propose:

| Part | What | When | Price |
|---|---|---|---|
| GP visit | Dr. Jonas Tanaka (DR-32801) | 17 September 2027, 9:05 am | $32.80 |
| Stress test | LB-22878, results 1 day later | two days later, 11:05 am | $74.20 |
| Consultant | Dr. Greta Weiss (DR-89996), {wait} | 7:10 pm | $121.70 |
| Physio | PH-54210, every 2 days from 1 October 2027, three sessions | 10:10 am | $74.10 |
"""


@pytest.mark.parametrize(
    ("wait", "wrong"),
    [
        ("within 5 days", set()),
        ("within 3 days of the GP", set()),
        ("three days after the GP", set()),
        ("within 6 days of the GP", {"within"}),
    ],
)
def test_days_in_a_plan_are_no_wait_for_the_specialist(wait, wrong):
    plan = read_plan(Reading(PLAN.format(wait=wait), brief().lexicon, brief().slots), brief().slots)
    assert set(contradictions(plan, brief())) == wrong


def test_what_a_patient_says_of_a_field_of_medicine_is_english():
    full = brief().lexicon.opening_full
    assert all("a {specialty}" not in one for one in full)
    assert "orthopedics" in word_fact(FACTS[0], brief().lexicon, None, short=False)
