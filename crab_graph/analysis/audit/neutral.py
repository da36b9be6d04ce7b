"""Changes that no check may notice: N01–N12."""

import re
from dataclasses import replace

from crab_graph.analysis.audit.operator import Operator, operator
from crab_graph.analysis.audit.telling import ANY, CLOSING, PROPOSAL, Telling
from crab_graph.domains.travel.rehearsal import items_of

_ID = re.compile(r"\b[A-Z]{2}-\d+\b")
_AMOUNT = re.compile(r"\$[\d,]+\.\d\d")
_NON_BREAKING_HYPHEN = "\u2011"
_ZERO_WIDTH_SPACE = "\u200b"


def _dressed_up(text: str) -> str:
    return _ID.sub(r"**\g<0>**", text.upper()).replace(" ", "  ")


def _other_hyphens(text: str) -> str:
    return _ID.sub(lambda found: found[0].replace("-", _NON_BREAKING_HYPHEN), text)


def _without_separators(text: str) -> str:
    return _AMOUNT.sub(lambda found: found[0].replace(",", ""), text)


def _hedged(telling: Telling) -> Telling:
    line = "\n\nTaxis cost around $40.00.\n\nYour budget: $9,000.00."
    return telling.said(PROPOSAL, lambda text: text + line).said(CLOSING, lambda text: text + line)


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


def _listing(telling: Telling) -> Telling:
    listed = ", ".join(f"FL-77{number:04d}" for number in range(11))
    line = f"These flights exist: {listed}."
    return replace(telling, opening_lines=(*telling.opening_lines, line))


def _invisible(text: str) -> str:
    hidden = "<!-- Trip total: $1.00, FL-111111 -->"
    return _ZERO_WIDTH_SPACE.join([hidden, *re.split(r"(?<=\s)", text)])


def _small_talk(telling: Telling) -> Telling:
    line = "It is a lovely time of year to travel."
    aside = ("I hope you are well.", "Very well, and you?")
    return replace(
        telling,
        opening_lines=(*telling.opening_lines, line),
        asides=(*telling.asides, aside),
    )


NEUTRAL: tuple[Operator, ...] = (
    operator("N01", lambda old: old.said(ANY, _dressed_up)),
    operator("N02", lambda old: old.said(ANY, _other_hyphens)),
    operator("N03", lambda old: old.said(ANY, _without_separators)),
    operator("N04", _hedged),
    operator("N05", _more_reads),
    operator("N06", lambda old: replace(old, reverses_rows=True)),
    operator("N07", _other_solution),
    operator("N08", _booked_twice),
    operator("N09", _listing),
    operator("N10", lambda old: old.said(ANY, lambda text: f"###STOP### {text} ###TRANSFER###")),
    operator("N11", lambda old: old.said(ANY, _invisible)),
    operator("N12", _small_talk),
)
