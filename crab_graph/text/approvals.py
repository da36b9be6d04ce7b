"""What a user approves, clears and rejects in visible turns (§2.13)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from crab_graph.text.lexicon import fragment, lexicon, pattern
from crab_graph.text.mentions import Mention, disclosed, find_mentions
from crab_graph.text.utterance import Clause, Utterance
from crab_graph.text.vocabulary import Catalogue

_WORD = r"[^\W_]+(?:['-][^\W_]+)*"


class ActKind(StrEnum):
    """What a user does to a slot or an id."""

    APPROVE = "approve"
    CLEAR = "clear"
    CLEAR_UNBOOKED = "clear_unbooked"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a user message.

    Attributes:
        kind: What it does.
        slot: The slot it is about; empty where it is about all, or about an id that fits no slot.
        ids: The ids approved, or the one rejected.
    """

    kind: ActKind
    slot: str = ""
    ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Approvals:
    """Where a user's approvals stand.

    Attributes:
        approved: The ids approved for each slot; never empty.
        rejected: The ids that stand rejected.
    """

    approved: Mapping[str, frozenset[str]]
    rejected: frozenset[str]

    def after(self, acts: Iterable[Act], booked: frozenset[str] = frozenset()) -> "Approvals":
        """Return where they stand after further acts.

        Args:
            acts: The acts, in order.
            booked: The slots that are booked already.
        """
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
    answered: Utterance | None,
    catalogue: Catalogue,
    cap: int | None = None,
) -> tuple[Act, ...]:
    """Return what a user message approves, clears and rejects, in order.

    Args:
        utterance: The user's message.
        answered: The visible agent message before it, if there is one.
        catalogue: What can be mentioned.
        cap: The listing cap that holds for the agent's message; `None` for none.
    """
    mentions = find_mentions(utterance, catalogue)
    offered = {} if answered is None else offered_entities(answered, catalogue, cap)
    acts: list[Act] = []
    crowded = [slot for slot, ids in offered.items() if len(ids) > 1]
    if crowded and pattern("approval", "choices").search(utterance.text):
        acts += [Act(ActKind.CLEAR, slot) for slot in crowded]
    if not mentions:
        return (*acts, *_bare_acts(utterance, answered, offered))
    harmless = _spans(pattern("approval", "harmless"), utterance.text)
    for clause in utterance.clauses:
        within = [item for item in mentions if clause.start <= item.start < clause.end]
        if within:
            acts += _clause_acts(utterance.text, clause, within, catalogue, harmless)
    return tuple(acts)


def offered_entities(
    utterance: Utterance, catalogue: Catalogue, cap: int | None
) -> dict[str, frozenset[str]]:
    """Return the entities that a message discloses for each slot."""
    offered: dict[str, frozenset[str]] = {}
    for mention in disclosed(find_mentions(utterance, catalogue), cap):
        slot = catalogue.slot_of(mention.entity_id)
        if slot is not None:
            offered[slot] = offered.get(slot, frozenset()) | {mention.entity_id}
    return offered


def requests_booking(utterance: Utterance) -> bool:
    """Return whether an agent message asks for leave to book."""
    if pattern("approval", "requests").search(utterance.text):
        return True
    return any(_asks_to_act(utterance.text, clause) for clause in utterance.clauses)


def _asks_to_act(text: str, clause: Clause) -> bool:
    lead = pattern("approval", "request_leads").search(text, clause.start, clause.end)
    if lead is None:
        return False
    return pattern("approval", "request_acts").search(text, lead.end(), clause.end) is not None


def _bare_acts(
    utterance: Utterance, answered: Utterance | None, offered: Mapping[str, frozenset[str]]
) -> Iterable[Act]:
    """Yield the acts of a message that names nothing."""
    text = utterance.text
    if _halt().match(text) and not pattern("approval", "harmless").match(text):
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


@cache
def _halt() -> re.Pattern[str]:
    return re.compile(rf"\W*{fragment('approval', 'halts')}")


def _clause_acts(
    text: str,
    clause: Clause,
    mentions: Sequence[Mention],
    catalogue: Catalogue,
    harmless: Sequence[tuple[int, int]],
) -> Iterable[Act]:
    """Yield the acts of a clause that names something."""
    refused = _outside(_refusal().finditer(text, clause.start, clause.end), harmless)
    rejected = [
        item
        for item in mentions
        if refused or _outside(_rejection().finditer(text, clause.start, item.start), harmless)
    ]
    if _is_explicit_approval(text, clause, mentions):
        named: dict[str, set[str]] = {}
        for mention in mentions:
            slot = catalogue.slot_of(mention.entity_id)
            if slot is not None and mention not in rejected:
                named.setdefault(slot, set()).add(mention.entity_id)
        for slot, ids in named.items():
            yield Act(ActKind.APPROVE, slot, frozenset(ids))
    for mention in rejected:
        slot = catalogue.slot_of(mention.entity_id) or ""
        yield Act(ActKind.REJECT, slot, frozenset({mention.entity_id}))


def _is_explicit_approval(text: str, clause: Clause, mentions: Sequence[Mention]) -> bool:
    if "?" in text[clause.start : clause.end]:
        return False
    if pattern("approval", "explicit_voids").search(text, clause.start, clause.end):
        return False
    if pattern("approval", "strong").search(text, clause.start, clause.end):
        return True
    return any(_book().search(text, clause.start, item.start) for item in mentions)


@cache
def _book() -> re.Pattern[str]:
    """`book` right before a mention; an article or a bracket may stand between."""
    return re.compile(r"(?<!\w)book (?:the )?[\"'(\[]?\Z")


@cache
def _rejection() -> re.Pattern[str]:
    return re.compile(rf"{fragment('approval', 'reject')}(?:\W+{_WORD}){{0,2}}\W*\Z")


@cache
def _refusal() -> re.Pattern[str]:
    verbs = "|".join(lexicon()["approval"]["refused_verbs"])
    return re.compile(
        rf"{fragment('approval', 'refusals')}(?:\W+{_WORD}){{0,2}}?\W+(?:{verbs})(?!\w)"
    )


def _spans(matcher: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in matcher.finditer(text)]


def _outside(
    matches: Iterable[re.Match[str]], harmless: Sequence[tuple[int, int]]
) -> list[re.Match[str]]:
    return [
        match
        for match in matches
        if not any(start <= match.start() < end for start, end in harmless)
    ]
