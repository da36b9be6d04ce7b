"""Prices a message states about single items, or about groups of them (§2.10, §2.14)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property, partial
from itertools import chain
from typing import NamedTuple

from crab_graph.text.amounts import (
    Amount,
    amount_runs,
    has_person_mark,
    has_unit_mark,
    has_whole_mark,
    is_headed_personal,
    says_person,
    stated_amounts,
)
from crab_graph.text.item_groups import ItemGroup, dealt_out, find_groups, priced_together
from crab_graph.text.lexicon import fragment, pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.partial_amounts import PartialAmount, find_partial_amounts
from crab_graph.text.total_cues import CueFamily
from crab_graph.text.total_scopes import Scope
from crab_graph.text.totals import AND_THEN, TotalStatement
from crab_graph.text.utterance import MAX_CLAUSE, Clause, Line, Utterance
from crab_graph.text.vocabulary import TextVocabulary

_FOR = re.compile(r"\s+(?:for|of(?= (?:the|your|our) ))(?: [a-z'-]+){0,3} ")
_UNITS_OF = re.compile(
    rf"(?<= )(?:(?:the|all|your|our|of) )*(?:{fragment('marks', 'numbers')}) [a-z'-]+"
    r" (?:to|at|in|of|for|on|with) "
)
"""`two tickets to`: how many of something, before what they are of."""
_COUNTED = re.compile(rf"(?<= )(?:(?:the|all|your|our) (?:{fragment('marks', 'numbers')})|both) \Z")
"""`your four` or `both`, right before what they are of, as in `your four physio sessions`."""
_AND_NUMBERS = re.compile(rf"(?<!\w)and(?!\w)|{fragment('marks', 'numbers')}")
_OPENING = re.compile(r"\s*\(")
_FOR_OTHER = re.compile(r"\s+for the ")
_OF_SUM = re.compile(r" of (?:the |your |our )?\$")
"""Says behind an amount that it is a part of a sum."""
_ATTACHING = re.compile(r"\s+(?:for|of)\s|\s*\(")
"""What stands right after an amount that is attached to an item: the beginning of either."""
_CLOSING = re.compile(r"[^()$]*\)")
_BESIDE = re.compile(r"[\s:*_]*")
"""What stands between a label and its amount."""
_IT = re.compile(r"(?<!\w)(?:it|it's)(?!\w)")
_LEAD = re.compile(r"\W*(?:but )?(?:(?:the )?(?:price|cost|rate)s?(?: (?:is|are|comes? to))?\W+)?")
"""What may stand before the amount that a sentence begins with, as in `Price: $5.00.`"""


class Mark(StrEnum):
    """What an amount is said to be the price of; a share is what one person pays of several."""

    UNIT = "unit"
    WHOLE = "whole"
    SHARE = "share"
    UNMARKED = "unmarked"


class Bond(StrEnum):
    """What ties a price to its item, where it is not that it stands nearest."""

    NEAREST = ""
    FOLLOWING = "each price read with what follows it"
    EACH = "one price each, in their order"
    TOGETHER = "one price of all of them"
    BEFORE = "read of what the sentence before names"
    PART = "a part of the total"


class ItemPrice(NamedTuple):
    """A price said of an item, or of several, which several references name.

    `total` is the statement that it was read from, if it was a total; a share of everything has no
    references. `is_personal` says that it is marked as one person's.
    """

    amount: Amount
    mark: Mark
    references: tuple[Reference, ...]
    bond: Bond = Bond.NEAREST
    total: TotalStatement | None = None
    is_personal: bool = False


PriceReadings = tuple[tuple[ItemPrice, ...], ...]
"""The ways in which the prices of a line can be read, of which the first that is true counts."""


def find_item_prices(
    utterance: Utterance,
    amounts: Sequence[Amount],
    references: Sequence[Reference],
    totals: Sequence[TotalStatement],
    vocabulary: TextVocabulary,
    filled: frozenset[str],
) -> tuple[PriceReadings, ...]:
    """Return the item prices of a message with these totals, by cues of any family, line by line.

    `filled` are the slots that exactly one active booking fills when the message is said.
    """
    by_line: dict[int, list[_ClausePrices]] = {}
    aside: list[tuple[ItemPrice, ...]] = []
    items_of = partial(_items, vocabulary=vocabulary, filled=filled)
    only_in = cache(lambda span: _only(items_of(_within(references, span))))
    names = cache(partial(_within, references))
    stated = stated_amounts(utterance, amounts)
    totals_in: dict[Clause, list[TotalStatement]] = {}
    for total in totals:
        totals_in.setdefault(total.clause, []).append(total)
    heads = _heads(utterance, {clause.line for clause in stated})
    for clause, before, subject in _with_subjects(utterance, references, heads.keys()):
        if clause in stated and not _deals_out(utterance.text, clause):
            own, parent = totals_in.get(clause, []), utterance.parent(clause)
            over = only_in(parent) if parent is not None else None
            is_bare = subject is None and over is None and not names(utterance.lines[clause.line])
            if is_bare and _is_of_all(stated[clause], own):
                continue
            within = _within(references, clause)
            parts = find_partial_amounts(utterance.text, clause, stated[clause], within, vocabulary)
            if parts:
                aside.append(tuple(_prices_of(parts, own, filled)))
                taken = {one.amount for one in parts}
                stated[clause] = [one for one in stated[clause] if one not in taken]
                if not stated[clause]:
                    continue
            items = items_of(within)
            if 1 < len(stated[clause]) <= len(items) and not any(_is_total(one) for one in own):
                # As many prices as items, and `all paid` behind them: the nearest is no total.
                own = [one for one in own if not (one.is_of_all and one.is_void)]
            prices = _ClausePrices(utterance, clause, stated[clause], items, own, vocabulary)
            prices.references = within
            if before is not None and prices.says_it():
                prices.said_before = only_in(before)
            elif subject is not None and prices.is_behind():
                prices.said_before = only_in(subject)
            prices.heads = heads[clause.line]
            prices.parent = over
            prices.groups = find_groups(utterance.text, within, filled)
            by_line.setdefault(clause.line, []).append(prices)
    read = tuple(readings for line in by_line.values() if (readings := _readings(line))[0])
    return read + tuple((prices,) for prices in aside if prices)


def _prices_of(
    parts: Sequence[PartialAmount], totals: Sequence[TotalStatement], filled: frozenset[str]
) -> Iterator[ItemPrice]:
    """Yield the prices that parts are: of a side, or of items beside a total of everything.

    Of a word for a slot it is the price, as elsewhere, where one booking fills that.
    """
    is_of_all = any(one.is_of_all and not one.is_void for one in totals)
    for part in parts:
        if part.is_side:
            told = (one for one in part.references if one.id or filled.issuperset(one.slots))
            for one in told:
                yield ItemPrice(part.amount, Mark.UNMARKED, (one,), Bond.EACH)
        elif is_of_all and part.references:
            yield ItemPrice(part.amount, Mark.WHOLE, part.references, Bond.PART)


def _with_subjects(
    utterance: Utterance, references: Sequence[Reference], priced: Set[int]
) -> Iterator[tuple[Clause, Clause | None, Clause | None]]:
    """Yield each clause with the one before it on its line, and the last there with a reference.

    What the line above says last goes on in a plain line right below it. Lines that are not
    `priced` are left out, but for those right above one.
    """
    before: Clause | None = None
    subject: Clause | None = None
    near = priced | {number - 1 for number in priced}
    for clause in utterance.clauses if priced else ():
        if clause.line not in near:
            continue
        if before is not None and before.line != clause.line:
            line, is_next = utterance.lines[clause.line], subject == before
            subject = subject if is_next and not (line.marker or line.is_apart) else None
            before = None
        yield clause, before, subject
        before = clause
        if references_within(references, clause.start, clause.end):
            subject = clause


def _heads(utterance: Utterance, priced: Set[int]) -> dict[int, list[str]]:
    """Return the cells of the head of its table for each line with prices; of a short row."""
    heads: dict[int, list[str]] = {}
    head: list[str] | None = None
    for place, line in enumerate(utterance.lines if priced else ()):
        if line.marker != "|" or line.end - line.start > MAX_CLAUSE:
            head = None
        elif head is None:
            is_head = place not in priced
            head = utterance.text[line.start : line.end].split("|") if is_head else []
        if place in priced:
            heads[place] = head or []
    return heads


def _within(references: Sequence[Reference], span: Clause | Line) -> list[Reference]:
    return references_within(references, span.start, span.end)


def _items(
    within: Sequence[Reference], vocabulary: TextVocabulary, filled: frozenset[str]
) -> list[Reference]:
    """Return what means one item of a span; a bare word only where nothing says it better."""
    if not within:
        return []
    named = (one.slots for one in within if one.form is not ReferenceForm.BARE_WORD)
    exact = set(chain.from_iterable(named))
    items: list[Reference] = []
    for reference in within:
        match reference.form:
            case ReferenceForm.ENTITY | ReferenceForm.BOOKING:
                items.append(reference)
            case ReferenceForm.SLOT_WORD if reference.slots[0] in filled:
                items.append(reference)
            case ReferenceForm.BARE_WORD if reference.word in vocabulary.item_words:
                meant = tuple(slot for slot in reference.slots if slot in filled)
                if len(meant) == 1 and not exact & set(reference.slots):
                    items.append(reference._replace(form=ReferenceForm.SLOT_WORD, slots=meant))
    return items


def _only(items: Sequence[Reference]) -> Reference | None:
    """Return what a parent line is about, if that is one slot and one item, with its booking."""
    exact = [item for item in items if item.form is not ReferenceForm.SLOT_WORD]
    booked = [item for item in exact if item.form is ReferenceForm.BOOKING]
    sold = [item for item in exact if item.form is not ReferenceForm.BOOKING]
    several = any(len({item.id for item in own}) > 1 for own in (booked, sold))
    if len({item.slots for item in items}) != 1 or several:
        return None
    return (booked or exact or items)[0]


def _deals_out(text: str, clause: Clause) -> bool:
    """Tell whether a clause deals its amounts out in an order that no rule here reads."""
    return pattern("marks", "distributive").search(text, clause.start, clause.end) is not None


def _is_of_all(stated: Sequence[Amount], totals: Sequence[TotalStatement]) -> bool:
    """Tell whether no amount of a clause that names nothing can be the price of an item."""
    return not totals or (
        len(stated) == 1 and all(one.is_of_all and not one.is_share for one in totals)
    )


def _is_total(total: TotalStatement) -> bool:
    return total.family is CueFamily.TOTAL


def _readings(clauses: "Sequence[_ClausePrices]") -> PriceReadings:
    """Return the readings of a line: each price with what is nearest, or with what follows it."""
    nearest = tuple(chain.from_iterable(clause.nearest() for clause in clauses))
    if any(clause.dealt for clause in clauses):
        dealt = (replace(clause, is_dealing=True).nearest() for clause in clauses)
        return nearest, tuple(chain.from_iterable(dealt))
    if not all(clause.begins_with_amount() for clause in clauses):
        return (nearest,)
    following = [replace(clause, is_leading=True).following() for clause in clauses]
    if any(prices is None for prices in following):
        return (nearest,)
    return nearest, tuple(chain.from_iterable(prices or () for prices in following))


@dataclass
class _ClausePrices:
    """The prices of one clause, with what it names and what the sentence or line above it does."""

    utterance: Utterance
    clause: Clause
    stated: Sequence[Amount]
    items: Sequence[Reference]
    totals: Sequence[TotalStatement]
    vocabulary: TextVocabulary
    said_before: Reference | None = None
    parent: Reference | None = None
    references: Sequence[Reference] = ()
    groups: Sequence[ItemGroup] = ()
    heads: Sequence[str] = ()
    is_leading: bool = False
    is_dealing: bool = False

    def says_it(self) -> bool:
        """Tell whether it is about what the sentence before names, in so many words."""
        is_it = _IT.search(self.utterance.text, self.clause.start, self.clause.end) is not None
        return is_it and not any(_is_total(one) for one in self.totals)

    def is_behind(self) -> bool:
        """Tell whether it is nothing but prices behind what they are of."""
        start = self.stated[0].start
        leads = _LEAD.fullmatch(self.utterance.text, self.clause.start, start) is not None
        is_share = _OF_SUM.match(self.utterance.text, self.stated[0].end) is not None
        return leads and not (is_share or self.references)

    @cached_property
    def dealt(self) -> Sequence[tuple[ItemGroup, Sequence[Amount]]]:
        """The groups whose prices stand behind them with words between, one for each."""
        dealt = dealt_out(self.utterance.text, self.references, self.groups, self.stated)
        return [
            (group, run)
            for group, run in dealt
            if all(self._mark(one, None)[0] is Mark.UNMARKED for one in run)
        ]

    @cached_property
    def shared(self) -> tuple[ItemPrice, ...]:
        """Prices of groups, and totals of slots, and what one person pays of a total."""
        text, found = self.utterance.text, []
        runs = amount_runs(text, self.stated) if self.groups else ()
        said = {total.amount for total in self.totals} if runs else set()
        together = priced_together(
            text, self.references, self.groups, runs, is_leading=self.is_leading
        )
        for group, run in self.dealt if self.is_dealing else together:
            is_sum = len(run) == 1 and said.issuperset(run)
            others = (item for item in map(self._attached, run) if item is not None)
            if is_sum or any(not group.start <= item.start < group.end for item in others):
                continue
            is_each = len(run) == len(group.members)
            for place, amount in enumerate(run):
                mark, is_personal = self._mark(amount, None)
                members = (group.members[place],) if is_each else group.members
                bond = Bond.EACH if is_each else Bond.TOGETHER
                found.append(ItemPrice(amount, mark, members, bond, None, is_personal))
        for total in self.totals:
            if total.is_share:
                scoped = total.references
                found.append(
                    ItemPrice(total.amount, Mark.SHARE, scoped, total=total, is_personal=True)
                )
            elif total.scope is Scope.SLOTS and (total.is_growing or not total.is_void):
                found.append(ItemPrice(total.amount, Mark.WHOLE, total.references, total=total))
            elif self._is_of_several(total):
                scoped = total.references
                found.append(ItemPrice(total.amount, Mark.WHOLE, scoped, Bond.TOGETHER))
        return tuple(found)

    def _is_of_several(self, total: TotalStatement) -> bool:
        """Tell whether a total that is void, as `if` makes it, is of several items of its clause.

        It is that of the nearest one no more than any other is.
        """
        slots = {one.slots for one in total.references}
        is_of_items = _is_total(total) and all(one in self.items for one in total.references)
        return len(slots) > 1 and is_of_items and self._mark(total.amount, total)[0] is Mark.WHOLE

    @cached_property
    def left(self) -> Sequence[Amount]:
        """The amounts that belong to no group and are no total, or part of one."""
        taken = [one.amount for one in self.shared]
        taken += [one.amount for one in self.totals if one.is_of_all]
        if not taken:
            return self.stated
        taken.sort(key=lambda amount: amount.start)

        def is_taken(amount: Amount) -> bool:
            before = bisect_right(taken, amount.start, key=lambda one: one.start) - 1
            return before >= 0 and amount.end <= taken[before].end

        return [amount for amount in self.stated if not is_taken(amount)]

    def nearest(self) -> Iterator[ItemPrice]:
        """Yield its prices, each with the nearest item."""
        yield from self.shared
        total_at = {total.amount: total for total in self.totals}
        for amount in self.left:
            item, bond = self._nearest_item(amount), Bond.NEAREST
            if item is None and self.said_before:
                item, bond = self.said_before, Bond.BEFORE
            item = self.parent if item is None else item
            mark, is_personal = self._mark(amount, total_at.get(amount))
            if item is not None:
                is_whole = mark is Mark.WHOLE
                mark = Mark.UNMARKED if is_whole and self._is_anyones(amount) else mark
                yield ItemPrice(amount, mark, (item,), bond, None, is_personal)
            elif is_personal and len(self.totals) == 1:
                (total,) = self.totals
                if total.is_of_all:
                    yield ItemPrice(amount, Mark.SHARE, (), bond, total, is_personal)

    def begins_with_amount(self) -> bool:
        """Tell whether an amount precedes all items, so that the rest may too."""
        named = [one.start for one in self.items[:1]] + [one.start for one in self.groups[:1]]
        return bool(named) and self.stated[0].end <= min(named)

    def following(self) -> list[ItemPrice] | None:
        """Return its prices, each with the item after it; nothing where one has none."""
        found = list(self.shared)
        total_at = {total.amount: total for total in self.totals}
        for amount in self.left:
            after = bisect_left(self.items, amount.end, key=lambda item: item.start)
            if after == len(self.items):
                return None
            mark, is_personal = self._mark(amount, total_at.get(amount))
            item = self.items[after]
            found.append(ItemPrice(amount, mark, (item,), Bond.FOLLOWING, None, is_personal))
        return found

    def _attached(self, amount: Amount) -> Reference | None:
        """Return the item that a phrase right after an amount names: `$X for it`, `$X (it)`."""
        if _ATTACHING.match(self.utterance.text, amount.end, self.clause.end) is None:
            return None
        after = bisect_left(self.items, amount.end, key=lambda item: item.start)
        if after == len(self.items):
            return None
        text, following = self.utterance.text, self.items[after]
        for item in self.items[after : after + 2]:
            units = _UNITS_OF.sub("", text[amount.end : item.start], count=1)
            units = _COUNTED.sub("", units)
            if _FOR.fullmatch(units) and _AND_NUMBERS.search(units) is None:
                return item
        between = text[amount.end : following.start]
        if _FOR.fullmatch(between) or _OPENING.fullmatch(between) is None:
            return None
        closing = _CLOSING.match(text, following.end, self.clause.end)
        return None if closing is None else following

    def _nearest_item(self, amount: Amount) -> Reference | None:
        """Return the item attached to an amount; else the nearest one, preceding first."""
        attached = self._attached(amount)
        if attached is not None or not self.items:
            return attached
        before = bisect_right(self.items, amount.start, key=lambda item: item.end) - 1
        item = self.items[max(before, 0)]
        is_next = AND_THEN.search(self.utterance.text, amount.end, max(item.start, amount.end))
        return None if is_next or self._is_taken(item, amount) else item

    def _is_taken(self, item: Reference, amount: Amount) -> bool:
        """Tell whether an item has an amount before it, and this one is said to be for another.

        As in `$90.00 for the test and $79.00 for the three sessions`.
        """
        if _FOR_OTHER.match(self.utterance.text, amount.end, self.clause.end) is None:
            return False
        earlier = (one for one in self.stated if one.end <= item.start <= amount.start)
        return any(self._attached(one) == item for one in earlier)

    def _is_anyones(self, amount: Amount) -> bool:
        """Tell whether an amount stands before all items, the first of which has one behind it."""
        if not self.items or self.items[0].start < amount.end:
            return False
        end = self.items[0].end
        after = bisect_left(self.stated, end, key=lambda one: one.start)
        starts = [one.start for one in self.stated[after : after + 1]]
        text = self.utterance.text
        return any(_BESIDE.fullmatch(text, end, start) is not None for start in starts)

    def _mark(self, amount: Amount, total: TotalStatement | None) -> tuple[Mark, bool]:
        """Return what an amount is marked as, and whether it is marked as one person's."""
        text, clause, words = self.utterance.text, self.clause, self.vocabulary
        if has_person_mark(text, clause, amount, words) or self._is_headed_personal(amount):
            return Mark.UNIT, True
        if has_unit_mark(text, clause, amount, words):
            return Mark.UNIT, False
        if total is not None or has_whole_mark(text, clause, amount, words):
            return Mark.WHOLE, False
        is_result = text.endswith(("=", "= "), clause.start, amount.start)
        return (Mark.WHOLE if is_result else Mark.UNMARKED), False

    def _is_headed_personal(self, amount: Amount) -> bool:
        """Tell whether `Per person:` or the head of its column marks an amount as one person's."""
        text, words = self.utterance.text, self.vocabulary
        if self.heads:
            column = text.count("|", self.clause.start, amount.start)
            head = self.heads[column] if column < len(self.heads) else ""
            return says_person(head, 0, len(head), words)
        return is_headed_personal(text, self.clause, amount, words)
