"""One row a message: what it asks for, in order, and what else it does."""

import pytest

from crab_graph.personas.briefing import BriefedSlot
from crab_graph.personas.message_text import ACT_NAMES
from crab_graph.personas.understanding import Reading
from tests.travel_words import LEXICON

SLOTS = (
    BriefedSlot("outbound", "FL", "outbound flight"),
    BriefedSlot("return", "FL", "return flight"),
    BriefedSlot("hotel", "HT", "hotel"),
    BriefedSlot("attraction", "AT", "attraction"),
)
PLAN = """Here is your itinerary:

| Item | Details | Price |
|------|---------|-------|
| Outbound | FL-48213, Northbeam, 3 May 07:35, economy aisle | $300.00 |
| Return | FL-20955, Northbeam, 6 May 17:40, economy aisle | $280.00 |
| Hotel | Juniper Court Hotel (HT-3316) | $360.00 |
| Attraction | Riverside Glass Museum (AT-50811) | $70.00 |

**Trip total: $1,010.00**

"""
FLIGHT_WISHES = (
    "outbound_time_of_day",
    "return_time_of_day",
    "seat_type",
    "seat_position",
)
HOTEL_WISHES = ("hotel_stars", "room_type", "bed_type")
ATTRACTION_WISHES = (
    "attraction_category",
    "attraction_time_of_day",
    "attraction_date",
)

QUESTIONS = [
    ("May I have your customer ID?", ("customer_id",)),
    ("Could you please provide your **customer ID** or email address?", ("customer_id", "email")),
    ("What's the email on your account?", ("email",)),
    ("Who will be travelling?", ("traveller_names",)),
    ("Please tell me the full names of all passengers.", ("traveller_names",)),
    ("What is the date of birth of each traveller?", ("birth_dates",)),
    (
        "I'll need the passengers' full names and DOBs to book the seats.",
        ("traveller_names", "birth_dates"),
    ),
    (
        "Could you share the passenger details (name and date of birth) for both travellers?",
        ("traveller_names", "birth_dates"),
    ),
    ("Which city are you flying from?", ("origin",)),
    ("What is your destination?", ("destination",)),
    ("When would you like to leave?", ("departure_date",)),
    ("What dates are you considering for the trip?", ("departure_date",)),
    ("How many nights will you stay?", ("nights",)),
    ("How long is the trip?", ("nights",)),
    ("How many people are travelling?", ("party_size",)),
    ("Do you have a budget in mind?", ("budget",)),
    ("What's the maximum you want to spend?", ("budget",)),
    ("Is there a price limit I should respect?", ("budget",)),
    (
        "What time of day do you prefer for your flights?",
        ("outbound_time_of_day", "return_time_of_day"),
    ),
    ("What are your flight preferences?", FLIGHT_WISHES),
    ("Tell me about your requirements for flights and hotel.", (*FLIGHT_WISHES, *HOTEL_WISHES)),
    ("What kind of hotel are you looking for?", HOTEL_WISHES),
    ("What would you like to do there, any activity preferences?", ATTRACTION_WISHES),
    ("What time of day should the outbound flight leave?", ("outbound_time_of_day",)),
    ("And what time of day for the return?", ("return_time_of_day",)),
    (
        "Would you rather fly in the morning or at night?",
        ("outbound_time_of_day", "return_time_of_day"),
    ),
    ("Which cabin class would you like?", ("seat_type",)),
    ("Economy, premium economy or business?", ("seat_type",)),
    ("Window or aisle?", ("seat_position",)),
    ("Any seat preference?", ("seat_type", "seat_position")),
    ("Should both flights be with the same airline?", ("same_carrier",)),
    ("How many stars should the hotel have?", ("hotel_stars",)),
    ("What minimum star rating are you after?", ("hotel_stars",)),
    ("Which room type do you want: standard, deluxe or suite?", ("room_type",)),
    ("Do you need a queen bed, a king bed or twin beds?", ("bed_type",)),
    ("Do you have any hotel preferences?", HOTEL_WISHES),
    ("Any preferences for the hotel or the attraction?", (*HOTEL_WISHES, *ATTRACTION_WISHES)),
    ("What kind of attraction are you interested in?", ("attraction_category",)),
    ("Are you more interested in a museum, a tour or a show?", ("attraction_category",)),
    ("On which day would you like to visit the attraction?", ("attraction_date",)),
    ("What time of day suits you for the attraction?", ("attraction_time_of_day",)),
    ("Should the attraction be near the hotel?", ("same_district",)),
    ("Does the district matter to you?", ("same_district",)),
    ("Which card would you like to use?", ("payment_card",)),
    ("How would you like to pay?", ("payment_card",)),
    (
        "To get started, I need a few details:\n\n1. **Customer ID** or email\n"
        "2. **Names** of the travellers\n3. **Dates of birth**\n4. Your **budget**",
        ("customer_id", "email", "traveller_names", "birth_dates", "budget"),
    ),
    (
        "Please provide the following information:\n- Departure city\n- Number of nights\n"
        "- Number of travelers",
        ("origin", "nights", "party_size"),
    ),
    (
        "Happy to help! Before I search, please tell me:\n\n**Flights**\n- Seat type\n"
        "- Time of day\n\n**Hotel**\n- Star rating\n- Bed type",
        (
            "seat_type",
            "outbound_time_of_day",
            "return_time_of_day",
            "hotel_stars",
            "bed_type",
        ),
    ),
    (
        "Thanks! I found flights in the morning and at night. What is your budget?",
        ("budget",),
    ),
    ("Which hotel standard do you expect, e.g. 3 or 4 stars?", ("hotel_stars",)),
    ("And coming back, are you fine with an evening departure?", ("return_time_of_day",)),
    ("Perfect. When do you want to fly out?", ("departure_date",)),
    ("Could you give me your account number and Leo's birthday?", ("customer_id", "birth_dates")),
    ("Would you like me to look for hotels in the meantime?", ()),
    ("Shall I look for business class seats?", ()),
    ("Just to confirm: could you repeat your customer id?", ("customer_id",)),
    (
        "Noted. Is there anything you require of the hotel? If not, say so and I will search.",
        ["hotel_stars", "room_type", "bed_type"],
    ),
    (
        "A show, lovely! Would a particular day or time of day suit you best for it, or is any "
        "moment between your arrival and your flight home fine?",
        ["attraction_date", "attraction_time_of_day"],
    ),
]


