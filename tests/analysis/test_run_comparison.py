"""Runs compared task by task: what was fixed, broken, flaky, and which checks moved."""

import json

import pytest

import crab_graph as cg
from crab_graph.analysis.run_comparison import TaskPair
from crab_graph.cli import main
from crab_graph.errors import UsageError
from tests.analysis.runs_on_disk import write_run


@pytest.mark.parametrize(
    ("before", "after", "standing"),
    [
        (("fail",), ("pass", "pass"), "fixed"),
        (("pass",), ("fail", "budget_exhausted"), "broken"),
        (("pass", "fail"), ("pass", "pass"), "flaky"),
        (("fail",), ("fail", "pass"), "flaky"),
        (("pass",), ("pass", "infra_error"), "passed"),
        (("user_fault",), ("fail",), "failed"),
        (("pass",), ("infra_error",), "unknown"),
    ],
)
def test_a_task_stands_as_its_trials_came_out(before, after, standing):
    assert TaskPair("S1-001", before, after).standing == standing


def told(record, condition, task_id, trial=0, passed=True, **changes):
    """An episode that differs from another in all that pairs are told by."""
    checks = {**record.checks, "D19": "pass" if passed else "fail"}
    fields = {
        "episode_id": f"{task_id}.{condition}.{trial}",
        "task_id": task_id,
        "condition": condition,
        "trial": trial,
        "passed": passed,
        "outcome": "pass" if passed else "fail",
        "checks": checks,
        "stamp": {"task": f"hash of {task_id}"},
    }
    return record.model_copy(update={**fields, **changes})


@pytest.fixture
def runs(records, tmp_path):
    """One is as good as the other but for the last two of three tasks, under two users."""
    first, users = records[0], ("generic", "ruse")
    tasks = ("S1-001", "S2-001", "S3-001")
    before = [told(first, user, task, passed=task != "S2-001") for user in users for task in tasks]
    after = [
        told(first, user, task, passed=task != "S3-001", agent="other[b]", agent_is_reference=False)
        for user in users
        for task in tasks
    ]
    settings = {"tasks": tasks, "users": users}
    return [
        write_run(tmp_path / "before", before, **settings),
        write_run(tmp_path / "after", after, agent="other[b]", **settings),
    ]


def test_arms_with_the_same_user_are_compared(runs):
    found = cg.compare(*runs)
    assert [(pair.reference.run, pair.arm.run, pair.arm.user) for pair in found.pairs] == [
        (0, 1, "generic"),
        (0, 1, "ruse"),
    ]
    for pair in found.pairs:
        assert pair.having("fixed") == ["S2-001"]
        assert pair.having("broken") == ["S3-001"]
        assert pair.counts == {
            "fixed": 1, "broken": 1, "flaky": 0, "passed": 1, "failed": 0, "unknown": 0
        }  # fmt: skip
        (check,) = pair.checks
        assert check.check_id == "D19"
        user = pair.arm.user
        assert check.fixed == (f"S2-001.{user}.0",)
        assert check.broken == (f"S3-001.{user}.0",)
        assert pair.differences[0].contrast.difference == 0
    assert found.outcomes["S2-001"] == (("fail",), ("fail",), ("pass",), ("pass",))


def test_the_command_prints_the_same(runs, capsys):
    assert main(["compare", *map(str, runs), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(cg.compare(runs).as_json()))
    assert main(["compare", *map(str, runs), "--only", "broken"]) == 0
    shown = capsys.readouterr().out
    assert "other[b] after solver (reference) with ruse" in shown
    assert "tasks: 1 fixed, 1 broken, 1 passed" in shown
    grid = shown.partition("● passed")[0]
    assert "S3-001" in grid and "S2-001" not in grid


def test_single_arms_are_compared_whatever_their_users(records, tmp_path):
    runs = [
        write_run(tmp_path / user, [told(records[0], user, "S1-001")]) for user in ("generic", "d2")
    ]
    (pair,) = cg.compare(*runs).pairs
    assert pair.title.endswith("with d2 after generic")
    assert (pair.reference.user, pair.arm.user) == ("generic", "d2")


def test_other_draws_leave_the_tasks_comparable_and_no_pairs(records, tmp_path, capsys):
    runs = [
        write_run(tmp_path / f"seed-{seed}", [told(records[0], "ruse", "S1-001", seed=seed)])
        for seed in (0, 1)
    ]
    (pair,) = cg.compare(*runs).pairs
    assert pair.having("passed") == ["S1-001"]
    assert not pair.differences
    assert main(["compare", *map(str, runs)]) == 0
    assert "nothing can be compared in pairs" in capsys.readouterr().out


def test_what_cannot_be_compared_is_refused_in_one_line(runs, records, tmp_path):
    with pytest.raises(UsageError, match="two runs or more"):
        cg.compare(runs[0])
    record = told(records[0], "ruse", "S1-001", stamp={"task": "another"})
    other = write_run(tmp_path / "other", [record, told(record, "d1", "S1-001")])
    with pytest.raises(UsageError, match="before and other share no task"):
        cg.compare(runs[0], other)
    users = [told(records[0], user, "S1-001") for user in ("d1", "d2")]
    with pytest.raises(UsageError, match="share no kind of user"):
        cg.compare(runs[0], write_run(tmp_path / "users", users))
