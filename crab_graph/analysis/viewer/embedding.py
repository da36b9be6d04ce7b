"""The viewer inside one page that needs nothing beside itself, within a budget of bytes.

The list of all episodes stands in it as JSON. Dialogues are compressed, one by one, and opened when
they are asked for: who looks at three of 1,600 reads three. Where they are too many, those that did
not pass come first, then a sample over agents, users and strata, and the page says what is missing.
"""

import json
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from crab_graph.analysis.viewer.assets import viewer_labels
from crab_graph.analysis.viewer.background import NOTHING_BEHIND, Background
from crab_graph.analysis.viewer.episode_view import view_episode
from crab_graph.analysis.viewer.listing import count_facets, row_of, text_of, with_notes
from crab_graph.randomness import derive_rng
from crab_graph.runs.notes import Note
from crab_graph.runs.record import EpisodeRecord

BUDGET = 20.0
"""Megabytes (of a million bytes) that a page may weigh unless told otherwise."""

_MEGABYTE = 1_000_000
_AROUND = len('<script type="text/plain" class="episode-data" data-place="000000"></script>\n')
"""Bytes that an element takes beside the dialogue in it."""


class Packed(NamedTuple):
    """A dialogue as a page holds it, compressed, and what a search reads of it."""

    block: str
    text: str


class ShownRun(NamedTuple):
    """Episodes under the name of their run, the benchmark behind them, and notes on some by id.

    The episodes may be without their dialogues where these are `packed`, by the episodes' ids.
    """

    name: str
    episodes: Sequence[EpisodeRecord]
    background: Background = NOTHING_BEHIND
    packed: Mapping[str, Packed] | None = None
    notes: Mapping[str, Sequence[Note]] = {}

    def notes_on(self, record: EpisodeRecord) -> Sequence[Note]:
        """Return the notes on one of its episodes."""
        return self.notes.get(record.episode_id, ())


class Embedded(NamedTuple):
    """What a page holds: the list, texts to search, dialogues by place, and what is left out."""

    head: str
    texts: str
    blocks: Mapping[int, str]
    left_out: str = ""


def pack(
    record: EpisodeRecord, background: Background = NOTHING_BEHIND, notes: Sequence[Note] = ()
) -> Packed:
    """Return the dialogue of an episode for a page, with notes on it."""
    return Packed(_compressed(view_episode(record, background, notes)), text_of(dict(record)))


def embed_viewer(
    runs: Sequence[ShownRun],
    budget: float = BUDGET,
    around: Callable[[Embedded], int] = lambda _: 0,
    first: Container[tuple[int, str]] = (),
) -> Embedded:
    """Return the list of episodes, and as many dialogues as fit.

    Args:
        runs: What is listed.
        budget: Megabytes that the whole page may weigh.
        around: How many bytes a page has that holds no dialogues yet; it is given all the rest.
        first: Run and id of episodes that are left out last.
    """
    listed = [(number, run, one) for number, run in enumerate(runs) for one in run.episodes]
    packed = [
        pack(record, run.background, run.notes_on(record))
        if run.packed is None
        else run.packed[record.episode_id]
        for _, run, record in listed
    ]
    noted = [
        with_notes(row_of(number, dict(record)), one.text, run.notes_on(record))
        for (number, run, record), one in zip(listed, packed, strict=True)
    ]
    rows = [row for row, _ in noted]
    head: dict[str, Any] = {
        "labels": viewer_labels([run.background.card for run in runs]),
        "runs": [{"number": number, "name": run.name} for number, run in enumerate(runs)],
        "rows": rows,
        "facets": count_facets(rows),
    }
    found = Embedded(embed_json(head), _compressed([text for _, text in noted]), {})
    sizes = [len(one.block) + _AROUND for one in packed]
    room = budget * _MEGABYTE - around(found)
    if sum(sizes) <= room:
        return found._replace(blocks={place: one.block for place, one in enumerate(packed)})
    # To say what is left out takes room as well.
    needed = ceil(budget + (sum(sizes) - room) / _MEGABYTE)
    kept = _chosen(rows, sizes, room - 500 - 7 * len(rows), first)
    head["absent"] = [place for place in range(len(rows)) if place not in kept]
    return Embedded(
        head=embed_json(head),
        texts=found.texts,
        blocks={place: packed[place].block for place in sorted(kept)},
        left_out=_left_out(rows, kept, budget, needed),
    )


def embed_json(value: Any) -> str:
    """Return JSON that is safe inside a script element, and free of U+2028 and lone surrogates."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _compressed(value: Any) -> str:
    """Return a JSON value as deflate in base64: no character of it means anything to a page."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    return b64encode(zlib.compress(text.encode("ascii"), 9)).decode("ascii")


def _chosen(
    rows: Sequence[Mapping[str, Any]],
    sizes: Sequence[int],
    room: float,
    first: Container[tuple[int, str]],
) -> set[int]:
    """Return the places of the episodes that are kept whole: up to the first that does not fit."""
    seen: Counter[tuple[object, ...]] = Counter()
    order = list(range(len(rows)))
    derive_rng(0, "page", "dialogues").shuffle(order)
    ranked = []
    for place in order:
        row = rows[place]
        passed = row["outcome"] == "pass"
        cell = (passed, row["run"], row["agent"], row["user"], row["stratum"])
        is_later = (row["run"], row["id"]) not in first
        ranked.append((is_later, passed, seen[cell], place))
        seen[cell] += 1
    kept: set[int] = set()
    for *_, place in sorted(ranked):
        room -= sizes[place]
        if room < 0:
            break
        kept.add(place)
    return kept


def _left_out(rows: Sequence[Mapping[str, Any]], kept: set[int], budget: float, needed: int) -> str:
    """Say which dialogues a page holds, and where the others are."""
    counts = Counter(row["outcome"] == "pass" for row in rows)
    held = Counter(rows[place]["outcome"] == "pass" for place in kept)

    def told(passed: bool, what: str) -> str:
        of = "all" if held[passed] == counts[passed] else f"{held[passed]:,} of"
        return f"{of} {counts[passed]:,} that {what}"

    return (
        f"Within {budget:g} MB this page holds {len(kept):,} of {len(rows):,} dialogues: "
        f"{told(False, 'did not pass')} and {told(True, 'passed')}, drawn evenly over agents, "
        f"users and strata. --html-budget {needed} holds all of them; "
        "crab-graph show RUN EPISODE and crab-graph serve RUN read the others."
    )
