"""Figures as SVG in a page, and as SVG or PNG files."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crab_graph.analysis.report.charts import COLOURS, PAPER, WIDE, specification
from crab_graph.analysis.report.exhibit import Chart, Report
from crab_graph.errors import MissingExtra, UsageError
from crab_graph.workers import write_atomically

_PNG_SCALE = 2

_LINK = re.compile(r'<a xlink:href="[^"#]*#')
_ANCHOR = re.compile(r'<a xlink:href="[^"]*">|</a>')
_NAMESPACE = re.compile(r' xmlns(?::xlink)?="[^"]*"')
_SPOKEN = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')


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
        raise UsageError(f"{directory}: is a file; --figures needs a directory")
    directory.mkdir(parents=True, exist_ok=True)
    names = []
    for exhibit in report.exhibits:
        if exhibit.chart is None:
            continue
        name = f"{exhibit.id}.{image}"
        svg = _on_paper(_ANCHOR.sub("", converter.vegalite_to_svg(specification(exhibit.chart))))
        for placeholder, (light, _) in COLOURS.items():
            svg = svg.replace(placeholder, light)
        if image == "png":
            picture: bytes = converter.svg_to_png(svg, scale=_PNG_SCALE)
            (directory / name).write_bytes(picture)
        else:
            write_atomically(directory / name, svg)
        names.append(name)
    return names


def _on_paper(svg: str) -> str:
    """Return a chart with a background, since a file may be shown on anything."""
    end = svg.index(">", svg.index("<svg")) + 1
    return f'{svg[:end]}<rect width="100%" height="100%" fill="{PAPER}"/>{svg[end:]}'


def _converter() -> Any:
    try:
        import vl_convert  # noqa: PLC0415  (optional, and slow to load)
    except ImportError:
        raise MissingExtra("a figure", "report") from None
    return vl_convert
