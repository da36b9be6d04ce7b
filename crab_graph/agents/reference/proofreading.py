"""What bookings hold, as an agent that is careful sees to it: the names and dates it was given.

Each booking that can be looked up is; one that is stored with a slip is cancelled, and the same
booked again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crab_graph.agents.reference.conversation import Action, Conversation, Observation
from crab_graph.agents.reference.handbook import Handbook
from crab_graph.agents.reference.mishaps import words_of
from crab_graph.agents.reference.rethinking import Rethinking


@dataclass(frozen=True)
class Proofreading:
    """What of the bookings made in a conversation is to be looked up or put right."""

    handbook: Handbook
    conversation: Conversation

    def steps(self) -> list[Action]:
        """Return the calls to be made next, all of one sort."""
        if not self.conversation.minds_slips:
            return []
        rethinking = Rethinking(self.handbook, self.conversation)
        standing = rethinking.standing
        unseen = [call for one in standing if (call := self._unseen(one)) is not None]
        wrong = [rethinking.cancellation(one) for one in standing if self._has_slip(one)]
        return unseen or wrong or [one.call for one in self._undone(standing)]

    def _undone(self, standing: Sequence[Observation]) -> Iterator[Observation]:
        """Yield the bookings that were cancelled for a slip, and not made again."""
        for one in self.conversation.of(*self.handbook.booking_tools):
            is_last = one.is_ok and self.conversation.result(one.call) == one.result
            if is_last and one not in standing and self._has_slip(one):
                yield one

    def _look_up(self, booking: Observation) -> Action | None:
        slots = self.handbook.domain.slots
        tools = (self.handbook.tools_of(slot) for slot in slots)
        own = next(one for one in tools if one.book == booking.call.name)
        if own.details is None:
            return None
        return Action(own.details, {"booking_id": booking.result["booking_id"]})

    def _unseen(self, booking: Observation) -> Action | None:
        """Return the call that looks a booking up, if there is one and it was not made."""
        call = self._look_up(booking)
        return None if call is None or self.conversation.result(call) is not None else call

    def _has_slip(self, booking: Observation) -> bool:
        """Tell whether a booking that was looked up holds something else than was given."""
        call = self._look_up(booking)
        shown = None if call is None else self.conversation.result(call)
        given = {*words_of(booking.call.arguments)}
        return shown is not None and "error" not in shown and not given <= {*words_of(shown)}
