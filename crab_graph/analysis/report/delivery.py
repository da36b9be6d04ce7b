"""The report of runs, made and written where it is wanted: what `crab-graph report` does."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.charts import DATA, IMAGES, can_picture, write_figures
from crab_graph.analysis.report.exhibit import Report
from crab_graph.analysis.report.page import write_report
from crab_graph.analysis.report.page_file import check_budget, check_place
from crab_graph.analysis.report.rendering import as_markdown
from crab_graph.analysis.report.study import load_study
from crab_graph.analysis.viewer.embedding import BUDGET
from crab_graph.errors import UnknownName
from crab_graph.runs.config import RunPaths, paths_of
from crab_graph.workers import write_atomically

FORMATS = ("all", *IMAGES)
"""What figures are written as: pictures of both kinds with their data, or pictures of one."""


class Delivered(NamedTuple):
    """A report, and what was written of it: `tables`, `figures`, `page`, each with its places."""

    report: Report
    written: Mapping[str, tuple[Path, ...]]


def report(
    *runs: RunPaths,
    html: str | os.PathLike[str] | None = None,
    markdown: str | os.PathLike[str] | None = None,
    figures: str | os.PathLike[str] | None = None,
    format: Literal["all", "svg", "png"] = "all",
    html_budget: float = BUDGET,
) -> Report:
    """Return the tables and figures of one or several runs, side by side.

    The report shows itself in a notebook; `as_json()` has every number with its interval.

    Args:
        runs: What `run` or `open_run` returned, or directories of runs.
        html: Also write one self-contained page with the dialogues.
        markdown: Also write the tables as Markdown.
        figures: Also write each figure into this directory: as SVG, as PNG, and its data as CSV
            and JSON.
        format: Which of these: all (PNG where the extra `report` is installed), or one picture.
        html_budget: Megabytes that the page may weigh. Over it dialogues are left out, those of
            episodes that passed first, and the page says which.

    Raises:
        RunError: one is no run, or is damaged, or no episode of any has ended.
        UsageError: there is no run, or a file cannot be written where it is wanted.
        MissingExtra: `png`, without the extra that makes pictures.
    """
    return deliver(
        *runs,
        html=html,
        markdown=markdown,
        figures=figures,
        format=format,
        html_budget=html_budget,
    ).report


def deliver(
    *runs: RunPaths,
    html: str | os.PathLike[str] | None = None,
    markdown: str | os.PathLike[str] | None = None,
    figures: str | os.PathLike[str] | None = None,
    format: str = "all",
    html_budget: float = BUDGET,
) -> Delivered:
    """Return a report with what was written of it; arguments and errors as for `report`."""
    directories = paths_of(runs)
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    check_budget(html_budget)
    page, tables = (None if path is None else Path(path) for path in (html, markdown))
    for path in (page, tables):
        if path is not None:
            check_place(path)
    study = load_study(directories)
    made = make_report(study)
    written: dict[str, tuple[Path, ...]] = {}
    if tables is not None:
        write_atomically(tables, as_markdown(made))
        written["tables"] = (tables,)
    if figures is not None:
        drawn = Path(figures)
        images = (format,) if format != "all" else IMAGES if can_picture() else IMAGES[:1]
        names = write_figures(made, drawn, (*images, *(DATA if format == "all" else ())))
        written["figures"] = tuple(drawn / name for name in names)
    if page is not None:
        write_report(page, made, study, directories, html_budget)
        written["page"] = (page,)
    return Delivered(made, written)
