"""The visible messages of an episode as the text layer reads them (rulebook §2)."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from crab_graph.eval.card_amounts import without_those_of_cards
from crab_graph.eval.history import BookingRecord, History
from crab_graph.eval.offers_not_taken import without_those_not_taken
from crab_graph.eval.replay import MessageStep, Trajectory
from crab_graph.text.amounts import Amount, find_amounts
from crab_graph.text.approvals import NO_APPROVALS, Act, ActKind, Approvals, find_acts
from crab_graph.text.item_prices import ItemPrice, PriceReadings, find_item_prices
from crab_graph.text.mentions import (
    Mention,
    MentionForm,
    Reference,
    ReferenceForm,
    by_slot,
    disclosed,
    find_mentions,
    find_references,
)
from crab_graph.text.phrases import has_summary_cue, offers_transfer
from crab_graph.text.status_claims import StatusClaim, find_status_claims
from crab_graph.text.total_cues import ALL_CUES, CueFamily
from crab_graph.text.totals import MessageTotals, TotalStatement
from crab_graph.text.utterance import Utterance, read_message
from crab_graph.text.vocabulary import Catalogue
from crab_graph.tools.registry import Owner


class AgentMessage:
    """A visible agent message; what it says is read when it is first asked for, and once."""

    def __init__(
        self, step: MessageStep, catalogue: Catalogue, history: History, cap: int | None
    ) -> None:
        self.seq, self.number, self.text = step.seq, step.number, step.text
        self._catalogue = catalogue
        self._history = history
        self._cap = cap

    @cached_property
    def utterance(self) -> Utterance:
        """The message in clauses."""
        return read_message(self.text)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Entities it mentions, negated or not."""
        return find_mentions(self.utterance, self._catalogue)

    @cached_property
    def kinds_by_id(self) -> frozenset[str]:
        """The kinds of which it holds ids, negated or not."""
        return frozenset(one.kind for one in self.mentions if one.form is MentionForm.ID)

    @cached_property
    def disclosed(self) -> tuple[Mention, ...]:
        """Mentions by which it discloses."""
        return disclosed(self.mentions, self._cap)

    @cached_property
    def offered(self) -> Mapping[str, frozenset[str]]:
        """The entities it discloses for each slot, by id or name."""
        return by_slot(self.disclosed, self._catalogue)

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """Amounts it holds."""
        said, history, seq = self.utterance, self._history, self.seq
        found = without_those_of_cards(said, find_amounts(said), history, seq)
        return without_those_not_taken(said, found, self.references, history, seq)

    @property
    def offers_transfer(self) -> bool:
        """Whether it offers to hand over to a person."""
        return offers_transfer(self.utterance, self._catalogue.vocabulary.human)

    def is_summary(self, *, has_charged: bool) -> bool:
        """Return whether it says that something is done; more words do after a charge."""
        return has_summary_cue(self.utterance, self._catalogue.vocabulary, has_charged)

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """What its words refer to."""
        slots = {booking.booking_id: booking.slot for booking in self._history.bookings}
        return find_references(self.utterance, self.mentions, self._catalogue, slots)

    @cached_property
    def status_claims(self) -> tuple[StatusClaim, ...]:
        """What it says is booked, confirmed or cancelled, and what it says is not."""
        return find_status_claims(self.utterance, self.references, self._catalogue.vocabulary)

    def job_totals(self, families: frozenset[CueFamily]) -> list[TotalStatement]:
        """Return its sound totals of the job, by cues of some families."""
        return [one for one in self.totals(families) if one.is_of_all and not one.is_void]

    def totals(self, families: frozenset[CueFamily]) -> tuple[TotalStatement, ...]:
        """Return its totals by cues of some families, void ones too."""
        return self._totals.by(families)

    def slot_totals(self, families: frozenset[CueFamily]) -> list[TotalStatement]:
        """Return its totals of some slots, by cues of some families."""
        return [one for one in self.totals(families) if not one.is_of_all]

    def growing_totals(self, families: frozenset[CueFamily]) -> list[TotalStatement]:
        """Return the totals that it says to be running ones, by cues of some families."""
        return [one for one in self.totals(families) if one.is_growing]

    @cached_property
    def named_slots(self) -> Mapping[str, int]:
        """The slots that it refers to, with where each is first referred to."""
        return named_slots(self.references)

    @cached_property
    def priced_slots(self) -> Mapping[str, int]:
        """The slots that it states a price of, with where the first price of each stands."""
        found: dict[str, int] = {}
        for price in sorted(self.item_prices, key=lambda one: one.amount.start):
            for one in price.references:
                for slot in one.slots:
                    found.setdefault(slot, price.amount.start)
        return found

    @cached_property
    def names_whole(self) -> bool:
        """Whether it refers to everything."""
        return any(one.form is ReferenceForm.WHOLE_WORD for one in self.references)

    @cached_property
    def price_readings(self) -> tuple[PriceReadings, ...]:
        """How the prices of single items or groups on each of its lines can be read."""
        filled = {slot for slot, held in self._history.filling(self.seq).items() if len(held) == 1}
        return find_item_prices(
            self.utterance,
            self.amounts,
            self.references,
            self._totals.by(ALL_CUES),
            self._catalogue.vocabulary,
            frozenset(filled),
        )

    @property
    def item_prices(self) -> list[ItemPrice]:
        """The prices it states of single items or groups, each with what is nearest."""
        return [price for readings in self.price_readings for price in readings[0]]

    @cached_property
    def _totals(self) -> MessageTotals:
        words = self._catalogue.vocabulary
        return MessageTotals(self.utterance, self.amounts, self.references, words)


