"""A booking agent without a model, as a pure function of its messages."""

import re
from collections.abc import Sequence
from operator import is_
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from crab_graph.agents.reference.conversation import (
    Action,
    Conversation,
    ask_for,
    read_conversation,
)
from crab_graph.agents.reference.full_prices import FullPrices
from crab_graph.agents.reference.handbook import handbook_of
from crab_graph.agents.reference.inferences import Inference
from crab_graph.agents.reference.lookups import Lookups
from crab_graph.agents.reference.mishaps import Mishaps, standing, wants_retry, words_of
from crab_graph.agents.reference.planning import Plan, Shortlist
from crab_graph.agents.reference.proofreading import Proofreading
from crab_graph.agents.reference.rethinking import Rethinking
from crab_graph.agents.reference.script import Script
from crab_graph.agents.reference.wish_vocabulary import (
    CARD,
    CUSTOMER,
    EMAIL,
    METHOD,
    PERSONAL,
    Wishes,
)
from crab_graph.agents.reference.wishes import says_no_more
from crab_graph.domain.contract import Domain

_YES = re.compile(
    r"\b(?:yes|yep|yeah|sure|ok|okay|go ahead|go for it|book (?:it|them|all)|please do|sounds good"
    r"|looks good|proceed|approved?|confirm)\b"
)
_NO = re.compile(r"^\W*(?:no|nope|wait|stop)\b|\b(?:don't|do not|not what|wrong)\b")
_WANTS_PERSON = re.compile(rf"{_YES.pattern}|\b(?:human|person|someone|transfer|put me through)\b")
_SOME_FIRST = re.compile(r"\b(?:others?|rest)\b.{0,20}\b(?:follows?|moment|later|soon)\b")
_SETTLED = re.compile(r"\b(?:approved?|done|added|pm-\d+)\b")
_MAX_CARDS = 5


