"""Why episodes failed, and users compared: counted, in the terminal and on the page."""

import io

import pytest
from rich.console import Console

from crab_graph.analysis.report.contrasts import contrasts_of
from crab_graph.analysis.report.failures import failure_tables, solution_parts
from crab_graph.analysis.report.page import render_page
from crab_graph.analysis.report.summary import summarise
from crab_graph.analysis.report.terminal import print_episode, print_summary
from crab_graph.analysis.viewer.episode_view import view_episode


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=160, highlight=False)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_failure_modes_are_counted_by_part_with_shares(records):
    failed = records[2].model_copy(update={"failures": ("payment", "id_mismatch", "no_terminal")})
    tables = failure_tables([*records, failed])
    assert tables["concrete"] == {
        "count": 5,
        "modes": {
            "payment": {"count": 3, "share": 0.6},
            "missing_entity": {"count": 2, "share": 0.4},
        },
    }
    assert tables["factuality"]["modes"] == {"id_mismatch": {"count": 1, "share": 1.0}}
    assert tables["completion"]["count"] == 1
    assert failure_tables([])["concrete"] == {"count": 0, "modes": {}}


def test_parts_of_solutions_are_counted_by_what_became_of_them(records):
    parts = solution_parts(records)
    assert (parts["episodes"], parts["never_searched"], parts["passed_over"]) == (2, 2, 2)
    assert parts["by_slot"]["return"]["never_searched"] == 2


def test_the_report_prints_modes_shares_and_parts(console, records):
    print_summary(console, summarise(records))
    text = printed(console)
    assert "Failure modes, concrete (4)" in text and "50%" in text
    assert "seen and passed over" in text
    document = summarise(records).as_json()
    assert document["failures"]["concrete"]["modes"]["payment"] == {"count": 2, "share": 0.5}
    assert document["groups"][1]["solution_parts"]["episodes"] == 2


def test_show_tells_why_in_plain_text(console, records):
    print_episode(console, records[2], why=True)
    text = printed(console)
    assert "outbound: FL-48213 FA-90177, not FL-48220 FA-90200: seen and passed over" in text
    assert "return: nothing, not FL-50001: never found in a search" in text
    assert "booked [b]BK-20931177[/b]" in text and "together: one carrier" in text


def test_show_says_where_there_is_nothing_to_explain(console, records):
    print_episode(console, records[0], why=True)
    print_episode(console, records[2].model_copy(update={"explanation": None}), why=True)
    text = printed(console)
    assert "Why: it passed" in text and "`crab-graph regrade` does that" in text


def test_the_page_counts_parts_and_tells_each_episodes_differences(records):
    assert "never found in a search" in render_page(records, "run")
    lines = ["".join(piece["text"] for piece in line) for line in view_episode(records[2])["why"]]
    assert lines[1] == "return: nothing, not FL-50001 (never found in a search)"
    assert view_episode(records[0])["why"] == []


def paired(records, **changes):
    return [record.model_copy(update=changes) for record in records]


def test_users_are_compared_over_the_tasks_and_trials_they_share(records):
    solver = records[:2]
    ruse = [solver[0].model_copy(update={"condition": "ruse", "passed": False, "outcome": "fail"})]
    d1 = paired(solver, condition="d1")
    (first, second) = contrasts_of([*solver, *ruse, *d1])
    assert (first.reference, first.user, first.tasks) == ("generic", "ruse", 1)
    assert (first.difference, first.relative_drop, first.detectable) == (-1.0, 1.0, None)
    assert (second.user, second.tasks, second.difference, second.p) == ("d1", 2, 0.0, 1.0)
    assert second.is_null and second.detectable == 0.0
    assert first.p_holm == min(1.0, 2 * first.p)
    assert first.p_mcnemar == 1.0


def test_nothing_is_compared_without_shared_pairs_or_scores(records):
    solver = records[:2]
    assert contrasts_of(solver) == []
    assert contrasts_of([*solver, *paired(solver, condition="ruse", seed=1)]) == []
    lost = paired(solver, condition="ruse", outcome="infra_error")
    assert contrasts_of([*solver, *lost]) == []


def test_with_several_trials_a_task_counts_once(records):
    generic = paired(records[:1]) + paired(records[:1], trial=1)
    ruse = paired(generic[:1], condition="ruse") + paired(
        generic[1:], condition="ruse", passed=False, outcome="fail"
    )
    (contrast,) = contrasts_of([*generic, *ruse])
    assert (contrast.tasks, contrast.pairs, contrast.difference) == (1, 2, -0.5)
    assert contrast.p_mcnemar is None


def test_a_null_result_stands_beside_what_could_have_been_found(console, records):
    tasks = [records[0].model_copy(update={"task_id": f"S1-{n:03d}"}) for n in range(12)]
    ruse = paired(tasks, condition="ruse")
    ruse[0] = ruse[0].model_copy(update={"passed": False, "outcome": "fail"})
    print_summary(console, summarise([*tasks, *ruse]))
    text = printed(console)
    assert "ruse after generic" in text and "100% → 92%" in text and "23.3" in text
