"""Figures of other packages: found by entry point, shown in every form, and never half a report."""

import io
import sys

import pytest
from rich.console import Console

from crab_graph.analysis.report.assembly import FIGURES, make_report
from crab_graph.analysis.report.charts import write_figures
from crab_graph.analysis.report.page import render_page
from crab_graph.analysis.report.rendering import as_markdown, print_report
from crab_graph.analysis.report.study import study_records
from crab_graph.errors import UsageError

MODULE = """
from crab_graph.analysis.report.exhibit import Chart, Exhibit, Head, estimate_cell
from crab_graph.analysis.report.measures import Measure, estimate
from crab_graph.analysis.report.study import WHO

WORDY = Measure("wordy", "more than ten turns", lambda one: one.metrics.get("turns", 0) > 10)


def wordy(study):
    rows, points = [], []
    for arm in study.arms:
        (found,) = estimate(arm.records, [WORDY])
        rows.append((*arm.cells(), estimate_cell(found, is_share=True, where=arm.where())))
        points += arm.points("all", found, arm.where())
    yield Exhibit(
        id="wordy",
        title="Long dialogues",
        caption="Share of episodes with more than ten visible messages.",
        columns=(*WHO, Head("wordy", "wordy")),
        rows=rows,
        chart=Chart("dot", "episodes", "wordy", points, alt="Chart of long dialogues."),
    )


def none(study):
    return []


def broken(study):
    raise KeyError("nothing")


def again(study):
    for one in wordy(study):
        yield one
        yield one
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package that registers some functions of the module above as figures."""
    (tmp_path / "other_figures.py").write_text(MODULE)
    about = tmp_path / "other_figures-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other-figures\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def register(*names: str) -> None:
        lines = "".join(f"{name} = other_figures:{name}\n" for name in names)
        (about / "entry_points.txt").write_text(f"[{FIGURES.group}]\n{lines}")

    yield register
    sys.modules.pop("other_figures", None)


def test_a_figure_of_another_package_stands_in_every_form_after_ours(install, records):
    ours = [one.id for one in make_report(study_records(records)).exhibits]
    install("wordy", "none")
    report = make_report(study_records(records))
    assert [one.id for one in report.exhibits] == [*ours, "wordy"]
    console = Console(file=io.StringIO(), width=160, highlight=False)
    print_report(console, report)
    assert isinstance(console.file, io.StringIO)
    assert "Long dialogues" in console.file.getvalue()
    assert "## Long dialogues" in as_markdown(report)
    assert report.as_json()["exhibits"][-1]["rows"][0]["wordy"]["episodes"] == 2
    assert '<section id="wordy"' in render_page(records, "t")


def test_it_is_written_as_a_file_like_ours(install, records, tmp_path):
    install("wordy")
    names = write_figures(make_report(study_records(records)), tmp_path / "figures", ("svg",))
    assert names[-1] == "wordy.svg"
    assert (tmp_path / "figures" / "wordy.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("broken", "figure 'broken' cannot be made of these runs: KeyError: 'nothing'"),
        ("again", "figure 'again': the id 'wordy' is taken"),
        ("missing", "figure 'missing' of the package 'other-figures' cannot be loaded"),
    ],
)
def test_one_that_cannot_be_shown_is_one_line_that_names_it(install, records, name, said):
    install(name)
    with pytest.raises(UsageError, match=said):
        make_report(study_records(records))


def test_all_of_ours_are_found():
    assert all(callable(FIGURES.find(name)) for name in FIGURES.built_in)
