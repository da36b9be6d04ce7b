"""Hostile calls lose nothing; and a leak, wherever it is put in, is seen."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from types import SimpleNamespace
from typing import Any

import pytest

from crab_graph import build_graph
from crab_graph.domain import kind as kinds
from crab_graph.domain.stays import Calendar
from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.randomness import derive_rng
from crab_graph.runs.episode import trace_of
from crab_graph.settings import Limits, Toolset
from crab_graph.tools import bookings, platform
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner, ToolCall
from tests.domain.shapes.archive import DOMAIN as ARCHIVE
from tests.domain.shapes.banquet import DOMAIN as BANQUET
from tests.graph.builders import STOP, build_task, scripted
from tests.soak.conservation import Conservation, Leak
from tests.soak.hostile_calls import LENGTH, Call, HostileCaller, hostile_episode
from tests.soak.run import call_tools
from tests.tools.builders import build_world

WORLD = build_world()
"""A hand-made world of travel."""


def calls_of(domain: Any, world: Any, episodes: int) -> Counter[str]:
    steps = (step for seed in range(episodes) for step in hostile_episode(domain, world, seed))
    return Counter("refused" if step.outcome.is_error else str(step.call.name) for step in steps)


@pytest.mark.parametrize("toolset", Toolset)
def test_hostile_calls_lose_nothing(toolset: Toolset) -> None:
    domain = TRAVEL.with_toolset(toolset)
    found = calls_of(domain, WORLD, 8)
    assert found.total() == 8 * LENGTH and found["refused"] < 0.8 * found.total()
    writes = {tool.name for tool in domain.registry().tools("agent") if tool.mutates}  # type: ignore[arg-type]
    assert len(writes & set(found)) >= len(writes) - 2


WRITE_TRANSACTION = bookings.write_transaction


def _dearer(call: Any, prefix: str, table: str) -> str:
    row = call.tables.rows("fares")[0]
    call.update("fares", row["fare_id"], {"price_cents": row["price_cents"] + 1})
    name: str = call.derived_id(prefix, table, 0)
    return name


LEAKS: dict[str, tuple[Any, str, Any]] = {
    "places are not taken": (kinds, "move_stock", lambda *given: None),
    "a refund is forgotten": (
        bookings,
        "write_transaction",
        lambda call, *given: "TX-0" if given[2] == "refund" else WRITE_TRANSACTION(call, *given),
    ),
    "a card has no limit": (platform, "_check_limit", lambda *given: None),
    "days are sold twice": (Calendar, "held", lambda *given, **more: set()),
    "a booking can be charged again": (
        platform,
        "require_booking",
        lambda call, name: {**bookings.require_booking(call, name), "status": "pending"},
    ),
    "a price is changed": (ToolCall, "next_id", _dearer),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_seen(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, instead = LEAKS[leak]
    monkeypatch.setattr(owner, name, instead)
    with pytest.raises(Leak):
        calls_of(TRAVEL.with_toolset(Toolset.EXTENDED), WORLD, 60)


@pytest.mark.slow
def test_fifty_thousand_hostile_calls_lose_nothing_in_any_domain_that_ships(tmp_path) -> None:
    counts, leaks = call_tools(tmp_path, 0, episodes=110)
    assert leaks == [] and counts.total() >= 50_000
    assert {name.split("|")[0] for name in counts} == {TRAVEL.name, CLINIC.name}


@pytest.mark.slow
@pytest.mark.parametrize("domain", [ARCHIVE, BANQUET], ids=lambda one: one.name)
def test_hostile_calls_lose_nothing_in_domains_of_other_shapes(domain, tmp_path, monkeypatch):
    monkeypatch.setattr("crab_graph.domain.contract._REGISTERED", {domain.name: domain})
    bench = generate_benchmark(tmp_path / "bench", 4, domain=domain.name, distractors=60, jobs=1)
    assert calls_of(domain, bench[0].world, 20).total() == 20 * LENGTH


@pytest.mark.slow
def test_calls_made_at_once_lose_nothing() -> None:
    drawn = HostileCaller(TRAVEL, WORLD, derive_rng("at once"))
    start = Ledger.fold(WORLD)
    calls = [one for one in (drawn.draw(start) for _ in range(400)) if is_sayable(one)]

    def agent(messages: Any, tools: Any) -> str:
        by_name = {one.name: one for one in tools}
        with ThreadPoolExecutor(8) as pool:
            for one in calls:
                pool.submit(copy_context().run, by_name[one.name].invoke, one.arguments)
        return "Done."

    domain = SimpleNamespace(registry=TRAVEL.registry, policy=TRAVEL.policy, toolset=TRAVEL.toolset)
    task = build_task()
    task.world, task.domain = WORLD, domain
    graph = build_graph(task, agent, scripted("Hello", STOP), limits=Limits(max_tool_errors=10_000))
    state = graph.invoke({})
    accounts, before = Conservation(TRAVEL, start), start
    trace = trace_of(state)
    for line in trace:
        after = before.extended(line["events"])
        accounts.check(before, after, line["events"])
        before = after
    accounts.check_all(before)
    assert len(trace) > 100 and len(before.events) > 20


def is_sayable(call: Call) -> bool:
    """Tell whether an agent could make a call of LangChain's tools."""
    try:
        json.dumps([call.name, call.arguments], allow_nan=False).encode()
    except (TypeError, ValueError):
        return False
    return call.owner == "agent" and call.name in AGENTS and isinstance(call.arguments, dict)


AGENTS = TRAVEL.registry().names(Owner.AGENT)
