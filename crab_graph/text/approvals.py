"""What a user approves, clears and rejects in visible turns (§2.13, §2.15)."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from crab_graph.text.lexicon import WORD, alternatives, fragment, lexicon, pattern
from crab_graph.text.mentions import Mention, by_slot, find_mentions
from crab_graph.text.pointed_choices import pointed_to
from crab_graph.text.utterance import REACH, Clause, Utterance, once, starting_within
from crab_graph.text.vocabulary import Catalogue, TextVocabulary

_HALT = re.compile(rf"\W*{fragment('approval', 'halts')}")
_BOOK = re.compile(r"(?<!\w)book (?:the )?[\"'(\[]?\Z")
"""`book` right before a mention; an article or a bracket may stand between."""
_LONGEST_BOOK = len("book the (")
_REJECTION = re.compile(rf"{fragment('approval', 'reject')}(?:\W+{WORD}){{0,2}}\W*\Z")
_NO = re.compile(r"no(?!\w)")
_CONTRAST = re.compile(rf"{fragment('approval', 'contrasts')}(?:\W+{WORD}){{0,2}}\W*\Z")
_REFUSAL = re.compile(
    rf"{fragment('approval', 'refusals')}(?:\W+{WORD}){{0,2}}?\W+"
    rf"(?:{'|'.join(lexicon()['approval']['refused_verbs'])})(?!\w)"
)
_OF_CHARGES = re.compile(
    rf"(?:[^\w.!?;]+(?!and\W){WORD}){{0,4}}?[^\w.!?;]+{fragment('approval', 'charges')}"
)
"""What leave to charge is asked for with: `of each of these payments`, `to charge`."""

# Where a clause is cut: at commas but for those of numbers and before a lone `please`, and dashes.
_CUT = re.compile(r",(?!\d)(?!\s*please\W*\Z)|\s[-–]\s|(?<!\w)but(?!\w)")
_ACTS = re.compile(
    "|".join(
        [
            *(fragment("approval", key) for key in ("strong", "agreed", "reject", "refusals")),
            fragment("approval", "contrasts"),
            r"(?<!\w)(?:book|please)(?!\w)",
        ]
    )
)
"""What no clause that approves or rejects is without."""
_PLEASE = re.compile(r"(?:\W+[^\W_]+){0,2}?\W+please(?!\w)")


class ActKind(StrEnum):
    """What a user does to a slot or an id."""

    APPROVE = "approve"
    CLEAR = "clear"
    CLEAR_UNBOOKED = "clear_unbooked"
    REJECT = "reject"


class Assent(StrEnum):
    """Assent something was approved, in words."""

    NAMED = "by what names it"
    CARRIED = "beside what was approved with it"
    YES = "by a yes to what was proposed"
    CHOICE = "by a choice of what was offered"


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a user message, with the ids approved, or the one rejected.

    The slot is empty where it is about all of them, or about an id that fits none.
    """

    kind: ActKind
    slot: str = ""
    ids: frozenset[str] = frozenset()
    how: Assent = Assent.NAMED


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
    if pattern("approval", "choices").search(utterance.text):
        acts += [Act(ActKind.CLEAR, slot) for slot in crowded]
    if not mentions:
        acts += _bare_acts(utterance, request, offered)
        if request is not None and crowded:
            chosen = pointed_to(utterance, request, catalogue)
            acts += [
                Act(ActKind.APPROVE, slot, frozenset({one}), Assent.CHOICE)
                for slot, one in chosen.items()
            ]
        return tuple(acts)
    reader = _ActReader(utterance, mentions, catalogue)
    for clause in utterance.clauses:
        acts += reader.read(clause)
    return tuple(acts)


@once
def requests_booking(utterance: Utterance) -> bool:
    """Return whether an agent message asks for leave to book."""
    text = utterance.text
    if pattern("approval", "requests").search(text):
        return True
    leave = pattern("approval", "leave").finditer(text)
    if any(not _OF_CHARGES.match(text, match.end()) for match in leave):
        return True
    leads = pattern("approval", "request_leads")
    for clause in utterance.clauses_with(leads):
        lead = leads.search(text, clause.start, clause.end)
        if lead and pattern("approval", "request_acts").search(text, lead.end(), clause.end):
            return True
    return False


