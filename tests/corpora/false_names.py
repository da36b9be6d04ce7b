"""Mutations of what is named and agreed: ids, names, and the user's consent."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from crab_graph.domain.verification import Role
from crab_graph.randomness import derive_rng
from tests.corpora.happened import Happened, Sold, with_text
from tests.corpora.mutation import Lie, kind
from tests.corpora.transcripts import Message


def _everywhere(happened: Happened, item: Sold, pattern: str, text: str) -> Iterator[Lie]:
    """Yield one lie: what the agent called an item before it booked it reads otherwise."""
    messages, count = happened.messages, 0
    form = re.compile(pattern, re.IGNORECASE)
    for place, said in happened.said:
        if place < item.made:
            changed, times = form.subn(text.replace("\\", r"\\"), said)
            messages, count = with_text(messages, place, changed), count + times
    if count:
        yield f"{item.word}: {pattern} -> '{text}' {count} times", lambda: messages


def _id_form(item: Sold) -> str:
    return rf"(?<![\w-]){re.escape(item.entity_id)}(?![\w-])"


def _name_form(name: str) -> str:
    return r"[\s*_]+".join(map(re.escape, name.split()))


def _others(happened: Happened, item: Sold) -> list[str]:
    others = happened.others(item)
    rng = derive_rng(0, "others", happened.transcript.name, item.slot)
    return rng.sample(others, min(2, len(others)))


@kind(Role.ID_TOLD)
def id_of_another_item(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        for other in _others(happened, item):
            yield from _everywhere(happened, item, _id_form(item), other)


@kind(Role.ID_TOLD)
def id_with_a_digit_wrong(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        wrong = item.entity_id[:-1] + str((int(item.entity_id[-1]) + 3) % 10)
        yield from _everywhere(happened, item, _id_form(item), wrong)


@kind(Role.ID_TOLD)
def ids_swapped(happened: Happened) -> Iterator[Lie]:
    """Two slots of one kind, each told with the id of the other's; one of them is booked later."""
    for item in happened.sold:
        twin = [one for one in happened.sold if one.kind == item.kind and one is not item]
        for other in twin[:1]:
            yield from _everywhere(happened, item, _id_form(item), other.entity_id)


@kind(Role.ID_TOLD)
def id_never_told(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        # Where no id of the kind is told at all, nothing claims to tell them (§5).
        if any(one.kind == item.kind and one is not item for one in happened.sold):
            bracketed = rf"\s*[(\[]\W*{_id_form(item)}\W*[)\]]|{_id_form(item)}"
            yield from _everywhere(happened, item, bracketed, "")


@kind(Role.NAME_TOLD)
def name_never_told(happened: Happened) -> Iterator[Lie]:
    for item in happened.sold:
        if item.name:
            yield from _everywhere(happened, item, _name_form(item.name), f"the {item.word}")


@kind(Role.NAME_TOLD)
def name_of_another_item(happened: Happened) -> Iterator[Lie]:
    table = happened.task.world.tables
    for item in happened.sold:
        if item.name:
            rows = table[happened.task.domain.kinds[item.kind].entity.name]
            for other in _others(happened, item):
                name = str(rows[other]["name"])
                yield from _everywhere(happened, item, _name_form(item.name), name)


# What the user agrees to.


def _consents(happened: Happened) -> Iterator[tuple[int, list[Sold]]]:
    """Yield the user's last visible turn before bookings, with what is booked upon it.

    Where the payment is asked for by id or name, approving it heals what was refused (§5).
    """
    turns = [
        place
        for place, message in enumerate(happened.messages)
        if message["role"] == "user" and not message.get("tool_calls")
    ]
    upon: dict[int, list[Sold]] = {}
    for item in happened.sold:
        names = {item.entity_id.casefold(), (item.name or item.entity_id).casefold()}
        asked = (text.casefold() for place, text in happened.said if place > item.made)
        if not any(name in text for text in asked for name in names):
            upon.setdefault(max(one for one in turns if one < item.made), []).append(item)
    yield from islice(upon.items(), 1)


def _consented(happened: Happened, place: int, text: str) -> Callable[[], tuple[Message, ...]]:
    return partial(with_text, happened.messages, place, text)


@kind(Role.PLAN_APPROVED)
def consent_without_one_of_them(happened: Happened) -> Iterator[Lie]:
    for place, items in _consents(happened):
        for item in items:
            text = f"Yes, please book the rest, but not {item.entity_id}."
            yield f"{text} and it is booked", _consented(happened, place, text)


@kind(Role.PLAN_APPROVED)
def consent_to_another_id(happened: Happened) -> Iterator[Lie]:
    for place, items in _consents(happened):
        for item in items:
            for other in _others(happened, item):
                text = f"Yes, please book {other}."
                yield f"{text}, {item.entity_id} is booked", _consented(happened, place, text)


@kind(Role.PLAN_APPROVED)
def refusal_by_name(happened: Happened) -> Iterator[Lie]:
    for place, items in _consents(happened):
        for item in items:
            if item.name:
                text = f"I don't want the {item.name}. Book everything else."
                yield text, _consented(happened, place, text)


@kind(Role.PLAN_APPROVED)
def refusal_by_id(happened: Happened) -> Iterator[Lie]:
    for place, items in _consents(happened):
        for item in items:
            text = f"Hold on, don't book {item.entity_id} yet."
            yield text, _consented(happened, place, text)
