"""A chart as rows: a mark with its interval, its value and what it rests on, all on one scale.

Agents stand side by side, a column each, or below each other where the page is narrow; their users
and what is compared are rows. Nothing is cut, nothing collides: labels are broken into lines, and
every mark has a row of its own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

from crab_graph.analysis.report.exhibit import Chart, Point, brief_points, link_to, n_of
from crab_graph.analysis.report.svg import (
    LABEL,
    LINE,
    SMALL,
    bar_at,
    line_from,
    lines_at,
    shape_at,
    text_at,
    width_of,
    wrapped,
    written,
)

KINDS = 4
"""So many things are told apart by shape and colour; their rows are labelled all the same."""

_ROW, _GAP = 19, 9
_LEAST_PLOT, _MOST_PLOT = 92, 420
_BETWEEN = 32
_SIDE_BY_SIDE = 560
"""From this width on, what rows share stands beside them, else above."""


class Scale(NamedTuple):
    """From values to pixels: the ends, where lines are drawn, and how a value is said."""

    low: float
    high: float
    ticks: Sequence[float]
    tell: Callable[[float], str]

    def place(self, value: float, width: float) -> float:
        """Return how many pixels from the left a value stands."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low) * width


class _Row(NamedTuple):
    head: str
    label: str
    points: Mapping[str, Point]


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where things stand: the columns of labels, and those of marks, each with a facet."""

    facets: Sequence[str]
    head: float
    label: float
    plot: float
    value: float
    basis: float
    across: int

    @property
    def labels(self) -> float:
        return self.head + self.label

    @property
    def column(self) -> float:
        return self.plot + self.value + self.basis + _BETWEEN

    def left(self, number: int) -> float:
        return self.labels + number * self.column


def draw_rows(chart: Chart, width: int) -> tuple[str, float, float]:
    """Return the elements of a chart, and how wide and high it is, in pixels."""
    panels, nothing = _panels(chart)
    facets = list(dict.fromkeys(point.group for points in panels.values() for point in points))
    kinds = list(dict.fromkeys(point.x for points in panels.values() for point in points))
    parts: list[str] = []
    y = right = 0.0
    scales = {name: _scale(chart, name, points) for name, points in panels.items()}
    grid = _grid(chart, panels, scales, facets, width)
    for name, points in panels.items():
        if name:
            title = wrapped(name, width, LABEL)
            parts.append(lines_at(0, y + LABEL + 2, title, "ink strong"))
            y += LINE * len(title) + 7
        rows = _rows(points)
        for start in range(0, len(facets), grid.across):
            shown = facets[start : start + grid.across]
            is_last = start + grid.across >= len(facets)
            drawn, y = _band(chart, rows, shown, grid, scales[name], kinds, y)
            if is_last and chart.y_title:
                lines = wrapped(chart.y_title, width - grid.labels, SMALL)
                drawn.append(lines_at(grid.labels, y + SMALL - 2, lines, "muted small"))
                y += LINE * len(lines)
            parts += drawn
            right = max(right, grid.left(len(shown)) - _BETWEEN)
            y += 12
    for line in _footnotes(panels, nothing):
        lines = wrapped(line, width, SMALL)
        parts.append(lines_at(0, y + 8, lines, "muted small"))
        y += LINE * len(lines)
        right = max(right, *(width_of(one, SMALL) for one in lines))
    return "".join(parts), min(max(right, 1.0), width), y + 4


def _panels(chart: Chart) -> tuple[dict[str, list[Point]], list[str]]:
    """Return the points of each panel that shows something, and the panels of zeros alone."""
    panels: dict[str, list[Point]] = {}
    for point in chart.points:
        panels.setdefault(point.panel, []).append(point)
    nothing = [
        name
        for name, points in panels.items()
        if name in chart.counts and not any(point.value for point in points)
    ]
    return {name: own for name, own in panels.items() if name not in nothing}, nothing


def _rows(points: Sequence[Point]) -> list[_Row]:
    found: dict[tuple[str, str], dict[str, Point]] = {}
    heads = list(dict.fromkeys(point.member for point in points))
    labels = list(dict.fromkeys(point.x for point in points))
    for point in sorted(points, key=lambda one: (heads.index(one.member), labels.index(one.x))):
        found.setdefault((point.member, point.x), {})[point.group] = point
    return [_Row(head, label, own) for (head, label), own in found.items()]


def _grid(
    chart: Chart,
    panels: Mapping[str, Sequence[Point]],
    scales: Mapping[str, Scale],
    facets: Sequence[str],
    width: int,
) -> _Grid:
    """Return where things stand: labels get what they need, within bounds, marks what is left."""
    points = [point for own in panels.values() for point in own]
    told = [scales[name].tell(one.value) for name, own in panels.items() for one in own]
    values = max(map(width_of, told), default=0) + 12
    bases = max((width_of(n_of(point), SMALL) for point in points), default=0)
    bases += 7 if bases else 0
    least = _LEAST_PLOT + values + bases + _BETWEEN
    heads = max((width_of(point.member) for point in points), default=0)
    labels = max((width_of(point.x) for point in points), default=0)
    labels = max(labels, width_of(chart.x_title, SMALL))
    is_beside = width >= _SIDE_BY_SIDE
    room = width * 0.42
    head = min(heads, room * 0.6) + 16 if is_beside and heads else 0.0
    label = min(labels, room - head if is_beside else 0.4 * width) + 18
    across = max(1, min(len(facets), floor((width + _BETWEEN - head - label) / least)))
    left = (width + _BETWEEN - head - label) / across - values - bases - _BETWEEN
    return _Grid(facets, head, label, min(left, _MOST_PLOT), values, bases, across)


def _band(
    chart: Chart,
    rows: Sequence[_Row],
    facets: Sequence[str],
    grid: _Grid,
    scale: Scale,
    kinds: Sequence[str],
    y: float,
) -> tuple[list[str], float]:
    """Return the rows of some facets side by side, and where they end."""
    parts: list[str] = []
    titles = [wrapped(name, grid.column - 8) if name else [] for name in facets]
    height = LINE * max(map(len, titles))
    for number, lines in enumerate(titles):
        parts.append(lines_at(grid.left(number), y + LABEL, lines, "ink strong"))
    y += height + (5 if height else 0)
    if chart.x_title:
        parts.append(text_at(grid.head, y + SMALL, chart.x_title, "muted small"))
        y += LINE + 1
    top = y
    own = [row for row in rows if any(name in row.points for name in facets)]
    marks: list[str] = []
    for head in dict.fromkeys(row.head for row in own):
        group = [row for row in own if row.head == head]
        drawn, places, y = _labels(head, group, grid, y)
        marks += drawn
        for number, name in enumerate(facets):
            placed = [
                (row, place) for row, place in zip(group, places, strict=True) if name in row.points
            ]
            marks += _marks(chart, name, placed, grid.left(number), grid, scale, kinds)
        y += _GAP if len(group) > 1 or grid.head == 0 else 0
    y -= _GAP - 4
    for number in range(len(facets)):
        parts += _axis(chart, scale, grid.left(number), grid.plot, top, y)
    y += LINE
    return parts + marks, y + 4


def _labels(
    head: str, group: Sequence[_Row], grid: _Grid, y: float
) -> tuple[list[str], list[float], float]:
    """Return the labels of rows that share a head, the middle of each, and where they end."""
    parts, places = [], []
    if head and not grid.head:
        lines = wrapped(head, grid.labels + grid.column - _BETWEEN)
        parts.append(lines_at(0, y + LABEL, lines))
        y += LINE * len(lines) + 2
    beside = wrapped(head, grid.head - 15) if head and grid.head else []
    parts.append(lines_at(0, y + LABEL + 1, beside))
    end = y + LINE * len(beside) + 4
    for row in group:
        lines = wrapped(row.label, grid.label - 17)
        parts.append(lines_at(grid.head, y + LABEL + 1, lines))
        places.append(y + _ROW / 2)
        y += _ROW + LINE * (len(lines) - 1)
    return parts, places, max(y, end)


def _marks(
    chart: Chart,
    facet: str,
    placed: Sequence[tuple[_Row, float]],
    left: float,
    grid: _Grid,
    scale: Scale,
    kinds: Sequence[str],
) -> Iterator[str]:
    """Draw the marks of one facet in rows that share a head."""

    def at(value: float) -> float:
        return left + scale.place(value, grid.plot)

    if chart.mark == "line":
        for (row, y), (after, below) in pairwise(placed):
            ends = (at(one.points[facet].value) for one in (row, after))
            yield line_from(next(ends), y, next(ends), below, "thread")
    for row, y in placed:
        point = row.points[facet]
        kind = kinds.index(point.x) if chart.mark == "dot" and len(kinds) <= KINDS else 0
        look = f"s{kind}"
        has_interval = point.low is not None and point.high is not None
        drawn = []
        if has_interval:
            drawn.append(line_from(at(point.low or 0), y, at(point.high or 0), y, f"{look} span"))
        is_open = chart.mark == "difference" and not _excludes_zero(point)
        drawn.append(shape_at(at(point.value), y, kind, f"{look} {'open' if is_open else 'dot'}"))
        drawn.append(f"<title>{written(_told(point, scale))}</title>")
        yield _linked(point, "".join(drawn))
        end = left + grid.plot + grid.value
        yield text_at(end, y + 4, scale.tell(point.value), "ink", "end")
        if basis := n_of(point):
            yield text_at(end + 7, y + 4, basis, "muted small")


def _axis(
    chart: Chart, scale: Scale, left: float, width: float, top: float, bottom: float
) -> Iterator[str]:
    ticks = scale.ticks if width >= 30 * len(scale.ticks) else (*scale.ticks[::2],)
    for tick in ticks:
        x = left + scale.place(tick, width)
        is_zero = chart.mark == "difference" and tick == 0
        yield line_from(x, top - 2, x, bottom, "zero" if is_zero else "grid")
        yield text_at(x, bottom + 13, scale.tell(tick), "muted small", "middle")


def draw_bars(chart: Chart, width: int) -> tuple[str, float, float]:
    """Return bars in panels, all on one scale, and how wide and high they are."""
    panels, _ = _panels(chart)
    most = max((point.value for point in chart.points), default=1) or 1
    labels = max((width_of(point.x) for point in chart.points), default=0) + 10
    counts = max((width_of(f"{point.value:,.0f}") for point in chart.points), default=0) + 6
    least = labels + counts + _LEAST_PLOT
    across = max(1, min(len(panels), floor((width + _BETWEEN) / (least + _BETWEEN))))
    column = (width + _BETWEEN) / across - _BETWEEN
    bar = min(column - labels - counts, _MOST_PLOT)
    parts, y = [], 0.0
    names = list(panels)
    for start in range(0, len(names), across):
        heights = [0.0]
        for number, name in enumerate(names[start : start + across]):
            left = number * (column + _BETWEEN)
            title = wrapped(name, column)
            parts.append(lines_at(left, y + LABEL, title, "ink strong"))
            base = y + LINE * len(title) + 4
            for row, point in enumerate(panels[name]):
                middle = base + _ROW * row + _ROW / 2
                length = point.value / most * bar
                parts += (
                    text_at(left, middle + 4, point.x),
                    bar_at(left + labels, middle, length, "s0"),
                    text_at(left + labels + length + 6, middle + 4, f"{point.value:,.0f}"),
                )
            heights.append(base - y + _ROW * len(panels[name]))
        y += max(heights) + 14
    return "".join(parts), width, y


def _scale(chart: Chart, panel: str, points: Sequence[Point]) -> Scale:
    ends = [end for one in points for end in (one.low, one.value, one.high) if end is not None]
    if chart.mark == "difference":
        low, high = min(0.0, *ends), max(0.0, *ends)
        step = _step((high - low) or 0.2)
        low, high = floor(low / step) * step, ceil(high / step) * step
        if low == high:
            low, high = -step, step
        return Scale(low, high, _ticks(low, high, step), brief_points)
    if panel in chart.counts:
        step = _step(max(ends) or 1)
        high = ceil(max(ends) / step) * step
        return Scale(0, high, _ticks(0, high, step), lambda value: f"{value:.3g}")
    return Scale(0, 1, (0, 0.25, 0.5, 0.75, 1), lambda value: f"{value:.0%}")


def _step(span: float) -> float:
    rough = span / 4
    unit = 10.0 ** floor(log10(rough))
    return next(unit * one for one in (1, 2, 2.5, 5, 10) if unit * one >= rough * 0.999)


def _ticks(low: float, high: float, step: float) -> tuple[float, ...]:
    return tuple(round(low + step * one, 10) for one in range(round((high - low) / step) + 1))


def _excludes_zero(point: Point) -> bool:
    if point.low is None or point.high is None:
        return False
    return point.low > 0 or point.high < 0


def _told(point: Point, scale: Scale) -> str:
    """Return all that is known of a mark, for who points at it."""
    who = ", ".join(part for part in (point.group, point.member, point.x) if part)
    between = ""
    if point.low is not None and point.high is not None:
        between = f" ({scale.tell(point.low)} to {scale.tell(point.high)})"
    return f"{who}: {scale.tell(point.value)}{between}" + (f", {point.n}" if point.n else "")


def _footnotes(panels: Mapping[str, Sequence[Point]], nothing: Sequence[str]) -> Iterator[str]:
    told = {point.n for points in panels.values() for point in points if point.n}
    if told:
        nouns, ratios = [], set()
        for one in told:
            counted = [part.partition(" ") for part in one.split(", ")]
            nouns = [noun if noun.endswith("s") else f"{noun}s" for _, _, noun in counted]
            numbers = [int(count.replace(",", "")) for count, _, _ in counted]
            ratios.add(numbers[1] / numbers[0] if len(numbers) > 1 and numbers[0] else 0)
        each = ""
        if len(ratios) == 1 and (ratio := ratios.pop()) and ratio == round(ratio):
            noun = nouns[1] if ratio != 1 else nouns[1].removesuffix("s")
            each = f", {ratio:.0f} {noun} each"
        yield f"n: {nouns[0]}{each}."
    if nothing:
        yield f"Zero throughout: {', '.join(nothing)}."


def _linked(point: Point, drawn: str) -> str:
    if point.where is None:
        return f"<g>{drawn}</g>"
    return f'<a tabindex="-1" href="{written(link_to(point.where))}">{drawn}</a>'
