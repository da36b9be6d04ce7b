"""The report's tables and figures: who is counted in what, and what stands beside a number."""

import io
import json
import re
from typing import Any

import pytest
from rich.console import Console

from crab_graph.analysis.report import measures
from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.exhibit import Cell, Exhibit, Report
from crab_graph.analysis.report.rendering import as_markdown, print_report
from crab_graph.analysis.report.study import StudiedRun, make_study, study_records
from crab_graph.domains.benchmark import SweepMember
from crab_graph.runs.pivot import Pivot, PivotTurn


def changed(records, **changes):
    return [record.model_copy(update=changes) for record in records]


def failed(record, **changes):
    return record.model_copy(update={"passed": False, "outcome": "fail", **changes})


def exhibit(report: Report, id: str) -> Exhibit:
    return next(one for one in report.exhibits if one.id == id)


def rows(report: Report, id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = exhibit(report, id).as_json()["rows"]
    return found


@pytest.fixture
def dozen(records):
    """An agent on twelve tasks with two users and two trials; the second user costs one task."""
    tasks = [
        records[0].model_copy(
            update={
                "task_id": f"S{1 + n % 4}-{n:03d}",
                "stratum": 1 + n % 4,
                "trial": trial,
                "axes": {"date_mode": ("fixed", "flexible")[n % 2], "party": 1},
            }
        )
        for n in range(12)
        for trial in range(2)
    ]
    ruse = [
        record.model_copy(
            update={"condition": "ruse", "persona": ("terse", "neutral", "impatient")[n % 3]}
        )
        for n, record in enumerate(tasks)
    ]
    ruse[0] = failed(ruse[0])
    return [*tasks, *ruse]


def test_every_rate_comes_with_interval_and_the_five_counts(dozen):
    generic, ruse = rows(make_report(study_records(dozen)), "table-2")
    assert generic["pass_at_1"] == {
        "value": 1.0,
        "low": pytest.approx(0.025 ** (1 / 12)),  # all of 12 tasks, whose spread is not known
        "high": 1.0,
        "tasks": 12,
        "episodes": 24,
        "method": "exact",
        "note": None,
    }
    assert ruse["pass_at_1"]["value"] == pytest.approx(23 / 24)
    assert ruse["pass_at_1"]["low"] < ruse["pass_at_1"]["value"] < ruse["pass_at_1"]["high"] < 1
    assert (ruse["tasks"], ruse["episodes"]) == (12, 24)
    counts = ("pass", "fail", "budget_exhausted", "user_fault", "infra_error")
    assert [ruse[name] for name in counts] == [23, 1, 0, 0, 0]


def test_what_passes_without_the_users_faults_is_noted_where_there_are_any(dozen):
    misled = {"outcome": "user_fault", "fault": "user"}
    faulty = [one.model_copy(update=misled) if not one.passed else one for one in dozen]
    (table,) = [one for one in make_report(study_records(faulty)).exhibits if one.id == "table-2"]
    told = [note for note in table.notes if "without user faults" in note]
    assert ["12 tasks, 23 episodes" in note for note in told] == [True]
    (table,) = [one for one in make_report(study_records(dozen)).exhibits if one.id == "table-2"]
    assert not any("user faults" in note for note in table.notes)


def test_levels_and_kinds_of_difficulty_have_rates_of_their_own(dozen):
    kinds = {1: (), 3: ("faults",), 5: ("changes", "faults")}
    laddered = [
        one.model_copy(update={"level": level, "difficulties": kinds[level]})
        for n, one in enumerate(dozen)
        for level in [(1, 3, 5)[n // 2 % 3]]
    ]
    report = make_report(study_records(laddered))
    _, ruse = rows(report, "levels")
    assert [ruse[level]["tasks"] for level in ("1", "3", "5")] == [4, 4, 4]
    assert [ruse[level]["value"] < 1 for level in ("1", "3", "5")] == [True, False, False]
    _, ruse = rows(report, "difficulties")
    assert [ruse[kind]["tasks"] for kind in ("none", "changes", "faults")] == [4, 4, 8]
    assert not {"levels", "difficulties"} & {
        one.id for one in make_report(study_records(dozen)).exhibits
    }


def test_an_episode_without_a_verdict_is_counted_and_not_rated(dozen):
    lost = dozen[0].model_copy(update={"outcome": "infra_error", "passed": False, "trial": 2})
    report = make_report(study_records([*dozen, lost]))
    generic = rows(report, "table-2")[0]
    assert (generic["infra_error"], generic["pass_at_1"]["value"]) == (1, 1.0)


def test_a_run_with_much_infrastructure_failure_or_missing_episodes_is_called_incomplete(dozen):
    lost = changed(dozen[:4], outcome="infra_error", passed=False)
    broken = StudiedRun("broken", len(dozen), (*lost, *dozen[4:]))
    begun = StudiedRun("begun", len(dozen), tuple(dozen[:5]))
    labels = make_report(make_study([broken, begun])).labels
    assert "broken is incomplete: 4 of 48 episodes broke down and have no verdict." in labels
    assert "begun is incomplete: 5 of 48 episodes have ended." in labels


def test_users_are_compared_in_pairs_beside_what_could_have_been_found(dozen):
    found = rows(make_report(study_records(dozen)), "table-2-users")
    one = found[0]
    assert (one["measure"], one["tasks"], one["pairs"]) == ("pass@1", 12, 24)
    assert one["difference"]["value"] == pytest.approx(-1 / 24)
    assert one["difference"]["is_null"]
    assert one["relative_drop"] == pytest.approx(1 / 24)
    assert one["detectable"] == pytest.approx(2.8 * (0.5 / 12**0.5) / 12**0.5, rel=1e-6)


def test_p_is_adjusted_within_an_agents_users(dozen):
    d1 = changed([one for one in dozen if one.condition == "ruse"], condition="d1")
    found = rows(make_report(study_records([*dozen, *d1])), "table-2-users")
    ruse, other = (one for one in found if one["measure"] == "pass@1")
    assert ruse["p"]["holm"] == min(1.0, 2 * ruse["p"]["p"])
    assert other["p"]["mcnemar"] is None  # two trials of each task


def test_nothing_is_compared_that_shares_no_task_trial_and_seed(dozen):
    elsewhere = [
        record.model_copy(update={"seed": 1}) if record.condition == "ruse" else record
        for record in dozen
    ]
    ids = [one.id for one in make_report(study_records(elsewhere)).exhibits]
    assert "table-2-users" not in ids
    half = [*changed(dozen[:24], stamp={"task": "a"}), *changed(dozen[24:], stamp={"task": "b"})]
    assert "table-2-users" not in [one.id for one in make_report(study_records(half)).exhibits]


def test_runs_stand_side_by_side_and_agents_are_compared(dozen):
    worse = [failed(record, agent="other") for record in dozen[:24]]
    runs = [StudiedRun("one", 48, tuple(dozen)), StudiedRun("two", 24, tuple(worse))]
    report = make_report(make_study(runs))
    assert [row["agent"] for row in rows(report, "table-2")] == ["solver", "solver", "other"]
    (one,) = (row for row in rows(report, "agents") if row["measure"] == "pass@1")
    assert one["difference"]["value"] == -1.0
    assert one["p"]["holm"] < 0.05


def test_the_same_agent_in_two_runs_is_told_apart_and_never_pooled(dozen):
    runs = [
        StudiedRun("before", 24, tuple(dozen[:24])),
        StudiedRun("after", 24, tuple(failed(one) for one in dozen[:24])),
    ]
    report = make_report(make_study(runs))
    found = [(row["agent"], row["pass_at_1"]["value"]) for row in rows(report, "table-2")]
    assert found == [("solver in before", 1.0), ("solver in after", 0.0)]
    links = [row[3].where["run"] for row in exhibit(report, "table-2").rows if row[3].where]
    assert links == ["0", "1"]


def test_strata_dates_and_personas_have_their_figures(dozen):
    report = make_report(study_records(dozen))
    generic, _ = rows(report, "figure-4")
    assert list(generic) == ["agent", "user", "S1", "S2", "S3", "S4"]
    assert (generic["S1"]["tasks"], generic["S1"]["episodes"]) == (3, 6)
    assert rows(report, "figure-5")[1]["fixed"]["value"] == pytest.approx(11 / 12)
    personas = {row["persona"]: row for row in rows(report, "figure-6")}
    assert personas["terse"]["episodes"] == 8
    assert personas["terse"]["pass_at_1"]["value"] < 1
    chart = exhibit(report, "figure-6").chart
    assert chart is not None
    assert chart.counts == {"redundant calls", "cancellations", "admitted errors"}
    assert {point.panel for point in chart.points} >= {"pass@1", "factuality"}


def test_three_users_make_the_ablations_figure(dozen):
    d1 = changed([one for one in dozen if one.condition == "ruse"], condition="d1")
    report = make_report(study_records([*dozen, *d1]))
    assert [row["user"] for row in rows(report, "figure-7")] == ["generic", "ruse", "d1"]
    assert "figure-7" not in [one.id for one in make_report(study_records(dozen)).exhibits]


def test_reliability_goes_as_far_as_every_task_has_trials(dozen):
    report = make_report(study_records(dozen))
    kinds = {(row["user"], row["kind"]): row for row in rows(report, "figure-9")}
    assert list(kinds["ruse", "pass^k"])[-2:] == ["k1", "k2"]
    assert kinds["ruse", "pass^k"]["k2"]["value"] == pytest.approx(11 / 12)
    assert kinds["ruse", "pass@k"]["k2"]["value"] == 1.0
    single = [record for record in dozen if record.trial == 0]
    assert "figure-9" not in [one.id for one in make_report(study_records(single)).exhibits]


def test_failure_modes_have_counts_shares_and_intervals(records):
    more = failed(records[2], failures=("payment", "id_mismatch", "no_terminal"), task_id="S1-009")
    report = make_report(study_records([*records, more]))
    first = rows(report, "table-4")[0]
    assert (first["mode"], first["count"], first["share"]) == ("payment", 3, 0.6)
    assert first["of_episodes"]["value"] == pytest.approx(2 / 3)
    assert [row["part"] for row in rows(report, "table-5")] == ["factuality", "completion"]
    assert rows(report, "checks")[0]["check"] == "D02"
    parts = rows(report, "solution-parts")[0]
    assert (parts["episodes"], parts["never_searched"], parts["passed_over"]) == (3, 3, 3)


@pytest.mark.parametrize(
    ("vary", "name"), [("distractors", "S1-{:03d}"), ("solutions", "S{value}-{:03d}")]
)
def test_a_sweep_is_compared_along_its_families(dozen, vary, name):
    runs = []
    for place, value in enumerate((1, 2, 3)):
        records = tuple(
            (failed if place and n < 6 else type(one).model_copy)(one).model_copy(
                update={
                    "task_id": name.format(n, value=value),
                    "stratum": value if vary == "solutions" else 1,
                    "trial": 0,
                }
            )
            for n, one in enumerate(dozen[:12])
        )
        member = SweepMember(vary=vary, value=value, values=(1, 2, 3), source="x", tasks=("a",))
        runs.append(StudiedRun(f"{vary}-{value}", 12, records, sweep=member))
    report = make_report(make_study(runs))
    found = rows(report, f"sweep-{vary}")
    assert [(row["value"], row["pass_at_1"]["value"]) for row in found] == [
        (1, 1.0),
        (2, 0.5),
        (3, 0.5),
    ]
    compared = rows(report, f"sweep-{vary}-compared")
    assert [row["value"] for row in compared if row["measure"] == "pass@1"] == [2, 3]
    assert compared[0]["difference"]["value"] == -0.5
    assert compared[0]["tasks"] == 12


def test_forked_episodes_have_the_curve_of_their_chances(dozen):
    chances = ((0, None, 0.5), (1, "user", 0.5), (2, "assistant", 0.0))
    turns = tuple(
        PivotTurn(turn=turn, role=role, text="so", passed=0, n=4, rate=rate, low=0.0, high=0.8)
        for turn, role, rate in chances
    )
    pivot = Pivot(
        episode_id="S1-001.ruse.0",
        agent="solver",
        agent_is_reference=True,
        outcome="fail",
        passed=False,
        trials=4,
        turns=turns,
        decisive=2,
        is_clear=False,
        without_verdict=0,
    )
    report = make_report(make_study([StudiedRun("one", 48, tuple(dozen), pivots=(pivot,))]))
    assert [(row["turn"], row["rate"]["value"]) for row in rows(report, "pivots")] == [
        (0, 0.5),
        (1, 0.5),
        (2, 0.0),
    ]
    chart = exhibit(report, "pivots").chart
    assert chart is not None
    assert [point.x for point in chart.points] == ["0", "1", "2"]


def test_active_edges_come_from_the_benchmark(dozen):
    edges = {one.task_id: 2 + one.stratum % 2 for one in dozen}
    run = StudiedRun("one", 48, tuple(dozen), active_edges=edges)
    report = make_report(make_study([run]))
    assert list(rows(report, "edges")[0])[2:] == ["2", "3"]
    assert "fixed (3.0 edges)" in rows(report, "figure-5")[0]


def test_what_no_model_stands_behind_is_said_wherever_results_appear(dozen):
    report = make_report(study_records(dozen))
    assert any("follow fixed rules" in label for label in report.labels)
    assert any("rule-based simulator" in label for label in report.labels)
    assert "solver (reference) passes" in report.findings[0]
    for one in report.exhibits:
        if one.columns[0].key == "agent":
            assert all(row[0].tag == "reference" for row in one.rows), one.id
        if one.chart is not None:
            told = [point.group + point.member for point in one.chart.points]
            assert all("(reference)" in who for who in told), one.id


def test_a_report_reads_the_same_in_terminal_markdown_and_json(dozen):
    report = make_report(study_records(dozen), "title")
    console = Console(file=io.StringIO(), width=160, highlight=False)
    print_report(console, report)
    assert isinstance(console.file, io.StringIO)
    screen, text = console.file.getvalue(), as_markdown(report)
    document = json.loads(json.dumps(report.as_json()))
    for one, written in zip(report.exhibits, document["exhibits"], strict=True):
        assert one.title in screen
        assert f"## {one.title}" in text
        assert len(written["rows"]) == len(one.rows)
    assert "**96% (67–100)**" in text
    assert "96% (67–100)" in screen


def test_a_narrow_terminal_continues_a_table_below(dozen):
    console = Console(file=io.StringIO(), width=70, highlight=False)
    print_report(console, make_report(study_records(dozen)))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 70
    assert sum("agent" in line and "user" in line for line in lines) > 10


def test_markdown_is_not_steered_by_names(dozen):
    named = changed(dozen[:24], agent="x|y`](http://evil)<b>\n# no", agent_is_reference=False)
    text = as_markdown(make_report(study_records(named)))
    assert "\n# no" not in text
    assert "<b>" not in text.replace("\\<b", "")
    widths = {line.count("|") - line.count("\\|") for line in text.splitlines() if "evil" in line}
    assert widths - {0}


def test_mean_over_tasks_keeps_trials_together(records):
    often = [records[0].model_copy(update={"trial": n}) for n in range(9)]
    rare = failed(records[0], task_id="S1-002")
    (found,) = measures.estimate([*often, rare], [measures.PASS])
    assert (found.value, found.tasks, found.episodes) == (0.5, 2, 10)


def says_its_basis(one: Exhibit, cell: Cell) -> bool:
    """Whether the cell of an estimate, its row or its column says what it is of, in both counts."""
    in_row = {"tasks", "episodes"} <= {column.key for column in one.columns}
    in_head = any(
        re.search(r"of [\d,]+ tasks?, [\d,]+ episodes?", head.title) for head in one.columns
    )
    in_cell = re.search(r" [\d,]+ tasks?, [\d,]+ episodes?$", cell.note)
    return in_row or in_head or in_cell is not None


def test_every_rate_names_its_tasks_and_its_episodes_and_nothing_calls_either_n(dozen):
    lost = failed(dozen[0], task_id="S1-100", condition="d1", outcome="infra_error")
    bad = failed(dozen[1], failures=("payment",), primary_failure="payment", condition="d2")
    records = [*dozen, *changed(dozen[-2:], condition="d1"), lost, bad]
    report = make_report(study_records(records))
    for one in report.exhibits:
        assert not any(re.search(r"\bn ?=|\bn counts", text) for text in (one.caption, *one.notes))
        assert "n" not in {column.title for column in one.columns}
        cells = [cell for row in one.rows for cell in row if isinstance(cell.value, dict)]
        for cell in cells:
            if "episodes" in cell.value and cell.text != "–":
                assert says_its_basis(one, cell), (one.id, cell.plain)
        for point in one.chart.points if one.chart is not None else ():
            assert re.fullmatch(r"[\d,]+ tasks?, [\d,]+ (episodes?|pairs?)", point.n)
    assert all(re.search(r"\d tasks?, \d", one) for one in report.findings if "%" in one)
    (alone,) = [row for row in rows(report, "table-2") if row["user"] == "d1"]
    assert (alone["tasks"], alone["episodes"]) == (1, 2)
    assert alone["pass_at_1"]["low"] is None
    assert alone["pass_at_1"]["note"] == "no interval below 2 tasks"
    assert "(–): no interval below 2 tasks." in exhibit(report, "table-2").notes
    assert rows(report, "table-4")
