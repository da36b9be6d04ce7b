"""The viewer's files: plain ES modules and style sheets, as they are, or inside one page.

A page that needs nothing beside itself holds the styles, the modules as one script, and every
episode as JSON.
"""

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from crab_graph.analysis.labels import OUTCOMES, check_titles
from crab_graph.analysis.viewer.background import NOTHING_BEHIND, Background
from crab_graph.analysis.viewer.episode_view import view_episode
from crab_graph.analysis.viewer.listing import count_facets, row_of
from crab_graph.domain.card import DomainCard
from crab_graph.runs.record import EpisodeRecord

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

MOST_EPISODES = 400
"""Runs with more go without their dialogues: such a page would open slowly; `serve` shows them."""

_IMPORT = re.compile(r'^import [^;]* from "\./([a-z_]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class|let)", re.MULTILINE)


def read_asset(name: str) -> str:
    """Return the text of one of the viewer's files."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")


def viewer_labels(cards: Sequence[DomainCard]) -> dict[str, Any]:
    """Return the words that the viewer shows, given the card of each run.

    They are those for outcomes, for the checks of each run by its number, and for axes.
    """
    return {
        "outcomes": dict(OUTCOMES),
        "checks": [dict(check_titles(card)) for card in cards],
        "axes": {axis.name: axis.title for card in reversed(cards) for axis in card.axes},
    }


class ShownRun(NamedTuple):
    """Episodes under the name of their run, and the benchmark behind them."""

    name: str
    episodes: Sequence[EpisodeRecord]
    background: Background = NOTHING_BEHIND


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


def embed_viewer(runs: Sequence[ShownRun]) -> tuple[str, list[str]]:
    """Return the list of episodes, and each episode in full, as JSON for script elements.

    Where there are more than `MOST_EPISODES`, the list stands alone.
    """
    listed = [(number, run, one) for number, run in enumerate(runs) for one in run.episodes]
    rows = [row_of(number, dict(record)) for number, _, record in listed]
    head = {
        "labels": viewer_labels([run.background.card for run in runs]),
        "runs": [{"number": number, "name": run.name} for number, run in enumerate(runs)],
        "rows": rows,
        "facets": count_facets(rows),
    }
    if len(listed) > MOST_EPISODES:
        return embed_json(head), []
    views = (view_episode(record, run.background) for _, run, record in listed)
    return embed_json(head), [embed_json(view) for view in views]


def embed_json(value: Any) -> str:
    """Return JSON that is safe inside a script element, and free of U+2028 and lone surrogates."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
