"""What episodes took: the table and chart of a report, and the part of an episode's page."""

import pytest

from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.charts import draw
from crab_graph.analysis.report.study import study_records
from crab_graph.analysis.viewer.spending import view_spending
from tests.analysis.conftest import make_record

USED = {"m": {"calls": 4, "input_tokens": 900, "output_tokens": 100}}


def took(seconds, dollars):
    return {"seconds": seconds, "models": {"m": {"calls": 1}}, "dollars": dollars}


def modelled(task_id="S1-001", **changes):
    """An episode whose agent asked a model."""
    given = {"usage": {"agent": USED}, "cost": {"agent": 0.5}, "seconds": {"agent": 3.0}}
    return make_record(task_id, agent="a<b", agent_is_reference=False, **{**given, **changes})


def spending_of(records):
    return {one.id: one for one in make_report(study_records(records)).exhibits}.get("spending")


def test_an_arm_is_told_by_what_its_episodes_took_and_who_passed():
    rest = {"passed": False, "outcome": "fail"}
    found = spending_of([modelled(), modelled("S2-001", **rest)])
    (row,) = found.rows
    assert [cell.value for cell in row[3:]] == [1000, None, 0.5, 1.0, 3.0, None]
    assert row[4].text == "not measured"
    (point,) = found.chart.points
    assert (point.x, point.value) == ("0.5", 0.5)
    assert "a&lt;b" in draw(found.chart) and "dollars an episode" in draw(found.chart)


@pytest.mark.parametrize("lost", [{"cost": {"agent": None}}, {"cost": {}}])
def test_without_a_price_the_chart_shows_tokens(lost):
    found = spending_of([modelled(**lost)])
    assert found.rows[0][5].value is None
    assert found.chart.points[0].x == "1000"
    assert "tokens read and written an episode" in draw(found.chart, 340)


def test_what_was_not_measured_is_not_shown():
    assert spending_of([make_record()]) is None
    assert view_spending(make_record()) is None
    uncounted = {"m": {"calls": 1, "uncounted": 1}}
    row = spending_of([modelled(usage={"agent": uncounted}, cost={"agent": None}, seconds={})]).rows
    assert [cell.value for cell in row[0][3:]] == [None] * 6


def test_an_episode_shows_its_steps_and_the_answers_that_were_read_most():
    beside = [{"seq": 1, "took": took(2.0, 0.1)}, {"seq": 5, "took": took(1.0, 0.2)}]
    shown = view_spending(modelled(hidden={"beside": beside}))
    assert shown is not None
    assert [(one["turn"], one["seconds"]) for one in shown["steps"]] == [(2, 2.0), (2, 1.0)]
    first = shown["tools"][0]
    assert (first["name"], first["answers"], first["reads"]) == ("search_flights_by_route", 1, 4)
    assert first["tokens"] == first["most"] == first["once"] * 4
