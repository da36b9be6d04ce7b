"""Which of the bookings that wait for payment a request is about, beside those it names by id.

`Approve BK-1 and the other two` is about all of them, `approve the second one only` about one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from crab_graph.personas.briefing import BriefedSlot, UserBriefing
from crab_graph.personas.own_tools import Wallet, named_bookings
from crab_graph.personas.segments import Segment
from crab_graph.personas.stated_plans import read_plans
from crab_graph.personas.understanding import Reading

_APPROVE = re.compile(r"\b(?:approv\w+|authori[sz]\w+|sign off|pay\w*|consent)\b")
_ONLY = re.compile(r"\b(?:only|just|alone|for now|to (?:begin|start) with|nothing else)\b")
_NOW = re.compile(r"\b(?:now|first|today)\b")
_LATER = re.compile(
    r"\b(?:follows?|later|tomorrow|afterwards|next week|can wait|waits?|not yet|leave the)\b"
)
_EVERY = re.compile(r"\b(?:all|every\w*|each|whole|total|altogether)\b")

_OTHERS = re.compile(
    r"(?:\b(?:and|plus|with|as well as)\b|[+&]) (?:also )?(?:for )?(?:all )?(?:of )?the "
    r"(?:(?:other|remaining)s?(?: (?:two|three|four|five|ones?|bookings?|payments?|amounts?))*"
    r"|rest|remainder)\b(?! (?:of|will|follow\w*|can|are|is|was|were|waits?|comes?|went|have|has"
    r"|later|next|tomorrow|failed|stays?|remains?)\b)"
)


def asked_only(
    wallet: Wallet, reading: Reading, briefing: UserBriefing, said: Sequence[str]
) -> Wallet:
    """Return a wallet that knows which bookings a request for approvals means by words.

    What the agent `said` before tells which of two items of a kind is which.
    """
    if not (reading.asks_approval and wallet.pending):
        return wallet
    if named_bookings(reading):
        is_of_all = asks_for_others(reading.utterance.text)
        every = (one.booking_id for one in wallet.pending)
        return replace(wallet, only=frozenset(every)) if is_of_all else wallet
    slots = {name for own in _limits(reading) for name in own}
    if not slots:
        return wallet
    known: dict[str, str] = {}
    if _are_told_apart(slots, briefing.slots):
        known = {
            item: slot for plan in read_plans(said, briefing) for item, slot in plan.items.items()
        }
    kinds = {f"{one.id_prefix}-": one.id for one in briefing.slots if one.id in slots}
    asked = {
        one.booking_id
        for one in wallet.pending
        if known.get(one.entity_id) in slots
        or (one.entity_id not in known and one.entity_id.startswith((*kinds,)))
    }
    return replace(wallet, only=frozenset(asked))


def asks_for_others(text: str) -> bool:
    """Tell whether words name all the others beside what they name by id."""
    return _OTHERS.search(text.casefold()) is not None


def _limits(reading: Reading) -> Iterator[frozenset[str]]:
    """Yield the slots to which a clause that asks for approvals keeps."""
    is_split = any(_LATER.search(one.text) for one in reading.segments)
    for one in reading.segments:
        if _asks(one) and (_ONLY.search(one.text) or (is_split and _NOW.search(one.text))):
            yield one.named or one.scope


def _asks(segment: Segment) -> bool:
    text = segment.text
    return segment.is_request and bool(_APPROVE.search(text)) and not _EVERY.search(text)


def _are_told_apart(slots: set[str], every: Sequence[BriefedSlot]) -> bool:
    """Tell whether of several slots of one kind some are meant, and not the others."""
    prefixes = {one.id_prefix for one in every if one.id in slots}
    return any(one.id_prefix in prefixes and one.id not in slots for one in every)
