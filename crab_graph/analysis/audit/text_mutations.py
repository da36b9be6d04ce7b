"""Changes of what is said and of how it ends: M27 to M41, M43 and M45 to M47."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from crab_graph.analysis.audit.rehearsal import Item
from crab_graph.analysis.audit.telling import (
    CLOSING,
    PROPOSAL,
    RESERVED,
    Edit,
    Operator,
    Telling,
    made_up_ids,
    operator,
    with_fields,
)
from crab_graph.domain.verification import Role
from crab_graph.domains.task import Task
from crab_graph.money import format_dollars

OTHER = 11
"""Number of a copy that is known and not booked."""


def text_mutations(task: Task) -> Iterator[Operator]:
    """Yield the changes of what is said, about money where anything has a price."""
    domain = task.domain
    if not all(kind.is_free for kind in domain.kinds.values()):
        yield from _about_money()
        if task.spec.faults:
            yield operator("M47", with_fields(hides_mishap=True), Role.MISHAP_TOLD)
    yield operator("M30", _id_unsaid, Role.ID_TOLD)
    yield operator("M31", _one_of_many, Role.ID_TOLD)
    yield operator("M32", _replaced(PROPOSAL, _taken_back), Role.ID_TOLD)
    named = [slot for slot in domain.slots if "name" in domain.kinds[slot.kind].entity.columns]
    for slot in named:
        yield operator(f"M33:{slot.id}", _replaced(PROPOSAL, _name_unsaid(slot.id)), Role.NAME_TOLD)
    if named:
        yield operator("M35", _longer_name(named[0].id), Role.NAME_TOLD)
    yield operator("M38", _other_approved, Role.PLAN_APPROVED)
    yield operator("M39", _rejected("book"), Role.PLAN_APPROVED)
    yield operator("M39:choice", _rejected("go with"), Role.PLAN_APPROVED)
    yield operator("M40", with_fields(token="###OUT-OF-SCOPE###"), Role.IN_SCOPE)
    yield operator("M41", with_fields(token=None), Role.ENDED_FULL)
    yield operator(
        "M43", with_fields(items=(), token="###TRANSFER###"), Role.SLOT_FILLED, Role.ENDED_NONE
    )


def _about_money() -> Iterator[Operator]:
    yield operator("M27", _replaced(RESERVED, lambda one: _raised(one.cents, 1)), Role.TOTAL_TOLD)
    yield operator("M28", _wrong_total_after, Role.TOTAL_TOLD)
    charged = _replaced(CLOSING, lambda one: _raised(one.cents, 1, before="charged: "))
    yield operator("M29", charged, Role.SUMMARY_TOLD)
    yield operator("M36", _replaced(PROPOSAL, _unit_price), Role.PRICE_TOLD)
    yield operator("M37", _replaced(CLOSING, _whole_price), Role.PRICE_TOLD)
    yield operator("M45", _one_announced, Role.TOTAL_TOLD)
    yield operator("M46", _other_pair, Role.PRICE_TOLD)


def _replaced(part: str, texts: Callable[[Telling], tuple[str, str]]) -> Edit:
    """Return the edit that replaces a text in one part by another; it must stand there."""

    def edit(telling: Telling) -> Telling:
        before, after = texts(telling)
        return telling.said(part, lambda text: text.replace(before, after))

    return edit


def _raised(cents: int, more: int, before: str = "", after: str = "") -> tuple[str, str]:
    """Return an amount and a higher one, each between the same words."""
    return (
        f"{before}{format_dollars(cents)}{after}",
        f"{before}{format_dollars(cents + more)}{after}",
    )


def _unit_price(telling: Telling) -> tuple[str, str]:
    item = telling.paid[0]
    return _raised(item.unit_cents, 100, after=f" per {item.kind.unit}")


def _whole_price(telling: Telling) -> tuple[str, str]:
    """Return a whole price told and that of one unit, or a dollar more where that is the same."""
    several = [item for item in telling.paid if item.cents != item.unit_cents]
    item = (several or telling.paid)[-1]
    more = item.unit_cents - item.cents or 100
    return _raised(item.cents, more, after=f" for {item.units} {item.kind.unit}")


def _one_announced(telling: Telling) -> Telling:
    """Announce the charge of one slot alone, before all are charged."""
    first = telling.paid[0].cents
    line = f" I will charge {format_dollars(first)}." if len(telling.paid) > 1 else ""
    return telling.said(RESERVED, lambda text: text + line)


def _other_pair(telling: Telling) -> Telling | None:
    """Call the sum of other items that of a group of slots, once all is paid."""
    line = ""
    for word, slots in telling.task.domain.grading.vocabulary().group_words.items():
        cents = {item.slot.id: item.cents for item in telling.paid}
        others = [slot for slot in cents if slot not in slots]
        if others and cents.keys() >= set(slots):
            pair = (*slots[:-1], others[0])
            held, told = (sum(cents[slot] for slot in one) for one in (slots, pair))
            line = f" {word.capitalize()} total: {format_dollars(told)}." if held != told else line
    return telling.said(CLOSING, lambda text: text + line) if line else None


def _wrong_total_after(telling: Telling) -> Telling:
    line = f"\n\nThe {telling.whole} total is {format_dollars(telling.cents + 1)}."
    return telling.said(RESERVED, lambda text: text + line)


def _id_unsaid(telling: Telling) -> Telling:
    """Say one id in no text, while another of its kind is said."""
    kinds = [item.kind.name for item in telling.items]
    doubled = [item for item in telling.items if kinds.count(item.kind.name) > 1]
    if doubled:
        return _unsaid(telling, doubled[-1], "the late one")
    other = telling.items[0].copied(OTHER)
    known = replace(telling, known=(*telling.known, other))
    return _unsaid(known, telling.items[0], other.entity_id)


def _unsaid(telling: Telling, item: Item, instead: str) -> Telling:
    return telling.said(PROPOSAL, lambda text: text.replace(item.entity_id, instead))


def _one_of_many(telling: Telling) -> Telling:
    ids = ", ".join(made_up_ids(telling.items[0], 10))
    return telling.said(PROPOSAL, lambda text: f"{text}\nI also saw {ids}.")


def _taken_back(telling: Telling) -> tuple[str, str]:
    entity_id = telling.items[0].entity_id
    return entity_id, f"rather than {entity_id}"


def _name_unsaid(slot: str) -> Callable[[Telling], tuple[str, str]]:
    return lambda telling: (str(telling.item(slot).name), "a good one")


def _longer_name(slot: str) -> Edit:
    """Return the edit that says a name of another in the place of the one that it begins with."""

    def edit(telling: Telling) -> Telling:
        own = telling.item(slot)
        name = f"{own.name} Annex"
        known = replace(telling, known=(*telling.known, own.copied(OTHER, name=name)))
        return known.said(PROPOSAL, lambda text: text.replace(str(own.name), name))

    return edit


def _other_approved(telling: Telling) -> Telling:
    own, *rest = telling.items
    other = own.copied(OTHER)
    consent = f"Yes, please book {', '.join(item.entity_id for item in (other, *rest))}."
    return replace(telling, known=(*telling.known, other), consent=consent)


def _rejected(verb: str) -> Edit:
    def edit(telling: Telling) -> Telling:
        aside = ("I am about to book.", f"Don't {verb} {telling.items[0].entity_id}.")
        return replace(telling, asides=(*telling.asides, aside))

    return edit
