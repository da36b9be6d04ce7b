"""The grading half of the evidence: it holds on a sound benchmark, and sees what is unsound."""

import pytest

from crab_graph.analysis.audit.evidence import QUICK, grading_gates
from crab_graph.analysis.audit.sound_episodes import Listener, find_leaks
from crab_graph.domains.generate import generate_benchmark
from crab_graph.runs.episode import run_episode


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    return generate_benchmark(tmp_path_factory.mktemp("evidence"), 4, seed=7, distractors=150)


@pytest.mark.slow
def test_the_quick_evidence_holds_on_a_generated_benchmark(benchmark):
    gates = grading_gates(benchmark, quick=True)
    assert [gate for gate in gates if not gate.ok] == []
    assert len({gate.id for gate in gates}) == len(gates) >= 10
    assert QUICK.mutated is not None


def test_what_reaches_an_agent_beyond_the_open_dialogue_is_a_leak(benchmark):
    task, listener = benchmark[0], Listener()
    record = run_episode(task, lambda messages, tools: listener(messages, tools), "terse")
    assert list(find_leaks(task, record, listener)) == []
    card = task.world.rows("cards")[0]["card_id"]
    listener.heard[0].append(f"The user pays with {card}.")
    listener.tools.add("get_my_payment_cards")
    leaks = list(find_leaks(task, record, listener))
    assert f"canary {card}" in leaks and "tool get_my_payment_cards" in leaks
    assert any("no delivered turn" in leak for leak in leaks)
