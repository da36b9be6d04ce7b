"""What offers cost with taxes and fees, where lists leave these out: asked for one by one.

A list never says more than the whole price. So a plan whose parts are all priced, and that is the
best by what is known of prices so far, is the best there is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crab_graph.agents.reference.conversation import Action, Conversation
from crab_graph.agents.reference.handbook import Handbook
from crab_graph.dates import iso_date
from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.kind import BookingTerms, PriceStep, Properties
from crab_graph.domain.showing import BEFORE_FEES

_AT_ONCE = 2
"""Offers of a slot that are priced beside one of a plan: the next ones in price."""


@dataclass(frozen=True)
class FullPrices:
    """What a conversation has told of whole prices."""

    handbook: Handbook
    conversation: Conversation

    def told(self, slot: TaskSlot, rows: Iterable[Properties]) -> list[Properties]:
        """Return offers of a slot with their whole prices, as far as they were told."""
        step = self.handbook.tools_of(slot).price
        return list(rows) if step is None else [self._told(slot, step, row) for row in rows]

    def missing(
        self,
        chosen: Iterable[tuple[TaskSlot, Properties]],
        found: Mapping[str, Sequence[Properties]],
    ) -> list[Action]:
        """Return the calls that price what is not priced yet of what is chosen, and its rivals.

        These are the offers `found` of its slot that come next, in the order that they have.
        """
        calls: dict[str, Action] = {}
        for slot, row in chosen:
            step = self.handbook.tools_of(slot).price
            if step is None or BEFORE_FEES not in row:
                continue
            for one in (row, *_rivals(row, found[slot.id])):
                call = self._call(slot, step, one)
                calls.setdefault(call.key, call)
        return list(calls.values())

    def _told(self, slot: TaskSlot, step: PriceStep, row: Properties) -> Properties:
        if BEFORE_FEES not in row:
            return row
        result = self.conversation.result(self._call(slot, step, row))
        if result is None or "error" in result:
            return row
        whole = {name: value for name, value in row.items() if name != BEFORE_FEES}
        return whole | {"price": step.read(result)}

    def _call(self, slot: TaskSlot, step: PriceStep, row: Properties) -> Action:
        kind = self.handbook.kind_of(slot)
        entity, offer = (str(row[table.key]) for table in (kind.entity, kind.offer))
        days = None
        if kind.interval is not None:
            first, last = (iso_date(int(row[column])) for column in kind.interval)
            days = (first, last)
        return Action(step.tool, step.arguments(BookingTerms("", entity, offer, 1, days=days)))


def _rivals(row: Properties, found: Sequence[Properties]) -> Iterator[Properties]:
    others = (one for one in found if BEFORE_FEES in one and one is not row)
    yield from (one for one, _ in zip(others, range(_AT_ONCE), strict=False))
