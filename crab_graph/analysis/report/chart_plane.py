"""A chart as a plane: one share against a number, a labelled mark for each thing.

Labels stand beside their marks, and below each other where marks come close.
"""

from collections.abc import Callable, Sequence
from math import ceil, floor, log10

from crab_graph.analysis.report.exhibit import Chart, Point, link_to
from crab_graph.analysis.report.svg import (
    LINE,
    SMALL,
    line_from,
    lines_at,
    shape_at,
    text_at,
    width_of,
    wrapped,
    written,
)

_HIGH, _LEFT, _BELOW = 260.0, 48.0, 40.0
_MOST_LABEL, _MOST_PLOT = 0.45, 560.0


def draw_plane(chart: Chart, width: int) -> tuple[str, float, float]:
    """Return the elements of a chart, and how wide and high it is, in pixels.

    The `x` of its points is a number as text, their value a share from 0 to 1.
    """
    points = sorted(chart.points, key=lambda point: -point.value)
    ticks = _ticks(max(float(point.x) for point in points))
    widest = max(width_of(point.series, SMALL) for point in points) + 14
    labels = min(widest, _MOST_LABEL * width)
    room = min(width - _LEFT - labels, _MOST_PLOT)

    def across(x: float) -> float:
        return _LEFT + room * x / ticks[-1]

    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = 12 + _HIGH * (1 - share)
        parts += [line_from(_LEFT, y, _LEFT + room, y, "grid")]
        parts += [text_at(_LEFT - 6, y + 4, f"{share:.0%}", "muted small", "end")]
    for tick in ticks:
        parts += [line_from(across(tick), 12, across(tick), 12 + _HIGH, "grid")]
        shown = f"{tick:,.6g}"
        parts += [text_at(across(tick), 12 + _HIGH + 16, shown, "muted small", "middle")]
    axes = f"{chart.y_title} by {chart.x_title[:1].lower()}{chart.x_title[1:]}"
    parts.append(text_at(_LEFT, 12 + _HIGH + 34, axes, "muted small"))
    marks, low = _marks(points, across, labels - 14)
    return "".join([*parts, *marks]), _LEFT + room + labels, max(12 + _HIGH + _BELOW, low + LINE)


def _marks(
    points: Sequence[Point], across: Callable[[float], float], room: float
) -> tuple[list[str], float]:
    """Return marks with their labels, the highest first, and where the lowest label ends."""
    groups = list(dict.fromkeys(point.group for point in points))
    parts: list[str] = []
    free = 0.0
    for point in points:
        look = f"s{groups.index(point.group) % 4}"
        x, y = across(float(point.x)), 12 + _HIGH * (1 - point.value)
        drawn = ""
        if point.low is not None and point.high is not None:
            low, high = (12 + _HIGH * (1 - end) for end in (point.low, point.high))
            drawn += line_from(x, low, x, high, f"span {look}")
        drawn += shape_at(x, y, groups.index(point.group), f"dot {look}")
        lines = wrapped(point.series, room, SMALL)
        base = max(y + 4, free)
        free = base + LINE * len(lines)
        drawn += lines_at(x + 10, base, lines, "ink small")
        told = f"{point.series}: {point.value:.0%}, {point.x}; {point.n}"
        title = f"<title>{written(told)}</title>"
        href = "" if point.where is None else f' href="{written(link_to(point.where))}"'
        parts.append(f"<a{href}>{title}{drawn}</a>" if href else f"<g>{title}{drawn}</g>")
    return parts, free


def _ticks(most: float) -> list[float]:
    """Return ends and steps of a scale from nothing to the most."""
    rough = (most or 1.0) / 4
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * one for one in (1, 2, 2.5, 5, 10) if unit * one >= rough * 0.999)
    return [round(step * one, 10) for one in range(ceil((most or 1.0) / step - 1e-9) + 1)]
