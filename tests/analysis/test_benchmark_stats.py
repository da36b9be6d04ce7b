"""Table 1 and Figure 8 of a benchmark."""

import json

import pytest

from crab_graph.analysis.benchmark_stats import describe_benchmark
from crab_graph.cli import main
from crab_graph.domains.generate import generate_benchmark


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    path = tmp_path_factory.mktemp("stats") / "bench"
    return generate_benchmark(path, tasks=4, strata=(1, 2), distractors=80)


@pytest.fixture(scope="module")
def stats(bench):
    return describe_benchmark(bench)


def test_table_1_agrees_with_the_tasks(bench, stats):
    assert [column.stratum for column in stats.table] == ["S1", "S2", "all"]
    first, _, whole = stats.table
    assert (first.tasks, whole.tasks, whole.nodes) == (2, 4, 4)
    assert first.solutions.mean == first.solutions.min == first.solutions.max == 1
    assert first.distractor_ratio_percent == pytest.approx(100 / 80)
    assert whole.solutions.max == max(len(task.solutions) for task in bench)
    assert whole.node_distractors + whole.edge_distractors == 80
    assert first.candidates_per_node.mean == 21  # 20 distractors and a seed
    assert first.raw_search_space == 21**4
    flexible = [len(t.spec.active_edges) for t in bench if t.axes["date_mode"] == "flexible"]
    assert whole.active_edges["flexible"] == pytest.approx(sum(flexible) / len(flexible))


def test_the_least_that_a_task_has_is_told(bench, stats):
    specs = [task.spec for task in bench]
    whole = stats.table[-1]
    assert whole.fewest_active_edges == min(len(spec.active_edges) for spec in specs)
    assert whole.fewest_edge_distractors == min(spec.edge_distractors for spec in specs)
    assert whole.fewest_fitting == min(min(spec.fitting.values()) for spec in specs)
    solved = [bool(task.spec.shortcuts) for task in bench if task.axes["date_mode"] == "fixed"]
    assert whole.solved["fixed"]["any"] == sum(solved) / len(solved)
    assert set(whole.solved["fixed"]) == {"cheapest", "rarest", "random first", "any"}


def test_every_task_is_in_each_distribution_once(bench, stats):
    names = [one.property for one in stats.distributions]
    assert names[:3] == ["dates", "party", "budget"]
    assert {"seat position", "hotel stars"} <= set(names)
    assert all(sum(one.counts.values()) == len(bench) for one in stats.distributions)
    parties = [task.axes["party"] for task in bench]
    assert stats.distributions[1].counts == {str(n): parties.count(n) for n in (1, 2, 3, 4)}


def test_the_command_prints_both_forms(bench, stats, capsys):
    assert main(["tasks", str(bench.directory), "--stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(stats.as_json()))
    assert main(["tasks", str(bench.directory), "--stats"]) == 0
    printed = capsys.readouterr().out
    assert "distractor ratio" in printed
    assert "stated by the paper" in printed and "> 500^4" in printed
    assert "party" in printed
    assert "█" in printed


def test_tasks_without_distractors_have_no_ratio(tmp_path):
    bench = generate_benchmark(tmp_path / "b", tasks=1, strata=(1,), distractors=0)
    assert describe_benchmark(bench).table[-1].distractor_ratio_percent is None
    assert main(["tasks", str(bench.directory), "--stats"]) == 0


def test_what_the_paper_states_stands_beside_what_the_benchmark_has(bench, stats):
    _, _, whole = stats.table
    told = {(one.figure, one.stratum, one.group): one for one in stats.paper}
    assert told["tasks", "all", None].paper == 200 and told["tasks", "all", None].here == 4
    assert told["tasks", "S1", None].here == 2
    assert told["tasks", "S4", None].here is None
    active = told["active edges", "all", "flexible"]
    assert (active.paper, active.here) == (5.5, whole.active_edges["flexible"])
    assert told["distractors", "all", "fixed"].here == 80
    assert told["combinations", "S1", None].paper == 500**4
    tools = [told[f"tools of the {who}", "all", None] for who in ("agent", "user")]
    tools += [told[f"categories of the {who}'s tools", "all", None] for who in ("agent", "user")]
    assert [(one.paper, one.here) for one in tools] == [(19, 19), (7, 7), (5, 5), (6, 6)]
    assert told["days of the window", "all", "flexible"].here == 5
    assert all(one.said and one.where for one in stats.paper)


def test_a_domain_of_no_paper_shows_none(tmp_path, capsys):
    path = tmp_path / "b"
    generate_benchmark(path, domain="clinic", tasks=1, strata=(1,), distractors=40)
    assert main(["tasks", str(path), "--stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["paper"] == []
    assert main(["tasks", str(path), "--stats"]) == 0
    assert "stated by the paper" not in capsys.readouterr().out
