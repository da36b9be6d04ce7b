"""Tables and figures as values: made once, drawn by the terminal, as Markdown, JSON and HTML.

A number stands in a cell as people read it, as a program reads it, and with the filter that finds
its episodes. A figure is a table too: whoever cannot see it reads the numbers.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Literal
from urllib.parse import urlencode

from crab_graph import markup, terms
from crab_graph.eval.statistics import Estimate

_TEXTS: dict[str, Any] = tomllib.loads(
    (files(__package__) / "exhibits.toml").read_text(encoding="utf-8")
)

OVERVIEW = "table-2"
"""The exhibit whose chart is the first thing that a page shows."""

Filter = Mapping[str, str]
"""What finds episodes: `agent`, `user`, `stratum`, `outcome`, `check`, and so on, each a value."""


def n_of(point: "Point") -> str:
    """Return what a value in a chart rests on, short: `n 16` for `16 tasks, 32 episodes`."""
    return f"n {point.n.partition(' ')[0]}" if point.n else ""


def link_to(where: Filter) -> str:
    """Return the place in the page that lists the episodes a filter finds."""
    return f"#episodes?{urlencode(where, errors='replace')}"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table: its text, and in small an interval or a count; `tag` is a label.

    Programs read `value`, by default the text; `where` finds the episodes it is about.
    """

    text: str
    value: Any = None
    note: str = ""
    where: Filter | None = None
    is_strong: bool = False
    tag: str = ""

    @property
    def plain(self) -> str:
        """All of it as one text."""
        return " ".join(
            part for part in (self.text, self.tag and f"({self.tag})", self.note) if part
        )

    def as_json(self) -> Any:
        """Return what programs read."""
        return self.text if self.value is None and self.text not in ("", "–") else self.value


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column: its key in JSON, its title, and whether it is one of numbers."""

    key: str
    title: str
    is_number: bool = True


@dataclass(frozen=True, slots=True)
class Point:
    """One value in a chart: `x` is a category, or a number as text, and `n` what it rests on.

    That is told as `8 tasks, 16 episodes`. Each `group` (an agent) has a column of its own; in it a
    `member` (a user) heads its rows, one for each `x`.
    """

    panel: str
    group: str
    member: str
    x: str
    value: float
    low: float | None = None
    high: float | None = None
    n: str = ""
    where: Filter | None = None

    @property
    def series(self) -> str:
        """The rows it is among."""
        return f"{self.group} with {self.member}" if self.group and self.member else self.group


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of an exhibit; `alt` says what it shows for those who cannot see it.

    `counts` are panels whose values are no shares from 0 to 1, and have a scale of their own. A
    `difference` is one of shares, from -1 to 1; a `plane` has shares against the numbers of `x`.
    """

    mark: Literal["line", "dot", "bar", "difference", "plane"]
    x_title: str
    y_title: str
    points: Sequence[Point]
    alt: str = ""
    counts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure of the report, and what it is in the paper, such as `Figure 4`.

    Its id, such as `figure-4`, is the name of its file and of its place in the page.
    """

    id: str
    title: str
    caption: str
    columns: Sequence[Head]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    chart: Chart | None = None
    paper: str = ""
    part: str = terms.PARTS["more"]
    """The part of the page it stands in."""

    def as_json(self) -> dict[str, Any]:
        """Return the form that `report --json` prints."""
        keys = [column.key for column in self.columns]
        return {
            "id": self.id,
            "paper": self.paper or None,
            "title": self.title,
            "caption": self.caption,
            "notes": list(self.notes),
            "rows": [
                {key: cell.as_json() for key, cell in zip(keys, row, strict=True)}
                for row in self.rows
            ],
        }

    def as_table(self) -> str:
        """Return its table as a notebook shows it."""
        return markup.table(
            [column.title for column in self.columns],
            [[cell.plain for cell in row] for row in self.rows],
            numbers=[column.title for column in self.columns if column.is_number],
            title=self.title,
        )


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """All a report shows: what was run, findings, and in `labels` what to know beside them."""

    title: str
    lead: str
    findings: Sequence[str]
    labels: Sequence[str]
    exhibits: Sequence[Exhibit]

    @property
    def overview(self) -> Exhibit | None:
        """The exhibit whose chart comes first, where anything has a verdict."""
        found = (one for one in self.exhibits if one.id == OVERVIEW)
        return next((one for one in found if one.chart is not None and one.chart.points), None)

    def __repr__(self) -> str:
        """Return the title and how much it shows."""
        return f"<Report {self.title}: {len(self.exhibits)} tables and figures>"

    def as_json(self) -> dict[str, Any]:
        """Return the form that `report --json` prints."""
        return {
            "title": self.title,
            "lead": self.lead,
            "findings": list(self.findings),
            "labels": list(self.labels),
            "exhibits": [one.as_json() for one in self.exhibits],
        }

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the first table, and the others when asked for."""
        said = (*self.findings, *self.labels)
        tables = [one.as_table() for one in self.exhibits]
        rest = [
            markup.folded(one.title, table)
            for one, table in zip(self.exhibits[1:], tables[1:], strict=True)
        ]
        lines = map(markup.paragraph, (self.lead, *said))
        return markup.shown(self.title, *lines, *tables[:1], *rest)


