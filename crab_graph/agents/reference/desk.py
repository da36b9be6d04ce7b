"""A booking agent without a model, as a pure function of its messages."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from crab_graph.agents.reference.conversation import (
    Action,
    Conversation,
    ask_for,
    read_conversation,
)
from crab_graph.agents.reference.planning import Plan, Shortlist, TripSearch, cheapest_plan
from crab_graph.agents.reference.script import (
    missing_needs,
    say,
    word_inability,
    word_payment,
    word_plan,
    word_question,
)
from crab_graph.agents.reference.wishes import Wishes, count_fruitless, read_wishes, says_no_more
from crab_graph.money import format_dollars

BOOKING_TOOLS = ("book_flight_with_seats", "book_hotel_with_rooms", "book_attraction")

_YES = re.compile(
    r"\b(?:yes|yep|yeah|sure|ok|okay|go ahead|go for it|book (?:it|them|all)|please do|sounds good"
    r"|looks good|proceed|approved?|confirm)\b"
)
_NO = re.compile(r"^\W*(?:no|nope|wait|stop)\b|\b(?:don't|do not|not what|wrong)\b")
_WANTS_PERSON = re.compile(rf"{_YES.pattern}|\b(?:human|person|someone|transfer|put me through)\b")
_SETTLED = re.compile(r"\b(?:approved?|done|added|pm-\d+)\b")
_MAX_FRUITLESS = 3
_MAX_CARDS = 3


class Desk:
    """Asks for all it needs, finds the cheapest valid trip, proposes, books, charges, sums up.

    All reference agents that book are this one with a method of their own: they differ in whether
    they ask, how they choose, what they say, and whether they heed the answer.
    """

    asks = True
    """Whether it asks for what it does not know."""
    heeds = True
    """Whether it books only what the user agrees to."""

    def __call__(self, messages: list[BaseMessage], tools: list[BaseTool]) -> AIMessage | str:
        """Return the next message."""
        conversation = read_conversation(messages)
        step = self._next(conversation)
        return step if isinstance(step, str) else ask_for(step, len(conversation.observations))

    def choose(self, offers: Shortlist, wishes: Wishes) -> Plan | None:
        """Choose a trip."""
        return cheapest_plan(offers, wishes)

    def proposal(self, plan: Plan, conversation: Conversation) -> str:
        """Say the plan and ask for consent."""
        return word_plan(plan)

    def request(self, plan: Plan, booking_ids: Sequence[str]) -> str:
        """Ask for the payments of bookings."""
        return word_payment(plan, booking_ids)

    def summary(self, plan: Plan) -> str:
        """Say what was done."""
        return say("summary", total=format_dollars(plan.total))

    def find_plan(self, conversation: Conversation, wishes: Wishes) -> Plan | None:
        """Choose a trip among what the searches have shown."""
        return self.choose(TripSearch(conversation, wishes).shortlist(), wishes)

    def book(self, conversation: Conversation, wishes: Wishes, plan: Plan) -> str | list[Action]:
        """Look the customer up and book the plan."""
        lookup = _customer_lookup(wishes)
        customer = conversation.result(lookup)
        if customer is None:
            return [lookup]
        if "error" in customer:
            return word_inability("no_customer")
        calls = booking_calls(plan, wishes, customer["customer_id"])
        missing = [call for call in calls if conversation.result(call) is None]
        return missing or word_inability("not_booked")

    def settle(self, conversation: Conversation, wishes: Wishes) -> str | list[Action]:
        """Ask for the payments of what is booked, charge it, and sum it up."""
        plan = self.find_plan(conversation, wishes)
        booked = [one for one in conversation.of(*BOOKING_TOOLS) if one.is_ok]
        if plan is None or len(booked) != len(plan.amounts):
            return word_inability("incomplete")
        ids = [str(one.result["booking_id"]) for one in booked]
        charges = conversation.of("charge_booking")
        failed = [one for one in charges if not one.is_ok]
        charged = {one.call.arguments["booking_id"] for one in charges if one.is_ok}
        used = {one.call.arguments["payment_method_id"] for one in failed}
        unpaid = [booking_id for booking_id in ids if booking_id not in charged]
        if not unpaid:
            return self.summary(plan)
        if len(used) >= _MAX_CARDS:
            return word_inability("unpaid")
        request = self.request(plan, ids)
        if failed:
            request = say("declined", bookings=" and ".join(unpaid))
        asked_at = conversation.position_of(request)
        if asked_at is None or asked_at < max(one.position for one in (*booked, *failed)):
            return request
        answer = conversation.said_since(asked_at)
        if not _SETTLED.search(answer.casefold()):
            return request
        method = payment_method(conversation, wishes, answer)
        if isinstance(method, Action):
            return [method]
        return request if method is None or method in used else charge(unpaid, method)

    def _next(self, conversation: Conversation) -> str | list[Action]:
        if conversation.of("transfer_to_human_agents"):
            return say("transferred")
        said, last = conversation.last_user_text.casefold(), conversation.last_agent_text
        if last.endswith(say("offer")) and _WANTS_PERSON.search(said) and not _NO.search(said):
            summary = say("not_completed", last=last)
            return [Action("transfer_to_human_agents", {"summary": summary})]
        wishes = read_wishes(conversation.user_texts, conversation.today)
        if any(one.is_ok for one in conversation.of(*BOOKING_TOOLS)):
            return self.settle(conversation, wishes)
        if self.asks and not _has_heard_enough(conversation, wishes):
            return word_question(wishes, is_first=not last)
        if not wishes.has_outline:
            return word_inability("unclear")
        searches = TripSearch(conversation, wishes).missing()
        plan = None if searches else self.find_plan(conversation, wishes)
        if plan is None:
            return searches or word_inability("no_plan")
        return self._propose(conversation, wishes, plan)

    def _propose(
        self, conversation: Conversation, wishes: Wishes, plan: Plan
    ) -> str | list[Action]:
        proposal = self.proposal(plan, conversation)
        asked_at = conversation.position_of(proposal)
        if asked_at is None:
            return proposal
        answer = conversation.said_since(asked_at).casefold()
        if self.heeds and (_NO.search(answer) or not _YES.search(answer)):
            if conversation.last_agent_text != proposal:
                return proposal
            if wishes != read_wishes(conversation.user_texts[:-1], conversation.today):
                return say("unchanged", plan=proposal)
            return word_inability("no_better")
        if not wishes.has_identity:
            return word_inability("nobody")
        return self.book(conversation, wishes, plan)


class Hasty(Desk):
    """Solves for what is volunteered and never asks for a fact: fails when facts are withheld."""

    asks = False


def booking_calls(plan: Plan, wishes: Wishes, customer_id: str) -> list[Action]:
    """Return the calls that book a plan: outbound, return, hotel, attraction."""
    travellers = [
        {"passenger_name": name, "date_of_birth": born}
        for name, born in zip(wishes.names or (), wishes.births or (), strict=True)
    ]
    flights = [
        {
            "flight_id": offer.flight_id,
            "seats": [{"fare_id": offer.fare_id, **one} for one in travellers],
        }
        for offer in (plan.outbound, plan.back)
    ]
    stay = {
        "hotel_id": plan.room.hotel_id,
        "room_ids": [plan.room.room_id],
        "check_in": plan.outbound.date,
        "check_out": plan.back.date,
        "guests": plan.party_size,
    }
    tickets = {"attraction_id": plan.attraction.attraction_id, "tickets": plan.party_size}
    flight, hotel, attraction = BOOKING_TOOLS
    bookings: list[tuple[str, dict[str, Any]]] = [
        *((flight, leg) for leg in flights),
        (hotel, stay),
        (attraction, tickets),
    ]
    return [Action(tool, {"customer_id": customer_id, **given}) for tool, given in bookings]


def charge(booking_ids: Sequence[str], method: str) -> list[Action]:
    """Return the calls that charge bookings to a payment method."""
    return [
        Action("charge_booking", {"booking_id": booking_id, "payment_method_id": method})
        for booking_id in booking_ids
    ]


def payment_method(conversation: Conversation, wishes: Wishes, answer: str) -> str | Action | None:
    """Return the payment method the user means; a call where it must be looked up first."""
    named = read_wishes([answer], conversation.today).payment_method
    if named is not None:
        return named
    lookup = _customer_lookup(wishes)
    looked_up = [one for one in conversation.observations if one.call == lookup]
    bookings = conversation.of(*BOOKING_TOOLS)
    if not looked_up or looked_up[-1].position < bookings[-1].position:
        return lookup
    methods = list(looked_up[-1].result.get("payment_methods", ()))
    by_card = [method for method in methods if method["last4"] == wishes.card_last4]
    chosen = by_card or methods[-1:]
    return str(chosen[0]["payment_method_id"]) if chosen else None


def _has_heard_enough(conversation: Conversation, wishes: Wishes) -> bool:
    if not conversation.last_agent_text:
        return False
    texts = conversation.user_texts
    if count_fruitless(texts, conversation.today) >= _MAX_FRUITLESS:
        return True
    return says_no_more(texts[1:]) and not missing_needs(wishes)


def _customer_lookup(wishes: Wishes) -> Action:
    known = "customer_id" if wishes.customer_id is not None else "email"
    return Action("get_customer_information", {known: getattr(wishes, known)})
