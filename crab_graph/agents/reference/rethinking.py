"""What a user wants otherwise after a plan, as an agent that is careful takes it.

What still fits of what is booked stays, as much of it as can; the rest is cancelled, as far as it
can be, once the user has agreed to the new plan.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from crab_graph.agents.reference.conversation import Action, Conversation, Observation
from crab_graph.agents.reference.handbook import Handbook
from crab_graph.agents.reference.mishaps import cancelling, standing, words_of
from crab_graph.agents.reference.planning import Shortlist
from crab_graph.agents.reference.wish_vocabulary import Wishes

Row = dict[str, Any]


@dataclass(frozen=True)
class Rethinking:
    """What has been booked in a conversation, and what of it can stay."""

    handbook: Handbook
    conversation: Conversation

    def heard_at(self, plan_lead: str) -> int | None:
        """Return where the user last wanted something else than before, after a plan."""
        turns, said, found = self.conversation.turns, list[str](), None
        has_plan, before = False, Wishes()
        for turn in turns:
            if not turn.is_user:
                has_plan = has_plan or plan_lead in turn.text
                continue
            said.append(turn.text)
            now = self.handbook.reader.read(said, self.conversation.today)
            if has_plan and any(before[key] != now.get(key) for key in before):
                found = turn.position
            before = now
        return found

    @cached_property
    def standing(self) -> list[Observation]:
        """The bookings that were made and not cancelled."""
        return standing(self.handbook, self.conversation)

    @property
    def held(self) -> frozenset[str]:
        """All words with which something is booked, ids of offers among them."""
        return frozenset(word for one in self.standing for word in words_of(one.call.arguments))

    def stale(self, calls: Sequence[Action]) -> list[Observation]:
        """Return the bookings that calls which book a plan would not make."""
        wanted = {call.key for call in calls}
        return [one for one in self.standing if one.call.key not in wanted]

    def cancellation(self, booking: Observation) -> Action:
        """Return the call that cancels a booking."""
        tool = self._cancelling[booking.call.name]
        return Action(tool, {"booking_id": booking.result["booking_id"]})

    def shortlists(self, offers: Shortlist, wishes: Wishes) -> Iterator[Shortlist]:
        """Yield offers of which the slots that are booked have that alone, the most of them first.

        What cannot be cancelled stays; where it fits no slot there is nothing.
        """
        kept = dict[str, Row]()
        final = set[str]()
        for booking in self.standing:
            place = self._place(booking, offers, wishes, kept)
            can_go = booking.call.name in self._cancelling
            if place is None and not can_go:
                return
            if place is not None:
                kept[place[0]] = place[1]
                final |= set() if can_go else {place[0]}
        free = [slot for slot in kept if slot not in final]
        for count in range(len(free) + 1):
            for released in combinations(free, count):
                yield offers.only({s: [row] for s, row in kept.items() if s not in released})

    def _place(
        self,
        booking: Observation,
        offers: Shortlist,
        wishes: Wishes,
        taken: Mapping[str, Row],
    ) -> tuple[str, Row] | None:
        """Return the slot that a booking fills, with its offer; `None` where it fits none."""
        people, party = self.handbook.people(wishes) or (), self.handbook.party(wishes) or 1
        customer = str(booking.call.arguments["customer_id"])
        words = set(words_of(booking.call.arguments))
        for slot, rows in offers.offers.items():
            kind = self.handbook.kind_of(self.handbook.slots[slot])
            tools = self.handbook.tools_of(self.handbook.slots[slot])
            if tools.book != booking.call.name or slot in taken:
                continue
            for row in rows:
                # A stay is an offer only once its days were asked for.
                is_whole = row.keys() >= set(kind.interval or ())
                if is_whole and row.get(kind.offer.key) in words:
                    terms = offers.part(slot, row).terms(customer, people, party)
                    if Action(tools.book, tools.arguments(terms)).key == booking.call.key:
                        return slot, row
        return None

    @cached_property
    def _cancelling(self) -> dict[str, str]:
        return cancelling(self.handbook)