def _bare_acts(
    utterance: Utterance, answered: Utterance | None, offered: Mapping[str, frozenset[str]]
) -> Iterable[Act]:
    """Yield the acts of a message that names nothing."""
    text = utterance.text
    halt = _HALT.match(text)
    if halt and not pattern("approval", "harmless").match(text):
        # A no to a question that asks for no leave to book is an answer, and takes nothing back.
        is_answer = (
            answered is not None
            and halt[0].endswith("no")
            and "?" in answered.text
            and not requests_booking(answered)
        )
        if not is_answer:
            yield Act(ActKind.CLEAR_UNBOOKED)
        return
    is_approval = (
        pattern("approval", "strong").search(text) is not None
        and "?" not in text
        and pattern("approval", "reserve").search(text) is None
    )
    if not is_approval or answered is None:
        return
    is_order = pattern("approval", "orders").search(text) is not None
    if not is_order and not requests_booking(answered):
        return
    for slot, ids in offered.items():
        is_one = len(ids) == 1
        yield Act(ActKind.APPROVE, slot, ids, Assent.YES) if is_one else Act(ActKind.CLEAR, slot)


@cache
def _link(vocabulary: TextVocabulary) -> re.Pattern[str]:
    """Return what may stand beside the references of a piece that is nothing else."""
    kinds = (vocabulary.slot_words, vocabulary.bare_words, vocabulary.group_words)
    words = [re.escape(word) for held in kinds for own in held.items() for word in _listed(own)]
    joints = ("and", "or", "nor", "the", "my", "also", "too", "as well")
    return re.compile(rf"(?:[^\w]|{alternatives((*joints, *words))})*+")


def _listed(entry: tuple[str, Iterable[str]]) -> Iterable[str]:
    """Return the words of an entry: those it lists, or what they are listed under."""
    key, words = entry
    return (key, *words)


