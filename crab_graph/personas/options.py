"""Which of the options of a message a user takes: by its wishes, else the cheaper, else the first.

Options are items for one slot, or whole plans that a number or letter labels. What is chosen is
named by its ids, with the label where it has one, so that no more is taken than was shown.
"""

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.plan_conflicts import by_line, misses_of, spared_by
from crab_graph.personas.spoken_dates import NUMBERS
from crab_graph.personas.stated_plans import Showing, StatedPlan
from crab_graph.personas.stated_values import choices_in, counts_in
from crab_graph.personas.wordbook import ConflictKind, Undecided

_AMOUNT = re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\d+\.\d\d)(?![\d%])")
_PER = re.compile(rf"{_AMOUNT.pattern} ?(?:per |an? |/ ?|each\b|pp\b|p\.p\.)(?! total)", re.I)
"""The price of one of several alike, such as a night."""
_TOTAL = re.compile(r"\b(?:total|altogether|in all|overall)\b")
_OF_WHOLE = re.compile(r"\b(?:total|altogether|in all|overall|keeps? you|it(?:'d| would) be)\b")
_LABEL = r"(?:(?:option|number|plan)\s+)?\(?\b([a-z]|\d{1,2})\b\)?"
_LABELS_OF_QUESTION = re.compile(rf"{_LABEL}(?:\s*,\s*{_LABEL}){{0,3}}\s*,?\s+or\s+{_LABEL}", re.I)
"""`(a) or (b)`, `option 1, 2 or 3`: what may be chosen, whatever else has a number."""
_ONE_LABEL = re.compile(r"(?<![\w-])([A-Z]|\d)(?=[,;:?)]| or\b)")
"""A label by itself: `Shall it be A, or would you rather have B or C?`"""
_SENTENCE_END = re.compile(r"[.!?\n]")
_LAST = 10**12
_MOST_TOGETHER = 512
"""Ways to combine options that are compared with each other."""


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """An option that a user takes: its label, empty if it has none, and the ids that are in it.

    `slots` are those that it fills; `rank` is what tells it among the others by its stated price,
    empty where that does not.
    """

    label: str
    items: tuple[str, ...]
    slots: frozenset[str]
    rank: str = ""

    def as_words(self, *, by_price: bool = False) -> str:
        """Return how the option is named, such as `number 2 (FL-48213)`.

        By its price it is `the cheaper one, FL-48213`, where that is what decides.
        """
        ids = ", ".join(self.items)
        if by_price and self.rank and ids:
            return f"the {self.rank} one, {ids}"
        if not self.label:
            return ids
        is_number = self.label.isdigit() or self.label.casefold() in NUMBERS
        label = f"number {self.label}" if is_number else f"option {self.label.upper()}"
        return f"{label} ({ids})" if ids else label


@dataclass(frozen=True, slots=True)
class _Option:
    label: str
    parts: tuple[Showing, ...]
    misses: frozenset[str]
    cents: int
    has_total: bool = False


def choose_option(plan: StatedPlan, briefing: UserBriefing) -> OptionChoice | None:
    """Return what to take of a message's options.

    `None` where there are none, none fits, or prices that the user does not see decide.
    """
    alike = _labels_asked(plan) or [labels for labels in _labels_apart(plan) if len(labels) > 1]
    groups = [[_labelled(plan, label, briefing) for label in labels] for labels in alike]
    labelled = {part.slot for group in groups for option in group for part in option.parts}
    groups += [
        [_of_one(plan, showing, briefing) for showing in own]
        for slot, own in plan.candidates.items()
        if slot not in labelled and len({showing.item for showing in own}) > 1
    ]
    groups = [_by_like_prices(group) for group in groups]
    fitting = [[option for option in group if not option.misses] for group in groups]
    if not groups or not all(fitting):
        return None
    if any(_is_beyond(group, briefing) for group in fitting):
        return None
    chosen = _together(fitting, briefing)
    is_only = len(groups) == 1 and len(fitting[0]) > 1
    rank = _rank(chosen[0], groups[0]) if is_only else ""
    parts = [part for option in chosen for part in option.parts]
    label = chosen[0].label if len(chosen) == 1 else ""
    items = dict.fromkeys(part.item for part in parts if part.item)
    return OptionChoice(label, tuple(items), frozenset(part.slot for part in parts), rank)


def _by_like_prices(group: Sequence[_Option]) -> list[_Option]:
    """Return options by what is said of all of them: totals, or else the prices of their parts.

    Of one item each, the price of a night or of a person is compared where not all tell the whole.
    """
    units = [_unit_price(one) for one in group]
    are_mixed = len({one.cents > unit for one, unit in zip(group, units, strict=True)}) > 1
    if all(units) and are_mixed:
        return [replace(one, cents=unit) for one, unit in zip(group, units, strict=True)]
    if all(one.has_total for one in group) or not any(one.has_total for one in group):
        return list(group)
    return [replace(one, cents=sum(map(_price, one.parts))) for one in group]


def _is_beyond(group: Sequence[_Option], briefing: UserBriefing) -> bool:
    """Tell whether options differ in what prices decide that the user does not see.

    Of whole jobs with their totals it sees which of some values makes one the cheaper.
    """
    for key, one in briefing.lexicon.undecided.items():
        if briefing.fact(key) is None or (one.values and all(own.has_total for own in group)):
            continue
        shown = [tuple(_decided(own, one)) for own in group]
        if len({own for own in shown if own}) > 1:
            return True
    return False


def _decided(option: _Option, undecided: Undecided) -> Iterator[str]:
    """Yield what an option shows of what prices decide: values, or else items."""
    for part in option.parts:
        if part.slot in undecided.slots:
            text = " ; ".join(by_line((*part.named, *part.earlier))) if undecided.values else ""
            yield from (name for name, cue in undecided.values.items() if cue.search(text))
            yield from () if undecided.values else (part.item,)