@pytest.mark.parametrize(("text", "asked"), QUESTIONS, ids=[row[0][:50] for row in QUESTIONS])
def test_a_question_asks_for_its_facts(text, asked):
    assert set(Reading(text, LEXICON, SLOTS).asked) == set(asked)


OPEN = "is_open_question"
BOOKING = "asks_booking"
APPROVAL = "asks_approval"
CARD = "asks_card"
METHOD = "asks_method"
DONE = "claims_done"
OFFER = "offers_transfer"
UNABLE = "is_unable"
CHOICE = "asks_choice"
CLOSING = "is_closing"
CHANGE = "asks_change"
WAIT = "says_wait"
GONE = "has_transferred"
COMPARED = {OPEN, BOOKING, APPROVAL, CARD, METHOD, OFFER, CHOICE, CLOSING, CHANGE, GONE, DONE}

ACTS = [
    ("Is there anything else I should know?", {OPEN}),
    ("Do you have any other preferences or requirements?", {OPEN}),
    ("Any further wishes I should take into account?", {OPEN}),
    ("Do you have any preferences?", {OPEN}),
    ("What else is important to you? Any special requests?", {OPEN}),
    (PLAN + "Shall I book all four?", {BOOKING}),
    (PLAN + "Would you like me to proceed with these bookings?", {BOOKING}),
    (PLAN + "Does this work for you?", {BOOKING}),
    (PLAN + "Please confirm and I will book everything.", {BOOKING}),
    (PLAN + "Do you approve this plan?", {BOOKING}),
    (PLAN + "Let me know if you'd like me to go ahead and reserve it.", {BOOKING}),
    ("May I go ahead and book FL-48213 for $300.00?", {BOOKING}),
    ("I'm ready to book. Can I get your go-ahead?", {BOOKING}),
    (PLAN + "Could you confirm if you'd like to proceed?", {BOOKING}),
    (PLAN + "If this looks good, I'll go ahead and book it.", {BOOKING}),
    (PLAN + "Would you like to proceed?", {BOOKING}),
    ("Here's a complete summary of the options.", set()),
    ("I still need a few more details:\n- Date of birth", set()),
    ("The charge was declined. Could you try another card?", {METHOD}),
    ("Would you like travel insurance for $49.99?", set()),
    ("Shall I search for hotels next?", set()),
    ("Would you like me to look for other flights?", set()),
    ("Please confirm your customer id.", set()),
    ("Please approve the four payments.", {APPROVAL}),
    ("Please record a payment approval for BK-00000001 ($300.00).", {APPROVAL}),
    ("Could you authorize the charge of $300.00 for BK-00000001?", {APPROVAL}),
    ("Shall I charge your card now?", {APPROVAL}),
    ("May I proceed with the payment?", {APPROVAL}),
    ("Please add a card to the platform.", {CARD}),
    ("You have no payment method on file. Could you register one?", {CARD}),
    ("Please add a card and approve the payments.", {CARD, APPROVAL}),
    ("What is the payment method ID?", {METHOD}),
    ("Which payment method should I charge?", {METHOD}),
    ("Everything is confirmed. Total charged: $1,010.00. Enjoy Portland!", {DONE}),
    ("All set! Your four bookings are paid.", {DONE}),
    ("Your trip is complete. Is there anything else I can help you with?", {DONE, CLOSING}),
    ("The bookings will be confirmed once you approve the payments.", {APPROVAL}),
    ("Would you like me to transfer you to a human agent?", {OFFER}),
    ("I can connect you with a representative if you like.", {OFFER}),
    ("I cannot transfer you to a human.", set()),
    ("You are now being transferred to a human agent.", {GONE}),
    ("I have escalated this to a specialist.", {GONE}),
    ("Which of these options would you prefer?", {CHOICE}),
    ("Here are three flights:\n- FL-1001 $120\n- FL-1002 $140\nWhich one do you like?", {CHOICE}),
    ("Would you be willing to raise your budget?", {CHANGE}),
    ("Are your dates flexible?", {CHANGE}),
    ("One moment please, I am searching.", set()),
    ("Welcome! How can I help you today?", set()),
    ("", set()),
]


@pytest.mark.parametrize(("text", "acts"), ACTS, ids=[row[0][-50:] for row in ACTS])
def test_a_message_does_what_it_does(text, acts):
    reading = Reading(text, LEXICON, SLOTS)
    assert {name for name in COMPARED if getattr(reading, name)} == acts


def test_inability_and_delay_are_heard():
    read = {
        UNABLE: "Unfortunately there are no matching flights.",
        WAIT: "Let me check that for you.",
    }
    for field, text in read.items():
        assert getattr(Reading(text, LEXICON, SLOTS), field)


def test_a_plan_asks_for_no_fact_and_names_its_ids_and_amounts():
    reading = Reading(PLAN + "Shall I book all four?", LEXICON, SLOTS)
    assert reading.asked == ()
    assert reading.ids == ("FL-48213", "FL-20955", "HT-3316", "AT-50811")
    assert 101000 in reading.amounts


def test_every_field_of_a_reading_of_silence_is_empty():
    reading = Reading("  \n", LEXICON, SLOTS)
    assert not any(
        getattr(reading, name) for name in (*ACT_NAMES, "asked", "checked", "ids", "amounts")
    )