class Desk:
    """Asks for all it needs, finds a valid job, proposes, books, charges, sums up.

    All reference agents that book are this one with a method of their own: they differ in whether
    they ask, how they choose, what they say, and whether they heed the answer.
    """

    asks = True
    """Whether it asks for what it does not know."""
    checks = True
    """Whether it pins down what is said with doubt, and plays the wishes back."""
    infers = True
    """Whether it works out what is meant where a value is not said in so many words."""
    most_fruitless = 3
    """Answers in a row that bring nothing new after which it stops asking."""
    heeds = True
    """Whether it books only what the user agrees to."""
    proofreads = True
    """Whether it sees that bookings hold what it was given, where the policy asks for that."""
    prunes = True
    """Whether it leaves out what goes together with nothing of another slot, or is not needed."""

    def __init__(self, domain: Domain) -> None:
        """Sit down at the desk of a domain.

        Raises:
            UsageError: the domain does not say which tools find and book something.
        """
        self.handbook = handbook_of(domain)
        self.script = Script(self.handbook)
        self._inference = Inference(self.handbook.reader, self.handbook.lexicon)
        self._last: tuple[Wishes, list[dict[str, Any]], Plan | list[Action] | None] | None = None

    def __call__(self, messages: list[BaseMessage], tools: list[BaseTool]) -> AIMessage | str:
        """Return the next message."""
        conversation = read_conversation(messages)
        if self.infers:
            conversation = self._inference.plain(conversation)
        step = self._next(conversation)
        return step if isinstance(step, str) else ask_for(step, len(conversation.observations))

    def choose(self, offers: Shortlist) -> Plan | None:
        """Choose a job."""
        return offers.cheapest()

    def proposal(self, plan: Plan, conversation: Conversation) -> str:
        """Say the plan and ask for consent."""
        return self.script.plan(plan)

    def request(self, plan: Plan, booking_ids: Sequence[str]) -> str:
        """Ask for the payments of bookings."""
        return self.script.payment(plan, booking_ids)

    def summary(self, plan: Plan) -> str:
        """Say what was done."""
        return self.script.summary(plan)

    def heard(self, texts: Sequence[str], conversation: Conversation) -> Wishes:
        """Return what a user wants who said this."""
        return self.handbook.reader.read(texts, conversation.today)

    def doubted(self, conversation: Conversation) -> list[str]:
        """Return the keys of what was said vaguely or with doubt, and not pinned down yet."""
        if not self.checks:
            return []
        reader = self.handbook.reader
        found = reader.understand(conversation.user_texts, conversation.today).doubted
        return [key for key in self.handbook.tellable if key in found]

    def find_plan(self, conversation: Conversation, wishes: Wishes) -> Plan | list[Action] | None:
        """Choose a job among what the look-ups have shown, or return those to be made next.

        As long as nothing new is wished or shown the last answer stands.
        """
        finding = (*self.handbook.search_tools, *self.handbook.price_tools)
        results = [one.result for one in conversation.of(*finding)]
        results += [one.result for one in Mishaps(self.handbook, conversation).refused]
        if self.changed_at(conversation) is not None:
            results += self.bookings(conversation)
        wanted = {key: wish for key, wish in wishes.items() if key not in PERSONAL}
        if self._last is not None:
            last_wanted, last_results, found = self._last
            is_same = len(results) == len(last_results) and all(map(is_, results, last_results))
            if is_same and wanted == last_wanted:
                return found
        found = self._found(conversation, wishes)
        self._last = (wanted, results, found)
        return found

    def _found(self, conversation: Conversation, wishes: Wishes) -> Plan | list[Action] | None:
        """Return a job that meets all wishes, or else one without those that may give way."""
        found = self._meeting(conversation, wishes, ())
        yielding = [one.name for one in self.handbook.declaration.joint_rules if one.unless]
        may = [key for key in yielding if key in wishes]
        return self._meeting(conversation, wishes, may) if may and found is None else found

    def _meeting(
        self, conversation: Conversation, wishes: Wishes, given_up: Sequence[str]
    ) -> Plan | list[Action] | None:
        request = self.handbook.request(wishes, given_up)
        graph = self.handbook.domain.build_graph(request)
        rethinking = Rethinking(self.handbook, conversation)
        is_changed = bool(rethinking.standing) and self.changed_at(conversation) is not None
        held = rethinking.held if is_changed else frozenset()
        looks = Lookups(self.handbook, wishes, graph, prunes=self.prunes, held=held)
        shown = looks.show(conversation)
        compared = [one for one in self.handbook.compared if one.name in wishes]
        if shown.missing and (compared or not (shown.offers and self.prunes)):
            return shown.missing
        offers = Shortlist(self.handbook, wishes, shown)
        prices = FullPrices(self.handbook, conversation)
        for rule in compared:
            # What is cheaper is seen once the cheapest job is priced as a whole.
            least = offers.least(rule) if rule.least else offers
            if unpriced := self._unpriced(least.cheapest(), offers, prices):
                return unpriced
            offers = least if rule.least else offers.cheaper(rule)
        lists = rethinking.shortlists(offers, wishes) if is_changed else [offers]
        # One stay after the other is asked for, until there is one with which all fits.
        found = next(filter(None, map(self.choose, lists)), None)
        return self._unpriced(found, offers, prices) or found or shown.missing[:1] or None

    @staticmethod
    def _unpriced(plan: Plan | None, offers: Shortlist, prices: FullPrices) -> list[Action]:
        """Return the calls that price what of a plan lists have told without fees."""
        parts = () if plan is None else plan.parts
        return prices.missing(((part.slot, part.row) for part in parts), offers.offers)

    def bookings(self, conversation: Conversation) -> list[dict[str, str]]:
        """Return the results of the calls that booked something that stands."""
        return [one.result for one in standing(self.handbook, conversation)]

    def changed_at(self, conversation: Conversation) -> int | None:
        """Return where the user changed its mind about what it was shown a plan for."""
        return Rethinking(self.handbook, conversation).heard_at(self.script.plan_lead)

    def book(self, conversation: Conversation, wishes: Wishes, plan: Plan) -> str | list[Action]:
        """Look the customer up and book the plan."""
        lookup = customer_lookup(wishes)
        customer = conversation.result(lookup)
        if customer is None:
            return [lookup]
        if "error" in customer:
            return self.script.inability("no_customer")
        calls = self.booking_calls(plan, wishes, customer["customer_id"])
        missing = [call for call in calls if conversation.result(call) is None]
        return missing or self.script.inability("not_booked")

    def booking_calls(self, plan: Plan, wishes: Wishes, customer_id: str) -> list[Action]:
        """Return the calls that book a plan, slot by slot."""
        people, party = self.handbook.people(wishes) or (), self.handbook.party(wishes) or 1
        calls = []
        for part in plan.parts:
            tools = self.handbook.tools_of(part.slot)
            terms = part.terms(customer_id, people, party)
            calls.append(Action(tools.book, tools.arguments(terms)))
        return calls

    def settle(self, conversation: Conversation, wishes: Wishes) -> str | list[Action]:
        """Ask for the payments of what is booked, charge it, and sum it up."""
        plan = self.find_plan(conversation, wishes)
        booked = self.bookings(conversation)
        if not isinstance(plan, Plan) or len(booked) != len(plan.parts):
            return self.script.inability("incomplete")
        ids = self._in_order(plan, conversation)
        charges = conversation.of("charge_booking")
        failed = [one for one in charges if not one.is_ok]
        charged = {one.call.arguments["booking_id"] for one in charges if one.is_ok}
        used = {one.call.arguments["payment_method_id"] for one in failed}
        free = {
            booking_id
            for booking_id, part in zip(ids, plan.parts, strict=True)
            if part.kind.is_free
        }
        unpaid = [booking_id for booking_id in ids if booking_id not in charged | free]
        if not unpaid:
            return self.summary(plan)
        if len(used) >= _MAX_CARDS:
            return self.script.inability("unpaid")
        request = self.request(plan, ids)
        if failed:
            line = "declined_once" if wants_retry(failed[-1].result["message"]) else "declined"
            request = self.script.say(line, bookings=" and ".join(unpaid))
        asked_at = conversation.position_of(request)
        made = conversation.of(*self.handbook.booking_tools)
        if asked_at is None or asked_at < max(one.position for one in (*made, *failed)):
            return request
        answer = conversation.said_since(asked_at)
        if not _SETTLED.search(answer.casefold()):
            return request
        approved = self.approved(conversation, unpaid, answer)
        if isinstance(approved, str):
            return approved
        method = self.payment_method(conversation, wishes, answer)
        if isinstance(method, Action):
            return [method]
        last = failed[-1].call.arguments["payment_method_id"] if failed else None
        if method is None or (method == last and not wants_retry(answer)):
            return request
        return charge(approved, method)

    def _in_order(self, plan: Plan, conversation: Conversation) -> list[str]:
        """Return the ids of what is booked, part by part of the plan as far as they are its own."""
        left = standing(self.handbook, conversation)
        ids = []
        for part in plan.parts:
            own = (one for one in left if part.offer_id in words_of(one.call.arguments))
            found = next(own, left[0])
            left.remove(found)
            ids.append(str(found.result["booking_id"]))
        return ids

    def approved(
        self, conversation: Conversation, unpaid: Sequence[str], answer: str
    ) -> Sequence[str] | str:
        """Return which bookings to charge, by what the user says it approved.

        Of one who approves some of them first it is those it names, then the request for the rest.
        """
        if not _SOME_FIRST.search(answer.casefold()):
            return unpaid
        named = [booking_id for booking_id in unpaid if booking_id in answer]
        if named:
            return named
        request = self.script.say("rest", bookings=" and ".join(unpaid))
        asked_at = conversation.position_of(request)
        said = "" if asked_at is None else conversation.said_since(asked_at)
        return unpaid if _SETTLED.search(said.casefold()) else request

    def payment_method(
        self, conversation: Conversation, wishes: Wishes, answer: str
    ) -> str | Action | None:
        """Return the payment method the user means; a call where it must be looked up first."""
        named = self.heard([answer], conversation).get(METHOD)
        if named is not None:
            return str(named)
        lookup = customer_lookup(wishes)
        looked_up = [one for one in conversation.observations if one.call == lookup]
        bookings = conversation.of(*self.handbook.booking_tools)
        if not looked_up or looked_up[-1].position < bookings[-1].position:
            return lookup
        methods = list(looked_up[-1].result.get("payment_methods", ()))
        by_card = [method for method in methods if method["last4"] == wishes.get(CARD)]
        chosen = by_card or methods[-1:]
        return str(chosen[0]["payment_method_id"]) if chosen else None

    def _next(self, conversation: Conversation) -> str | list[Action]:
        script = self.script
        if conversation.of("transfer_to_human_agents"):
            return script.say("transferred")
        said, last = conversation.last_user_text.casefold(), conversation.last_agent_text
        if (
            last.endswith(script.say("offer"))
            and _WANTS_PERSON.search(said)
            and not _NO.search(said)
        ):
            summary = script.say("not_completed", last=last)
            return [Action("transfer_to_human_agents", {"summary": summary})]
        wishes = self.heard(conversation.user_texts, conversation)
        mishaps = Mishaps(self.handbook, conversation)
        if confirming := mishaps.look_ups():
            return confirming
        proofs = Proofreading(self.handbook, conversation)
        if self.proofreads and (calls := proofs.steps()):
            return calls
        made = self.bookings(conversation)
        # Who has cancelled all that was booked has not booked what it agreed on yet.
        has_booked = any(one.is_ok for one in conversation.of(*self.handbook.booking_tools))
        if has_booked and self.changed_at(conversation) is not None:
            return self._rebook(conversation, wishes)
        if made and (len(made) == len(self.handbook.domain.slots) or not mishaps.refused):
            return self.settle(conversation, wishes)
        if self.asks and not self._has_heard_enough(conversation, wishes):
            return script.question(wishes, self.doubted(conversation), is_first=not last)
        if not self.handbook.has_outline(wishes):
            return script.inability("unclear")
        if self.checks and (check := self._check(conversation, wishes)):
            return check
        plan = self.find_plan(conversation, wishes)
        if isinstance(plan, Plan):
            return self._propose(conversation, wishes, plan)
        return plan or script.inability("no_plan")

    def _check(self, conversation: Conversation, wishes: Wishes) -> str | None:
        """Pin down what is in doubt, then play all wishes back; `None` once all is right.

        What the user corrects is played back again, and so is what it changes after a plan.
        """
        if conversation.of(*self.handbook.search_tools):
            recap = self.script.recap(wishes)
            is_due = self.changed_at(conversation) is not None and not conversation.has_said(recap)
            return recap if is_due else None
        doubted = self.doubted(conversation)
        checks = [self.script.pin(doubted)] if doubted else []
        checks.append(self.script.recap(wishes))
        return next((one for one in checks if not conversation.has_said(one)), None)

    def _propose(
        self, conversation: Conversation, wishes: Wishes, plan: Plan
    ) -> str | list[Action]:
        proposal = self.news(conversation, plan) + self.proposal(plan, conversation)
        asked_at = conversation.position_of(proposal)
        if asked_at is None:
            return proposal
        if self.heeds and not _agrees(conversation.said_since(asked_at)):
            return self.improve(conversation, wishes, proposal)
        if self.handbook.people(wishes) is None:
            return self.script.inability("nobody")
        return self.book(conversation, wishes, plan)

    def news(self, conversation: Conversation, plan: Plan) -> str:
        """Say what has gone wrong through nobody's fault, above the plan that is left."""
        chosen = [part.offer_id for part in plan.parts]
        return Mishaps(self.handbook, conversation).news(self.script.say, chosen)

    def _rebook(self, conversation: Conversation, wishes: Wishes) -> str | list[Action]:
        """Cancel and book what a change of mind asks for, once the user agrees to a new plan."""
        if self.checks and (check := self._check(conversation, wishes)):
            return check
        plan = self.find_plan(conversation, wishes)
        if not isinstance(plan, Plan):
            return plan or self.script.inability("no_plan")
        customer = conversation.result(customer_lookup(wishes))
        if customer is None or self.handbook.people(wishes) is None:
            return self.script.inability("nobody")
        calls = self.booking_calls(plan, wishes, customer["customer_id"])
        rethinking = Rethinking(self.handbook, conversation)
        stale, held = rethinking.stale(calls), {one.call.key for one in rethinking.standing}
        missing = [call for call in calls if call.key not in held]
        if not stale and not missing:
            return self.settle(conversation, wishes)
        proposal = self.proposal(plan, conversation)
        asked_at = conversation.position_of_end(proposal)
        if self.heeds and (asked_at is None or asked_at < (self.changed_at(conversation) or 0)):
            ids = " and ".join(str(one.result["booking_id"]) for one in stale)
            told = self.news(conversation, plan) + proposal
            return self.script.say("changed_plan", bookings=ids, plan=told) if ids else told
        if self.heeds and not _agrees(conversation.said_since(asked_at or 0)):
            return self.improve(conversation, wishes, conversation.last_agent_text)
        if stale:
            return [rethinking.cancellation(one) for one in stale]
        if any(conversation.result(call) is not None for call in missing):
            return self.script.inability("not_booked")
        return missing

    def improve(self, conversation: Conversation, wishes: Wishes, proposal: str) -> str:
        """Answer a user who has not agreed to what is still the best plan."""
        if conversation.last_agent_text != proposal:
            return proposal
        if wishes != self.heard(conversation.user_texts[:-1], conversation):
            return self.script.say("unchanged", plan=proposal)
        return self.script.inability("no_better")

    def refusals(self, conversation: Conversation) -> int:
        """Return how many of its plans the user has not agreed to."""
        lead = self.script.plan_lead
        proposals = [one.position for one in conversation.turns if one.text.startswith(lead)]
        answers = [conversation.answer_to(position) for position in proposals]
        return sum(answer is not None and not _agrees(answer) for answer in answers)

    def _has_heard_enough(self, conversation: Conversation, wishes: Wishes) -> bool:
        if not conversation.last_agent_text:
            return False
        if self._is_stuck(conversation):
            return True
        return says_no_more(conversation.user_texts[1:]) and not self.handbook.missing(wishes)

    def _is_stuck(self, conversation: Conversation) -> bool:
        """Tell whether the last answers brought nothing new."""
        texts, today = conversation.user_texts, conversation.today
        return self.handbook.reader.count_fruitless(texts, today) >= self.most_fruitless


def _agrees(answer: str) -> bool:
    said = answer.casefold()
    return bool(_YES.search(said)) and not _NO.search(said)


def charge(booking_ids: Sequence[str], method: str) -> list[Action]:
    """Return the calls that charge bookings to a payment method."""
    return [
        Action("charge_booking", {"booking_id": booking_id, "payment_method_id": method})
        for booking_id in booking_ids
    ]


def customer_lookup(wishes: Wishes) -> Action:
    """Return the call that looks the customer up."""
    known = CUSTOMER if CUSTOMER in wishes else EMAIL
    return Action("get_customer_information", {known: wishes[known]})
