"""Which claims that something is booked, confirmed or cancelled the tables bear out (§6)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import NamedTuple

from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.history import History
from crab_graph.eval.reading import Episode
from crab_graph.text.status_claims import SaidStatus, StatusClaim


class ClaimedItem(NamedTuple):
    """What a claim is about: a slot, or one entity or booking of it, whose id it has then."""

    slot: str
    id: str = ""

    @property
    def name(self) -> str:
        """The id, or the slot where there is none."""
        return self.id or self.slot


@dataclass(frozen=True, slots=True)
class ToldStatus:
    """A claim or denial of a message, and the items of which it is not true there."""

    message: AgentMessage
    claim: StatusClaim
    items: tuple[ClaimedItem, ...]
    wrong: tuple[ClaimedItem, ...]


@lru_cache(maxsize=1)
def told_statuses(episode: Episode) -> tuple[ToldStatus, ...]:
    """Return what the agent's messages claim and deny, in order, held against the tables then."""
    told: list[ToldStatus] = []
    has = cache(partial(_has, episode.history))
    for message in episode.dialogue.agent:
        claims = message.status_claims
        seq = message.seq
        held = [one for one in episode.history.bookings if one.slot and one.is_active(seq)]
        made = tuple(ClaimedItem(str(one.slot), one.booking_id) for one in held)
        undone = {
            item.slot
            for one in claims
            if one.status is SaidStatus.CANCELLED and not one.is_denied
            for item in _items(one)
        }
        for claim in claims:
            items = _items(claim) or made
            wished = episode.dialogue.told_about(message) if claim.is_of_wish else frozenset()
            is_of_wish = bool(wished) and wished >= {one.slot for one in items}
            if (claim.is_of_plan or is_of_wish) and not made:
                continue
            wrong = tuple(
                one
                for one in items
                if has(one, claim.status, seq) is claim.is_denied
                # What was booked and is cancelled, as the message says too, was booked.
                and not (claim.status is SaidStatus.BOOKED and one.slot in undone)
            )
            told.append(ToldStatus(message, claim, items, wrong))
    return tuple(told)


def false_statuses(episode: Episode) -> Iterator[tuple[ToldStatus, Sequence[ClaimedItem]]]:
    """Yield the claims that were false when they were made, with the items never put right.

    An item is put right by a later claim of the same status about it that is true, or by a denial
    that is.
    """
    told = told_statuses(episode)
    has = cache(partial(_has, episode.history))
    last: dict[tuple[SaidStatus, str], dict[tuple[int, bool], int]] = defaultdict(dict)
    for place, one in enumerate(told):
        for item in one.items:
            if item not in one.wrong:
                said = one.message.seq, one.claim.is_denied
                last[one.claim.status, item.slot][said] = place
    for place, one in enumerate(told):
        if not one.claim.is_denied:
            status = one.claim.status
            left = [
                item
                for item in one.wrong
                if not any(
                    later > place and has(item, status, seq) is not is_denied
                    for (seq, is_denied), later in last[status, item.slot].items()
                )
            ]
            if left:
                yield one, left


def state_of(episode: Episode, item: ClaimedItem, seq: float) -> str:
    """Return what the tables say of an item at a place in the trace."""
    for status in (SaidStatus.CONFIRMED, SaidStatus.BOOKED, SaidStatus.CANCELLED):
        if _has(episode.history, item, status, seq):
            return "pending" if status is SaidStatus.BOOKED else str(status)
    return "not booked"


def _items(claim: StatusClaim) -> tuple[ClaimedItem, ...]:
    """Return what a claim is about; a slot beside an id of its own says only what that is of."""
    found = [ClaimedItem(slot) for slot in claim.slots]
    for one in claim.references:
        found += [ClaimedItem(slot, one.id) for slot in one.slots]
    of_ids = {one.slot for one in found if one.id}
    return tuple(dict.fromkeys(one for one in found if one.id or one.slot not in of_ids))


def _has(history: History, item: ClaimedItem, status: SaidStatus, seq: float) -> bool:
    """Return whether a booking of an item has a status just before a place in the trace."""
    meant = [
        one
        for one in history.bookings
        if one.slot == item.slot and item.id in ("", one.booking_id, one.entity_id)
    ]
    match status:
        case SaidStatus.BOOKED:
            return any(one.is_active(seq) for one in meant)
        case SaidStatus.CONFIRMED:
            return any(one.is_confirmed(seq) for one in meant)
    is_undone = any(one.cancelled_at < seq for one in meant)
    return is_undone and not any(one.is_active(seq) for one in meant)
