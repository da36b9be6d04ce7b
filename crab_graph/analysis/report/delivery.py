"""The report of runs, made and written where it is wanted: what `crab-graph report` does."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.charts import write_figures
from crab_graph.analysis.report.exhibit import Report
from crab_graph.analysis.report.page import write_report
from crab_graph.analysis.report.rendering import as_markdown
from crab_graph.analysis.report.study import load_study
from crab_graph.errors import UnknownName, UsageError
from crab_graph.runs.config import RunPaths, paths_of
from crab_graph.workers import write_atomically

IMAGES = ("svg", "png")


class Delivered(NamedTuple):
    """A report, and what was written of it: `tables`, `figures`, `page`, each with its places."""

    report: Report
    written: Mapping[str, tuple[Path, ...]]


def report(
    *runs: RunPaths,
    html: str | os.PathLike[str] | None = None,
    markdown: str | os.PathLike[str] | None = None,
    figures: str | os.PathLike[str] | None = None,
    format: Literal["svg", "png"] = "svg",
) -> Report:
    """Return the tables and figures of one or several runs, side by side.

    The report shows itself in a notebook; `as_json()` has every number with its interval.

    Args:
        runs: What `run` or `open_run` returned, or directories of runs.
        html: Also write one self-contained page with every dialogue.
        markdown: Also write the tables as Markdown.
        figures: Also write each figure as a file of its own, into this directory.
        format: What these files are.

    Raises:
        RunError: one is no run, or is damaged, or no episode of any has ended.
        UsageError: there is no run, or a file cannot be written where it is wanted.
        MissingExtra: `png`, or figures at all, without the extra that draws them.
    """
    return deliver(*runs, html=html, markdown=markdown, figures=figures, format=format).report


def deliver(
    *runs: RunPaths,
    html: str | os.PathLike[str] | None = None,
    markdown: str | os.PathLike[str] | None = None,
    figures: str | os.PathLike[str] | None = None,
    format: str = "svg",
) -> Delivered:
    """Return a report with what was written of it; arguments and errors as for `report`."""
    directories = paths_of(runs)
    if format not in IMAGES:
        raise UnknownName("format", format, IMAGES)
    page, tables = (None if path is None else Path(path) for path in (html, markdown))
    for path in (page, tables):
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise UsageError(f"{path}: cannot be written; name a file in a directory that exists")
    study = load_study(directories)
    made = make_report(study)
    written: dict[str, tuple[Path, ...]] = {}
    if tables is not None:
        write_atomically(tables, as_markdown(made))
        written["tables"] = (tables,)
    if figures is not None:
        drawn = Path(figures)
        written["figures"] = tuple(drawn / name for name in write_figures(made, drawn, format))
    if page is not None:
        write_report(page, made, study, directories)
        written["page"] = (page,)
    return Delivered(made, written)
