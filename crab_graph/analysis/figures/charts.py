"""An exhibit's chart as a Vega-Lite specification: small panels, one scale, intervals on all."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from crab_graph.analysis.figures.theme import CONFIG, DASHES, INK, PAPER, SERIES, SHAPES
from crab_graph.analysis.report.exhibit import Chart, Point, link_to
from crab_graph.errors import MissingExtra

EXTRA = "report"
WIDE, NARROW = 960, 330
"""Widths in pixels of what a chart is drawn for: a page, and a phone."""

MOST_SERIES = len(SERIES)
_AXIS_ROOM = 60
_GAP = 34
_PANEL_HEIGHT = 190
_BAR_STEP = 18
_LEAST_PANEL, _MOST_PANEL = 190, 480


def specification(chart: Chart, width: int = WIDE) -> dict[str, Any]:
    """Return a chart as Vega-Lite.

    Args:
        chart: The chart.
        width: Width in pixels that it is laid out for; narrow ones stand panel below panel.

    Raises:
        MissingExtra: altair is not installed.
    """
    try:
        import altair as alt  # noqa: PLC0415  (optional, and slow to load)
    except ImportError:
        raise MissingExtra("a figure", EXTRA) from None
    panels = _panels(chart)
    columns = max(1, min(len(panels), width // (_LEAST_PANEL + _AXIS_ROOM)))
    inner = min((width - _GAP * (columns - 1)) // columns, _MOST_PANEL) - _AXIS_ROOM
    series = list(dict.fromkeys(datum["series"] for panel in panels for datum in panel.data))
    drawn = [_drawn(alt, chart, panel, series, inner, len(panels) > 1) for panel in panels]
    whole = drawn[0] if len(drawn) == 1 else alt.concat(*drawn, columns=columns, spacing=_GAP)
    found: dict[str, Any] = whole.properties(padding=2, config=dict(CONFIG)).to_dict(validate=False)
    return found


@dataclass(frozen=True, slots=True)
class _Panel:
    """One small chart: its title, what it holds, and whether that are counts."""

    title: str
    data: list[dict[str, Any]]
    is_count: bool


def _panels(chart: Chart) -> list[_Panel]:
    """Return the panels; where there are more lines than can be told apart, one for each group."""
    by_name: dict[str, list[Point]] = {}
    for point in chart.points:
        by_name.setdefault(point.panel, []).append(point)
    found = []
    for name, points in by_name.items():
        is_count = name in chart.counts
        if len({point.series for point in points}) <= MOST_SERIES:
            found.append(_Panel(name, [_datum(one, one.series) for one in points], is_count))
            continue
        groups = dict.fromkeys(point.group for point in points)
        members = dict.fromkeys(point.member for point in points)
        by_member = len(members) > MOST_SERIES
        for group, member in product(groups, members if by_member else [None]):
            own = [
                _datum(one, one.member)
                for one in points
                if one.group == group and member in (None, one.member)
            ]
            title = _printable(", ".join(part for part in (name, group, member) if part))
            if own:
                found.append(_Panel(title, own, is_count))
    return found


def _printable(text: str) -> str:
    """Return what an agent is called as text that every encoder takes."""
    return text.encode("utf-8", "replace").decode()


def _drawn(
    alt: Any, chart: Chart, panel: _Panel, series: Sequence[str], width: int, is_one_of_many: bool
) -> Any:
    data = alt.InlineData(values=panel.data)
    places = list(dict.fromkeys(datum["x"] for datum in panel.data))
    if chart.mark == "bar":
        drawn = _bars(alt, data, places, width)
    else:
        y_title = None if is_one_of_many else chart.y_title or None
        drawn = _intervals(alt, chart, panel, data, places, series, width, y_title)
    titled = drawn.properties(title=panel.title) if panel.title else drawn
    return titled


def _datum(point: Point, series: str) -> dict[str, Any]:
    return {
        "series": _printable(series),
        "x": _printable(point.x),
        "value": point.value,
        "low": point.value if point.low is None else point.low,
        "high": point.value if point.high is None else point.high,
        "n": point.n,
        "link": None if point.where is None else link_to(point.where),
    }


def _bars(alt: Any, data: Any, places: Sequence[str], width: int) -> Any:
    base = alt.Chart(data).encode(
        y=alt.Y("x:N", sort=list(places), title=None, axis=alt.Axis(ticks=False, domain=False)),
        x=alt.X("value:Q", title=None, axis=None),
    )
    bars = base.mark_bar(color=SERIES[0], height=11)
    counts = base.mark_text(align="left", dx=4, color=INK, fontSize=12).encode(text="value:Q")
    return (bars + counts).properties(
        width=width - _AXIS_ROOM, height=_BAR_STEP * max(len(places), 1)
    )


def _intervals(
    alt: Any,
    chart: Chart,
    panel: _Panel,
    data: Any,
    places: Sequence[str],
    series: Sequence[str],
    width: int,
    y_title: str | None,
) -> Any:
    told_apart = list(series) if len(series) <= MOST_SERIES else []
    is_share = not panel.is_count
    scale = alt.Scale(domain=[0, 1]) if is_share else alt.Scale(zero=True, nice=True)
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]) if is_share else alt.Axis()
    axis.ticks, axis.domain, axis.tickCount = False, False, 4
    x = alt.X("x:N", sort=list(places), title=chart.x_title or None, axis=alt.Axis(ticks=False))
    y = alt.Y("value:Q", scale=scale, axis=axis, title=y_title)
    offset = {"xOffset": alt.XOffset("series:N", sort=told_apart)} if len(told_apart) > 1 else {}
    base = alt.Chart(data).encode(x=x, **offset, **_colour(alt, told_apart))
    legend = alt.Legend() if len(told_apart) > 1 else None
    shape = (
        alt.Shape("series:N", scale=alt.Scale(domain=told_apart, range=SHAPES), legend=legend)
        if told_apart
        else alt.value(SHAPES[0])
    )
    whiskers = base.mark_rule(strokeWidth=2).encode(
        y=alt.Y("low:Q", scale=scale, axis=axis, title=y_title), y2="high:Q"
    )
    # Whoever is drawn over a line is ringed with paper, so that it stays a shape of its own.
    points = base.mark_point(filled=True, size=85, stroke=PAPER, strokeWidth=1, opacity=1).encode(
        y=y, shape=shape, href="link:N"
    )
    layers = [whiskers, points]
    if chart.mark == "line" and len(places) > 1:
        dash = (
            alt.StrokeDash(
                "series:N",
                scale=alt.Scale(domain=told_apart, range=[list(one) for one in DASHES]),
                legend=legend,
            )
            if told_apart
            else alt.value(list(DASHES[0]))
        )
        layers.insert(0, base.mark_line(strokeWidth=1.5).encode(y=y, strokeDash=dash))
    return alt.layer(*layers).properties(width=width, height=_PANEL_HEIGHT)


def _colour(alt: Any, told_apart: Sequence[str]) -> dict[str, Any]:
    if not told_apart:
        return {"color": alt.value(SERIES[0])}
    legend = alt.Legend() if len(told_apart) > 1 else None
    scale = alt.Scale(domain=list(told_apart), range=list(SERIES[: len(told_apart)]))
    return {"color": alt.Color("series:N", scale=scale, legend=legend)}
