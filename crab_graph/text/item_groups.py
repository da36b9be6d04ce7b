"""Several items that share a price, or have one each: `FL-1 and FL-2: $580.00` (§2.14).

And lists of charges that name no item: what each of them is for, the reader has to guess.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from crab_graph.text.amounts import Amount, amount_runs, stated_amounts
from crab_graph.text.lexicon import pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.utterance import Utterance

_LONGEST_GAP = 40
_FEWEST_CHARGES = 3
_SAME = re.compile(r"[\s,:()\[\]\"'-]*")
_AND = re.compile(r"[)\]\"']*\s?(?:and|&|\+|/|,)\s?(?:the |your |my |both )*[\"'(\[]*")
_NEXT = re.compile(
    r"[^\w$]*(?:(?:are|is|was|were|costs?|at|for|com(?:e|es) to|came to|paid|charged|now|together"
    r"|both)[^\w$]+){0,3}(?:\d+ ?[x×*] ?)?"
)
_WORDS = re.compile(r"(?: [a-z]+){1,4}(?:,| and| &|, and) ")
"""What stands between two prices that are dealt out: a few words, and a comma or an `and`."""
_FOR = re.compile(
    r"(?: (?:from|off|on|onto|to|with) (?:your|the) \w+(?: card)?)?"
    r",?(?: (?:in all|in total|altogether|together|so far|until now))?,?"
    r" for (?:the |both |your )*[\"'(\[]*"
)
_BEFORE = re.compile(r"\s{1,2}(?:the )?[\"'(\[]*")
_OF_SLOTS = {ReferenceForm.ENTITY, ReferenceForm.BOOKING, ReferenceForm.SLOT_WORD}


class ItemGroup(NamedTuple):
    """References of different slots that only `and` joins, or a word for several slots.

    A listed one has a comma between: several prices are dealt out over it, one is not shared.
    """

    start: int
    end: int
    members: tuple[Reference, ...]
    is_listed: bool = False


def find_groups(
    text: str, references: Sequence[Reference], filled: frozenset[str]
) -> list[ItemGroup]:
    """Return the groups among the references of one clause, in text order.

    Words for slots count where one booking fills each of them: these are the slots `filled`.
    """
    groups = []
    for chain in _chains(text, references):
        members = list(_members(chain))
        slots = [one.slots for one in members]
        is_told = all(
            one.form is not ReferenceForm.SLOT_WORD or filled.issuperset(one.slots)
            for one in members
        )
        if len(members) > 1 and len(set(slots)) == len(slots) and is_told:
            gaps = (text[one.end : other.start] for one, other in pairwise(chain))
            is_listed = any(gap.strip() == "," for gap in gaps)
            groups.append(ItemGroup(chain[0].start, chain[-1].end, tuple(members), is_listed))
    return groups


def priced_together(
    text: str,
    references: Sequence[Reference],
    groups: Sequence[ItemGroup],
    runs: Sequence[Sequence[Amount]],
    *,
    is_leading: bool = False,
) -> Iterator[tuple[ItemGroup, Sequence[Amount]]]:
    """Yield each group with the amounts before a `for` before it, or else right after it.

    Where prices lead (`$340.00 + $280.00 lessons, $410.00 room`) they are those right before it.
    """
    starts = [run[0].start for run in runs]
    taken: set[int] = set()
    for group in groups:
        after = bisect_left(starts, group.end)
        found = None
        if after and _is(_FOR, text, runs[after - 1][-1].end, group.start):
            found = after - 1
        elif is_leading:
            found = (
                after - 1
                if after and _is(_BEFORE, text, runs[after - 1][-1].end, group.start)
                else None
            )
        elif after < len(runs) and _is(_NEXT, text, group.end, starts[after]):
            found = after
        prices = 0 if found is None or found in taken else len(runs[found])
        is_shared = prices == 1 and not group.is_listed
        if found is not None and (is_shared or prices == len(group.members)):
            taken.add(found)
            yield group, runs[found]
            # What follows, up to the next reference, is of the same items.
            end = next((one.start for one in references if one.start >= group.end), None)
            for place in range(found + 1, len(runs)) if found == after and is_shared else ():
                if len(runs[place]) > 1 or (end is not None and starts[place] > end):
                    break
                taken.add(place)
                yield group, runs[place]


def dealt_out(
    text: str,
    references: Sequence[Reference],
    groups: Sequence[ItemGroup],
    stated: Sequence[Amount],
) -> Iterator[tuple[ItemGroup, Sequence[Amount]]]:
    """Yield each group with as many prices behind it as it has members, a few words after each.

    So `lessons, $300.00 first and $280.00 later` has one price for each.
    """
    for group in groups:
        first = bisect_left(stated, group.end, key=lambda one: one.start)
        dealt = stated[first : first + len(group.members)]
        if len(dealt) < len(group.members) or not _is(_NEXT, text, group.end, dealt[0].start):
            continue
        between = references_within(references, group.end, dealt[-1].start)
        if not between and all(
            _is(_WORDS, text, one.end, other.start) for one, other in pairwise(dealt)
        ):
            yield group, dealt


def charged_lists(
    utterance: Utterance, amounts: Sequence[Amount], references: Sequence[Reference]
) -> Iterator[Sequence[Amount]]:
    """Yield lists of amounts that a clause which names no item says were charged, without sums."""
    for clause, stated in stated_amounts(utterance, amounts).items():
        if len(stated) < _FEWEST_CHARGES or not pattern("totals", "charged").search(
            utterance.text, clause.start, clause.end
        ):
            continue
        named = references_within(references, clause.start, clause.end)
        if any(one.form is not ReferenceForm.WHOLE_WORD for one in named):
            continue
        for run in amount_runs(utterance.text, stated):
            is_summed = run[-1].cents == sum(one.cents for one in run[:-1])
            if len(run) - is_summed >= _FEWEST_CHARGES:
                yield run[: len(run) - is_summed]


def _is(form: re.Pattern[str], text: str, start: int, end: int) -> bool:
    return end - start <= _LONGEST_GAP and form.fullmatch(text, start, end) is not None


def _chains(text: str, references: Sequence[Reference]) -> Iterator[list[Reference]]:
    """Yield references that nothing parts but `and`, or a bracket around a second word for one."""
    chain: list[Reference] = []
    for one in references:
        if one.form is ReferenceForm.WHOLE_WORD:
            continue
        if chain:
            start = chain[-1].end
            is_same = bool(set(one.slots) & set(chain[-1].slots))
            if _is(_SAME if is_same else _AND, text, start, one.start):
                chain.append(one)
                continue
            yield chain
        chain = [one]
    if chain:
        yield chain


def _members(chain: Sequence[Reference]) -> Iterator[Reference]:
    """Yield one reference for each item of a chain: an id rather than a word."""
    held: Reference | None = None
    named = {slot for one in chain if one.id for slot in one.slots}
    for one in chain:
        if one.form is ReferenceForm.GROUP_WORD:
            if named.issuperset(one.slots):
                continue
            word = ReferenceForm.SLOT_WORD
            yield from (one._replace(form=word, slots=(slot,)) for slot in one.slots)
        elif one.form in _OF_SLOTS:
            if held is not None and held.slots == one.slots:
                held = one if one.id else held
                continue
            if held is not None:
                yield held
            held = one
    if held is not None:
        yield held
