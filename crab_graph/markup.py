"""What a notebook shows of a value (`_repr_html_`): plain tables, in which every text is escaped.

What models, users and tools said is hostile until shown otherwise: no text becomes a tag, an
attribute, a link or a formula, and none turns the direction of writing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_LEFT = "text-align:left;vertical-align:top;white-space:pre-wrap"
_RIGHT = "text-align:right;vertical-align:top"
_SHORT = 16
# A notebook would set what stands between two dollar signs as a formula.
_NO_FORMULAS = 'class="tex2jax_ignore mathjax_ignore"'


def shown(title: str, *parts: str) -> str:
    """Return parts, each from a function below, under a title."""
    return f"<div {_NO_FORMULAS}><p><b>{text(title)}</b></p>{''.join(parts)}</div>"


def visible(text: str) -> str:
    """Return a text in which characters that steer a terminal or the direction are shown as `�`."""
    return _CONTROL.sub("�", text)


def escaped(json_text: str) -> str:
    """Return JSON that means the same, with such characters written as their numbers."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", json_text)


def text(value: object) -> str:
    """Return a value as text that is nothing else."""
    return escape(visible(str(value)))


def paragraph(value: object) -> str:
    """Return a line of text."""
    return f"<p>{text(value)}</p>"


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Iterable[str] = (),
    title: str = "",
) -> str:
    """Return a table; columns whose heads are `numbers` stand right."""
    right = set(numbers)
    styles = [_RIGHT if head in right else _LEFT for head in heads]

    def line(cells: Iterable[object], tag: str) -> str:
        made = (
            f'<{tag} style="{_fitted(style, str(cell))}">{text(cell)}</{tag}>'
            for cell, style in zip(cells, styles, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    caption = f'<caption style="{_LEFT}">{text(title)}</caption>' if title else ""
    body = "".join(line(row, "td") for row in rows)
    return f"<table>{caption}<thead>{line(heads, 'th')}</thead><tbody>{body}</tbody></table>"


def _fitted(style: str, said: str) -> str:
    """Return a style in which a few characters, such as an id, stand on one line."""
    is_short = len(said) <= _SHORT and "\n" not in said
    return style.replace("pre-wrap", "nowrap") if is_short else style


def folded(summary: str, *parts: str) -> str:
    """Return parts that are shown when somebody asks for them."""
    return f"<details><summary>{text(summary)}</summary>{''.join(parts)}</details>"


def cut(value: object, most: int) -> str:
    """Return a text with no more than so many characters."""
    said = str(value)
    return said if len(said) <= most else f"{said[: most - 1]}…"


def first_few(items: Sequence[object], most: int, noun: str) -> Iterator[str]:
    """Yield a line that says how many of some items are not shown, if any are not."""
    if len(items) > most:
        yield paragraph(f"… and {len(items) - most:,} more {noun}")
