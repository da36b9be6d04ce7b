"""The viewer's files: plain ES modules and style sheets, as they are, or as one text for a page."""

import re
from functools import cache
from importlib.resources import files

from crab_graph.analysis.report.labels import OUTCOMES, check_titles

MODULES = (
    "elements.js",
    "calls.js",
    "evidence.js",
    "dialogue.js",
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


@cache
def read_asset(name: str) -> str:
    """Return the text of one of the viewer's files."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")


def viewer_labels() -> dict[str, dict[str, str]]:
    """Return the words for outcomes and checks that the viewer shows."""
    return {"outcomes": dict(OUTCOMES), "checks": dict(check_titles())}


@cache
def bundle(entry: str) -> str:
    """Return the modules and an entry as one script, for a page that can load nothing.

    The modules are joined in the order in which they import each other, their imports and exports
    left out: names at their top level are unlike each other.

    Raises:
        ValueError: a module imports one that does not come before it.
    """
    joined = []
    known: set[str] = set()
    for name in (*MODULES, entry):
        text = read_asset(name)
        missing = set(_IMPORT.findall(text)) - known
        if missing:
            raise ValueError(f"{name} imports {', '.join(sorted(missing))}, which comes later")
        known.add(name)
        joined.append(_EXPORT.sub("", _IMPORT.sub("", text)))
    return "\n".join(joined)
