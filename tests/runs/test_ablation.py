"""What each factor of the user costs, in pairs of episodes that differ in nothing else."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.errors import UsageError
from crab_graph.runs.ablation import PASS, compare_conditions
from crab_graph.runs.run import Run


def episode(task, condition, *, passed=True, trial=0, calls=10, failed=(), outcome=None) -> Any:
    checks = {"D01": "pass", "F-ID": "pass", "C-FULL": "pass"} | dict.fromkeys(failed, "fail")
    return SimpleNamespace(
        task_id=task,
        trial=trial,
        stratum=1,
        condition=condition,
        passed=passed,
        outcome=outcome or ("pass" if passed else "fail"),
        checks=checks,
        metrics={"total_tool_calls": calls},
        persona="none",
        dimensions=() if condition == "generic" else (condition,),
    )


def test_differences_are_per_task_and_say_where_they_show():
    tasks = [f"S1-{n:03d}" for n in range(1, 11)]
    records = [episode(task, "generic") for task in tasks]
    records += [
        episode(task, "d2", passed=n >= 8, failed=() if n >= 8 else ("F-ID",), calls=14)
        for n, task in enumerate(tasks)
    ]
    records += [episode(task, "d3", passed=n > 0, failed=["D01"] if n == 0 else ())
                for n, task in enumerate(tasks)]  # fmt: skip
    found = compare_conditions(records, ["generic", "d2", "d3"])
    effect = found.effects["d2"][PASS]
    assert effect.contrast.difference == pytest.approx(-0.8)
    assert effect.contrast.relative_drop == pytest.approx(0.8)
    low, high = effect.contrast.interval.ends or (0, 0)
    assert low < -0.8 < high < 0
    assert effect.contrast.p <= effect.p_holm < 0.05 and not effect.is_null
    assert found.effects["d3"][PASS].is_null
    assert (found.costliest, found.costs_in("d2")) == ("d2", ["factuality", "efficiency"])
    assert found.effects["d2"]["total_tool_calls"].contrast.difference == pytest.approx(4)


def test_only_episodes_with_a_verdict_on_both_sides_are_paired():
    records = [
        episode("S1-001", "generic"),
        episode("S1-001", "generic", trial=1),
        episode("S1-001", "d2", passed=False),
        episode("S1-001", "d2", passed=False, trial=1, outcome="infra_error"),
    ]
    found = compare_conditions(records, ["generic", "d2"])
    assert found.effects["d2"][PASS].pairs == 1
    assert found.effects["d2"][PASS].contrast.difference == -1


def test_a_dimension_of_a_file_is_a_single_one_and_a_mix_with_a_persona_is_not():
    records = [episode("S1-001", name, passed=name != "d5") for name in ("generic", "d5", "d2")]
    records += [episode("S1-001", "terse+d2", passed=False)]
    records[-1].persona = "terse"
    found = compare_conditions(records, ["generic", "d2", "d5", "terse+d2"])
    assert (found.single, found.costliest) == (("d2", "d5"), "d5")


@pytest.mark.parametrize("conditions", [["generic"], ["generic", "d1"]])
def test_nothing_to_compare_is_refused(conditions):
    with pytest.raises(UsageError):
        compare_conditions([episode("S1-001", "generic")], conditions)


def test_ablate_writes_a_run_that_can_be_resumed_and_reports_it(bench, tmp_path, capsys):
    arguments = ["ablate", str(bench.directory), "--agent", "silent", "--tasks", "S1"]
    arguments += ["--conditions", "generic,d2", "--out", str(tmp_path / "run"), "--json"]
    assert main(arguments) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["reference"], document["costliest"]) == ("generic", None)
    assert [one["condition"] for one in document["conditions"]] == ["generic", "d2"]
    assert main(["resume", str(tmp_path / "run")]) == 0
    capsys.readouterr()
    assert main(arguments[:-1]) == 0
    assert "No single dimension passes less often than generic" in capsys.readouterr().out
    assert main([*arguments[:7], "generic", *arguments[8:]]) == 2


def test_an_ablation_from_python_is_that_of_the_command(bench, tmp_path, capsys):
    found = cg.ablate(bench, "silent", ["generic", "d2"], out=tmp_path / "run", tasks=["S1"])
    arguments = ["ablate", str(bench.directory), "--agent", "silent", "--tasks", "S1"]
    arguments += ["--conditions", "generic,d2", "--out", str(tmp_path / "run"), "--json"]
    assert main(arguments) == 0  # the same run, which is finished
    told = json.loads(capsys.readouterr().out)
    assert {name: told[name] for name in found.as_json()} == json.loads(json.dumps(found.as_json()))
    with pytest.raises(UsageError, match="two conditions or more"):
        cg.ablate(bench, "silent", ["generic"], out=tmp_path / "other")


@pytest.mark.slow
def test_withheld_information_costs_a_hasty_agent_most_and_a_careful_one_nothing(tmp_path):
    tasks = cg.generate_benchmark(tmp_path / "bench", tasks=8, distractors=400, seed=2)
    conditions = ["generic", "d2", "d3", "d4"]
    drops: dict[str, dict[str, float]] = {}
    for agent in ("hasty", "solver"):
        run = cg.run(tasks, agent, conditions, 1, tmp_path / agent)
        found = compare_conditions(run.episodes, conditions)
        drops[agent] = {
            name: -found.effects[name][PASS].contrast.difference for name in conditions[1:]
        }
        assert found.costliest == ("d2" if agent == "hasty" else None)
    assert drops["hasty"]["d2"] > max(drops["hasty"]["d3"], drops["hasty"]["d4"])
    assert set(drops["solver"].values()) == {0.0}


def test_pass_at_1_of_a_run_is_the_mean_over_its_tasks():
    often = [episode("S1-001", "generic", trial=trial) for trial in range(3)]
    once = episode("S1-002", "generic", passed=False)
    lost = episode("S1-003", "generic", outcome="infra_error")
    config: Any = None
    assert Run(Path(), config, [*often, once, lost]).pass_at_1 == 0.5
    assert Run(Path(), config, [lost]).pass_at_1 is None
