"""Changes that no check may notice: N01 to N12."""

import re
from dataclasses import replace

from crab_graph.analysis.audit.rehearsal import items_of
from crab_graph.analysis.audit.telling import (
    ANY,
    CLOSING,
    PROPOSAL,
    Operator,
    Telling,
    made_up_ids,
    operator,
    with_fields,
)
from crab_graph.tools.registry import Owner

_ID = re.compile(r"\b[A-Z]{2}-\d+\b")
_AMOUNT = re.compile(r"\$[\d,]+\.\d\d")
_HEDGED = "\n\nOther things cost around $40.00.\n\nYour budget: $9,000.00."


def _dressed_up(text: str) -> str:
    return _ID.sub(r"**\g<0>**", text.upper()).replace(" ", "  ")


def _other_hyphens(text: str) -> str:
    return _ID.sub(lambda found: found[0].replace("-", "\N{NON-BREAKING HYPHEN}"), text)


def _without_separators(text: str) -> str:
    return _AMOUNT.sub(lambda found: found[0].replace(",", ""), text)


def _hedged(telling: Telling) -> Telling:
    for part in (PROPOSAL, CLOSING):
        telling = telling.said(part, lambda text: text + _HEDGED)
    return telling


def _more_reads(telling: Telling) -> Telling | None:
    """Look up what is booked, twice."""
    found = [(item.tools.search.tool, item.look_up(item.tools.search)) for item in telling.items]
    reads = tuple((tool, arguments) for tool, arguments in found if arguments is not None)
    return replace(telling, reads=(*telling.reads, *reads, *reads)) if reads else None


def _other_solution(telling: Telling) -> Telling | None:
    """Go by another certified solution; nothing else may have been changed yet."""
    for solution in telling.task.kept_solutions:
        items = items_of(telling.task, solution)
        if [item.entity_id for item in items] != [item.entity_id for item in telling.items]:
            return replace(telling, items=items)
    return None


def _booked_twice(telling: Telling) -> Telling | None:
    """Book, cancel and book again what can be cancelled."""
    there = telling.task.domain.registry().names(Owner.AGENT)
    able = [item.slot.id for item in telling.items if item.tools.cancel in there]
    return replace(telling, rehearsed=frozenset(able[:1])) if able else None


def _listed(telling: Telling) -> Telling | None:
    if not telling.items:
        return None
    line = f"These exist: {', '.join(made_up_ids(telling.items[0], 11))}."
    return replace(telling, opening_lines=(*telling.opening_lines, line))


def _with_hidden_text(telling: Telling) -> Telling:
    prefix = next(iter(telling.task.domain.grading.vocabulary().prefixes.values()))
    hidden = f"<!-- {telling.whole} total: $1.00, {prefix}-111111 -->"

    def invisible(text: str) -> str:
        return "\N{ZERO WIDTH SPACE}".join([hidden, *re.split(r"(?<=\s)", text)])

    return telling.said(ANY, invisible)


def _small_talk(telling: Telling) -> Telling:
    aside = ("I hope you are well.", "Very well, and you?")
    return replace(
        telling,
        opening_lines=(*telling.opening_lines, "It is a lovely time of year."),
        asides=(*telling.asides, aside),
    )


NEUTRAL: tuple[Operator, ...] = (
    operator("N01", lambda old: old.said(ANY, _dressed_up)),
    operator("N02", lambda old: old.said(ANY, _other_hyphens)),
    operator("N03", lambda old: old.said(ANY, _without_separators)),
    operator("N04", _hedged),
    operator("N05", _more_reads),
    operator("N06", with_fields(reverses_rows=True)),
    operator("N07", _other_solution),
    operator("N08", _booked_twice),
    operator("N09", _listed),
    operator("N10", lambda old: old.said(ANY, lambda text: f"###STOP### {text} ###TRANSFER###")),
    operator("N11", _with_hidden_text),
    operator("N12", _small_talk),
)
