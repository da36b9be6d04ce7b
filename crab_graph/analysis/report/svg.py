"""Pieces of SVG: text that is measured and broken into lines, and shapes that need no colour.

What somebody is called goes through `written`: it is escaped, and free of what XML cannot hold.
"""

import re
from collections.abc import Sequence
from html import escape

LABEL, SMALL, LINE = 12, 11, 15
"""Sizes in pixels: of text, of small text, and from one line of text to the next."""

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BREAKS = re.compile(r"[^\s\-/:_+.,]*(?:[\-/:_+.,]|\s+|$)")
_NARROW, _WIDE = frozenset("ijl.,:;|!'()[]{} ft-/Ir\""), frozenset("mwMW@%—…")
_SLACK = 1.15
"""So much wider than Helvetica a reader's own sans serif may be, such as DejaVu."""


def written(text: str) -> str:
    """Return what somebody is called as text inside an element or attribute."""
    return escape(_NO_XML.sub("�", text), quote=True)


def width_of(text: str, size: float = LABEL) -> float:
    """Return about how many pixels a line of text takes."""
    return _SLACK * size * sum(map(_advance, text))


def _advance(character: str) -> float:
    if character in _NARROW:
        return 0.31
    if character in _WIDE:
        return 0.88
    if ord(character) >= 0x2E80:
        return 1.0
    return 0.69 if character.isupper() else 0.556


def wrapped(text: str, room: float, size: float = LABEL) -> list[str]:
    """Return text as lines that fit a room in pixels: nothing is cut, long words are broken."""
    lines = [""]
    for part in filter(None, _BREAKS.findall(text)):
        if lines[-1] and width_of(lines[-1] + part.rstrip(), size) > room:
            lines.append("")
        for character in part:
            if width_of(lines[-1] + character, size) > room and lines[-1]:
                lines.append("")
            lines[-1] += character
    return [line.strip() for line in lines if line.strip()] or [""]


def text_at(x: float, y: float, text: str, look: str = "ink", anchor: str = "start") -> str:
    """Return a line of text whose base stands at a place."""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{look}"{place}>{written(text)}</text>'


def lines_at(x: float, y: float, lines: Sequence[str], look: str = "ink") -> str:
    """Return lines of text below each other, the first one's base at a place."""
    return "".join(text_at(x, y + LINE * row, line, look) for row, line in enumerate(lines))


def line_from(x: float, y: float, to_x: float, to_y: float, look: str) -> str:
    """Return a straight line."""
    return f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" class="{look}"/>'


def shape_at(x: float, y: float, kind: int, look: str) -> str:
    """Return a mark; kinds are told apart without colour: round, square, on its tip, pointed."""
    r = 5.0
    outlines = (
        f"M{x - r:.1f} {y:.1f}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z",
        f"M{x - 4.5:.1f} {y - 4.5:.1f}h9v9h-9z",
        f"M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z",
        f"M{x:.1f} {y - 5.5:.1f}l5.8 10h-11.6z",
    )
    return f'<path d="{outlines[kind % len(outlines)]}" class="{look}"/>'


def bar_at(x: float, y: float, length: float, look: str) -> str:
    """Return a bar that begins at a place, which is half-way up it."""
    return f'<path d="M{x:.1f} {y - 6:.1f}h{length:.1f}v12h{-length:.1f}z" class="{look}"/>'
