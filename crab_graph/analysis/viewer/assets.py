"""The viewer's files: plain ES modules and style sheets, as they are, or inside one page.

A page that needs nothing beside itself holds the styles, the modules as one script, and every
episode as JSON.
"""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from crab_graph.analysis.labels import check_titles
from crab_graph.domain.card import DomainCard
from crab_graph.terms import FAULTS, HEADINGS, LABELS, OUTCOMES, VERDICTS

MODULES = (
    "elements.js",
    "calls.js",
    "evidence.js",
    "notes.js",
    "dialogue.js",
    "spending.js",
    "episode.js",
    "compare.js",
    "list.js",
    "viewer.js",
)
"""The modules that `serve` and the report share, each after those it imports."""

STYLES = ("base.css", "viewer.css")

SERVED = (*MODULES, "serve.js", *STYLES)
"""What the server hands out beside its page."""

_IMPORT = re.compile(r'^import [^;]* from "\./([a-z_]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class|let)", re.MULTILINE)


def read_asset(name: str) -> str:
    """Return the text of one of the viewer's files."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")


def viewer_labels(cards: Sequence[DomainCard]) -> dict[str, Any]:
    """Return the words that the viewer shows, given the card of each run.

    They are the vocabulary's, and the checks of each run by its number, and axes.
    """
    return {
        "outcomes": dict(OUTCOMES),
        "verdicts": dict(VERDICTS),
        "faults": dict(FAULTS),
        "labels": dict(LABELS),
        "headings": dict(HEADINGS),
        "checks": [dict(check_titles(card)) for card in cards],
        "axes": {axis.name: axis.title for card in reversed(cards) for axis in card.axes},
    }


def viewer_style() -> str:
    """Return the style sheets."""
    return "\n".join(map(read_asset, STYLES))


def viewer_script() -> str:
    """Return the modules as one script; it belongs after the data, in an element of type `module`.

    They are joined in the order in which they import each other, their imports and exports left
    out: names at their top level are unlike each other.
    """
    modules = map(read_asset, (*MODULES, "embedded.js"))
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", module)) for module in modules)
