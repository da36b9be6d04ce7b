"""Figures: drawn by nothing but ours, told apart without colour, nothing cut, nothing colliding."""

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations, pairwise

import pytest

from crab_graph.analysis.report import charts
from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.charts import COLOURS, SERIES
from crab_graph.analysis.report.exhibit import Chart, Point
from crab_graph.analysis.report.study import study_records
from crab_graph.analysis.report.svg import shape_at, width_of, wrapped
from crab_graph.errors import MissingExtra, UsageError

USERS = ("generic", "persona", "d1", "d2", "d3", "d4", "ruse")


def chart(agents, mark="line", users=("",), panel="", x=("S1", "S2"), **about):
    value = {"value": 0.5, "low": 0.4, "high": 0.6, "n": "8 tasks, 16 episodes", **about}
    points = [
        Point(panel, agent, user, one, where={"agent": f"a&b {agent}"}, **value)
        for agent in agents
        for user in users
        for one in x
    ]
    return Chart(mark, "stratum", "pass@1", tuple(points))


def texts(svg):
    """Each text of a chart, with the box it takes: left, top, right, bottom."""
    found = []
    for one in ElementTree.fromstring(svg).iter():
        if one.tag.rpartition("}")[2] == "text":
            size = 11 if "small" in one.attrib["class"] else 12
            width = width_of(one.text or "", size) / 1.15  # without what other fonts may take
            x, y = float(one.attrib["x"]), float(one.attrib["y"])
            left = x - {"end": width, "middle": width / 2}.get(one.get("text-anchor", ""), 0)
            found.append((one.text, (left, y - size * 0.75, left + width, y + size * 0.2)))
    return found


def test_marks_differ_in_shape_and_lightness():
    shapes = {re.sub(r"M\S+ \S+", "", shape_at(0, 0, kind, "")) for kind in range(4)}
    assert len(shapes) == len(SERIES)
    for place in range(2):
        greys = sorted(_grey(COLOURS[name][place]) for name in SERIES)
        assert all(late - early > 8 for early, late in pairwise(greys))


def _grey(colour):
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_a_chart_in_a_page_links_to_its_episodes_and_takes_the_pages_colours():
    svg = charts.draw(chart(["x", "y"]))
    assert svg.count('<a tabindex="-1" href="#episodes?agent=a%26b+') == 4
    assert "http" not in svg
    assert svg.startswith('<svg aria-hidden="true"')
    looks = {look for found in re.findall('class="([^"]*)"', svg) for look in found.split()}
    assert all(f".chart .{look} {{" in charts.style_of() for look in looks & set(COLOURS))


@pytest.mark.parametrize("width", [charts.WIDE, charts.FIRST, charts.NARROW])
@pytest.mark.parametrize(
    "agents",
    [("solver (reference)",), ("openai:gpt-4.1-mini-2025-04-14 (extended tools)", "b", "c", "d")],
)
@pytest.mark.parametrize("mark", ["line", "dot", "difference", "bar"])
def test_nothing_is_cut_and_nothing_collides(width, agents, mark):
    users = [f"{user} (rules)" for user in USERS]
    one = chart(agents, mark, users, x=("fixed (2.6 edges)", "flexible (5.8 edges)"))
    svg = charts.draw(one, width)
    drawn = texts(svg)
    right = float(ElementTree.fromstring(svg).attrib["width"])
    assert right <= width
    for (first, a), (second, b) in combinations(drawn, 2):
        is_apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert is_apart, (first, second)
    for text, box in drawn:
        assert box[0] >= -12, text
        assert box[2] <= right + 1, text
    if mark != "bar":
        joined = "".join(text for text, _ in drawn).replace(" ", "")
        assert all(name.replace(" ", "") in joined for name in (*agents, *users))
        assert joined.count("n8") == len(one.points)


