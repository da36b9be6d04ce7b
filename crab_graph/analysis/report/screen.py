"""A report in a terminal; a table that is wider than the screen is continued below itself."""

from collections.abc import Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from crab_graph.analysis.report.cells import plain
from crab_graph.analysis.report.exhibit import Cell, Column, Exhibit, Report


def print_report(console: Console, report: Report) -> None:
    """Print what to know first, and every table; figures are printed as their tables."""
    console.print(Text(report.title, style="bold"), plain(report.lead), sep="\n")
    for sentence in report.findings:
        console.print(plain(f"• {sentence}"))
    for label in report.labels:
        console.print(plain(label), style="dim")
    for exhibit in report.exhibits:
        _print_exhibit(console, exhibit)


def _print_exhibit(console: Console, exhibit: Exhibit) -> None:
    title = Text(f"\n{exhibit.title}", style="bold")
    if exhibit.paper:
        title.append(f"  {exhibit.paper} of the paper", style="not bold dim")
    console.print(title)
    for table in _tables(console, exhibit):
        console.print(table)
    for note in exhibit.notes:
        console.print(plain(note), style="dim")


def _tables(console: Console, exhibit: Exhibit) -> list[Table]:
    """Return the table, cut into several where it is too wide, each with the columns of words."""
    whole = _table(exhibit, range(len(exhibit.columns)))
    if _width(console, whole) <= console.width:
        return [whole]
    words = [place for place, column in enumerate(exhibit.columns) if not column.is_number]
    numbers = [place for place, column in enumerate(exhibit.columns) if column.is_number]
    tables: list[Table] = []
    begun: list[int] = []
    for place in numbers:
        if begun and _width(console, _table(exhibit, [*words, *begun, place])) > console.width:
            tables.append(_table(exhibit, [*words, *begun]))
            begun = []
        begun.append(place)
    return [*tables, _table(exhibit, [*words, *begun])]


def _width(console: Console, table: Table) -> int:
    return Measurement.get(console, console.options.update(max_width=10_000), table).maximum


def _table(exhibit: Exhibit, places: Sequence[int]) -> Table:
    table = Table(box=None, pad_edge=False)
    for place in places:
        column: Column = exhibit.columns[place]
        justify = "right" if column.is_number else "left"
        table.add_column(plain(column.title), justify=justify)  # type: ignore[arg-type]
    for row in exhibit.rows:
        table.add_row(*(_text(row[place]) for place in places))
    return table


def _text(cell: Cell) -> Text:
    text = Text.assemble((plain(cell.text).plain, "bold" if cell.is_strong else ""))
    for more in (cell.tag and f"({cell.tag})", cell.note):
        if more:
            text.append(" ").append_text(plain(more)).stylize("dim", len(text) - len(more))
    return text
