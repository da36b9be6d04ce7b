"""A report as text: in a terminal, and as Markdown.

A table that is wider than the screen is continued below itself. Nothing that an agent is called
steers the terminal or becomes markup.
"""

import re
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crab_graph.analysis.labels import plain, tables_that_fit
from crab_graph.analysis.report.exhibit import Cell, Exhibit, Report

_LINE_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!])")


def print_report(console: Console, report: Report) -> None:
    """Print what to know first, and every table; figures are printed as their tables."""
    console.print(Text(report.title, style="bold"), plain(report.lead), sep="\n")
    for sentence in report.findings:
        console.print(plain(f"• {sentence}"))
    for label in report.labels:
        console.print(plain(label), style="dim")
    for exhibit in report.exhibits:
        title = Text(f"\n{exhibit.title}", style="bold")
        if exhibit.paper:
            title.append(f"  {exhibit.paper} of the paper", style="not bold dim")
        console.print(title, *_tables(console, exhibit), sep="\n")
        for note in exhibit.notes:
            console.print(plain(note), style="dim")


def _tables(console: Console, exhibit: Exhibit) -> list[Table]:
    """Return the table, cut into several where it is too wide, each with the columns of words."""
    words = [place for place, column in enumerate(exhibit.columns) if not column.is_number]
    numbers = [place for place, column in enumerate(exhibit.columns) if column.is_number]

    def build(some: Sequence[int]) -> Table:
        is_whole = len(some) == len(numbers)  # whose columns stand in their own order
        return _table(exhibit, range(len(exhibit.columns)) if is_whole else [*words, *some])

    return list(tables_that_fit(console, build, numbers))


def _table(exhibit: Exhibit, places: Sequence[int]) -> Table:
    table = Table(box=None, pad_edge=False)
    for place in places:
        column = exhibit.columns[place]
        table.add_column(plain(column.title), justify="right" if column.is_number else "left")
    for row in exhibit.rows:
        table.add_row(*(_text(row[place]) for place in places))
    return table


def _text(cell: Cell) -> Text:
    text = Text.assemble((plain(cell.text).plain, "bold" if cell.is_strong else ""))
    for more in (cell.tag and f"({cell.tag})", cell.note):
        if more:
            text.append(" ").append_text(plain(more)).stylize("dim", len(text) - len(more))
    return text


def as_markdown(report: Report) -> str:
    """Return the report; nothing that an agent is called becomes markup."""
    parts = [f"# {markdown_text(report.title)}", markdown_text(report.lead)]
    if report.findings:
        parts.append("\n".join(f"- {markdown_text(one)}" for one in report.findings))
    parts += [f"> {markdown_text(one)}" for one in report.labels]
    for exhibit in report.exhibits:
        paper = f" ({exhibit.paper} of the paper)" if exhibit.paper else ""
        heads = [markdown_text(column.title) for column in exhibit.columns]
        rules = ["---:" if column.is_number else "---" for column in exhibit.columns]
        rows = (map(_markdown_cell, row) for row in exhibit.rows)
        lines = [f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows)]
        parts += [f"## {markdown_text(exhibit.title)}{paper}", markdown_text(exhibit.caption)]
        parts += ["\n".join(lines), *map(markdown_text, exhibit.notes)]
    return "\n\n".join(parts) + "\n"


def _markdown_cell(cell: Cell) -> str:
    text = markdown_text(cell.plain)
    return f"**{text}**" if cell.is_strong and text else text


def markdown_text(text: str) -> str:
    """Return a text as one line of Markdown that is nothing but text."""
    return _SPECIAL.sub(r"\\\1", _LINE_CONTROL.sub(" ", text))
