"""Mutations of what is said, and of how it ends: M27–M41 and M43."""

from collections.abc import Callable
from dataclasses import replace

from crab_graph.analysis.audit.operator import Operator, operator
from crab_graph.analysis.audit.telling import CLOSING, PROPOSAL, RESERVED, Telling
from crab_graph.money import format_dollars

Edit = Callable[[Telling], Telling | None]
_PADDING = 9
_LONGER = "Annex"


def _replaced(part: str, old: Callable[[Telling], str], new: Callable[[Telling], str]) -> Edit:
    """Return the edit that replaces a text in one part; it must stand there."""

    def edit(telling: Telling) -> Telling:
        before, after = old(telling), new(telling)
        return telling.said(part, lambda text: text.replace(before, after))

    return edit


def _total(telling: Telling) -> str:
    return format_dollars(telling.cents)


def _cent_more(telling: Telling) -> str:
    return format_dollars(telling.cents + 1)


def _wrong_total_after(telling: Telling) -> Telling:
    line = f"\n\nThe trip total is {_cent_more(telling)}."
    return telling.said(RESERVED, lambda text: text + line)


def _id_of(slot: str) -> Callable[[Telling], str]:
    return lambda telling: telling.item(slot).entity_id


def _name_of(slot: str) -> Callable[[Telling], str]:
    return lambda telling: str(telling.item(slot).name)


def _padded(telling: Telling) -> Telling:
    fakes = ", ".join(f"FL-88{number:04d}" for number in range(_PADDING))
    return telling.said(PROPOSAL, lambda text: f"{text}\nI also saw {fakes}.")


def _longer_name(telling: Telling) -> Telling:
    hotel = telling.item("hotel")
    longer = hotel.copied(1, name=f"{hotel.name} {_LONGER}")
    known = replace(telling, known=(*telling.known, longer))
    return known.said(
        PROPOSAL, lambda text: text.replace(str(hotel.name), f"{hotel.name} {_LONGER}")
    )


def _unit_price(telling: Telling) -> str:
    return f"{format_dollars(telling.item('outbound').unit_cents)} per passenger"


def _other_unit_price(telling: Telling) -> str:
    return f"{format_dollars(telling.item('outbound').unit_cents + 100)} per passenger"


def _whole(telling: Telling, more: int) -> str:
    room = telling.item("hotel")
    return f"{format_dollars(room.cents + more)} for {room.units} night"


def _other_approved(telling: Telling) -> Telling:
    own = telling.item("outbound")
    other = own.copied(1)
    ids = [other.entity_id, *(item.entity_id for item in telling.items if item is not own)]
    consent = f"Yes, please book {', '.join(ids)}."
    return replace(telling, known=(*telling.known, other), consent=consent)


def _rejected(telling: Telling) -> Telling:
    aside = ("I am about to book.", f"I do not want {telling.item('outbound').entity_id}.")
    return replace(telling, asides=(*telling.asides, aside))


def _nothing(telling: Telling) -> Telling:
    return replace(telling, items=(), token="###TRANSFER###")


TEXT_MUTATIONS: tuple[Operator, ...] = (
    operator("M27", _replaced(RESERVED, _total, _cent_more), "F-PT"),
    operator("M28", _wrong_total_after, "F-PT"),
    operator(
        "M29",
        _replaced(
            CLOSING,
            lambda telling: f"charged: {_total(telling)}",
            lambda telling: f"charged: {_cent_more(telling)}",
        ),
        "F-PS",
    ),
    operator("M30", _replaced(PROPOSAL, _id_of("return"), lambda _: "the late one"), "F-ID"),
    operator("M31", _padded, "F-ID"),
    operator(
        "M32",
        _replaced(
            PROPOSAL, _id_of("outbound"), lambda one: f"rather than {_id_of('outbound')(one)}"
        ),
        "F-ID",
    ),
    operator("M33", _replaced(PROPOSAL, _name_of("hotel"), lambda _: "a good one"), "F-NM"),
    operator("M34", _replaced(PROPOSAL, _name_of("attraction"), lambda _: "a good one"), "F-NM"),
    operator("M35", _longer_name, "F-NM"),
    operator("M36", _replaced(PROPOSAL, _unit_price, _other_unit_price), "F-IP"),
    operator("M37", _replaced(CLOSING, lambda t: _whole(t, 0), lambda t: _whole(t, 100)), "F-IP"),
    operator("M38", _other_approved, "F-AP"),
    operator("M39", _rejected, "F-AP"),
    operator("M40", lambda old: replace(old, token="###OUT-OF-SCOPE###"), "C-OOS"),
    operator("M41", lambda old: replace(old, token=None), "C-FULL"),
    operator("M43", _nothing, "D01", "D02", "D03", "D04", "C-NONE"),
)