def named_slots(references: Iterable[Reference]) -> dict[str, int]:
    """Return the slots that references mean, with the first place of each."""
    found: dict[str, int] = {}
    for one in references:
        if one.form is not ReferenceForm.BARE_WORD:
            for slot in one.slots:
                found.setdefault(slot, one.start)
    return found


class UserMessage(NamedTuple):
    """A visible user message with what it approves, clears and rejects, and what stands then."""

    seq: int
    number: int
    text: str
    utterance: Utterance
    acts: tuple[Act, ...]
    approvals: Approvals


class Dialogue:
    """All visible messages of an episode, and each agent message that is answered with its answer.

    A user message knows where approvals stand after it; of several answers the first one counts.
    """

    def __init__(
        self, trajectory: Trajectory, catalogue: Catalogue, history: History, cap: int | None
    ) -> None:
        self.agent: list[AgentMessage] = []
        self.user: list[UserMessage] = []
        self.answers: list[tuple[AgentMessage, UserMessage]] = []
        self._catalogue, self._history = catalogue, history
        for step in trajectory.messages:
            if step.speaker is Owner.AGENT:
                self.agent.append(AgentMessage(step, catalogue, history, cap))
                continue
            request = self.agent[-1] if self.agent else None
            answered = None if request is None else (request.utterance, request.offered)
            utterance = read_message(step.text)
            acts = find_acts(utterance, answered, catalogue)
            approvals = self.approvals
            if acts:
                approvals = approvals.after(acts, frozenset(history.filling(step.seq)))
            said = step.seq, step.number, step.text
            self.user.append(UserMessage(*said, utterance, acts, approvals))
            if request is not None and (not self.answers or self.answers[-1][0] is not request):
                self.answers.append((request, self.user[-1]))

    def agent_before(self, seq: float) -> list[AgentMessage]:
        """Return the agent's messages before a place in the trace."""
        return self.agent[: bisect_left(self.agent, seq, key=lambda message: message.seq)]

    def agent_after(self, seq: float) -> list[AgentMessage]:
        """Return the agent's messages after a place in the trace."""
        return self.agent[bisect_right(self.agent, seq, key=lambda message: message.seq) :]

    def last_before(self, message: AgentMessage) -> AgentMessage | None:
        """Return the agent's message before one of its messages."""
        earlier = bisect_left(self.agent, message.seq, key=lambda one: one.seq)
        return self.agent[earlier - 1] if earlier else None

    def asked_about(self, message: AgentMessage) -> frozenset[str]:
        """Return the slots that the user's turn before a message refers to."""
        earlier = bisect_left(self.user, message.seq, key=lambda one: one.seq)
        if not earlier:
            return frozenset()
        if earlier not in self._asked:
            said = self.user[earlier - 1].utterance
            slots = {one.booking_id: one.slot for one in self._history.bookings}
            mentions = find_mentions(said, self._catalogue)
            references = find_references(said, mentions, self._catalogue, slots)
            self._asked[earlier] = frozenset(named_slots(references))
        return self._asked[earlier]

    def told_about(self, message: AgentMessage) -> frozenset[str]:
        """Return the slots that the user's turn before a message refers to and asks nothing of."""
        earlier = bisect_left(self.user, message.seq, key=lambda one: one.seq)
        is_told = earlier > 0 and "?" not in self.user[earlier - 1].text
        return self.asked_about(message) if is_told else frozenset()

    @cached_property
    def _asked(self) -> dict[int, frozenset[str]]:
        return {}

    def named_until(self, message: AgentMessage) -> frozenset[str]:
        """Return the slots that the agent has referred to in messages before one of them."""
        earlier = bisect_left(self.agent, message.seq, key=lambda one: one.seq)
        return self._named[earlier]

    @cached_property
    def _named(self) -> list[frozenset[str]]:
        named = [frozenset[str]()]
        for message in self.agent:
            named.append(named[-1] | message.named_slots.keys())
        return named

    def priced_until(self, message: AgentMessage) -> frozenset[str]:
        """Return the slots that the agent has stated prices of in messages before one of them."""
        earlier = bisect_left(self.agent, message.seq, key=lambda one: one.seq)
        return self._priced[earlier]

    @cached_property
    def _priced(self) -> list[frozenset[str]]:
        priced = [frozenset[str]()]
        for message in self.agent:
            priced.append(priced[-1] | message.priced_slots.keys())
        return priced

    def approvals_before(self, seq: float) -> Approvals:
        """Return where approvals stand just before a place in the trace."""
        earlier = bisect_left(self.user, seq, key=lambda message: message.seq)
        return self.user[earlier - 1].approvals if earlier else NO_APPROVALS

    @property
    def approvals(self) -> Approvals:
        """Where approvals stand at the end."""
        return self.user[-1].approvals if self.user else NO_APPROVALS

    def is_approved_after(self, entity_id: str, seq: float) -> bool:
        """Return whether an id is approved at some later place."""
        return any(
            act.kind is ActKind.APPROVE and entity_id in act.ids
            for message in self.user
            if message.seq > seq
            for act in message.acts
        )

    def last_approval(self, entity_id: str) -> tuple[UserMessage, Act] | None:
        """Return the last act that approves an id, with the message that does."""
        acts = ((said, act) for said in reversed(self.user) for act in reversed(said.acts))
        found = (pair for pair in acts if pair[1].kind is ActKind.APPROVE)
        return next((pair for pair in found if entity_id in pair[1].ids), None)

    def disclosing(self, booking: BookingRecord, form: MentionForm) -> list[AgentMessage]:
        """Return the messages before a booking that disclose its entity in a form."""
        found = self._disclosing.get((booking.entity_id, form), [])
        return found[: bisect_left(found, booking.made_at, key=lambda message: message.seq)]

    @cached_property
    def _disclosing(self) -> Mapping[tuple[str, MentionForm], list[AgentMessage]]:
        """The agent's messages by what they disclose, and in which form."""
        found: dict[tuple[str, MentionForm], list[AgentMessage]] = {}
        for message in self.agent:
            for said in dict.fromkeys((one.entity_id, one.form) for one in message.disclosed):
                found.setdefault(said, []).append(message)
        return found
