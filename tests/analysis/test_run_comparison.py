"""Runs compared task by task: what was fixed, broken, flaky, and which checks moved."""

import json

import pytest

import crab_graph as cg
from crab_graph.analysis.comparison.arm_pairs import TaskPair
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


def test_arms_that_fit_no_screen_are_continued_below_and_no_head_is_cut(records, tmp_path, capsys):
    users = ("generic", "persona", "d1", "d2", "d3", "d4", "ruse")
    directories = []
    for agent in ("solver", "an-agent-with-a-long-name"):
        own = [told(records[0], user, "S1-001", agent=agent) for user in users]
        directories.append(write_run(tmp_path / agent, own, agent=agent))
    assert main(["compare", *map(str, directories)]) == 0
    grid = capsys.readouterr().out.partition("● passed")[0]
    assert "…" not in grid
    assert grid.count("an-agent-with-a-long-name") == len(users)
    assert grid.count("●") == 2 * len(users)
    assert grid.count("S1-001") > 1


def test_the_page_holds_every_trial_of_every_task_and_leads_to_both_dialogues(runs, tmp_path):
    path = tmp_path / "page.html"
    assert main(["compare", *map(str, runs), "--html", str(path)]) == 0
    page = path.read_text()
    assert page.count('class="pip pass" href=') == page.count('class="pip fail" href=') * 2 == 8
    both = '<a class="pip fail" href="#compare/0/S3-001.ruse.0/1/S3-001.ruse.0"'
    assert page.count(both) == 1
    assert '<tr data-standings="broken,broken">' in page
    assert "D19" in page and "other[b] after solver (reference) with ruse" in page
    assert "data-place=" in page


def test_what_an_agent_is_called_is_no_markup_and_small_pages_keep_what_moved(records, tmp_path):
    evil = "<script>hacked()</script>"
    others = [told(records[0], "ruse", f"S1-{n:03}", passed=n > 1, agent=evil) for n in (1, 2, 3)]
    runs = [
        write_run(tmp_path / "a", [told(one, "ruse", one.task_id, agent="b") for one in others]),
        write_run(tmp_path / "b", others, agent=evil),
    ]
    cg.compare(*runs, html=tmp_path / "whole.html")
    page = (tmp_path / "whole.html").read_text()
    assert evil not in page and "&lt;script&gt;hacked()" in page
    weight = (len(page) - 1_000) / 1_000_000  # one dialogue is too much
    cg.compare(*runs, html=tmp_path / "small.html", html_budget=weight)
    small = (tmp_path / "small.html").read_text()
    assert small.count('data" data-place=') < page.count('data" data-place=') == 6
    assert "Within" in small
    assert all(f'data-place="{place}"' in small for place in (0, 3))
    with pytest.raises(UsageError, match="name a file in a directory that exists"):
        cg.compare(*runs, html=tmp_path / "nowhere" / "page.html")


def test_two_dialogues_stand_side_by_side_in_a_terminal(records, tmp_path, capsys):
    first = told(records[0], "ruse", "S1-001")
    said = [*first.messages[:-1], {"role": "user", "content": "No \x1b[31m. ###STOP###"}]
    runs = [
        write_run(tmp_path / "a", [first]),
        write_run(tmp_path / "b", [told(first, "ruse", "S1-001", passed=False, messages=said)]),
    ]
    assert main(["compare", *map(str, runs), "--episode", "S1-001.ruse.0"]) == 0
    shown = capsys.readouterr().out
    assert "The first 4 messages are the same. They part at message 5." in shown
    assert "pass: D19" in shown and "fail: D19" in shown
    (line,) = [line for line in shown.splitlines() if "Thanks. ###STOP###" in line]
    assert line.rstrip().endswith("No �[31m. ###STOP###")
    assert main(["compare", *map(str, runs), "--episode", "S1-001.ruse.1"]) == 2
    assert "unknown episode" in capsys.readouterr().err


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


def test_levels_and_kinds_of_difficulty_are_compared_by_themselves(records, tmp_path):
    ladder = {"S1-001": (1, ()), "S1-002": (3, ("faults",)), "S1-003": (5, ("faults", "joint"))}
    runs = [
        write_run(
            tmp_path / name,
            [
                told(
                    records[0],
                    "generic",
                    task,
                    passed=level < fails_from,
                    level=level,
                    difficulties=kinds,
                )
                for task, (level, kinds) in ladder.items()
            ],
        )
        for name, fails_from in (("before", 9), ("after", 3))
    ]
    (pair,) = cg.compare(*runs).pairs
    found = {part: (one.first, one.second, one.pairs) for part, one in pair.parts}
    assert found == {
        "level 1": (1, 1, 1),
        "level 3": (1, 0, 1),
        "level 5": (1, 0, 1),
        "with faults": (1, 0, 2),
        "with joint": (1, 0, 1),
    }
