"""The report as one HTML page that needs nothing beside itself: no network, no fonts, no library.

Everything an agent, a user or a tool said goes through Jinja's escaping or, as JSON, through
`embed_json`; the script builds elements from text alone. Figures are drawn beforehand: once for a
page, once for a phone. Every number links to the viewer's list of its episodes.
"""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import jinja2

from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.charts import NARROW, WIDE, draw, is_available, style_of
from crab_graph.analysis.report.exhibit import Filter, Report, link_to
from crab_graph.analysis.report.study import StudiedRun, Study, make_study
from crab_graph.analysis.viewer.assets import (
    MOST_EPISODES,
    ShownRun,
    embed_viewer,
    viewer_script,
    viewer_style,
)
from crab_graph.analysis.viewer.background import Background
from crab_graph.errors import UsageError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import load_records
from crab_graph.workers import write_atomically

_MOST_REPLAYED = 100
"""With more episodes, passed ones go without said against done: each must be replayed for it."""


def render_page(records: Sequence[EpisodeRecord], title: str, runs: Sequence[ShownRun] = ()) -> str:
    """Return the page for some episodes; `runs` are the same by run, or all are one run's."""
    shown = runs or [ShownRun(title, records)]
    study = make_study(
        [
            StudiedRun(run.name, len(run.episodes), tuple(run.episodes), card=run.background.card)
            for run in shown
        ]
    )
    return _render(make_report(study, title), shown)


def write_page(
    path: Path, records: Sequence[EpisodeRecord], title: str, runs: Sequence[ShownRun] = ()
) -> None:
    """Write the page to a file; arguments as for `render_page`.

    Raises:
        UsageError: the file's directory does not exist, or the path is one.
    """
    _write(path, render_page(records, title, runs))


def write_report(path: Path, report: Report, study: Study, directories: Sequence[Path]) -> None:
    """Write the page of a report on the runs of a study, which lie in `directories`.

    The dialogues go with it where there are few enough of them.

    Raises:
        UsageError: the file's directory does not exist, or the path is one.
    """
    count = len(study.records)
    is_small, is_few = count <= MOST_EPISODES, count <= _MOST_REPLAYED
    shown = [
        ShownRun(
            run.name,
            load_records(directory) if is_small else run.records,
            Background.of_run(directory) if is_few else Background(None, run.card),
        )
        for run, directory in zip(study.runs, directories, strict=True)
    ]
    _write(path, _render(report, shown))


def _render(report: Report, shown: Sequence[ShownRun]) -> str:
    viewer_data, episodes = embed_viewer(shown)
    has_figures = is_available()
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )

    def link(where: Filter) -> str:
        # The number of the run tells nothing where there is only one.
        kept = {name: value for name, value in where.items() if name != "run" or len(shown) > 1}
        return link_to(kept)

    return environment.from_string(_read("page.html")).render(
        report=report,
        link=link,
        drawings={
            one.id: {"wide": draw(one.chart, WIDE), "narrow": draw(one.chart, NARROW)}
            for one in report.exhibits
            if has_figures and one.chart is not None and one.chart.points
        },
        has_figures=has_figures,
        style=f"{viewer_style()}\n{_read('page.css')}\n{style_of()}",
        script=viewer_script(),
        viewer_data=viewer_data,
        episodes=episodes,
    )


def _write(path: Path, text: str) -> None:
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: cannot be written; name a file in a directory that exists")
    # What was said may hold a lone surrogate, which no file can.
    write_atomically(path, text.encode("utf-8", "replace").decode())


def _read(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
