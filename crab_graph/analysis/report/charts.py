"""An exhibit's chart as SVG, for a page and as a file, as a picture, and as its data.

A chart is drawn once, and coloured by a style sheet: in a page by its own, light and dark, in a
file by the one inside it. Nothing is told by colour alone.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crab_graph.analysis.report.chart_plane import draw_plane
from crab_graph.analysis.report.chart_rows import draw_bars, draw_rows
from crab_graph.analysis.report.exhibit import Chart, Exhibit, Report
from crab_graph.analysis.report.svg import written
from crab_graph.errors import MissingExtra, UsageError
from crab_graph.workers import write_atomically

WIDE, NARROW = 960, 340
"""Widths in pixels of what a chart is drawn for: a page, and a phone."""

FIRST = 620
"""The same for the one chart of the first screen, which has findings beside it."""

IMAGES = ("svg", "png")
DATA = ("csv", "json")

SERIES = ("s0", "s1", "s2", "s3")
COLOURS: Mapping[str, tuple[str, str]] = {
    "ink": ("#22262a", "#e4e2dc"),
    "muted": ("#5f6468", "#a3a7ab"),
    "grid": ("#e2dfd6", "#363b41"),
    "zero": ("#8b8f93", "#7c8288"),
    "thread": ("#a9adb1", "#6a7076"),
    "paper": ("#ffffff", "#15171a"),
    "s0": ("#12466b", "#9fd0f2"),
    "s1": ("#c0562f", "#e58d63"),
    "s2": ("#4d9a78", "#5fae8b"),
    "s3": ("#a78bbd", "#8a6ea3"),
}
"""What each look becomes: by light, and in the dark."""

_LINK = re.compile("<a [^>]*>")
_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_SHAPES = """\
text { font: 12px %s; font-variant-numeric: tabular-nums; }
.small { font-size: 11px; }
.strong { font-weight: 600; }
.grid, .zero, .thread { fill: none; stroke-width: 1px; }
.span { fill: none; stroke-width: 2.5px; stroke-opacity: 0.6; }
.dot { stroke-width: 1px; }
.open { stroke-width: 2px; }"""


def draw(chart: Chart, width: int = WIDE) -> str:
    """Return a chart as SVG for a page, whose `style_of` gives it its colours.

    Its marks link to episodes; to a reader of screens it is not there: the table beside it holds
    the same.
    """
    drawn, right, height = _drawn(chart, width)
    return (
        f'<svg aria-hidden="true" focusable="false" width="{right:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {right:.0f} {height:.0f}">{drawn}</svg>'
    )


def style_of() -> str:
    """Return the style sheet of charts in a page, light and dark."""
    colours = {name: f"light-dark({light}, {dark})" for name, (light, dark) in COLOURS.items()}
    return _style(colours, within=".chart ")


def draw_file(chart: Chart) -> str:
    """Return a chart as an SVG file that needs no page, in its light colours."""
    drawn, right, height = _drawn(chart, WIDE)
    drawn, edge = _LINK.sub("<g>", drawn).replace("</a>", "</g>"), 14
    wide, high = right + 2 * edge, height + 2 * edge
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{high:.0f}"'
        f' viewBox="{-edge} {-edge} {wide:.0f} {high:.0f}" role="img"'
        f' aria-label="{written(chart.alt)}">'
        f"<style>{_style({name: light for name, (light, _) in COLOURS.items()})}</style>"
        f'<rect x="{-edge}" y="{-edge}" width="100%" height="100%" class="paper"/>{drawn}</svg>\n'
    )


def can_picture() -> bool:
    """Return whether what makes PNG of SVG is installed."""
    return find_spec("vl_convert") is not None


def write_figures(report: Report, directory: Path, kinds: tuple[str, ...]) -> list[str]:
    """Write each figure of a report as files of some kinds, and return the files' names.

    Args:
        report: Its exhibits with a chart are written.
        directory: Where to; it is made.
        kinds: Of `IMAGES` and `DATA`.

    Raises:
        MissingExtra: a picture is wanted, and vl-convert is not installed.
        UsageError: the directory is a file.
    """
    converter = _converter() if "png" in kinds else None
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory}: is a file; `figures=` needs a directory")
    directory.mkdir(parents=True, exist_ok=True)
    names = []
    for exhibit in report.exhibits:
        for kind, content in _files(exhibit, kinds, converter):
            name = f"{exhibit.id}.{kind}"
            if isinstance(content, bytes):
                (directory / name).write_bytes(content)
            else:
                write_atomically(directory / name, content.encode("utf-8", "replace").decode())
            names.append(name)
    return names


def _files(
    exhibit: Exhibit, kinds: tuple[str, ...], converter: Any
) -> Iterator[tuple[str, str | bytes]]:
    chart = exhibit.chart
    if chart is None or not chart.points:
        return
    svg = draw_file(chart)
    if "svg" in kinds:
        yield "svg", svg
    if converter is not None:
        picture: bytes = converter.svg_to_png(svg, scale=2)
        yield "png", picture
    rows = [{**asdict(point), "where": dict(point.where or {})} for point in chart.points]
    if "csv" in kinds:
        found = io.StringIO()
        names = [name for name in rows[0] if name != "where"]
        lines = csv.DictWriter(found, names, extrasaction="ignore", lineterminator="\n")
        lines.writeheader()
        lines.writerows(rows)
        yield "csv", found.getvalue()
    if "json" in kinds:
        head = {"id": exhibit.id, "title": exhibit.title, "caption": exhibit.caption}
        axes = {"mark": chart.mark, "x_title": chart.x_title, "y_title": chart.y_title}
        yield "json", json.dumps({**head, **axes, "points": rows}, indent=1) + "\n"


def _drawn(chart: Chart, width: int) -> tuple[str, float, float]:
    drawing = {"bar": draw_bars, "plane": draw_plane}.get(chart.mark, draw_rows)
    return drawing(chart, width)


def _style(colours: Mapping[str, str], within: str = "") -> str:
    shapes = "\n".join(f"{within}{line}" for line in (_SHAPES % _FONT).splitlines())
    rules = [shapes.replace(".grid, .zero, .thread", f".grid, {within}.zero, {within}.thread")]
    for name, colour in colours.items():
        if name in ("grid", "zero", "thread"):
            rules.append(f"{within}.{name} {{ stroke: {colour}; }}")
        elif name in SERIES:
            rules.append(f"{within}.{name} {{ fill: {colour}; stroke: {colour}; }}")
        else:
            rules.append(f"{within}.{name} {{ fill: {colour}; }}")
    rules.append(f"{within}.dot {{ stroke: {colours['paper']}; }}")
    rules.append(f"{within}.open {{ fill: {colours['paper']}; }}")
    return "\n".join(rules)


def _converter() -> Any:
    try:
        import vl_convert  # noqa: PLC0415  (optional, and slow to load)
    except ImportError:
        raise MissingExtra("a figure", "report") from None
    return vl_convert
