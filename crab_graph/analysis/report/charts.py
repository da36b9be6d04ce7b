"""An exhibit's chart as Vega-Lite (small panels, one scale, intervals on all), and drawn from it.

A chart is drawn once. Its colours are names that a page gives a value to, one for light and one for
dark; a file of its own has the light ones. Series keep apart in grey and for every eye: each has a
shape, a dash and a lightness of its own.
"""

import json
import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from crab_graph.analysis.report.exhibit import Chart, Point, Report, link_to
from crab_graph.errors import MissingExtra, UsageError
from crab_graph.workers import write_atomically

INK, MUTED, LINE, PAPER = "#010101", "#020202", "#030303", "#040404"
SERIES = ("#050501", "#050502", "#050503", "#050504")
"""Placeholders, not colours: no chart holds them when it leaves this package."""

SHAPES = ("circle", "square", "triangle-up", "diamond")
DASHES = ((1, 0), (6, 3), (2, 2), (9, 3, 2, 3))

COLOURS: Mapping[str, tuple[str, str]] = {
    INK: ("#22262a", "#e4e2dc"),
    MUTED: ("#63686d", "#9da1a5"),
    LINE: ("#dcd9d0", "#3a4047"),
    PAPER: ("#ffffff", "#1c1f23"),
    SERIES[0]: ("#12466b", "#9fd0f2"),
    SERIES[1]: ("#c0562f", "#e58d63"),
    SERIES[2]: ("#4d9a78", "#5fae8b"),
    SERIES[3]: ("#a78bbd", "#8a6ea3"),
}
"""What each placeholder becomes: by light, and in the dark."""

CONFIG: Mapping[str, object] = {
    "background": "transparent",
    "font": "Helvetica, Arial, 'Liberation Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {
        "domainColor": LINE,
        "tickColor": LINE,
        "gridColor": LINE,
        "labelColor": MUTED,
        "titleColor": MUTED,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 150,
    },
    "axisX": {"grid": False, "labelAngle": 0},
    "legend": {
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 330,
        "symbolSize": 70,
        "title": None,
        "orient": "bottom",
        "direction": "vertical",
        "columns": 1,
    },
    "title": {"color": INK, "fontSize": 13, "fontWeight": 600, "anchor": "start"},
}

WIDE, NARROW = 960, 330
"""Widths in pixels of what a chart is drawn for: a page, and a phone."""

MOST_SERIES = len(SERIES)
_AXIS_ROOM = 60
_GAP = 34
_PANEL_HEIGHT = 190
_BAR_STEP = 18
_LEAST_PANEL, _MOST_PANEL = 190, 480
_LABEL = 80
"""Pixels that a place needs to have under it what its values rest on."""
_LINK = re.compile(r'<a xlink:href="[^"#]*#')
_ANCHOR = re.compile(r'<a xlink:href="[^"]*">|</a>')
_NAMESPACE = re.compile(r' xmlns(?::xlink)?="[^"]*"')
_SPOKEN = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')

Specification = dict[str, Any]
"""Vega-Lite, or a part of it."""


class _Panel(NamedTuple):
    """One small chart: its title, what it holds, and whether that are counts."""

    title: str
    data: list[dict[str, Any]]
    is_count: bool


