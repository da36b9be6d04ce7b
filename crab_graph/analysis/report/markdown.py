"""A report as Markdown: headings, captions, and a table for each exhibit."""

import re
from collections.abc import Iterable

from crab_graph.analysis.report.exhibit import Cell, Exhibit, Report

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!])")


def as_markdown(report: Report) -> str:
    """Return the report; nothing that an agent is called becomes markup."""
    parts = [f"# {_escaped(report.title)}", _escaped(report.lead)]
    if report.findings:
        parts.append("\n".join(f"- {_escaped(one)}" for one in report.findings))
    parts += [f"> {_escaped(one)}" for one in report.labels]
    parts += [_exhibit(one) for one in report.exhibits]
    return "\n\n".join(parts) + "\n"


def _exhibit(exhibit: Exhibit) -> str:
    paper = f" ({exhibit.paper} of the paper)" if exhibit.paper else ""
    heads = [_escaped(column.title) for column in exhibit.columns]
    rules = ["---:" if column.is_number else "---" for column in exhibit.columns]
    lines = [_line(heads), _line(rules), *(_line(map(_cell, row)) for row in exhibit.rows)]
    parts = [f"## {_escaped(exhibit.title)}{paper}", _escaped(exhibit.caption), "\n".join(lines)]
    return "\n\n".join([*parts, *map(_escaped, exhibit.notes)])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    text = _escaped(cell.plain)
    return f"**{text}**" if cell.is_strong and text else text


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", _CONTROL.sub(" ", text))