class _ActReader:
    """Reads the clauses of a message that names something, in pieces and in order."""

    def __init__(
        self, utterance: Utterance, mentions: Sequence[Mention], catalogue: Catalogue
    ) -> None:
        self._text, self._mentions, self._catalogue = utterance.text, mentions, catalogue
        self._named: Sequence[Mention] = ()
        self._listed: Sequence[Mention] = ()
        self._bare: Sequence[Mention] = ()
        self._last: ActKind | None = None

    def read(self, clause: Clause) -> Iterator[Act]:
        """Yield the acts of one clause; a question or a condition in it approves nothing."""
        if _ACTS.search(self._text, clause.start, clause.end) is None:
            self._only_name(clause)
            return
        can_approve = "?" not in self._text[clause.start : clause.end] and not pattern(
            "approval", "conditions"
        ).search(self._text, clause.start, clause.end)
        cuts = [match.span() for match in _CUT.finditer(self._text, clause.start, clause.end)]
        starts = [clause.start, *(end for _, end in cuts)]
        ends = [*(start for start, _ in cuts), clause.end]
        self._last, self._bare = None, ()
        for start, end in zip(starts, ends, strict=True):
            yield from self._piece(start, end, can_approve=can_approve)

    def _only_name(self, clause: Clause) -> None:
        """Keep what the last piece of a clause names that does nothing with it."""
        own = starting_within(self._mentions, clause.start, clause.end)
        if own:
            cuts = [match.end() for match in _CUT.finditer(self._text, clause.start, clause.end)]
            last = bisect_right(cuts, own[-1].start)
            self._named = starting_within(own, cuts[last - 1] if last else clause.start, clause.end)

    def _piece(self, start: int, end: int, *, can_approve: bool) -> Iterator[Act]:
        own = starting_within(self._mentions, start, end)
        bare: Sequence[Mention] = ()
        contrasted = self._contrasted(start, end, own)
        rejected = self._rejected(start, end, [one for one in own if one not in contrasted])
        out = contrasted.union(rejected)
        kept = [one for one in own if one not in out]
        if own and self._is_nothing_else(start, end, own):
            if self._last is ActKind.REJECT:
                rejected, kept = list(own), []
            elif self._last is ActKind.APPROVE:
                # A list is one act: what it names of one slot is approved together.
                self._listed = [*self._listed, *kept]
                yield from self._approve(self._listed, Assent.CARRIED)
            else:
                bare = [*self._bare, *own]
        elif can_approve and self._agrees(start, end, own):
            self._last, self._listed = ActKind.APPROVE, kept
            if own:
                yield from self._approve(kept, Assent.NAMED)
            elif self._bare or self._says("pronouns", start, end):
                yield from self._approve(self._bare or self._named, Assent.NAMED)
        for mention in rejected:
            slot = self._catalogue.slot_of(mention.entity_id) or ""
            self._last = ActKind.REJECT
            yield Act(ActKind.REJECT, slot, frozenset({mention.entity_id}))
        self._bare = bare
        if own:
            self._named = own

    def _approve(self, mentions: Sequence[Mention], how: "Assent") -> Iterator[Act]:
        for slot, ids in by_slot(mentions, self._catalogue).items():
            yield Act(ActKind.APPROVE, slot, ids, how)

    def _says(self, key: str, start: int, end: int) -> bool:
        return pattern("approval", key).search(self._text, start, end) is not None

    def _is_nothing_else(self, start: int, end: int, own: Sequence[Mention]) -> bool:
        """Tell whether a piece is references alone."""
        edges = [start, *(one.end for one in own)], [*(one.start for one in own), end]
        link = _link(self._catalogue.vocabulary)
        return all(link.fullmatch(self._text, a, max(a, b)) for a, b in zip(*edges, strict=True))

    def _rejected(self, start: int, end: int, own: Sequence[Mention]) -> list[Mention]:
        """Return what a rejecting word of a piece reaches."""
        if not (own and any(self._says(key, start, end) for key in ("reject", "refusals"))):
            return []
        harmless = [*self._spans("harmless", start, end), *self._spans("keeps", start, end)]

        def is_meant(match: re.Match[str]) -> bool:
            return not any(a <= match.start() < b for a, b in harmless)

        refused = any(map(is_meant, _REFUSAL.finditer(self._text, start, end)))
        found = []
        for one in own:
            reach = max(start, one.start - REACH)
            matches = _REJECTION.finditer(self._text, reach, one.start)
            if refused or any(
                is_meant(match) and not self._is_void(match, one) for match in matches
            ):
                found.append(one)
        return found

    def _is_void(self, match: re.Match[str], one: Mention) -> bool:
        """Tell whether a `no` stops at what approves, or at a noun that it denies instead."""
        place = match.start(), one.start
        is_no = _NO.match(self._text, match.start()) is not None
        return is_no and (self._says("strong", *place) or self._says("harmless_nouns", *place))

    def _contrasted(self, start: int, end: int, own: Sequence[Mention]) -> set[Mention]:
        """Return what something else is meant instead of."""
        if not (own and self._says("contrasts", start, end)):
            return set()
        spans = ((one, max(start, one.start - REACH), one.start) for one in own)
        return {one for one, a, b in spans if _CONTRAST.search(self._text, a, b)}

    def _spans(self, key: str, start: int, end: int) -> list[tuple[int, int]]:
        return [one.span() for one in pattern("approval", key).finditer(self._text, start, end)]

    def _agrees(self, start: int, end: int, own: Sequence[Mention]) -> bool:
        """Tell whether a piece approves what it names, or what `it` stands for."""
        if self._says("agreed", start, end):
            return True
        calm = [*self._spans("harmless", start, end), *self._spans("keeps", start, end)]
        reached = [one.start for one in own]
        for a, b in self._spans("denials", start, end):
            is_calm = any(x <= a < y for x, y in calm)
            reaches = any(b < at <= b + REACH for at in reached)
            if not is_calm and not reaches:
                return False
        if self._says("strong", start, end):
            return True
        text = self._text
        return any(
            _BOOK.search(text, max(start, one.start - _LONGEST_BOOK), one.start)
            or _PLEASE.match(text, one.end, end)
            for one in own
        )
