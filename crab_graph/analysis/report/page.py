"""The report as one HTML page that needs nothing beside itself: no network, no fonts, no library.

Everything an agent, a user or a tool said goes through Jinja's escaping or, as JSON, through
`embed_json`; the script builds elements from text alone. Figures are drawn beforehand: once for a
page, once for a phone. Every number links to the viewer's list of its episodes.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.charts import FIRST, NARROW, WIDE, draw, style_of
from crab_graph.analysis.report.exhibit import Exhibit, Filter, Report, link_to
from crab_graph.analysis.report.page_file import fill_page, packed_runs, read_text, write_text
from crab_graph.analysis.report.study import StudiedRun, Study, make_study
from crab_graph.analysis.viewer.embedding import BUDGET, ShownRun
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import PARTS


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
    write_text(path, render_page(records, title, runs))


def write_report(
    path: Path,
    report: Report,
    study: Study,
    directories: Sequence[Path],
    budget: float = BUDGET,
) -> None:
    """Write the page of a report on the runs of a study, which lie in `directories`.

    As many dialogues go with it as its budget of megabytes allows. They are read one by one.

    Raises:
        UsageError: the file's directory does not exist, or the path is one.
    """
    write_text(path, _render(report, packed_runs(study, directories), budget))


class _Part(NamedTuple):
    """Exhibits that belong together, under a heading."""

    id: str
    name: str
    exhibits: list[Exhibit]


def _render(report: Report, shown: Sequence[ShownRun], budget: float = BUDGET) -> str:
    def link(where: Filter) -> str:
        # The number of the run tells nothing where there is only one.
        kept = {name: value for name, value in where.items() if name != "run" or len(shown) > 1}
        return link_to(kept)

    overview = report.overview
    return fill_page(
        read_text("page.html"),
        shown,
        budget,
        title=report.title,
        style=f"{read_text('page.css')}\n{style_of()}",
        script=read_text("page.js"),
        report=report,
        episodes=PARTS["episodes"],
        link=link,
        overview=overview,
        first_chart=overview and _drawn(overview, FIRST),
        parts=_parts(report),
        drawings={
            one.id: _drawn(one)
            for one in report.exhibits
            if one is not overview and one.chart is not None and one.chart.points
        },
    )


def _parts(report: Report) -> list[_Part]:
    parts: dict[str, list[Exhibit]] = {}
    for one in report.exhibits:
        parts.setdefault(one.part, []).append(one)
    return [_Part(f"part-{number}", *part) for number, part in enumerate(parts.items(), start=1)]


def _drawn(exhibit: Exhibit, width: int = WIDE) -> Mapping[str, str]:
    """Return a figure for a page and for a phone, and how high the first is, in pixels."""
    if exhibit.chart is None:
        return {}
    wide = draw(exhibit.chart, width)
    high = wide.partition(' height="')[2].partition('"')[0]
    return {"wide": wide, "narrow": draw(exhibit.chart, NARROW), "high": high}
