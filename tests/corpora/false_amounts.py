"""Mutations of amounts: totals, summaries and prices that are told as they are not."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations

from crab_graph.domain.verification import Role
from crab_graph.money import format_dollars
from tests.corpora.amounts_said import Told
from tests.corpora.happened import Happened, Sold, with_text
from tests.corpora.mutation import Lie, kind
from tests.corpora.transcripts import Message


def _replaced(happened: Happened, changes: Sequence[tuple[Told, str]]) -> tuple[Message, ...]:
    messages = happened.messages
    for told, text in sorted(changes, key=lambda one: one[0].start, reverse=True):
        old = messages[told.place]["content"]
        messages = with_text(messages, told.place, old[: told.start] + text + old[told.end :])
    return messages


def _changed(happened: Happened, told: Sequence[Told], cents: int) -> Iterator[Lie]:
    """Yield one lie: all of these amounts are another one."""
    if told and cents not in (0, told[0].cents) and not happened.meaning(cents) & {("total", "")}:
        what = f"{told[0].text} -> {told[0].worded(cents)} in message {told[0].place}"
        changes = [(one, one.worded(cents)) for one in told]
        yield what, partial(_replaced, happened, changes)


def _last(told: Iterator[Told], before: int) -> list[Told]:
    """Return the amounts of the last message that has any before a place."""
    earlier = [one for one in told if one.place < before]
    return [one for one in earlier if one.place == earlier[-1].place]


def _swapped_digits(cents: int) -> int:
    digits = list(str(cents))
    for number in range(len(digits) - 3):
        if digits[number] != digits[number + 1] and (number or digits[1] != "0"):
            digits[number : number + 2] = digits[number + 1], digits[number]
            break
    return int("".join(digits))


# Totals before the first charge: the last one told. One of several slots is F-IP's (§2.9).


def _total_before(happened: Happened) -> list[Told]:
    return _last(happened.told("total"), happened.first_charge)


@kind(Role.TOTAL_TOLD, Role.PRICE_TOLD)
def total_one_cent_off(happened: Happened) -> Iterator[Lie]:
    yield from _changed(happened, _total_before(happened), happened.total + 1)


@kind(Role.TOTAL_TOLD, Role.PRICE_TOLD)
def total_a_hundred_lower(happened: Happened) -> Iterator[Lie]:
    yield from _changed(happened, _total_before(happened), happened.total - 100_00)


@kind(Role.TOTAL_TOLD, Role.PRICE_TOLD)
def total_with_digits_swapped(happened: Happened) -> Iterator[Lie]:
    yield from _changed(happened, _total_before(happened), _swapped_digits(happened.total))


@kind(Role.TOTAL_TOLD, Role.PRICE_TOLD)
def total_that_leaves_one_out(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        yield from _changed(happened, _total_before(happened), happened.total - item.whole)


@kind(Role.TOTAL_TOLD, Role.PRICE_TOLD)
def total_of_two_told_as_the_whole(happened: Happened) -> Iterator[Lie]:
    for first, second in combinations(happened.sold, 2):
        yield from _changed(happened, _total_before(happened), first.whole + second.whole)


@kind(Role.TOTAL_TOLD, Role.PRICE_TOLD)
def item_price_told_as_the_total(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        yield from _changed(happened, _total_before(happened), item.whole)


# Summaries: every total after the last write.


def _summary(happened: Happened) -> list[Told]:
    return [one for one in happened.told("total") if one.place > happened.last_write]


def _summed_up(happened: Happened, cents: int) -> Iterator[Lie]:
    told = _summary(happened)
    for place in sorted({one.place for one in told})[-1:]:
        yield from _changed(happened, [one for one in told if one.place == place], cents)


@kind(Role.SUMMARY_TOLD, Role.PRICE_TOLD)
def summary_one_cent_off(happened: Happened) -> Iterator[Lie]:
    yield from _summed_up(happened, happened.total - 1)


@kind(Role.SUMMARY_TOLD, Role.PRICE_TOLD)
def summary_with_digits_swapped(happened: Happened) -> Iterator[Lie]:
    yield from _summed_up(happened, _swapped_digits(happened.total))


@kind(Role.SUMMARY_TOLD, Role.PRICE_TOLD)
def summary_that_leaves_one_out(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        yield from _summed_up(happened, happened.total - item.whole)


@kind(Role.SUMMARY_TOLD, Role.PRICE_TOLD)
def running_total_told_in_the_summary(happened: Happened) -> Iterator[Lie]:
    running = 0
    for item in happened.sold[:-1]:
        running += item.whole
        if item is not happened.sold[0]:
            yield from _summed_up(happened, running)


@kind(Role.SUMMARY_TOLD, Role.PRICE_TOLD)
def refund_claimed(happened: Happened) -> Iterator[Lie]:
    told = _summary(happened)
    for item in happened.sold:
        for one in told[-1:]:
            left = one.worded(happened.total - item.whole)
            refund = f"{left} (a refund of {format_dollars(item.whole)} deducted)"
            yield f"{one.text} -> {refund}", partial(_replaced, happened, [(one, refund)])


# Prices: the last message before the charge of a booking that has any, or any message after.


def _prices(happened: Happened, item: Sold) -> list[Told]:
    """Return the prices of a booking in the last message with any before it was charged."""
    told = [*happened.told("whole", item.slot), *happened.told("unit", item.slot)]
    return _last(iter(sorted(told, key=lambda one: (one.place, one.start))), item.charged)


def _wholes(happened: Happened, item: Sold) -> list[Told]:
    return [one for one in _prices(happened, item) if one.cents == item.whole]


def _later(happened: Happened, item: Sold) -> list[Told]:
    told = [one for one in happened.told("whole", item.slot) if one.place > item.charged]
    return [one for one in told if one.place == told[-1].place]


def _each(
    happened: Happened,
    told: Callable[[Happened, Sold], list[Told]],
    wrong: Callable[[Sold], Sequence[int]],
) -> Iterator[Lie]:
    for item in happened.sold:
        for cents in wrong(item):
            if ("whole", item.slot) not in happened.meaning(cents):
                yield from _changed(happened, told(happened, item), cents)


@kind(Role.PRICE_TOLD)
def price_one_cent_off(happened: Happened) -> Iterator[Lie]:
    yield from _each(happened, _wholes, lambda item: [item.whole - 1])


@kind(Role.PRICE_TOLD)
def price_with_digits_swapped(happened: Happened) -> Iterator[Lie]:
    yield from _each(happened, _wholes, lambda item: [_swapped_digits(item.whole)])


@kind(Role.PRICE_TOLD)
def price_of_another_item(happened: Happened) -> Iterator[Lie]:
    wholes = {item.slot: item.whole for item in happened.sold}
    yield from _each(
        happened, _wholes, lambda item: [v for k, v in wholes.items() if k != item.slot]
    )


@kind(Role.PRICE_TOLD)
def unit_price_told_as_the_whole(happened: Happened) -> Iterator[Lie]:
    yield from _each(happened, _wholes, lambda item: [item.unit] if item.has_units else [])


@kind(Role.PRICE_TOLD)
def whole_price_told_for_a_unit(happened: Happened) -> Iterator[Lie]:
    def units(happened: Happened, item: Sold) -> list[Told]:
        return [one for one in _prices(happened, item) if one.cents == item.unit]

    for item in happened.sold:
        if item.has_units:
            yield from _changed(happened, units(happened, item), item.whole)


@kind(Role.PRICE_TOLD)
def unit_price_ten_lower(happened: Happened) -> Iterator[Lie]:
    def units(happened: Happened, item: Sold) -> list[Told]:
        return [one for one in _prices(happened, item) if one.cents == item.unit]

    for item in happened.sold:
        if item.has_units:
            yield from _changed(happened, units(happened, item), item.unit - 10_00)


def _swapped(happened: Happened, first: Sold, second: Sold) -> Iterator[Lie]:
    one, other = _wholes(happened, first), _wholes(happened, second)
    if one and other and one[0].place == other[0].place and first.whole != second.whole:
        changes = [(told, told.worded(second.whole)) for told in one]
        changes += [(told, told.worded(first.whole)) for told in other]
        what = f"prices of {first.word} and {second.word} swapped"
        yield what, partial(_replaced, happened, changes)


@kind(Role.PRICE_TOLD)
def prices_swapped(happened: Happened) -> Iterator[Lie]:
    for first, second in combinations(happened.sold, 2):
        yield from _swapped(happened, first, second)


@kind(Role.PRICE_TOLD)
def prices_before_their_words_swapped(happened: Happened) -> Iterator[Lie]:
    def stands_before(item: Sold) -> bool:
        told = _wholes(happened, item)
        if not told:
            return False
        text = happened.messages[told[0].place]["content"].casefold()
        after = text[told[0].end : told[0].end + 40].partition("$")[0]
        return after.startswith((" for ", " (", " to ")) and any(
            word in after for word in item.word.casefold().split()
        )

    for first, second in combinations(happened.sold, 2):
        if stands_before(first) and stands_before(second):
            yield from _swapped(happened, first, second)


@kind(Role.PRICE_TOLD, Role.SUMMARY_TOLD)
def charged_price_one_cent_off(happened: Happened) -> Iterator[Lie]:
    yield from _each(happened, _later, lambda item: [item.whole + 1])


@kind(Role.PRICE_TOLD, Role.SUMMARY_TOLD)
def charged_price_of_another_item(happened: Happened) -> Iterator[Lie]:
    wholes = {item.slot: item.whole for item in happened.sold}
    yield from _each(
        happened, _later, lambda item: [v for k, v in wholes.items() if k != item.slot]
    )


# What is put right before the customer pays changes nothing in the end.


@kind(Role.PRICE_TOLD, matters=False)
def price_put_right_before_it_is_charged(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        last = _wholes(happened, item)
        told = [one for one in happened.told("whole", item.slot) if one.place < item.charged]
        earlier = [one for one in told if last and one.place < last[0].place]
        first = [one for one in earlier if one.place == earlier[0].place]
        yield from _changed(happened, first, item.whole + 10_00)


@kind(Role.TOTAL_TOLD, matters=False)
def total_put_right_before_the_charge(happened: Happened) -> Iterator[Lie]:
    last = _total_before(happened)
    told = [one for one in happened.told("total") if last and one.place < last[0].place]
    first = [one for one in told if one.place == told[0].place]
    yield from _changed(happened, first, happened.total + 10_00)
