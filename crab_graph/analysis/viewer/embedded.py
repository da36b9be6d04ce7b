"""The viewer inside a page that needs nothing beside itself: styles, script, and every episode."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from crab_graph.analysis.viewer.assets import STYLES, bundle, read_asset, viewer_labels
from crab_graph.analysis.viewer.background import NOTHING_BEHIND, Background
from crab_graph.analysis.viewer.episode_view import view_episode
from crab_graph.analysis.viewer.listing import count_facets, row_of
from crab_graph.runs.record import EpisodeRecord

MOST_EPISODES = 400
"""Runs with more go without their dialogues: such a page would open slowly; `serve` shows them."""


class ShownRun(NamedTuple):
    """Episodes under the name of their run, and the benchmark behind them.

    Attributes:
        name: What the run is called.
        episodes: Its episodes.
        background: What its benchmark adds to them.
    """

    name: str
    episodes: Sequence[EpisodeRecord]
    background: Background = NOTHING_BEHIND


def viewer_style() -> str:
    """Return the style sheets."""
    return "\n".join(map(read_asset, STYLES))


def viewer_script() -> str:
    """Return the script; it belongs after the data, in an element of type `module`."""
    return bundle("embedded.js")


def embed_viewer(runs: Sequence[ShownRun]) -> tuple[str, list[str]]:
    """Return the list of episodes, and each episode in full, as JSON for script elements.

    Where there are more than `MOST_EPISODES`, the list stands alone.
    """
    listed = [(number, run, one) for number, run in enumerate(runs) for one in run.episodes]
    rows = [row_of(number, dict(record)) for number, _, record in listed]
    head = {
        "labels": viewer_labels(),
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
