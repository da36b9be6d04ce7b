"""Pages that need nothing beside themselves: a template of this folder around the viewer.

Templates escape all they are given but what is marked as safe: styles, scripts, drawings, and what
`embed_viewer` made.
"""

from collections.abc import Container, Mapping, Sequence
from functools import partial
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import Any

import jinja2

from crab_graph.analysis.report.study import Study
from crab_graph.analysis.viewer.assets import viewer_script, viewer_style
from crab_graph.analysis.viewer.background import Background
from crab_graph.analysis.viewer.embedding import (
    Embedded,
    Packed,
    ShownRun,
    embed_viewer,
    pack,
)
from crab_graph.errors import UsageError
from crab_graph.runs.notes import Note, notes_by_episode
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import load_views
from crab_graph.terms import label
from crab_graph.workers import write_atomically

_MOST_REPLAYED = 100
"""With more episodes, passed ones go without said against done: each must be replayed for it."""


def packed_runs(study: Study, directories: Sequence[Path]) -> list[ShownRun]:
    """Return the runs of a study, which lie in `directories`, with their dialogues packed.

    They are read one by one.

    Raises:
        RunError: a line of a shard is damaged.
    """
    replays = len(study.records) <= _MOST_REPLAYED
    shown = []
    for run, directory in zip(study.runs, directories, strict=True):
        background = Background.of_run(directory, replays=replays)
        notes = notes_by_episode(run.notes)
        packed = load_views(directory, partial(_pack_noted, background, notes))
        shown.append(ShownRun(run.name, run.records, background, packed, notes))
    return shown


def _pack_noted(
    background: Background, notes: Mapping[str, Sequence[Note]], record: EpisodeRecord
) -> Packed:
    return pack(record, background, notes.get(record.episode_id, ()))


def fill_page(
    template: str,
    shown: Sequence[ShownRun],
    budget: float,
    *,
    title: str,
    style: str,
    script: str,
    first: Container[tuple[int, str]] = (),
    **values: Any,
) -> str:
    """Return a template, filled in, with the viewer's styles and script before its own.

    Args:
        template: Its text, between `page_begin.html` and `page_end.html`, which it includes.
        shown: What the viewer lists.
        budget: Megabytes that the page may weigh.
        title: What the page is called.
        style: Styles of its own, before those that all pages share.
        script: A script of its own.
        first: Run and id of the episodes whose dialogues are left out last.
        values: What the template shows beside the viewer.
    """
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(read_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["word"] = label
    render = partial(
        environment.from_string(template).render,
        style="\n".join((viewer_style(), style, read_text("sheet.css"))),
        script=f"{viewer_script()}\n{script}",
        title=title,
        **values,
    )

    def weigh(without_dialogues: Embedded) -> int:
        return len(render(embedded=without_dialogues).encode("utf-8", "replace"))

    return render(embedded=embed_viewer(shown, budget, weigh, first))


def read_text(name: str, package: str = __package__) -> str:
    """Return a file of a package, by default of this one."""
    return (files(package) / name).read_text(encoding="utf-8")


def check_place(path: Path) -> None:
    """Refuse a path to which no file can be written, by a `UsageError`."""
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: cannot be written; name a file in a directory that exists")


def check_budget(megabytes: float) -> None:
    """Refuse what is no number of megabytes, by a `UsageError`."""
    if not 0 <= megabytes < inf:
        raise UsageError(f"html_budget: {megabytes:g} is no number of megabytes; give 0 or more")


def write_text(path: Path, text: str) -> None:
    """Write a page to a file, whole or not at all.

    Raises:
        UsageError: the file's directory does not exist, or the path is one.
    """
    check_place(path)
    # What was said may hold a lone surrogate, which no file can.
    write_atomically(path, text.encode("utf-8", "replace").decode())
