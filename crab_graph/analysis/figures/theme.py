"""How charts look: marks that differ in shape, dash and lightness, and colours a page can change.

A chart is drawn once. Its colours are names that a page gives a value to, one for light and one for
dark; a file of its own has the light ones. Series keep apart in grey and for every eye: each has a
shape, a dash and a lightness of its own.
"""

from collections.abc import Mapping

INK, MUTED, LINE, PAPER = "#010101", "#020202", "#030303", "#040404"
SERIES = ("#050501", "#050502", "#050503", "#050504")
"""Placeholders, not colours: no chart holds them when it leaves this package."""

SHAPES = ("circle", "square", "triangle-up", "diamond")
DASHES = ((1, 0), (6, 3), (2, 2), (9, 3, 2, 3))

LIGHT: Mapping[str, str] = {
    INK: "#22262a",
    MUTED: "#63686d",
    LINE: "#dcd9d0",
    PAPER: "#ffffff",
    SERIES[0]: "#12466b",
    SERIES[1]: "#c0562f",
    SERIES[2]: "#4d9a78",
    SERIES[3]: "#a78bbd",
}
DARK: Mapping[str, str] = {
    INK: "#e4e2dc",
    MUTED: "#9da1a5",
    LINE: "#3a4047",
    PAPER: "#1c1f23",
    SERIES[0]: "#9fd0f2",
    SERIES[1]: "#e58d63",
    SERIES[2]: "#5fae8b",
    SERIES[3]: "#8a6ea3",
}

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"

CONFIG: Mapping[str, object] = {
    "background": "transparent",
    "font": FONT,
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
    "header": {"labelColor": INK, "titleColor": INK},
}


def style_of(colours: Mapping[str, str] = LIGHT, *, dark: Mapping[str, str] = DARK) -> str:
    """Return the style sheet that gives charts in a page their colours, light and dark."""
    rules = []
    for name, light in colours.items():
        value = f"light-dark({light}, {dark[name]})"
        rules.append(f'.chart [fill="{name}"] {{ fill: {value}; }}')
        rules.append(f'.chart [stroke="{name}"] {{ stroke: {value}; }}')
    return "\n".join(rules)


def with_colours(svg: str, colours: Mapping[str, str] = LIGHT) -> str:
    """Return a chart with colours of its own, for a file that stands alone."""
    for name, colour in colours.items():
        svg = svg.replace(name, colour)
    return svg
