"""Faults of the world in benchmarks: drawn, counted, shown, kept in sweeps, and in the policy."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from crab_graph.cli import main
from crab_graph.domain.contract import find_domain
from crab_graph.domains.fault_drawing import lift_spare_card, steady
from crab_graph.domains.fault_words import fault_sentence
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.ladder import LADDER
from crab_graph.domains.sweep import sweep_benchmark
from crab_graph.runs.episode import run_episode
from crab_graph.tools.fault_schedule import FaultKind, WorldFault

MOST_TOKENS = 60_000
BYTES_A_TOKEN = 4
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    path = tmp_path_factory.mktemp("faults") / "bench"
    kinds = ("sold", "limit")
    return generate_benchmark(
        path, tasks=2, strata=(3,), distractors=60, level=(1, 3), fault_kinds=kinds
    )


def test_the_table_of_the_docs_is_the_ladder():
    text = (DOCS / "generation.md").read_text("utf-8")
    (table,) = re.findall(r"^\| level \|.*?(?=\n\n)", text, re.M | re.S)
    head, *rows = table.splitlines()
    names = {"joint wishes": "joint", "faults of the world": "faults", "changes of mind": "changes"}
    names |= {"fees left out of lists": "fees"}
    columns = [names[one.strip()] for one in head.strip("|").split("|")[1:]]
    told = {}
    for row in rows[1:]:
        level, *cells = (one.strip() for one in row.strip("|").split("|"))
        amounts = {
            name: 0 if cell == "–" else int(cell) for name, cell in zip(columns, cells, strict=True)
        }
        told[int(level[0])] = amounts
    assert told == {level: dict(own) for level, own in LADDER.items()}


def test_the_docs_name_every_kind_of_fault():
    text = (DOCS / "generation.md").read_text("utf-8")
    assert [one for one in FaultKind if f"| `{one}` |" not in text] == []


def test_the_list_says_what_the_ladder_adds(tmp_path, capsys):
    changed = generate_benchmark(tmp_path / "b", tasks=1, strata=(1,), distractors=60, level=(4,))
    assert main(["tasks", str(changed.directory), "--json"]) == 0
    (item,) = json.loads(capsys.readouterr().out)
    assert len(item["faults"]) == len(item["changes"]) == 1
    assert main(["tasks", str(changed.directory)]) == 0
    told = capsys.readouterr().out
    assert "change of mind" in told and item["changes"][0] in told


def test_levels_take_turns_and_ids_stay(bench):
    assert [(task.id, task.level) for task in bench] == [("S3-001", 1), ("S3-002", 3)]


def test_what_is_left_after_each_fault_is_counted_three_ways(bench):
    for task in bench:
        kinds = {one.kind for one in task.spec.certificate.recoveries}
        assert kinds == {str(one.kind) for one in task.spec.faults}
        assert all(one.ok for one in task.spec.certificate.recoveries)


def test_faults_are_shown_where_there_are_any(bench, capsys):
    faulty, plain = str(bench[1].spec.faults[0].kind), bench[0]
    assert main(["tasks", str(bench.directory)]) == 0
    assert faulty in capsys.readouterr().out
    assert main(["tasks", str(bench.directory), "--json"]) == 0
    told = [one["faults"] for one in json.loads(capsys.readouterr().out)]
    assert told == [[], [faulty]]
    assert main(["task", str(bench.directory), bench[1].id, "--json"]) == 0
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert fault["kind"] == faulty and fault["solutions_left"] >= 1 and fault["says"]
    assert main(["task", str(bench.directory), bench[1].id]) == 0
    assert "solutions left" in capsys.readouterr().out
    assert main(["task", str(bench.directory), plain.id]) == 0
    assert "solutions left" not in capsys.readouterr().out


def test_certify_counts_what_is_left_again(bench, capsys):
    assert main(["certify", str(bench.directory)]) == 0
    assert "left after" in capsys.readouterr().out
    assert main(["certify", str(bench.directory), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["tasks"]
    assert "recoveries" not in first and second["recoveries"] and second["ok"]


def test_the_policy_says_what_to_do_in_tasks_with_faults_alone(bench):
    plain, faulty = bench.domain.policy(bench[1].today), bench[1].policy
    assert bench[0].policy == bench.domain.policy(bench[0].today)
    assert "sold to somebody else" not in plain
    for code in ("sold_out", "price_expired", "declined", "timed_out", "unconfirmed"):
        assert f"`{code}`" in faulty
    assert "`get_flight_booking_details`" in faulty
    more = [line for line in faulty.splitlines() if line not in plain.splitlines()]
    assert more[0] == "## When something goes wrong" and len(more) == 8


def test_a_domain_without_a_tool_that_shows_bookings_says_nothing_of_it():
    policy = find_domain("clinic").policy("2027-01-01", True)
    assert "`declined`" in policy and "`unconfirmed`" not in policy and "slip" not in policy


@pytest.mark.slow
def test_of_several_faults_one_is_told_by_no_tool(tmp_path):
    made = generate_benchmark(tmp_path / "b", tasks=4, strata=(2,), distractors=60, level=(3, 5))
    assert {task.level for task in made} == {3, 5}
    for task in made:
        kinds = [one.kind for one in task.spec.faults]
        assert len(kinds) == LADDER[task.level].faults
        assert kinds.count(FaultKind.MISENTERED) == (task.level == 5)
    wanted: dict[str, Any] = {"tasks": 1, "strata": (1,), "distractors": 60, "faults": True}
    asked = generate_benchmark(tmp_path / "a", **wanted, fault_kinds=("misentered",))
    assert [one.kind for one in asked[0].spec.faults] == ["misentered"]


@pytest.mark.parametrize("name", ["tour", "clinic"])
def test_a_domain_whose_bookings_cannot_be_looked_up_has_no_slips(tmp_path, name):
    wanted: dict[str, Any] = {"tasks": 1, "strata": (1,), "distractors": 60, "faults": True}
    made = generate_benchmark(tmp_path / "b", domain=name, **wanted, fault_kinds=("misentered",))
    assert made[0].spec.faults == ()


@pytest.mark.slow
def test_a_sweep_keeps_faults_and_level(bench, tmp_path):
    source = bench[1]
    sweep = sweep_benchmark(
        bench, tmp_path / "s", vary="distractors", values=(0, 40), tasks=[source.id]
    )
    for one in sweep.benchmarks.values():
        (task,) = one
        assert (task.level, task.spec.difficulty) == (3, source.spec.difficulty)
        assert task.spec.faults == source.spec.faults
        assert task.spec.certificate.recoveries and task.spec.certificate.ok


@pytest.mark.slow
def test_a_task_of_level_five_costs_the_solver_no_more_tokens_than_it_may(tmp_path):
    made = generate_benchmark(tmp_path / "b", tasks=8, level=(5,), seed=21)
    for task in made:
        record = run_episode(task, "solver", "ruse")
        results = [one for one in record.messages if one["role"] == "tool"]
        shown = sum(len(str(one["content"])) for one in results if one["owner"] == "agent")
        assert record.strict["passed"] and shown <= MOST_TOKENS * BYTES_A_TOKEN, task.id


def test_where_no_price_may_rise_what_a_card_bears_stays():
    quote = WorldFault(kind=FaultKind.QUOTE, of="room", cents=900)
    limit = WorldFault(kind=FaultKind.LIMIT, cents=50_000)
    assert [one.cents for one in steady((quote, limit))] == [0, 50_000]


def test_a_limit_for_a_day_leaves_a_card_that_bears_all():
    cards = [{"card_id": f"CD-{at}", "limit_cents": 100 * at} for at in (1, 2, 9)]
    lift_spare_card(cards, [WorldFault(kind="declined")])
    assert [one["limit_cents"] for one in cards] == [100, 200, 900]
    lift_spare_card(cards, [WorldFault(kind="limit", cents=500)])
    assert [one["limit_cents"] for one in cards] == [100, 900, 900]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (WorldFault(kind="timeout", nth=2), "the 2nd search times out"),
        (WorldFault(kind="quote", of="flight", nth=1, cents=310), "costs $3.10 more a unit"),
        (WorldFault(kind="quote", of="flight"), "expires, and stays"),
        (WorldFault(kind="declined", nth=11), "at the 11th charge"),
        (WorldFault(kind="limit", cents=500_00), "more than $500.00 bears no more"),
        (WorldFault(kind="unconfirmed", of="flight", nth=3), "the 3rd flight booking"),
        (
            WorldFault(kind="misentered", of="flight", nth=2),
            "2nd flight booking is stored with",
        ),
        (WorldFault(kind="sold", offers=("FA-1", "FA-2")), "the first of 2 offers"),
    ],
)
def test_a_fault_in_words(fault, words):
    assert words in fault_sentence(fault)