def _together(groups: Sequence[Sequence[_Option]], briefing: UserBriefing) -> list[_Option]:
    """Return one option of each group: the cheapest that go together, if any do."""
    if math.prod(map(len, groups)) > _MOST_TOGETHER:
        return [min(group, key=lambda option: option.cents) for group in groups]
    every = [list(one) for one in itertools.product(*groups)]
    return min(every, key=lambda one: (_are_apart(one, briefing), sum(o.cents for o in one)))


def _are_apart(options: Sequence[_Option], briefing: UserBriefing) -> bool:
    """Tell whether what is said of options contradicts that something is the same in them."""
    parts = [part for option in options for part in option.parts]
    for key, words in briefing.lexicon.facts.items():
        conflict = words.conflict
        if conflict is None or conflict.kind is not ConflictKind.SAME or conflict.pattern is None:
            continue
        if briefing.fact(key) is None:
            continue
        found = [
            set(conflict.pattern.findall(" ; ".join(by_line(part.details))))
            for part in parts
            if part.slot in conflict.slots
        ]
        told = [values for values in found if len(values) == 1]
        if told and len(set.union(*told)) > 1:
            return True
    return False


def _rank(chosen: _Option, group: Sequence[_Option]) -> str:
    """Return what an option is among others by stated prices; empty if it is not the least."""
    # One item may stand in a message more than once.
    others = {tuple(part.item for part in one.parts): one.cents for one in group}
    own = others.pop(tuple(part.item for part in chosen.parts))
    is_least = others and own < min(others.values()) and max(others.values()) < _LAST
    return ("cheaper" if len(others) == 1 else "cheapest") if is_least else ""


def _labels_apart(plan: StatedPlan) -> list[list[str]]:
    """Return the labels of a message, those together that are about the same slots."""
    slots: dict[str, set[str]] = {}
    for slot, own in plan.candidates.items():
        for one in own:
            slots.setdefault(one.option, set()).add(slot)
    slots.pop("", None)
    apart: list[tuple[list[str], set[str]]] = []
    for label, own_slots in slots.items():
        near = [one for one in apart if one[1] & own_slots]
        rest = [one for one in apart if not one[1] & own_slots]
        labels = [*(name for names, _ in near for name in names), label]
        apart = [*rest, (labels, own_slots.union(*(found for _, found in near)))]
    return [labels for labels, _ in apart]


def _labels_asked(plan: StatedPlan) -> list[list[str]]:
    """Return the labels that the last question of a message names, where it has such options."""
    known = {one.option.casefold(): one.option for own in plan.candidates.values() for one in own}
    for found in reversed([*_LABELS_OF_QUESTION.finditer(plan.said)]):
        before = _SENTENCE_END.split(plan.said[: found.start()])[-1]
        names = [name.casefold() for name in _ONE_LABEL.findall(before)]
        names += [name.casefold() for name in found.groups() if name]
        if len(named := [known[name] for name in names if name in known]) > 1:
            return [named]
    return []


def _labelled(plan: StatedPlan, label: str, briefing: UserBriefing) -> _Option:
    parts = [one for own in plan.candidates.values() for one in own if one.option == label]
    misses = {key for part in parts for key in misses_of(part, briefing)}
    totals = [
        amounts[-1]
        for one in plan.shared
        if one.option == label and _TOTAL.search(one.text) and (amounts := _amounts(one.text))
    ]
    # In one line the total may stand behind the last item, or before the first.
    said = [one.text for part in parts for one in part.details if _TOTAL.search(one.text)]
    totals = totals or [amounts[-1] for text in said if (amounts := _amounts(text))]
    cents = max(totals) if totals else sum(map(_price, parts))
    has_total = bool(totals)
    return _Option(label, tuple(parts), frozenset(misses), cents, has_total)


def _of_one(plan: StatedPlan, showing: Showing, briefing: UserBriefing) -> _Option:
    misses = frozenset(misses_of(showing, briefing))
    return _Option(showing.option, (showing,), misses, _price(showing))


def _price(showing: Showing) -> int:
    """Return the highest amount that is said of an item, which is the whole one's; else a lot."""
    every = (*showing.details, *showing.earlier)
    # What the whole comes to with an item is no price of it.
    stated = [one for one in every if not _OF_WHOLE.search(one.text)] or every
    return max((cents for one in stated for cents in _amounts(one.text)), default=_LAST)


def _unit_price(option: _Option) -> int:
    """Return the highest price of one night, person or piece of an option's one item; else 0."""
    if len(option.parts) > 1:
        return 0
    said = (one.text for part in option.parts for one in (*part.details, *part.earlier))
    return max((parse_cents(found[1]) for text in said for found in _PER.finditer(text)), default=0)


def _amounts(text: str) -> Sequence[int]:
    return [parse_cents(match[1]) for match in _AMOUNT.finditer(text)]


def open_choices(plan: StatedPlan, briefing: UserBriefing) -> list[str]:
    """Return the keys of the facts on which the options of a message differ."""
    found = []
    for key, words in briefing.lexicon.facts.items():
        conflict = words.conflict
        if conflict is None:
            continue
        for slot in conflict.slots:
            values = set()
            for one in plan.candidates.get(slot, ()):
                text = " ; ".join(by_line(one.details))
                if conflict.kind is ConflictKind.CHOICE:
                    values |= {*choices_in(text, words)} - spared_by(conflict, briefing).keys()
                elif conflict.kind in {ConflictKind.AT_LEAST, ConflictKind.AT_MOST}:
                    values |= {str(count) for count in counts_in(text, conflict)}
            if len(values) > 1:
                found.append(key)
                break
    return found
