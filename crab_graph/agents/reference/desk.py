"""A booking agent without a model, as a pure function of its messages.

All reference agents that book share it: they differ in whether they ask, how they plan, what they
say, and whether they heed the answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from crab_graph.agents.reference import script
from crab_graph.agents.reference.conversation import (
    Action,
    Conversation,
    Observation,
    ask_for,
    read_conversation,
)
from crab_graph.agents.reference.planning import Plan, Planner, missing_searches, read_offers
from crab_graph.agents.reference.wishes import Wishes, count_fruitless, read_wishes, says_no_more

BOOKING_TOOLS = ("book_flight_with_seats", "book_hotel_with_rooms", "book_attraction")

_YES = re.compile(
    r"\b(?:yes|yep|yeah|sure|ok|okay|go ahead|go for it|book (?:it|them|all)|please do|sounds good"
    r"|looks good|proceed|approved?|confirm)\b"
)
_NO = re.compile(r"^\W*(?:no|nope|wait|stop)\b|\b(?:don't|do not|not what|wrong)\b")
_WANTS_PERSON = re.compile(r"\b(?:human|person|someone|transfer|put me through)\b")
_SETTLED = re.compile(r"\b(?:approved?|done|added|pm-\d+)\b")
_MAX_FRUITLESS = 3
_MAX_CARDS = 3


@dataclass(frozen=True, slots=True)
class Desk:
    """A booking agent.

    Attributes:
        asks: Whether it asks for what it does not know.
        planner: How it chooses a trip.
        voice: How it words the plan, the payments and the summary.
        heeds: Whether it books only what the user agrees to.
    """

    asks: bool
    planner: Planner
    voice: script.Script = field(default_factory=script.Script)
    heeds: bool = True

    def __call__(self, messages: list[BaseMessage], tools: list[BaseTool]) -> AIMessage | str:
        """Return the next message."""
        del tools
        conversation = read_conversation(messages)
        step = self._next(conversation)
        if isinstance(step, str):
            return step
        return ask_for(step, len(conversation.outcomes))

    def _next(self, conversation: Conversation) -> str | Sequence[Action]:
        if conversation.of("transfer_to_human_agents"):
            return "You are being transferred to a human agent, who will take over from here."
        said = conversation.last_user_text.casefold()
        if conversation.last_agent_text.endswith(script.OFFER) and _wants_person(said):
            summary = "The trip could not be completed: " + conversation.last_agent_text
            return [Action("transfer_to_human_agents", {"summary": summary})]
        wishes = read_wishes(conversation.user_texts, conversation.today)
        if any(outcome.is_ok for outcome in conversation.of(*BOOKING_TOOLS)):
            return self.settle(conversation, wishes)
        if self.asks and not _has_heard_enough(conversation, wishes):
            is_first = not conversation.last_agent_text
            return script.word_question(wishes, is_first=is_first)
        return self._plan(conversation, wishes)

    def _plan(self, conversation: Conversation, wishes: Wishes) -> str | Sequence[Action]:
        if not wishes.has_outline:
            return script.word_inability("I do not know enough of it")
        searches = missing_searches(conversation, wishes)
        if searches:
            return searches
        plan = self.planner(read_offers(conversation, wishes), wishes)
        if plan is None:
            return script.word_inability("nothing that I found fits everything you told me")
        proposal = self.voice.proposal(plan, conversation)
        asked_at = conversation.position_of(proposal)
        if asked_at is None:
            return proposal
        if self.heeds and not _agrees(conversation.said_since(asked_at)):
            if conversation.last_agent_text != proposal:
                return proposal
            if wishes != read_wishes(conversation.user_texts[:-1], conversation.today):
                return script.word_unchanged(proposal)
            return script.word_inability("I found nothing better that fits what you told me")
        if not wishes.has_identity:
            return script.word_inability("I do not know who is travelling")
        return self.book(conversation, wishes, plan)

    def book(
        self, conversation: Conversation, wishes: Wishes, plan: Plan
    ) -> str | Sequence[Action]:
        """Look the customer up and book the plan."""
        lookup = _customer_lookup(wishes)
        customer = conversation.result(lookup)
        if customer is None:
            return [lookup]
        if "error" in customer:
            return script.word_inability("I cannot find your customer record")
        calls = booking_calls(plan, wishes, customer["customer_id"])
        missing = [call for call in calls if conversation.result(call) is None]
        return missing or script.word_inability("the bookings did not go through")

    def settle(self, conversation: Conversation, wishes: Wishes) -> str | Sequence[Action]:
        """Ask for the payments of what is booked, charge it, and sum it up."""
        plan = self.planner(read_offers(conversation, wishes), wishes)
        booked = [outcome for outcome in conversation.of(*BOOKING_TOOLS) if outcome.is_ok]
        if plan is None or len(booked) != len(plan.amounts):
            return script.word_inability("not everything could be booked")
        ids = [str(outcome.result["booking_id"]) for outcome in booked]
        charges = conversation.of("charge_booking")
        charged = {outcome.call.arguments["booking_id"] for outcome in charges if outcome.is_ok}
        unpaid = [booking_id for booking_id in ids if booking_id not in charged]
        if not unpaid:
            return self.voice.summary(plan)
        request = self.voice.payment(plan, ids)
        failed = [outcome for outcome in charges if not outcome.is_ok]
        since = _last_position(booked, failed)
        if failed:
            request = script.word_declined(unpaid)
        if len({outcome.call.arguments["payment_method_id"] for outcome in failed}) >= _MAX_CARDS:
            return script.word_inability("the payment did not go through")
        asked_at = conversation.position_of(request)
        if asked_at is None or asked_at < since:
            return request
        answer = conversation.said_since(asked_at)
        if not _SETTLED.search(answer.casefold()):
            return request
        method = payment_method(conversation, wishes, answer)
        if isinstance(method, Action):
            return [method]
        if method is None or any(_used(outcome, method) for outcome in failed):
            return request
        return [
            Action("charge_booking", {"booking_id": booking_id, "payment_method_id": method})
            for booking_id in unpaid
        ]


def booking_calls(plan: Plan, wishes: Wishes, customer_id: str) -> list[Action]:
    """Return the calls that book a plan: outbound, return, hotel, attraction."""
    travellers = list(zip(wishes.names or (), wishes.births or (), strict=True))
    customer = {"customer_id": customer_id}
    flights = [
        Action(
            "book_flight_with_seats",
            {
                **customer,
                "flight_id": offer.flight_id,
                "seats": [
                    {"fare_id": offer.fare_id, "passenger_name": name, "date_of_birth": born}
                    for name, born in travellers
                ],
            },
        )
        for offer in (plan.outbound, plan.back)
    ]
    stay = {
        **customer,
        "hotel_id": plan.room.hotel_id,
        "room_ids": [plan.room.room_id],
        "check_in": plan.outbound.date,
        "check_out": plan.back.date,
        "guests": plan.party_size,
    }
    tickets = {
        **customer,
        "attraction_id": plan.attraction.attraction_id,
        "tickets": plan.party_size,
    }
    return [*flights, Action("book_hotel_with_rooms", stay), Action("book_attraction", tickets)]


def _has_heard_enough(conversation: Conversation, wishes: Wishes) -> bool:
    if not conversation.last_agent_text:
        return False
    texts = conversation.user_texts
    if count_fruitless(texts, conversation.today) >= _MAX_FRUITLESS:
        return True
    return says_no_more(texts[1:]) and not script.missing_needs(wishes)


def _customer_lookup(wishes: Wishes) -> Action:
    if wishes.customer_id is not None:
        return Action("get_customer_information", {"customer_id": wishes.customer_id})
    return Action("get_customer_information", {"email": wishes.email})


def _agrees(answer: str) -> bool:
    words = answer.casefold()
    return _YES.search(words) is not None and _NO.search(words) is None


def _wants_person(words: str) -> bool:
    return (_YES.search(words) or _WANTS_PERSON.search(words)) is not None and not _NO.search(words)


def _last_position(*groups: Sequence[Observation]) -> int:
    return max((outcome.position for group in groups for outcome in group), default=-1)


def _used(outcome: Observation, method: str) -> bool:
    return bool(outcome.call.arguments["payment_method_id"] == method)


def payment_method(conversation: Conversation, wishes: Wishes, answer: str) -> str | Action | None:
    """Return the payment method the user means; a call where it must be looked up first."""
    named = read_wishes([answer], conversation.today).payment_method
    if named is not None:
        return named
    lookup = _customer_lookup(wishes)
    looked_up = [outcome for outcome in conversation.outcomes if outcome.call == lookup]
    bookings = conversation.of(*BOOKING_TOOLS)
    if not looked_up or looked_up[-1].position < bookings[-1].position:
        return lookup
    methods = looked_up[-1].result.get("payment_methods", ())
    by_card = [method for method in methods if method["last4"] == wishes.card_last4]
    chosen = by_card or list(methods)[-1:]
    return str(chosen[0]["payment_method_id"]) if chosen else None
