"""What the booking agents say: questions, the plan with its prices, payments, the summary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crab_graph.agents.reference.conversation import Conversation
from crab_graph.agents.reference.planning import Plan
from crab_graph.agents.reference.wishes import Wishes
from crab_graph.money import format_dollars

NEEDED = {
    "origin": "the city you start from",
    "destination": "the destination",
    "departure": "the departure date or the possible departure dates",
    "nights": "the number of nights",
    "party_size": "the number of people",
    "customer": "your customer id",
    "names": "the full names of all travellers",
    "births": "their dates of birth",
}
OPEN_QUESTION = "Is there anything else I should know or consider, such as other preferences?"
CLOSING = "Is there anything else I can help you with?"
OFFER = "Would you like me to transfer you to a human agent?"

_PREFERENCES = {
    "What do you prefer for the flights: {}?": {
        "outbound_time_of_day": "time of day out",
        "return_time_of_day": "time of day back",
        "seat_type": "seat type",
        "seat_position": "seat position",
        "same_carrier": "one airline both ways",
    },
    "What do you prefer for the hotel: {}?": {
        "hotel_stars": "stars",
        "room_type": "room type",
        "bed_type": "bed type",
        "same_district": "district",
    },
    "What do you prefer for the attraction: {}?": {
        "attraction_category": "category",
        "attraction_date": "day",
        "attraction_time_of_day": "time of day",
    },
    "Do you have {} for the whole trip?": {"budget": "a budget"},
}


def missing_needs(wishes: Wishes) -> list[str]:
    """Return the names of what must be known before a trip can be booked."""
    known = {name: wishes.knows(name) for name in NEEDED if name != "customer"}
    known["customer"] = bool(wishes.customer_id or wishes.email)
    party = wishes.party_size
    if party is not None:
        known["names"] = len(wishes.names or ()) == party
        known["births"] = len(wishes.births or ()) == party
    return [name for name in NEEDED if not known[name]]


def word_question(wishes: Wishes, *, is_first: bool) -> str:
    """Return what is asked next; every question ends by asking for anything else.

    The first question names each subject of which nothing is known yet.
    """
    needed = [NEEDED[name] for name in missing_needs(wishes)]
    parts = [f"To book your trip I need {', '.join(needed)}."] if needed else []
    for question, wanted in _PREFERENCES.items() if is_first else ():
        unknown = [words for name, words in wanted.items() if not wishes.knows(name)]
        if len(unknown) == len(wanted):
            parts.append(question.format(", ".join(unknown)))
    return "\n".join([*parts, OPEN_QUESTION])


def word_plan(plan: Plan) -> str:
    """Return the whole plan with ids, names, exact prices and total, and the request to book it."""
    lines = [
        _flight_line("Outbound", plan, is_return=False),
        _flight_line("Return", plan, is_return=True),
        f"- Hotel: {plan.room.name} ({plan.room.hotel_id}), {plan.room.stars} stars,"
        f" {plan.room.room_type} room {plan.room.room_id}, {plan.room.bed_type} bed,"
        f" {plan.room.district}, {format_dollars(plan.room.cents)} per night,"
        f" {_wholes(plan)[2]}.",
        f"- Attraction: {plan.attraction.name} ({plan.attraction.attraction_id}),"
        f" {plan.attraction.district}, {plan.attraction.starts.replace('T', ' ')},"
        f" {format_dollars(plan.attraction.cents)} per ticket, {_wholes(plan)[3]}.",
    ]
    total = f"Trip total: {format_dollars(plan.total)}. Shall I book all four?"
    return "\n".join(["This plan fits what you told me.", "", *lines, "", total])


def word_payment(plan: Plan, booking_ids: Sequence[str]) -> str:
    """Return the request to approve the payments, with the amount of each booking."""
    items = ("outbound flight", "return flight", "hotel", "attraction")
    lines = [
        f"- {booking_id} ({item}): {whole}."
        for booking_id, item, whole in zip(booking_ids, items, _wholes(plan), strict=True)
    ]
    return "\n".join(
        [
            f"All four are reserved and await payment, {format_dollars(plan.total)} in total for"
            " the trip.",
            "",
            *lines,
            "",
            "Please add a card if it is not on the platform yet, approve the four payments with it,"
            " and tell me the payment method id.",
        ]
    )


def word_summary(plan: Plan) -> str:
    """Return the confirmation, with the total that was charged."""
    return (
        "All four bookings are confirmed. Total charged for the trip:"
        f" {format_dollars(plan.total)}. {CLOSING}"
    )


def word_proposal(plan: Plan, conversation: Conversation) -> str:
    """Return the plan, whatever else was found."""
    del conversation
    return word_plan(plan)


@dataclass(frozen=True, slots=True)
class Script:
    """What an agent says of a plan it goes by; each text is a function of its arguments alone.

    Attributes:
        proposal: Says the plan and asks for consent.
        payment: Asks for the payments of the bookings with these ids.
        summary: Says what was done.
    """

    proposal: Callable[[Plan, Conversation], str] = word_proposal
    payment: Callable[[Plan, Sequence[str]], str] = word_payment
    summary: Callable[[Plan], str] = word_summary


def word_declined(booking_ids: Sequence[str]) -> str:
    """Return the request for another card."""
    return (
        f"The charge of {' and '.join(booking_ids)} failed. Please add another card, approve the"
        " payments with it and tell me the payment method id."
    )


def word_unchanged(proposal: str) -> str:
    """Return a proposal that still fits after a change of mind."""
    return f"Noted. The same trip fits that, too:\n\n{proposal}"


def word_inability(reason: str) -> str:
    """Return an apology with an offer of transfer."""
    return f"I am sorry, I cannot complete this trip: {reason}. {OFFER}"


def _flight_line(label: str, plan: Plan, *, is_return: bool) -> str:
    offer = plan.back if is_return else plan.outbound
    whole = _wholes(plan)[1 if is_return else 0]
    return (
        f"- {label}: {offer.flight_id}, {offer.carrier}, {offer.departs.replace('T', ' ')},"
        f" {offer.seat_type} {offer.seat_position}, {format_dollars(offer.cents)} per passenger,"
        f" {whole}."
    )


def _wholes(plan: Plan) -> list[str]:
    party, nights = plan.party_size, plan.nights
    counted = (
        _count(party, "passenger"),
        _count(party, "passenger"),
        _count(nights, "night"),
        _count(party, "ticket"),
    )
    amounts = (format_dollars(cents) for cents in plan.amounts)
    return [f"{amount} for {units}" for amount, units in zip(amounts, counted, strict=True)]


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
