"""Each agent that lacks a skill against every dimension of the user, on twenty tasks."""

import json

import pytest

from crab_graph.agents.reference import reference_agent
from crab_graph.cli import main
from crab_graph.domains.generate import generate_benchmark
from crab_graph.eval.verdict import grade
from tests.agents.test_reference import LACKING
from tests.personas.dialogue import talk

CONDITIONS = ("generic", "d1", "d2", "d3", "d4")
TASKS = 20


@pytest.fixture(scope="module", params=["travel", "clinic", "tour"])
def benchmark(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp(request.param) / "bench"
    return generate_benchmark(directory, TASKS, domain=request.param, seed=7, distractors=400)


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["solver", *LACKING])
def test_every_agent_passes_but_where_its_dimension_calls_for_what_it_lacks(benchmark, agent):
    for condition in CONDITIONS:
        passed = 0
        for task in benchmark:
            dialogue = talk(task, reference_agent(agent, task.domain), condition)
            passed += grade(task, dialogue.transcript).passed
        if condition == LACKING.get(agent):
            assert passed <= 0.3 * TASKS, condition
        else:
            assert passed >= (1 if agent == "solver" else 0.95) * TASKS, condition


@pytest.mark.slow
@pytest.mark.parametrize("agent", LACKING)
def test_an_ablation_finds_what_an_agent_lacks(tmp_path, capsys, agent):
    bench = tmp_path / "bench"
    generate_benchmark(bench, TASKS, seed=7, distractors=400)
    settings = ["--agent", agent, "--conditions", ",".join(CONDITIONS)]
    assert main(["ablate", str(bench), *settings, "--out", str(tmp_path / "run"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["costliest"] == LACKING[agent]
    for one in found["conditions"][1:]:
        effect = one["effects"]["pass_at_1"]
        if one["condition"] == LACKING[agent]:
            assert effect["p_holm"] < 0.05
            assert effect["high"] < 0
        else:
            assert effect["p_holm"] > 0.05
