"""The gates of the generation half of the audit, alone and on small benchmarks."""

import json
import shutil

import duckdb
import numpy as np
import pytest

from crab_graph.analysis.audit.exposure import AS_WISHED, TaskEvidence
from crab_graph.analysis.audit.giveaways import (
    any_shortcut_gates,
    arbitrary_gate,
    area_gate,
    generation_gates,
    leakage_gates,
    model_gates,
    near_miss_gate,
    rate_below,
)
from crab_graph.analysis.audit.learners import Learner, Sample
from crab_graph.analysis.audit.review import MEND_GATES
from crab_graph.cli import main
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.domains.generate import generate_benchmark
from crab_graph.generation.features import Meaning
from tests.editing import accept_rows

ALLOWED = (0.25, 0.75)


def spread(mean, size=40):
    return [mean - 0.1, mean + 0.1] * (size // 2)


def test_a_feature_fails_only_where_its_interval_lies_wholly_outside():
    assert area_gate("a", spread(0.5), ALLOWED).ok
    assert area_gate("a", spread(0.76), ALLOWED).ok
    assert not area_gate("a", spread(0.85), ALLOWED).ok
    assert not area_gate("a", spread(0.1), ALLOWED).ok


def test_too_few_cases_say_so_and_do_not_fail():
    gate = area_gate("a", spread(0.95, size=18), ALLOWED)
    assert gate.ok
    assert gate.note == "18 tasks, too few"
    assert arbitrary_gate("a", [0.9] * 5).ok
    assert rate_below("s", 9, 9, 0.1).ok


def test_what_means_nothing_must_lie_within_three_standard_errors():
    assert arbitrary_gate("a", spread(0.53)).ok
    assert arbitrary_gate("a", [0.5] * 30).ok
    assert not arbitrary_gate("a", spread(0.6)).ok
    assert not arbitrary_gate("a", [0.9] * 30).ok


def test_a_shortcut_fails_where_even_the_lower_end_of_its_rate_is_too_high():
    assert rate_below("s", 4, 25, 0.1).ok
    assert not rate_below("s", 15, 25, 0.2).ok
    assert rate_below("s", 25, 25, None).ok


def test_few_tasks_with_several_seeds_may_be_solved_by_any_shortcut():
    def evidence(number, stratum, *shortcuts):
        return TaskEvidence(f"S{stratum}-{number:03d}", stratum, ("fixed",), shortcuts=shortcuts)

    hard = [evidence(number, 2 + number % 3) for number in range(30)]
    easy = [evidence(number, 3, "rarest") for number in range(30)]
    easy_alone = [evidence(number, 1, "rarest") for number in range(30)]
    (gate,) = any_shortcut_gates([*hard, *easy[:8], *easy_alone])
    assert gate.id == "shortcut.S2-S4.fixed.any" and gate.ok and gate.value == 8 / 38
    assert not any_shortcut_gates([*hard, *easy])[0].ok


def test_every_active_edge_needs_near_misses():
    enough = TaskEvidence("S1-001", 1, ("fixed",), near_misses={"one": 10, "two": 900})
    short = TaskEvidence("S1-002", 1, ("fixed",), near_misses={"one": 9})
    assert near_miss_gate([enough]).ok
    gate = near_miss_gate([enough, short])
    assert not gate.ok
    assert "one of S1-002" in gate.note


def test_how_many_wished_offers_agree_in_several_columns_is_reported_at_its_furthest():
    near, far = (("valid", "visit", f"{name}{AS_WISHED}") for name in ("rows per day", "pairs"))
    alone = ("valid", "visit", f"per house{AS_WISHED}")
    meanings = {near: Meaning.ALIKE, far: Meaning.ALIKE, alone: Meaning.OTHERS}
    areas = {near: 0.3, far: 0.1, alone: 0.1}
    gates = leakage_gates([TaskEvidence("S1-001", 1, areas=areas, meanings=meanings)] * 20)
    names = [f"leak.valid.visit.per house{AS_WISHED}", "alike.valid.visit"]
    assert [(gate.id, gate.ok) for gate in gates] == [(names[0], False), (names[1], True)]
    assert gates[-1].value == pytest.approx(0.1)
    assert gates[-1].note == "20 tasks; pairs"


def test_models_learn_from_other_tasks_and_tell_what_they_look_at():
    pytest.importorskip("sklearn")
    rng = np.random.RandomState(1)
    evidence = []
    for number in range(25):
        rows = rng.random_sample((24, 4))
        rows[0, 1] = 1.0  # the solution stands out by the second feature
        sample = Sample(("one", "two"), rows[:1], rows[1:])
        evidence.append(TaskEvidence(str(number), 1, samples={("all", "visit"): sample}))
    gates = {gate.id: gate for gate in model_gates(evidence)}
    assert gates.keys() == {"model.all.visit", "boosted.all.visit"}
    assert all(gate.ok and gate.value > 0.9 for gate in gates.values())
    assert gates["model.all.visit"].note.startswith("25 tasks; two")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    directory = tmp_path_factory.mktemp("audit") / "bench"
    generate_benchmark(directory, 20, strata=(1,), distractors=120)
    return directory


def audited(directory, capsys):
    status = main(["audit", str(directory), "--json"])
    document = json.loads(capsys.readouterr().out)
    gates = {gate["id"]: gate for gate in document["gates"]}
    return status, document["ok"], gates


@pytest.mark.slow
def test_a_small_honest_benchmark_passes(tmp_path, capsys):
    generate_benchmark(tmp_path / "bench", 1, strata=(1,), distractors=400)
    status, ok, gates = audited(tmp_path / "bench", capsys)
    assert (status, ok) == (0, True)
    assert gates["near_misses"]["value"] >= 10
    assert all(gate.keys() >= {"id", "value", "interval", "gate", "ok"} for gate in gates.values())


@pytest.mark.slow
def test_who_brings_a_domain_is_told_what_to_do_about_every_gate(bench):
    kinds = {gate.id.partition(".")[0] for gate in generation_gates(load_benchmark(bench))}
    assert kinds - {*MEND_GATES} == {"leak", "alike", *Learner}  # but for leaks only reported


@pytest.mark.slow
def test_a_price_digit_that_marks_solutions_is_found(bench, tmp_path, capsys):
    marked = tmp_path / "marked"
    shutil.copytree(bench, marked)
    with duckdb.connect(str(marked / "benchmark.duckdb")) as connection:
        connection.execute(
            "UPDATE fares SET price_cents = price_cents + 7 WHERE (task_id, fare_id) IN "
            "(SELECT (task_id, entity_id) FROM sealed.provenance WHERE origin = 'seed')"
        )
    accept_rows(marked)
    status, ok, gates = audited(marked, capsys)
    assert (status, ok) == (1, False)
    assert not gates["leak.all.outbound.price_cents digit 1"]["ok"]
    assert not gates["leak.all.return.price_cents digit 1"]["ok"]
    assert gates["leak.all.hotel.price_cents digit 1"]["ok"]


def test_a_directory_that_is_no_benchmark_is_refused_in_one_line(tmp_path, capsys):
    assert main(["audit", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