def captioned(
    text: str,
    columns: Sequence[Head],
    rows: Sequence[Sequence[Cell]],
    *,
    id: str = "",
    notes: Sequence[str] = (),
    chart: Chart | None = None,
    **said: object,
) -> Exhibit:
    """Return an exhibit, titled by `terms` and explained by `exhibits.toml`, `said` filled in."""
    words = _TEXTS | said
    title = terms.TITLES.get(id) or terms.TITLES[text]
    notes = (*notes, *_without_interval(rows))
    if chart is not None:
        words["series"] = "; ".join(dict.fromkeys(point.series for point in chart.points))
        chart = replace(chart, alt=_TEXTS[text]["alt"].format_map(words))
    paper, title, caption = (
        one.format_map(words)
        for one in (_TEXTS[text].get("paper", ""), title, _TEXTS[text]["caption"])
    )
    part = terms.PARTS[_TEXTS[text]["part"]]
    return Exhibit(id or text, title, caption, columns, rows, notes, chart, paper, part)


def heads(titles: Mapping[str, str], *, is_number: bool = True) -> list[Head]:
    """Return the heads of columns, their titles by key."""
    return [Head(key, title, is_number) for key, title in titles.items()]


def named_heads(*names: str, is_number: bool = True) -> list[Head]:
    """Return the heads of columns as the vocabulary calls them."""
    return heads({name: terms.label(name) for name in names}, is_number=is_number)


def count_cell(count: int, where: Filter | None = None) -> Cell:
    """Return a cell with a count; a zero finds nothing."""
    return Cell(f"{count:,}", count, where=where if count else None)


def number_cell(value: float | None, digits: int = 1) -> Cell:
    """Return a cell with a number."""
    return Cell("–" if value is None else f"{value:,.{digits}f}", value)


def share_cell(value: float | None) -> Cell:
    """Return a cell with a share in percent."""
    return Cell("–" if value is None else f"{value:.0%}", value)


BASIS = tuple(named_heads("tasks", "episodes"))
"""The heads of the columns that say what all rates of a row rest on."""


def basis_cells(found: Estimate, where: Filter | None = None) -> tuple[Cell, Cell]:
    """Return the cells that say what an estimate rests on."""
    return count_cell(found.tasks, where), count_cell(found.episodes, where)


def estimate_cell(
    found: Estimate, *, is_share: bool, where: Filter | None = None, basis: bool = False
) -> Cell:
    """Return a cell with an estimate and its interval; with `basis` also what it rests on."""
    value = found.as_json()
    if found.value is None:
        return Cell("–", value)
    text = f"{found.value:.0%}" if is_share else f"{found.value:.2f}"
    note = f"({interval_text(found.ends, is_share)})"
    if basis:
        note += f" {found.basis}"
    return Cell(text, value, note=note, where=where)


def interval_text(ends: tuple[float, float] | None, is_share: bool = True) -> str:
    """Return the ends of an interval, of a share in percent; a dash where there is none."""
    if ends is None:
        return "–"
    low, high = (f"{100 * end:.0f}" if is_share else f"{end:.2f}" for end in ends)
    return f"{low}–{high}"


def _without_interval(rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Say why cells have no interval, where some have none."""
    values = (cell.value for row in rows for cell in row)
    reasons = dict.fromkeys(
        value["note"] for value in values if isinstance(value, Mapping) and value.get("note")
    )
    return [f"(–): {reason}." for reason in reasons]


def points_text(difference: float, is_share: bool = True) -> str:
    """Return a difference: of shares in percentage points."""
    text = f"{100 * difference:+.1f}" if is_share else f"{difference:+.2f}"
    return text.lstrip("+-") if float(text) == 0 else text.replace("-", "−")


def brief_points(difference: float) -> str:
    """Return a difference of shares in percentage points, without a digit that says nothing."""
    return points_text(difference).removesuffix(".0")