def test_agents_stand_side_by_side_on_one_scale_and_on_a_phone_below_each_other():
    one = chart(["x", "y", "z"], users=("generic",))
    wide, narrow = (dict(texts(charts.draw(one, width))) for width in (960, 340))
    assert wide["x"][1] == wide["y"][1] == wide["z"][1]
    assert narrow["x"][0] == narrow["y"][0]
    assert narrow["x"][1] < narrow["y"][1] < narrow["z"][1]
    # Each agent's scale goes from nothing to all, whatever its values are.
    assert [text for text, _ in texts(charts.draw(one))].count("100%") == 3


def test_panels_of_zeros_alone_are_said_not_drawn():
    zeros = chart(["x"], "dot", panel="cancellations", value=0.0, low=0.0, high=9.0).points
    calls = chart(["x"], "dot", panel="calls", value=3.0, low=1.0, high=7.0).points
    counted = Chart("dot", "", "", (*zeros, *calls), counts=frozenset({"calls", "cancellations"}))
    said = [text for text, _ in texts(charts.draw(counted))]
    assert "Zero throughout: cancellations." in said
    assert "calls" in said
    assert "cancellations" not in said
    assert "8" in said  # the scale of counts ends where theirs do


def test_a_forest_plot_is_hollow_where_the_interval_reaches_zero():
    open_one = charts.draw(chart(["x"], "difference", x=("d1",), value=-0.1, low=-0.3, high=0.1))
    clear_one = charts.draw(chart(["x"], "difference", x=("d1",), value=-0.4, low=-0.6, high=-0.1))
    assert ('s0 open"' in open_one, 's0 open"' in clear_one) == (True, False)
    assert "−40" in dict(texts(clear_one))


def test_a_figure_says_what_its_values_rest_on():
    alike = charts.draw(chart(["x"]))
    assert "n: tasks, 2 episodes each." in dict(texts(alike))
    assert "x, S1: 50% (40% to 60%), 8 tasks, 16 episodes</title>" in alike
    unlike = [Point("", "", "", x, 0.5, n=f"{x} tasks, 9 episodes") for x in ("2", "3")]
    said = [text for text, _ in texts(charts.draw(Chart("dot", "", "", unlike)))]
    assert {"n 2", "n 3", "n: tasks."} <= set(said)


def test_long_words_are_broken_not_cut():
    assert "".join(wrapped("a" * 50, 100)) == "a" * 50
    assert wrapped("solver (reference) with ruse", 120) == ["solver (reference)", "with ruse"]


def test_figures_are_written_as_files_that_need_no_page(records, tmp_path):
    named = [records[0].model_copy(update={"agent": "<b>\x00&"}), *records[1:]]
    report = make_report(study_records(named))
    names = charts.write_figures(report, tmp_path / "figures", ("svg", *charts.DATA))
    assert {"figure-4.svg", "figure-4.csv", "figure-4.json"} <= set(names)
    for name in (one for one in names if one.endswith(".svg")):
        text = (tmp_path / "figures" / name).read_text(encoding="utf-8")
        assert "<a " not in text
        assert "light-dark" not in text
        assert ElementTree.fromstring(text).get("aria-label")
    points = json.loads((tmp_path / "figures" / "figure-4.json").read_text())["points"]
    lines = list(csv.DictReader((tmp_path / "figures" / "figure-4.csv").read_text().splitlines()))
    assert [one["x"] for one in lines] == [one["x"] for one in points]
    assert float(lines[0]["value"]) == points[0]["value"]


def test_pictures_are_made_where_what_makes_them_is_installed(records, tmp_path):
    pytest.importorskip("vl_convert")
    names = charts.write_figures(make_report(study_records(records)), tmp_path, ("png",))
    assert names[0] == "table-2.png"
    assert (tmp_path / names[0]).read_bytes().startswith(b"\x89PNG")


def test_a_figure_needs_a_directory(records, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="needs a directory"):
        charts.write_figures(make_report(study_records(records)), tmp_path / "file", ("svg",))


def test_without_what_makes_pictures_the_extra_is_named(records, monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=r"pip install 'crab-graph\[report\]'"):
        charts.write_figures(make_report(study_records(records)), tmp_path / "figures", ("png",))
    assert not (tmp_path / "figures").exists()
