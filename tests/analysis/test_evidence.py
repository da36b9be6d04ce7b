"""The grading half of the evidence: it holds on a sound benchmark, and sees what is unsound."""

import pytest

import crab_graph.domain as cd
from crab_graph.analysis.audit import evidence
from crab_graph.analysis.audit.evidence import QUICK, grading_gates, red_team_gates
from crab_graph.analysis.audit.examination import (
    CONDITIONS,
    Attack,
    Finding,
    Guide,
    Unit,
    UnitKind,
    red_team_of,
)
from crab_graph.analysis.audit.gates import Gate
from crab_graph.analysis.audit.sound_episodes import Listener, find_leaks
from crab_graph.domain.contract import find_domain
from crab_graph.domains.generate import generate_benchmark
from crab_graph.runs.episode import run_episode

TEAM = red_team_of(find_domain("travel"))


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    return generate_benchmark(tmp_path_factory.mktemp("evidence"), 4, seed=7, distractors=150)


@pytest.mark.slow
@pytest.mark.parametrize("domain", ["travel", "clinic", "tour"])
def test_the_quick_evidence_holds_on_a_generated_benchmark(domain, tmp_path):
    benchmark = generate_benchmark(tmp_path, 4, domain=domain, seed=7, distractors=150)
    gates = grading_gates(benchmark, quick=True)
    assert [gate for gate in gates if not gate.ok] == []
    assert len({gate.id for gate in gates}) == len(gates) >= 10
    assert QUICK.mutated is not None


def test_what_reaches_an_agent_beyond_the_open_dialogue_is_a_leak(benchmark):
    task, listener = benchmark[0], Listener(benchmark[0].domain)
    record = run_episode(task, lambda messages, tools: listener(messages, tools), "terse")
    assert list(find_leaks(task, record, listener)) == []
    card = task.world.rows("cards")[0]["card_id"]
    listener.heard[0].append(f"The user pays with {card}.")
    listener.tools.add("get_my_payment_cards")
    leaks = list(find_leaks(task, record, listener))
    assert f"canary {card}" in leaks and "tool get_my_payment_cards" in leaks
    assert any("no delivered turn" in leak for leak in leaks)


def test_every_solution_is_replayed_and_booked_in_a_dialogue_and_every_user_is_met(
    benchmark, monkeypatch
):
    units: list[Unit] = []

    def note(directory, unit):
        units.append(unit)
        return Finding(unit, unit.last - unit.first)

    monkeypatch.setattr(evidence, "examine", note)
    for name in ("privacy_gate", "isolation_gate"):
        monkeypatch.setattr(evidence, name, lambda tasks, conditions: Gate("", 0, None, "", True))
    monkeypatch.setattr(evidence, "determinism_gates", lambda benchmark: [])
    told: list[tuple[int, int]] = []
    grading_gates(benchmark, progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(1, told[-1][1] + 1))
    solutions = {(task.id, n) for task in benchmark for n in range(len(task.solutions))}
    for kind in (UnitKind.REPLAY, UnitKind.DIALOGUE):
        own = [one for one in units if one.kind is kind]
        done = [(one.task_id, n) for one in own for n in range(one.first, one.last)]
        assert sorted(done) == sorted(solutions)
    solved = [one for one in units if one.kind is UnitKind.SOLVE]
    assert {one.task_id for one in solved} == {task.id for task in benchmark}
    assert all(one.last - one.first == len(CONDITIONS) for one in solved)


def test_an_agent_guided_to_a_solution_books_that_one(benchmark):
    task = benchmark[len(benchmark) - 1]
    for solution in task.solutions[:2]:
        record = run_episode(task, Guide(task.domain, solution), "terse")
        rows = [event["row"] for call in record.trace for event in call["events"] if "row" in event]
        booked = {row["entity_id"] for row in rows if "entity_id" in row}
        assert record.passed and booked <= {i for ids in solution.values() for i in ids.values()}
        assert len(booked) == len(solution)


@pytest.mark.parametrize(
    ("attack", "gate"),
    [
        (Attack("rt01", "S1-001", True, False, False), "red team, parity"),
        (Attack("rt16", "S1-001", True, True, False), "red team, strict"),
        (Attack("rt05", "S1-001", True, False, False), "red team, cheapest"),
    ],
)
def test_an_attack_that_succeeds_where_it_must_not_fails_its_gate(attack, gate):
    assert [one.id for one in red_team_gates([attack], TEAM) if not one.ok] == [gate]
    certified = attack._replace(agent="rt05", strict=False, is_certified=True)
    assert all(one.ok for one in red_team_gates([certified], TEAM))


def test_whoever_has_nothing_to_do_wrong_in_a_domain_is_no_attacker():
    topics = ("harps", "hills")
    talk = cd.Offer("talk", "TA", {"topic": cd.Choice(topics), "row": cd.Choice((1, 2, 3))})
    wish = cd.Want("topic", topics, ("talk.topic",), basic=True)
    talks = cd.Declaration(
        name="talks",
        slots=[cd.Slot("talk", talk, "talk")],
        wants=[wish],
        opening="I want to hear about {topic}.",
    )
    free = red_team_of(cd.build(talks))
    assert {"rt07", "rt08", "rt09", "rt10"} == set(TEAM.never) - set(free.never) - {"rt12", "rt14"}
    assert set(free.gap) == {"rt12", "rt14", "rt15", "rt16"}
    solution = Attack("rt06", "S1-001", True, True, True)
    assert all(one.ok for one in red_team_gates([solution], TEAM))
