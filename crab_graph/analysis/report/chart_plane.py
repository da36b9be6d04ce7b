"""A chart as a plane: one share against a number, a labelled mark for each thing.

A label stands beside its mark wherever it covers no other mark, interval or label.
"""

from collections.abc import Callable, Iterator, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from crab_graph.analysis.report.exhibit import Chart, Point, link_to, n_of
from crab_graph.analysis.report.svg import (
    LINE,
    SMALL,
    line_from,
    shape_at,
    text_at,
    width_of,
    wrapped,
    written,
)

_HIGH, _LEFT, _BELOW = 260.0, 48.0, 40.0
_MOST_LABEL, _MOST_PLOT = 0.45, 560.0
_MARK = 6.0
_MOST_AWAY = 8


class _Box(NamedTuple):
    """Where something is drawn: its left, top, right and bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def is_in(self, left: float, right: float) -> bool:
        """Return whether it lies between two edges, and above the axis."""
        return (
            left <= self.left
            and self.right <= right
            and self.top >= 0
            and self.bottom <= 12 + _HIGH
        )

    def shared(self, other: "_Box") -> float:
        """Return the area that another one covers of it."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(across, 0.0) * max(down, 0.0)


class _Label(NamedTuple):
    """Lines of text, the place of the first one's base, and from where they run."""

    lines: Sequence[str]
    x: float
    y: float
    anchor: str

    @property
    def box(self) -> _Box:
        wide = max(width_of(line, SMALL) for line in self.lines)
        left = self.x - wide if self.anchor == "end" else self.x
        top = self.y - SMALL
        return _Box(left, top, left + wide, top + LINE * len(self.lines))


def draw_plane(chart: Chart, width: int) -> tuple[str, float, float]:
    """Return the elements of a chart, and how wide and high it is, in pixels.

    The `x` of its points is a number as text, their value a share from 0 to 1.
    """
    points = sorted(chart.points, key=lambda point: -point.value)
    ticks = _ticks(max(float(point.x) for point in points))
    widest = max(width_of(_named(point), SMALL) for point in points) + 14
    labels = min(widest, _MOST_LABEL * width)
    room = min(width - _LEFT - labels, _MOST_PLOT)

    def across(x: float) -> float:
        return _LEFT + room * x / ticks[-1]

    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = _height(share)
        parts += [line_from(_LEFT, y, _LEFT + room, y, "grid")]
        parts += [text_at(_LEFT - 6, y + 4, f"{share:.0%}", "muted small", "end")]
    for tick in ticks:
        parts += [line_from(across(tick), 12, across(tick), 12 + _HIGH, "grid")]
        shown = f"{tick:,.6g}"
        parts += [text_at(across(tick), 12 + _HIGH + 16, shown, "muted small", "middle")]
    axes = f"{chart.y_title} by {chart.x_title[:1].lower()}{chart.x_title[1:]}"
    parts.append(text_at(_LEFT, 12 + _HIGH + 34, axes, "muted small"))
    edge = _LEFT + room + labels
    placed = _placed(points, across, labels - 14, edge)
    marks = _marks(points, across, placed)
    low = max(label.box.bottom for label in placed)
    return "".join([*parts, *marks]), edge, max(12 + _HIGH + _BELOW, low + LINE)


def _height(share: float) -> float:
    return 12 + _HIGH * (1 - share)


def _named(point: Point) -> str:
    """Return what a mark is called, and what it rests on."""
    return ", ".join(filter(None, (point.series, n_of(point))))


def _lines(point: Point, room: float) -> list[str]:
    """Return the same as lines; what it rests on is not broken."""
    *lines, last = wrapped(point.series, room, SMALL)
    basis = n_of(point)
    if not basis:
        return [*lines, last]
    whole = f"{last}, {basis}"
    return [*lines, whole] if width_of(whole, SMALL) <= room else [*lines, f"{last},", basis]


def _marks(
    points: Sequence[Point], across: Callable[[float], float], labels: Sequence[_Label]
) -> Iterator[str]:
    """Draw the marks, each with its interval and its label."""
    groups = list(dict.fromkeys(point.group for point in points))
    for point, label in zip(points, labels, strict=True):
        kind = groups.index(point.group)
        look = f"s{kind % 4}"
        x = across(float(point.x))
        drawn = ""
        if point.low is not None and point.high is not None:
            drawn += line_from(x, _height(point.low), x, _height(point.high), f"span {look}")
        drawn += shape_at(x, _height(point.value), kind, f"dot {look}")
        for row, line in enumerate(label.lines):
            drawn += text_at(label.x, label.y + LINE * row, line, "ink small", label.anchor)
        told = f"{point.series}: {point.value:.0%}, {point.x}; {point.n}"
        title = f"<title>{written(told)}</title>"
        href = "" if point.where is None else f' href="{written(link_to(point.where))}"'
        yield f"<a{href}>{title}{drawn}</a>" if href else f"<g>{title}{drawn}</g>"


def _placed(
    points: Sequence[Point], across: Callable[[float], float], room: float, edge: float
) -> list[_Label]:
    """Return a label for each point, where it covers least of what else is drawn."""
    taken = [box for point in points for box in _boxes(point, across(float(point.x)))]
    found: list[_Label] = []
    for point in points:
        x, y = across(float(point.x)), _height(point.value)
        lines = _lines(point, room)
        labels = [one for one in _places(lines, x, y) if one.box.is_in(_LEFT, edge)]

        def covered(label: _Label) -> float:
            return sum(label.box.shared(box) for box in taken)

        found.append(min(labels or [_Label(lines, x + 10, y + 4, "start")], key=covered))
        taken.append(found[-1].box)
    return found


def _places(lines: Sequence[str], x: float, y: float) -> Iterator[_Label]:
    """Yield where a label may stand: beside its mark, right or left, then lower and higher."""
    for down in sorted(range(-_MOST_AWAY, _MOST_AWAY + 1), key=lambda rows: (abs(rows), -rows)):
        for anchor, aside in (("start", 10), ("end", -10)):
            yield _Label(lines, x + aside, y + 4 + down * LINE, anchor)


def _boxes(point: Point, x: float) -> Iterator[_Box]:
    """Yield what is drawn of a point beside its label."""
    y = _height(point.value)
    yield _Box(x - _MARK, y - _MARK, x + _MARK, y + _MARK)
    if point.low is not None and point.high is not None:
        yield _Box(x - 2, _height(point.high), x + 2, _height(point.low))


def _ticks(most: float) -> list[float]:
    """Return ends and steps of a scale from nothing to the most."""
    rough = (most or 1.0) / 4
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * one for one in (1, 2, 2.5, 5, 10) if unit * one >= rough * 0.999)
    return [round(step * one, 10) for one in range(ceil((most or 1.0) / step - 1e-9) + 1)]