def specification(chart: Chart, width: int = WIDE) -> Specification:
    """Return a chart as Vega-Lite; in a narrow one the panels stand below each other."""
    panels = _panels(chart)
    columns = max(1, min(len(panels), width // (_LEAST_PANEL + _AXIS_ROOM)))
    inner = min((width - _GAP * (columns - 1)) // columns, _MOST_PANEL) - _AXIS_ROOM
    series = list(dict.fromkeys(datum["series"] for panel in panels for datum in panel.data))
    told_apart = series if len(series) <= MOST_SERIES else []
    y_title = chart.y_title if len(panels) == 1 and chart.y_title else None
    drawn = [
        _bars(panel, inner)
        if chart.mark == "bar"
        else _intervals(chart, panel, told_apart, inner, y_title)
        for panel in panels
    ]
    whole = drawn[0] if len(drawn) == 1 else {"concat": drawn, "columns": columns, "spacing": _GAP}
    return {**whole, "padding": 2, "config": CONFIG}


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


def _bars(panel: _Panel, width: int) -> Specification:
    places = _places(panel)
    axis = {"ticks": False, "domain": False}
    encoding = {
        "y": {"field": "x", "type": "nominal", "sort": places, "title": None, "axis": axis},
        "x": {"field": "value", "type": "quantitative", "title": None, "axis": None},
    }
    counts = {"type": "text", "align": "left", "dx": 4, "color": INK, "fontSize": 12}
    text = {"field": "value", "type": "quantitative"}
    layers = [
        {"mark": {"type": "bar", "color": SERIES[0], "height": 11}, "encoding": encoding},
        {"mark": counts, "encoding": {**encoding, "text": text}},
    ]
    return _layered(panel, layers, width - _AXIS_ROOM, _BAR_STEP * max(len(places), 1))


def _intervals(
    chart: Chart, panel: _Panel, told_apart: Sequence[str], width: int, y_title: str | None
) -> Specification:
    places = _places(panel)
    axis: Specification = {"ticks": False, "domain": False, "tickCount": 4}
    scale: Specification = {"zero": True, "nice": True}
    if not panel.is_count:
        axis |= {"format": "%", "values": [0, 0.25, 0.5, 0.75, 1]}
        scale = {"domain": [0, 1]}
    height = {"type": "quantitative", "scale": scale, "axis": axis, "title": y_title}
    value = {"field": "value", **height}
    across = _across(chart.x_title, panel, width)
    shared = {
        "x": {"field": "x", "type": "nominal", "sort": places, **across},
        "color": _by_series(told_apart, SERIES),
    }
    if len(told_apart) > 1:
        shared["xOffset"] = {"field": "series", "type": "nominal", "sort": told_apart}
    shape = _by_series(told_apart, SHAPES)
    link = {"field": "link", "type": "nominal"}
    whiskers = {"y": {"field": "low", **height}, "y2": {"field": "high"}}
    layers: list[Specification] = [
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**shared, **whiskers}},
        {"mark": _POINT, "encoding": {**shared, "y": value, "shape": shape, "href": link}},
    ]
    if chart.mark == "line" and len(places) > 1:
        dash = _by_series(told_apart, [list(one) for one in DASHES])
        encoding = {**shared, "y": value, "strokeDash": dash}
        layers.insert(0, {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": encoding})
    return _layered(panel, layers, width, _PANEL_HEIGHT)


# Whoever is drawn over a line is ringed with paper, so that it stays a shape of its own.
_POINT = {
    "type": "point",
    "filled": True,
    "size": 85,
    "stroke": PAPER,
    "strokeWidth": 1,
    "opacity": 1,
}


def _across(x_title: str, panel: _Panel, width: int) -> Specification:
    """Return the axis of places: under each what its values rest on, or, if alike, in the title."""
    places = _places(panel)
    bases = [_basis([one["n"] for one in panel.data if one["x"] == place]) for place in places]
    title = [x_title] if x_title else []
    if len(set(bases)) > 1 and len(places) * _LABEL <= width:
        lines = {one: [one, *basis] for one, basis in zip(places, bases, strict=True)}
        axis = {"ticks": False, "labelExpr": f"({json.dumps(lines)})[datum.value]"}
        return {"title": title or None, "axis": axis}
    whole = _basis([datum["n"] for datum in panel.data])
    told = [f"{', '.join(whole)} each"] if whole else []
    return {"title": [*title, *told] or None, "axis": {"ticks": False}}


def _basis(told: Sequence[str]) -> tuple[str, ...]:
    """Return what values rest on, such as `2 tasks` and `4 episodes`; of several, from least on."""
    columns: dict[str, set[int]] = {}
    for part in (part for one in told if one for part in one.split(", ")):
        count, _, noun = part.partition(" ")
        columns.setdefault(noun.removesuffix("s"), set()).add(int(count.replace(",", "")))
    return tuple(
        f"{'–'.join(f'{one:,}' for one in sorted({min(found), max(found)}))} "
        f"{noun}{'' if max(found) == 1 else 's'}"
        for noun, found in columns.items()
    )


def _places(panel: _Panel) -> list[str]:
    return list(dict.fromkeys(datum["x"] for datum in panel.data))


def _by_series(told_apart: Sequence[str], looks: Sequence[Any]) -> Specification:
    """Return the encoding that gives each line a look of its own; the first where they share it."""
    if not told_apart:
        return {"value": looks[0]}
    return {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": told_apart, "range": looks},
        "legend": {} if len(told_apart) > 1 else None,
    }


def _layered(
    panel: _Panel, layers: Sequence[Specification], width: int, height: int
) -> Specification:
    found = {"data": {"values": panel.data}, "layer": layers, "width": width, "height": height}
    return {**found, "title": panel.title} if panel.title else found


def is_available() -> bool:
    """Return whether what draws figures is installed."""
    return find_spec("vl_convert") is not None


def draw(chart: Chart, width: int = WIDE) -> str:
    """Return a chart as SVG for a page.

    It has the names of colours that `style_of` gives values to, its marks link to episodes, and to
    a reader of screens it is not there: the table beside it holds the same.

    Raises:
        MissingExtra: vl-convert is not installed.
    """
    svg: str = _converter().vegalite_to_svg(specification(chart, width))
    svg = _LINK.sub(r'<a tabindex="-1" href="#', svg[svg.index("<svg") :])
    return _NAMESPACE.sub("", _SPOKEN.sub("", svg), count=2).replace(
        "<svg", '<svg aria-hidden="true" focusable="false"', 1
    )


def style_of() -> str:
    """Return the style sheet that gives charts in a page their colours, light and dark."""
    rules = []
    for name, (light, dark) in COLOURS.items():
        value = f"light-dark({light}, {dark})"
        rules.append(f'.chart [fill="{name}"] {{ fill: {value}; }}')
        rules.append(f'.chart [stroke="{name}"] {{ stroke: {value}; }}')
    return "\n".join(rules)


def write_figures(report: Report, directory: Path, image: str) -> list[str]:
    """Write each figure of a report as a file, and return the files' names.

    Raises:
        MissingExtra: vl-convert is not installed.
        UsageError: the directory is a file.
    """
    converter = _converter()
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory}: is a file; `figures=` needs a directory")
    directory.mkdir(parents=True, exist_ok=True)
    names = []
    for exhibit in report.exhibits:
        if exhibit.chart is None:
            continue
        name = f"{exhibit.id}.{image}"
        svg = _ANCHOR.sub("", converter.vegalite_to_svg(specification(exhibit.chart)))
        # A file may be shown on anything, so it has a background.
        end = svg.index(">", svg.index("<svg")) + 1
        svg = f'{svg[:end]}<rect width="100%" height="100%" fill="{PAPER}"/>{svg[end:]}'
        for placeholder, (light, _) in COLOURS.items():
            svg = svg.replace(placeholder, light)
        if image == "png":
            picture: bytes = converter.svg_to_png(svg, scale=2)
            (directory / name).write_bytes(picture)
        else:
            write_atomically(directory / name, svg)
        names.append(name)
    return names


def _converter() -> Any:
    try:
        import vl_convert  # noqa: PLC0415  (optional, and slow to load)
    except ImportError:
        raise MissingExtra("a figure", "report") from None
    return vl_convert
