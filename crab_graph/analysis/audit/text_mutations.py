"""Changes of what is said and of how it ends (M27–M41, M43), and neutral ones (N01–N12)."""

import re
from collections.abc import Callable
from dataclasses import replace

from crab_graph.analysis.audit.telling import (
    ANY,
    CLOSING,
    PROPOSAL,
    RESERVED,
    Edit,
    Operator,
    Telling,
    operator,
    with_fields,
)
from crab_graph.domains.travel.rehearsal import items_of
from crab_graph.money import format_dollars

_ID = re.compile(r"\b[A-Z]{2}-\d+\b")
_AMOUNT = re.compile(r"\$[\d,]+\.\d\d")
_ALSO_SEEN = f"\nI also saw {', '.join(f'FL-88{number:04d}' for number in range(9))}."
_LISTING = f"These flights exist: {', '.join(f'FL-77{number:04d}' for number in range(11))}."
_HEDGED = "\n\nTaxis cost around $40.00.\n\nYour budget: $9,000.00."


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
    return _raised(telling.item("outbound").unit_cents, 100, after=" per passenger")


def _whole_price(telling: Telling) -> tuple[str, str]:
    room = telling.item("hotel")
    return _raised(room.cents, 100, after=f" for {room.units} night")


def _wrong_total_after(telling: Telling) -> Telling:
    line = f"\n\nThe trip total is {format_dollars(telling.cents + 1)}."
    return telling.said(RESERVED, lambda text: text + line)


def _longer_name(telling: Telling) -> Telling:
    hotel = telling.item("hotel")
    name = f"{hotel.name} Annex"
    known = replace(telling, known=(*telling.known, hotel.copied(1, name=name)))
    return known.said(PROPOSAL, lambda text: text.replace(str(hotel.name), name))


def _other_approved(telling: Telling) -> Telling:
    own = telling.item("outbound")
    other = own.copied(1)
    ids = [other.entity_id, *(item.entity_id for item in telling.items if item is not own)]
    consent = f"Yes, please book {', '.join(ids)}."
    return replace(telling, known=(*telling.known, other), consent=consent)


def _rejected(telling: Telling) -> Telling:
    aside = ("I am about to book.", f"I do not want {telling.item('outbound').entity_id}.")
    return replace(telling, asides=(*telling.asides, aside))


def _proposed(slot: str, field: str, words: str) -> Edit:
    """Return the edit that says an id or a name otherwise in the proposal."""

    def texts(telling: Telling) -> tuple[str, str]:
        found = str(getattr(telling.item(slot), field))
        return found, words.format(found)

    return _replaced(PROPOSAL, texts)


TEXT_MUTATIONS: tuple[Operator, ...] = (
    operator("M27", _replaced(RESERVED, lambda one: _raised(one.cents, 1)), "F-PT"),
    operator("M28", _wrong_total_after, "F-PT"),
    operator(
        "M29", _replaced(CLOSING, lambda one: _raised(one.cents, 1, before="charged: ")), "F-PS"
    ),
    operator("M30", _proposed("return", "entity_id", "the late one"), "F-ID"),
    operator("M31", lambda old: old.said(PROPOSAL, lambda text: text + _ALSO_SEEN), "F-ID"),
    operator("M32", _proposed("outbound", "entity_id", "rather than {}"), "F-ID"),
    operator("M33", _proposed("hotel", "name", "a good one"), "F-NM"),
    operator("M34", _proposed("attraction", "name", "a good one"), "F-NM"),
    operator("M35", _longer_name, "F-NM"),
    operator("M36", _replaced(PROPOSAL, _unit_price), "F-IP"),
    operator("M37", _replaced(CLOSING, _whole_price), "F-IP"),
    operator("M38", _other_approved, "F-AP"),
    operator("M39", _rejected, "F-AP"),
    operator("M40", with_fields(token="###OUT-OF-SCOPE###"), "C-OOS"),
    operator("M41", with_fields(token=None), "C-FULL"),
    operator(
        "M43", with_fields(items=(), token="###TRANSFER###"), "D01", "D02", "D03", "D04", "C-NONE"
    ),
)


# What no check may notice


def _dressed_up(text: str) -> str:
    return _ID.sub(r"**\g<0>**", text.upper()).replace(" ", "  ")


def _other_hyphens(text: str) -> str:
    return _ID.sub(lambda found: found[0].replace("-", "\N{NON-BREAKING HYPHEN}"), text)


def _without_separators(text: str) -> str:
    return _AMOUNT.sub(lambda found: found[0].replace(",", ""), text)


def _more_reads(telling: Telling) -> Telling:
    city = {"city": telling.task.request.destination}
    reads = (("search_hotels_by_city", city), ("search_attractions_by_city", city))
    return replace(telling, reads=(*telling.reads, *reads, *reads))


def _other_solution(telling: Telling) -> Telling | None:
    """Go by another certified solution; nothing else may have been changed yet."""
    for solution in telling.task.solutions:
        items = items_of(telling.task, solution)
        if [item.entity_id for item in items] != [item.entity_id for item in telling.items]:
            return replace(telling, items=items)
    return None


def _booked_twice(telling: Telling) -> Telling | None:
    if not any(item.slot == "outbound" for item in telling.items):
        return None
    return replace(telling, rehearsed=frozenset({"outbound"}))


def _invisible(text: str) -> str:
    hidden = "<!-- Trip total: $1.00, FL-111111 -->"
    return "\N{ZERO WIDTH SPACE}".join([hidden, *re.split(r"(?<=\s)", text)])


def _opened(line: str, *asides: tuple[str, str]) -> Edit:
    """Return the edit that adds a line before the proposal, and turns after it."""
    return lambda telling: replace(
        telling,
        opening_lines=(*telling.opening_lines, line),
        asides=(*telling.asides, *asides),
    )


NEUTRAL: tuple[Operator, ...] = (
    operator("N01", lambda old: old.said(ANY, _dressed_up)),
    operator("N02", lambda old: old.said(ANY, _other_hyphens)),
    operator("N03", lambda old: old.said(ANY, _without_separators)),
    operator(
        "N04",
        lambda old: old.said(PROPOSAL, lambda text: text + _HEDGED).said(
            CLOSING, lambda text: text + _HEDGED
        ),
    ),
    operator("N05", _more_reads),
    operator("N06", with_fields(reverses_rows=True)),
    operator("N07", _other_solution),
    operator("N08", _booked_twice),
    operator("N09", _opened(_LISTING)),
    operator("N10", lambda old: old.said(ANY, lambda text: f"###STOP### {text} ###TRANSFER###")),
    operator("N11", lambda old: old.said(ANY, _invisible)),
    operator(
        "N12",
        _opened(
            "It is a lovely time of year to travel.",
            ("I hope you are well.", "Very well, and you?"),
        ),
    ),
)
