"""What a user approves, clears and rejects in visible turns (§2.13)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from crab_graph.text.lexicon import WORD, fragment, lexicon, pattern
from crab_graph.text.mentions import Mention, by_slot, find_mentions
from crab_graph.text.utterance import REACH, Clause, Utterance, starting_within
from crab_graph.text.vocabulary import Catalogue

_HALT = re.compile(rf"\W*{fragment('approval', 'halts')}")
_BOOK = re.compile(r"(?<!\w)book (?:the )?[\"'(\[]?\Z")
"""`book` right before a mention; an article or a bracket may stand between."""
_REJECTION = re.compile(rf"{fragment('approval', 'reject')}(?:\W+{WORD}){{0,2}}\W*\Z")
_REFUSAL = re.compile(
    rf"{fragment('approval', 'refusals')}(?:\W+{WORD}){{0,2}}?\W+"
    rf"(?:{'|'.join(lexicon()['approval']['refused_verbs'])})(?!\w)"
)


class ActKind(StrEnum):
    """What a user does to a slot or an id."""

    APPROVE = "approve"
    CLEAR = "clear"
    CLEAR_UNBOOKED = "clear_unbooked"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a user message, with the ids approved, or the one rejected.

    The slot is empty where it is about all of them, or about an id that fits none.
    """

    kind: ActKind
    slot: str = ""
    ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Approvals:
    """Where a user's approvals stand: ids approved for each slot, never empty, and ids rejected."""

    approved: Mapping[str, frozenset[str]]
    rejected: frozenset[str]

    def after(self, acts: Iterable[Act], booked: frozenset[str] = frozenset()) -> "Approvals":
        """Return where they stand after further acts, with the slots that are booked already."""
        approved, rejected = dict(self.approved), set(self.rejected)
        for act in acts:
            if act.kind is ActKind.APPROVE:
                approved[act.slot] = act.ids
                rejected -= act.ids
            elif act.kind is ActKind.CLEAR:
                approved.pop(act.slot, None)
            elif act.kind is ActKind.CLEAR_UNBOOKED:
                approved = {slot: ids for slot, ids in approved.items() if slot in booked}
            else:
                rejected |= act.ids
                approved[act.slot] = approved.get(act.slot, frozenset()) - act.ids
        held = {slot: ids for slot, ids in approved.items() if ids}
        return Approvals(held, frozenset(rejected))


NO_APPROVALS = Approvals({}, frozenset())


def find_acts(
    utterance: Utterance,
    answered: tuple[Utterance, Mapping[str, frozenset[str]]] | None,
    catalogue: Catalogue,
) -> tuple[Act, ...]:
    """Return what a user message approves, clears and rejects, in order.

    `answered` is the visible agent message before it, if there is one, and the entities that it
    discloses for each slot.
    """
    mentions = find_mentions(utterance, catalogue)
    request, offered = answered or (None, {})
    acts: list[Act] = []
    crowded = [slot for slot, ids in offered.items() if len(ids) > 1]
    if crowded and pattern("approval", "choices").search(utterance.text):
        acts += [Act(ActKind.CLEAR, slot) for slot in crowded]
    if not mentions:
        return (*acts, *_bare_acts(utterance, request, offered))
    for clause in utterance.clauses:
        within = starting_within(mentions, clause.start, clause.end)
        if within:
            acts += _clause_acts(utterance.text, clause, within, catalogue)
    return tuple(acts)


def requests_booking(utterance: Utterance) -> bool:
    """Return whether an agent message asks for leave to book."""
    text = utterance.text
    if pattern("approval", "requests").search(text):
        return True
    for clause in utterance.clauses:
        lead = pattern("approval", "request_leads").search(text, clause.start, clause.end)
        if lead and pattern("approval", "request_acts").search(text, lead.end(), clause.end):
            return True
    return False


def _bare_acts(
    utterance: Utterance, answered: Utterance | None, offered: Mapping[str, frozenset[str]]
) -> Iterable[Act]:
    """Yield the acts of a message that names nothing."""
    text = utterance.text
    if _HALT.match(text) and not pattern("approval", "harmless").match(text):
        yield Act(ActKind.CLEAR_UNBOOKED)
        return
    is_approval = (
        pattern("approval", "strong").search(text) is not None
        and "?" not in text
        and pattern("approval", "reserve").search(text) is None
    )
    if not is_approval or answered is None or not requests_booking(answered):
        return
    for slot, ids in offered.items():
        yield Act(ActKind.APPROVE, slot, ids) if len(ids) == 1 else Act(ActKind.CLEAR, slot)


def _clause_acts(
    text: str,
    clause: Clause,
    mentions: Sequence[Mention],
    catalogue: Catalogue,
) -> Iterable[Act]:
    """Yield the acts of a clause that names something."""
    excused = pattern("approval", "harmless").finditer(text, clause.start, clause.end)
    harmless = {place for match in excused for place in range(*match.span())}

    def is_meant(matches: Iterable[re.Match[str]]) -> bool:
        return any(match.start() not in harmless for match in matches)

    def reach(item: Mention) -> int:
        return max(clause.start, item.start - REACH)

    is_refused = is_meant(_REFUSAL.finditer(text, clause.start, clause.end))
    rejected = [
        item
        for item in mentions
        if is_refused or is_meant(_REJECTION.finditer(text, reach(item), item.start))
    ]
    is_explicit_approval = (
        "?" not in text[clause.start : clause.end]
        and not pattern("approval", "explicit_voids").search(text, clause.start, clause.end)
        and (
            pattern("approval", "strong").search(text, clause.start, clause.end)
            or any(_BOOK.search(text, reach(item), item.start) for item in mentions)
        )
    )
    if is_explicit_approval:
        taken_out = set(rejected)
        kept = [item for item in mentions if item not in taken_out]
        for slot, ids in by_slot(kept, catalogue).items():
            yield Act(ActKind.APPROVE, slot, ids)
    for mention in rejected:
        slot = catalogue.slot_of(mention.entity_id) or ""
        yield Act(ActKind.REJECT, slot, frozenset({mention.entity_id}))
