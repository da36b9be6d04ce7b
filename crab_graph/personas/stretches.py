"""Passages of a message, each with its item, its slot and the option that it belongs to.

An item is of the slot that stands beside it, of the one it had before, or of what is left; a
passage of a slot with one item is about that item. Numbers of a list are options where two of them
have items for one slot.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crab_graph.personas.briefing import BriefedSlot


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a message that is about the same slots; what it denies is blanked out.

    Attributes:
        slots: None where nothing says what it is about, several where it is about each of them.
        item: The id of what it describes, upper case, if it is known.
        option: The number or letter of the option that it belongs to.
        segment: The number of the clause, as the reading counts them.
        label: What its row or column is called, casefolded.
        is_loose: Whether its item has its slot only from a clause before, which names no item.
        is_listed: Whether it stands in an item of a list.
    """

    text: str
    start: int
    line: int
    segment: int
    slots: frozenset[str] = frozenset()
    item: str = ""
    option: str = ""
    label: str = ""
    is_loose: bool = False
    is_listed: bool = False

    @property
    def slot(self) -> str:
        """The one slot that it is about; empty where that is not known."""
        return next(iter(self.slots)) if len(self.slots) == 1 else ""


def with_items(
    passages: Sequence[Stretch], slots: Sequence[BriefedSlot], known: Mapping[str, str]
) -> list[Stretch]:
    """Give every item its one slot, every passage of a slot its item, and options their names."""
    homes = _homes(passages, slots, known)
    placed = []
    for one in passages:
        home = homes.get(one.item, "")
        if home and (one.is_loose or not one.slots or home in one.slots):
            one = replace(one, slots=frozenset({home}))
        elif home and one.slot and one.slot != home:
            one = replace(one, item="")
        placed.append(one)
    numbers = _real_numbers(placed)
    placed = [
        replace(one, option=numbers.get(one.option, "")) if one.option.startswith("#") else one
        for one in placed
    ]
    items: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in placed:
        if one.item and one.slot:
            items[one.option, one.slot].add(one.item)
    return [
        replace(one, item=next(iter(items[one.option, one.slot])))
        if not one.item and len(items.get((one.option, one.slot), ())) == 1
        else one
        for one in placed
    ]


def _homes(
    passages: Sequence[Stretch], slots: Sequence[BriefedSlot], known: Mapping[str, str]
) -> dict[str, str]:
    """Return the slot of each item: as it stands there, as before, else what is left, in order."""
    votes: dict[str, list[str]] = {}
    loose = {one.item: one.slot for one in passages if one.is_loose}
    prefixes = {slot.id: slot.id_prefix for slot in slots}
    for one in passages:
        if one.item:
            is_fit = one.item.startswith(f"{prefixes.get(one.slot)}-")
            is_firm = is_fit and not one.is_loose
            votes.setdefault(one.item, []).append(one.slot if is_firm else "")
    homes = {
        item: next(filter(None, own), "") or known.get(item, "") for item, own in votes.items()
    }
    by_prefix: dict[str, list[str]] = defaultdict(list)
    for slot in slots:
        by_prefix[slot.id_prefix].append(slot.id)
    for prefix, fitting in by_prefix.items():
        of_kind = [item for item in homes if item.startswith(f"{prefix}-")]
        open_items = [item for item in of_kind if not homes[item]]
        left = [slot for slot in fitting if slot not in homes.values()]
        if len(open_items) < len(fitting) or len(left) < len(fitting):
            # What was said before tells which of them one item is, and not how several are dealt.
            homes |= {item: loose[item] for item in open_items if item in loose}
            open_items = [item for item in open_items if not homes[item]]
            left = [slot for slot in fitting if slot not in homes.values()]
        if left and _are_alternatives(open_items, passages):
            homes |= dict.fromkeys(open_items, left[0])
        elif open_items and len(open_items) <= len(left):
            homes |= dict(zip(open_items, left, strict=False))
        elif len(fitting) > 1 and open_items and len(open_items) % len(fitting) == 0:
            homes |= {item: fitting[n % len(fitting)] for n, item in enumerate(open_items)}
    return homes


def _are_alternatives(items: Sequence[str], passages: Sequence[Stretch]) -> bool:
    """Tell whether items stand in several lettered options, and no two of them in one."""
    options = {one.item: one.option for one in passages if one.item in items}
    is_lettered = all(name and not name.startswith("#") for name in options.values())
    return len(items) > 1 and is_lettered and len({*options.values()}) == len(items)


def _real_numbers(passages: Sequence[Stretch]) -> dict[str, str]:
    """Return the numbers of list items that are options: two of them have items for one slot."""
    items: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in passages:
        if one.option.startswith("#") and one.item and one.slot:
            items[one.slot][one.option].add(one.item)
    numbers: dict[str, str] = {}
    for by_number in items.values():
        if len(by_number) > 1:
            numbers |= {name: name[1:] for name in by_number}
    return numbers
