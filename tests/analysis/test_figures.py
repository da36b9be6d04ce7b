"""Figures: drawn without a browser, told apart without colour, and files that stand alone."""

import json
import re
from itertools import pairwise

import pytest

from crab_graph.analysis.report import charts
from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.charts import COLOURS, DASHES, SERIES, SHAPES, style_of
from crab_graph.analysis.report.exhibit import Chart, Point
from crab_graph.analysis.report.study import study_records
from crab_graph.errors import MissingExtra, UsageError

pytest.importorskip("vl_convert")


def chart(series, mark="line", panel="", members=("",)):
    points = [
        Point(panel, f"agent {n}", member, x, 0.5, 0.4, 0.6, where={"agent": f"a&b {n}"})
        for n in range(series)
        for member in members
        for x in ("S1", "S2")
    ]
    return Chart(mark, "stratum", "pass@1", tuple(points))


def test_series_differ_in_shape_dash_and_lightness():
    assert len(set(SHAPES)) == len(set(DASHES)) == len(SERIES)
    for place in range(2):
        greys = sorted(_grey(COLOURS[name][place]) for name in SERIES)
        assert all(late - early > 8 for early, late in pairwise(greys))


def _grey(colour):
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_a_chart_in_a_page_links_to_its_episodes_and_takes_the_pages_colours():
    svg = charts.draw(chart(2))
    assert svg.count('<a tabindex="-1" href="#episodes?agent=a%26b+') == 4
    assert "http" not in svg
    assert svg.startswith('<svg aria-hidden="true"')
    style = style_of()
    assert all(f'[stroke="{name}"]' in style for name in SERIES[:2] if name in svg)


def test_more_series_than_can_be_told_apart_get_panels_of_their_own():
    one = charts.specification(chart(4))
    many = charts.specification(chart(3, members=("generic", "ruse")))
    assert "concat" not in one
    assert [panel["title"] for panel in many["concat"]] == ["agent 0", "agent 1", "agent 2"]


@pytest.mark.slow
def test_every_chart_keeps_to_the_schema_of_vega_lite(records):
    altair = pytest.importorskip("altair")
    counted = Chart("dot", "user", "", chart(2, panel="calls").points, counts=frozenset({"calls"}))
    exhibits = make_report(study_records(records)).exhibits
    shown = [one.chart for one in exhibits if one.chart is not None]
    shown += [chart(series, mark) for series in (1, 3, 6) for mark in ("line", "dot", "bar")]
    for one in (*shown, counted):
        for width in (charts.WIDE, charts.NARROW):
            altair.Chart.from_dict(json.loads(json.dumps(charts.specification(one, width))))
    with pytest.raises(pytest.importorskip("jsonschema").ValidationError):
        altair.Chart.from_dict({"data": {"values": []}, "mark": "no such mark", "encoding": {}})


def test_a_phone_gets_panels_below_each_other():
    wide, narrow = (charts.specification(chart(5), width) for width in (960, 330))
    assert (wide["columns"], narrow["columns"]) == (3, 1)


def test_figures_are_written_as_files_that_need_no_page(records, tmp_path):
    report = make_report(study_records(records))
    names = charts.write_figures(report, tmp_path / "figures", "svg")
    assert "figure-4.svg" in names
    for name in names:
        text = (tmp_path / "figures" / name).read_text(encoding="utf-8")
        assert "<a " not in text
        assert not re.search("|".join(COLOURS), text)
    pictures = charts.write_figures(report, tmp_path / "figures", "png")
    assert pictures[0] == "figure-4.png"
    assert (tmp_path / "figures" / pictures[0]).read_bytes().startswith(b"\x89PNG")


def test_a_figure_needs_a_directory(records, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="needs a directory"):
        charts.write_figures(make_report(study_records(records)), tmp_path / "file", "svg")


def test_without_what_draws_them_the_extra_is_named(records, monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=r"pip install 'crab-graph\[report\]'"):
        charts.write_figures(make_report(study_records(records)), tmp_path / "figures", "svg")
    assert not (tmp_path / "figures").exists()


def test_a_figure_says_what_its_values_rest_on():
    points = [
        Point("", "agent", "", x, 0.5, 0.4, 0.6, n)
        for x, n in (("S1", "1 task, 4 episodes"), ("S2", "1,200 tasks, 4,800 episodes"))
    ]

    def axis(points):
        return charts.specification(Chart("dot", "stratum", "pass@1", points))["layer"][0][
            "encoding"
        ]["x"]

    apart, alike = axis(points), axis(points[:1] * 2)
    assert '"S2": ["S2", "1,200 tasks", "4,800 episodes"]' in apart["axis"]["labelExpr"]
    assert alike["title"] == ["stratum", "1 task, 4 episodes each"]
    many = [Point("", "agent", "", str(x), 0.5, n=f"{x} tasks, 9 episodes") for x in range(2, 20)]
    assert axis(many)["title"] == ["stratum", "2–19 tasks, 9 episodes each"]
    assert charts.draw(Chart("dot", "stratum", "pass@1", points)).count("4,800 episodes") == 1
