"""Limits of episodes and runs, what is counted against them, and what a dry run says."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.errors import UsageError
from crab_graph.models import retrying
from crab_graph.models.prices import Prices, TokenPrice, load_prices
from crab_graph.runs.config import read_config
from crab_graph.runs.execution import Allowance
from crab_graph.runs.record import party_totals
from crab_graph.settings import Limits, RunLimits
from crab_graph.testing import Attempts, ScriptedServer
from crab_graph.testing.faults import server_error, unauthorised

BYE = "That is all. ###STOP###"
ROOT = Path(__file__).resolve().parents[2]
PRICES = Prices(models={"scripted": TokenPrice(input=1000, output=2000)})


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_WAIT_SECONDS", 0.01)


def user(messages, tools):
    del tools
    return BYE if len(messages) > 8 else "A trip, please."


def play(bench, server, **given):
    return cg.run_episode(bench[0], server.spec, user, **given)


def test_tokens_and_cost_end_an_episode_as_its_budget(bench):
    with ScriptedServer(["One moment."]) as server:
        free = play(bench, server)
        one = free.usage["agent"]["scripted"]["input_tokens"] // 4
        tokens = play(bench, server, limits=Limits(max_tokens=2 * one))
        cost = play(bench, server, limits=Limits(max_cost=2.0 * one / 1000), prices=PRICES)
    assert (free.outcome, free.cost) == ("fail", {"agent": None})
    assert (tokens.outcome, tokens.termination) == ("budget_exhausted", "max_tokens")
    assert (cost.outcome, cost.termination) == ("budget_exhausted", "max_cost")
    assert free.usage["agent"]["scripted"]["calls"] > tokens.usage["agent"]["scripted"]["calls"]
    spent = cost.usage["agent"]["scripted"]
    expected = (spent["input_tokens"] * 1000 + spent["output_tokens"] * 2000) / 1_000_000
    assert cost.cost["agent"] == pytest.approx(expected)


def test_a_limit_on_cost_refuses_what_it_could_not_keep(bench, tmp_path):
    with ScriptedServer(["Where to?"]) as server:
        with pytest.raises(UsageError, match="price"):
            play(bench, server, limits=Limits(max_cost=1))
        with pytest.raises(UsageError, match="`prices=FILE`"):
            cg.run(bench, server.spec, out=tmp_path / "a", limits=Limits(max_cost=1))
        other = Prices(models={"another": TokenPrice(input=1, output=1)})
        with pytest.raises(UsageError, match="needs the price of 'http"):
            cg.run(
                bench,
                server.spec,
                out=tmp_path / "a",
                run_limits=RunLimits(max_cost=1),
                prices=other,
            )
        assert not server.requests[1:]
    assert not (tmp_path / "a").exists()


def test_a_run_stops_at_its_cap_and_goes_on_under_a_higher_one(bench, tmp_path, capsys):
    out = tmp_path / "run"
    (tmp_path / "prices.toml").write_text('[models."scripted"]\ninput = 100\noutput = 100\n')
    with ScriptedServer(["Where to?"]) as server:
        arguments = ["run", str(bench.directory), "--agent", server.spec, "--user", "generic"]
        arguments += ["--out", str(out), "--prices", str(tmp_path / "prices.toml")]
        arguments += ["--run-max-cost", "0.01", "--max-turns", "3", "--json"]
        assert main(arguments) == 1
        stopped = json.loads(capsys.readouterr().out)
        assert (stopped["stopped"], stopped["episodes"]) == ("max_cost", 1)
        assert main(["resume", str(out)]) == 1
        assert "--run-max-cost is reached" in capsys.readouterr().out
        assert main(["resume", str(out), "--run-max-cost", "100", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["stopped"], done["episodes"], done["complete"]) == (None, 4, True)
    whole = done["spending"]["agent"]
    assert whole["cost"] == pytest.approx(100e-6 * (whole["input_tokens"] + whole["output_tokens"]))
    assert read_config(out).run_limits == RunLimits(max_cost=100)


def test_failed_attempts_are_in_the_totals(bench, tmp_path):
    faults = Attempts(server_error(), unauthorised(), server_error(), "I see.")
    script: list[Any] = ["Where to?", faults, "Right."]
    with ScriptedServer(script) as server:
        spec = server.spec + "?max_retries=1"
        run = cg.run(bench, spec, user, 1, tmp_path / "run", tasks=["S1"])
        broken = run[0]
        assert broken.outcome == "infra_error"
        failed = {"server_error": 1, "refused_request": 1}
        assert broken.usage["agent"]["scripted"]["failed"] == failed
        again = cg.run(bench, spec, user, 1, tmp_path / "run", tasks=["S1"])
        requests = len(server.requests)
    done = again[0]
    assert done.outcome != "infra_error" and done.attempts == 2
    assert done.usage["agent"]["scripted"]["failed"] == {"server_error": 2, "refused_request": 1}
    counted, _ = party_totals(again)["agent"]
    assert (counted.calls + counted.failed, counted.failed) == (requests, 3)


def test_seats_are_counted_apart(bench):
    with ScriptedServer(["Where to?"]) as one, ScriptedServer(["A trip.", BYE]) as other:
        episode = cg.run_episode(bench[0], one.spec, "ruse", engine="llm", user_model=other.spec)
    calls = {party: usage["scripted"]["calls"] for party, usage in episode.usage.items()}
    assert calls == {"agent": len(one.requests), "user": len(other.requests)}


def test_each_cap_of_a_run_counts_its_own(bench):
    amounts = {"messages": 10, "turns": 4, "tool_errors": 2, "tokens": 500, "cost": 0.5}
    for name, amount in amounts.items():
        budget = Allowance(cast("Any", RunLimits)(**{f"max_{name}": amount * 2}), {})
        budget.spend("a", amounts)
        assert budget.reached() is None
        assert list(budget.while_open([1, 2])) == [1, 2]
        budget.spend("b", amounts)
        assert budget.reached() == f"max_{name}"
        assert list(budget.while_open([1, 2])) == []
    assert Allowance(RunLimits(max_seconds=1e-9), {}).reached() == "max_seconds"


@pytest.mark.slow
def test_a_dry_run_tells_and_writes_nothing(bench, tmp_path, capsys):
    (tmp_path / "prices.toml").write_text('[models."*"]\ninput = 1\noutput = 1\n')
    before = sorted(tmp_path.rglob("*"))
    with ScriptedServer(["never asked"]) as server:
        arguments = ["run", str(bench.directory), "--agent", server.spec, "--tasks", "S1"]
        arguments += ["--engine", "llm", "--user-model", server.spec, "--trials", "3"]
        arguments += ["--out", str(tmp_path / "run"), "--dry-run"]
        assert main([*arguments, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert main([*arguments, "--prices", str(tmp_path / "prices.toml")]) == 0
        assert not server.requests
    assert (told["planned"], told["to_do"], told["cost"]) == (3, 3, None)
    assert told["seats"]["agent"]["calls"] > 10
    assert told["seats"]["agent"]["input_tokens"] > told["seats"]["user"]["input_tokens"] > 1000
    assert "Together about $" in capsys.readouterr().out
    assert sorted(tmp_path.rglob("*")) == before


def test_a_dry_run_of_the_reference_agent_asks_no_model(bench, tmp_path, capsys):
    arguments = ["run", str(bench.directory), "--agent", "solver", "--dry-run"]
    assert main([*arguments, "--out", str(tmp_path / "run")]) == 0
    assert "No language model would be asked." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[models."a"]\ninput = -1\noutput = 1\n', "models.a.input"),
        ('[models."a"]\ninput = 1\n', "models.a.output"),
        ("models = 3 =", "it is not TOML"),
        (None, "no such file"),
    ],
)
def test_unusable_prices_get_one_line(tmp_path, text, message):
    path = tmp_path / "prices.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=message):
        load_prices(path)


def test_prices_are_found_by_name_spec_answer_and_pattern():
    prices = load_prices(ROOT / "examples" / "prices.toml")
    usage: Any = {"gpt-5-mini": {"input_tokens": 1_000_000, "cached_tokens": 400_000}}
    assert prices.cost(usage).dollars == pytest.approx(0.6 * 0.25 + 0.4 * 0.025)
    assert prices.of("gpt-5-nano") == prices.models["gpt-5-*"]
    assert prices.of("x", "openai:x", "gpt-5-2026-01-01") == prices.models["gpt-5-*"]
    by_spec = Prices(models={"openai:x": TokenPrice(input=1, output=1)})
    assert by_spec.of("x", "openai:x?temperature=0") is not None
    unknown = prices.cost({"else": {"input_tokens": 5}})
    assert (unknown.is_known, unknown.unknown) == (False, ("else",))


@pytest.mark.parametrize("option", ["--max-cost", "--run-max-tokens", "--max-seconds"])
def test_a_limit_out_of_range_is_named(bench, tmp_path, capsys, option):
    arguments = ["run", str(bench.directory), "--agent", "solver", "--out", str(tmp_path / "r")]
    assert main([*arguments, option, "-1"]) == 2
    assert option in capsys.readouterr().err
