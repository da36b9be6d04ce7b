"""The report as one HTML page that needs nothing beside itself: no network, no fonts, no library.

Everything an agent, a user or a tool said goes through Jinja's escaping or, as JSON, through
`embed_json`; the script builds elements from text alone.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import jinja2

from crab_graph.analysis.report import labels
from crab_graph.analysis.report.summary import Group, Summary, summarise
from crab_graph.analysis.report.titles import check_titles
from crab_graph.analysis.viewer.embedded import (
    ShownRun,
    embed_viewer,
    viewer_script,
    viewer_style,
)
from crab_graph.errors import UsageError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.workers import write_atomically


def render_page(records: Sequence[EpisodeRecord], title: str, runs: Sequence[ShownRun] = ()) -> str:
    """Return the page for some episodes.

    Args:
        records: The episodes that the figures are of.
        title: Title of the page.
        runs: The same by run, for the viewer; all are one run's otherwise.
    """
    summary = summarise(records)
    viewer_data, episodes = embed_viewer(runs or [ShownRun(title, records)])
    return _template().render(
        title=title,
        summary=summary,
        strata=sorted({group.stratum for group in summary.by_stratum}),
        stratum_groups={_key(group): group for group in summary.by_stratum},
        failed_checks=_failed_checks(summary),
        failure_modes=_failure_modes(summary),
        tasks=len({record.task_id for record in records}),
        notes=notes_on(summary),
        style=f"{viewer_style()}\n{_read('page.css')}",
        script=viewer_script(),
        titles=check_titles(),
        viewer_data=viewer_data,
        episodes=episodes,
        count=len(records),
        labels=labels,
    )


def write_page(
    path: Path, records: Sequence[EpisodeRecord], title: str, runs: Sequence[ShownRun] = ()
) -> None:
    """Write the page to a file; arguments as for `render_page`.

    Raises:
        UsageError: the file's directory does not exist, or the path is one.
    """
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: cannot be written; name a file in a directory that exists")
    # What was said may hold a lone surrogate, which no file can.
    text = render_page(records, title, runs).encode("utf-8", "replace").decode()
    write_atomically(path, text)


def notes_on(summary: Summary) -> list[str]:
    """Return what a reader must know before the figures: which of them no model stands behind."""
    notes = []
    if any(group.is_reference for group in summary.overall):
        notes.append(labels.REFERENCE_NOTE)
    if any(group.user_engine == "rules" for group in summary.overall):
        notes.append(labels.RULES_USER_NOTE)
    return notes


def _key(group: Group) -> tuple[str, str, str, int | None]:
    return (group.agent, group.user, group.user_engine, group.stratum)


def _failed_checks(summary: Summary) -> list[str]:
    """Return the checks that failed anywhere: concrete, factuality, completion, each by id."""
    failed = {check for group in summary.overall for check in group.failed_checks}
    order = list(labels.PARTS)
    return sorted(failed, key=lambda check: (order.index(check[0]), check))


def _failure_modes(summary: Summary) -> list[str]:
    totals: dict[str, int] = {}
    for group in summary.overall:
        for mode, count in group.failure_modes.items():
            totals[mode] = totals.get(mode, 0) + count
    return sorted(totals, key=lambda mode: (-totals[mode], mode))


def _read(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["percent"] = lambda rate: "–" if rate.value is None else f"{rate.value:.0%}"
    return environment.from_string(_read("page.html"))
