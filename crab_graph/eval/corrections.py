"""Claims an agent took back by stating another (rulebook §8: implicit corrections).

Of all corrections these are the ones that a rule can tell from a change of plan.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.episode import Episode
from crab_graph.text.item_prices import Mark


class Correction(NamedTuple):
    """Where something wrong was done or said, and where it was put right."""

    wrong: int
    mended: float


def find_corrections(episode: Episode) -> list[Correction]:
    """Return what was corrected: cancelled bookings, restated prices, totals and ids."""
    cancelled = [
        Correction(booking.made_at, booking.cancelled_at)
        for booking in episode.history.bookings
        if booking.cancelled_at != float("inf")
    ]
    restated = [*_restated_prices(episode), *_restated_totals(episode), *_replaced_ids(episode)]
    return cancelled + restated


def _restated_prices(episode: Episode) -> Iterator[Correction]:
    """A marked price of one item, stated by id, replaced by another."""
    said: dict[tuple[str, Mark], tuple[int, int]] = {}
    for message in episode.dialogue.agent:
        for price in message.item_prices:
            if price.mark is Mark.UNMARKED or len(price.references) > 1:
                continue
            reference = price.references[0]
            if not reference.id:
                continue
            key = (reference.id, price.mark)
            before = said.get(key)
            if before is not None and before[0] != price.amount.cents and before[1] < message.seq:
                yield Correction(before[1], message.seq)
            said[key] = (price.amount.cents, message.seq)


def _restated_totals(episode: Episode) -> Iterator[Correction]:
    """A total of the trip replaced by another while the plan, as it was told, is the same."""
    plan: Mapping[str, frozenset[str]] = {}
    said: tuple[int, int, Mapping[str, frozenset[str]]] | None = None
    for message in episode.dialogue.agent:
        plan = {**plan, **message.offered}
        totals = {total.amount.cents for total in message.pre_charge_totals}
        if len(totals) != 1 or any(len(ids) > 1 for ids in plan.values()):
            continue
        cents = totals.pop()
        if said is not None and said[2] == plan and said[0] != cents:
            yield Correction(said[1], message.seq)
        said = (cents, message.seq, plan)


def _replaced_ids(episode: Episode) -> Iterator[Correction]:
    """An entity that the user had approved replaced by another that nobody asked for."""
    told: dict[str, AgentMessage] = {}
    for message in episode.dialogue.agent:
        approved = episode.dialogue.approvals_before(message.seq).approved
        for slot, ids in message.offered.items():
            before = told.get(slot)
            if len(ids) > 1:
                told.pop(slot, None)
                continue
            held = None if before is None else before.offered[slot]
            if before is not None and held not in (None, ids) and held == approved.get(slot):
                yield Correction(before.seq, message.seq)
            told[slot] = message
