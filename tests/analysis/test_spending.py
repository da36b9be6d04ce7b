"""What episodes took: the table and chart of a report, and the part of an episode's page."""

import re
from typing import Any

import pytest
from rich.console import Console

from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.charts import draw
from crab_graph.analysis.report.exhibit import Chart, Point
from crab_graph.analysis.report.study import study_records
from crab_graph.analysis.report.svg import SMALL, width_of
from crab_graph.analysis.viewer.close_up import find_turn
from crab_graph.analysis.viewer.spending import print_spending, view_spending
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


TIMED: dict[str, Any] = {
    "search_flights_by_route": {
        **{"calls": 2, "timed": 2, "seconds": 0.004},
        **{"tokens": 900, "dollars": 0.2},
    },
    "charge_booking": {"calls": 1, "timed": 0, "seconds": 0.0, "tokens": 20, "dollars": None},
    "get_my_payment_cards": {
        **{"calls": 1, "timed": 1, "seconds": 0.001},
        **{"tokens": None, "dollars": None},
    },
}


def test_each_tool_is_told_by_its_time_and_by_how_often_its_answers_were_read():
    found = {
        one.id: one
        for one in make_report(
            study_records([modelled(tool_costs=TIMED), modelled("S2-001", tool_costs=TIMED)])
        ).exhibits
    }
    rows = [
        [cell.value if cell.value is not None else cell.text for cell in row[1:]]
        for row in found["tools"].rows
    ]
    assert rows == [
        ["search_flights_by_route", 2.0, 2.0, 4.0, 900.0, 0.2],
        ["charge_booking", 1.0, "–", "–", 20.0, "–"],
        ["get_my_payment_cards", 1.0, 1.0, 1.0, "–", "–"],
    ]


def test_the_least_of_many_tools_are_one_row():
    many = {f"tool_{n}": {**TIMED["charge_booking"], "tokens": 100 - n} for n in range(12)}
    found = make_report(study_records([modelled(tool_costs=many)]))
    (tools,) = (one for one in found.exhibits if one.id == "tools")
    assert [row[1].text for row in tools.rows] == [*(f"tool_{n}" for n in range(8)), "4 others"]
    assert tools.rows[-1][5].value == sum(100 - n for n in range(8, 12))


def test_an_episode_shows_its_steps_its_tools_and_what_each_message_took():
    record = modelled()
    answers = [seq for seq, one in enumerate(record.messages) if one["role"] == "tool"]
    beside = [
        {"seq": 1, "took": took(2.0, 0.1)},
        {"seq": answers[0], "took": {"seconds": 0.004}},
        {"seq": 5, "took": took(1.0, 0.2)},
    ]
    shown = view_spending(modelled(hidden={"beside": beside}))
    assert shown is not None
    assert [(one["kind"], one["seconds"]) for one in shown["strip"]] == [
        *(("agent", 2.0), ("agent", 1.0), ("tools", 0.004))
    ]
    assert shown["turns"]["2"].startswith(
        "3.0 s, 0 tokens read, 0 written, $0.3000; 1 tool call 4.0 ms"
    )
    assert shown["lines"][-1] == f"Tools: 1 call, 4.0 ms, {len(answers) - 1} calls not measured."
    first = shown["tools"][0]
    assert (first["name"], first["calls"], first["time"]) == (
        "search_flights_by_route",
        1,
        "4.0 ms",
    )
    assert first["dearest"]["said"].endswith("read by 4 later steps")


def test_the_document_of_a_message_holds_what_it_took():
    answers = [n for n, one in enumerate(make_record().messages) if one["role"] == "tool"]
    beside = [{"seq": 1, "took": took(2.0, 0.1)}, {"seq": answers[0], "took": {"seconds": 0.004}}]
    record = modelled(hidden={"beside": beside})
    told = find_turn(record, 2, ()).as_json(record, private=False)["took"]
    (step,) = told["steps"]
    assert (step["party"], step["seconds"], step["dollars"]) == ("agent", 2.0, 0.1)
    first = told["calls"][0]
    assert (first["call"], first["name"], first["seconds"]) == (1, "search_flights_by_route", 0.004)
    assert first["tokens"] > 0 and {one["party"] for one in told["calls"]} == {"agent"}
    opening = find_turn(record, 1, ()).as_json(record, private=False)["took"]
    assert opening == {"steps": [], "calls": []}
    unasked = find_turn(make_record(), 2, ()).as_json(make_record(), private=False)
    assert unasked["took"] is None


def test_what_an_episode_took_is_printed(capsys):
    beside = [{"seq": 1, "took": took(2.0, 0.1)}]
    print_spending(Console(width=200), modelled(hidden={"beside": beside}))
    shown = capsys.readouterr().out
    assert "What it took" in shown and "Agent: 1 step, 1 model call, 2.0 s" in shown
    assert "User: not measured, as it asked no model." in shown
    assert "search_flights_by_route" in shown
    print_spending(Console(width=200), modelled())
    assert "Steps: not measured by the version of crab-graph" in capsys.readouterr().out
    print_spending(Console(width=200), make_record())
    assert "not measured, as no model was asked" in capsys.readouterr().out


def test_labels_in_the_plane_say_what_they_rest_on_and_cover_nothing():
    chart = Chart(
        "plane",
        "tokens",
        "pass@1",
        [
            *(
                Point("", "careful", f"user {n}", str(x), 1.0, 0.6, 1.0, "8 tasks, 16 episodes")
                for n, x in enumerate((130, 175))
            ),
            Point("", "hurried", "generic", "95", 1.0, 0.6, 1.0, "8 tasks, 16 episodes"),
        ],
    )
    for width in (960, 340):
        drawn = draw(chart, width)
        assert drawn.count("n 8") == 3
        found = [
            (
                float(x) - (width_of(said, SMALL) if "end" in rest else 0),
                float(y),
                width_of(said, SMALL),
            )
            for x, y, rest, said in re.findall(
                r'<text x="([\d.]+)" y="([\d.]+)" class="ink small"([^>]*)>([^<]+)', drawn
            )
        ]
        for left, base, wide in found:
            assert left >= 0 and left + wide <= width
            for other, below, across in found:
                apart = left + wide <= other or other + across <= left or abs(base - below) >= SMALL
                assert apart or (left, base) == (other, below)
