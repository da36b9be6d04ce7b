"""What steps, messages and tools took is measured where a model was asked, and nowhere else."""

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

import crab_graph as cg
from crab_graph.models.prices import Prices, TokenPrice
from crab_graph.runs.relations import rows_of
from crab_graph.runs.step_costs import tool_costs
from crab_graph.testing import ScriptedServer, tool_call_reply
from tests.graph.builders import scripted

PRICES = Prices(models={"scripted": TokenPrice(input=10, output=20)})
BYE = "That is all. ###STOP###"
CALLS: Any = [("search_hotels_by_city", {"city": "Boston"}), ("get_customer_information", {})]
SCRIPT: Any = [CALLS, "Which hotel?", CALLS[:1], "Goodbye."]
TALK = scripted("A hotel, please.", "Any.", BYE)


@pytest.fixture(scope="module")
def played(bench):
    with ScriptedServer(SCRIPT) as server:
        return cg.run_episode(bench[0], server.spec, TALK, prices=PRICES)


@pytest.fixture(scope="module")
def played_in_place(bench):
    with ScriptedServer(SCRIPT) as server:
        model = ChatOpenAI(model="scripted", base_url=server.address, api_key="none")

        def make(tools):
            return create_agent(model, tools)

        return cg.run_episode(bench[0], make, TALK, prices=PRICES)


@pytest.mark.parametrize("how", ["played", "played_in_place"])
def test_every_call_has_its_time_where_a_model_was_asked(how, request):
    episode = request.getfixturevalue(how)
    calls = rows_of(episode)["tool_calls"]
    assert [one["name"] for one in calls] == [name for name, _ in [*CALLS, CALLS[0]]]
    assert all(0 < one["seconds"] < 5 for one in calls)
    assert not any("took" in one for one in episode.messages)
    hotels = episode.tool_costs["search_hotels_by_city"]
    assert (hotels["calls"], hotels["timed"]) == (2, 2)
    assert hotels["seconds"] == pytest.approx(calls[0]["seconds"] + calls[2]["seconds"])
    assert episode.tool_costs == tool_costs(episode)


@pytest.mark.parametrize("how", ["played", "played_in_place"])
def test_an_answer_costs_its_share_of_what_later_steps_paid_for_reading(how, request):
    episode = request.getfixturevalue(how)
    rows = rows_of(episode)
    calls, steps = rows["tool_calls"], [one for one in rows["steps"] if one["party"] == "agent"]
    for call in calls:
        assert call["reread_dollars"] == pytest.approx(call["reread_tokens"] * 10 / 1_000_000)
    paid = sum(one["dollars"] for one in steps)
    assert 0 < sum(one["reread_dollars"] for one in calls) < paid


def test_without_a_price_nothing_is_said_of_money(bench):
    with ScriptedServer(SCRIPT) as server:
        episode = cg.run_episode(bench[0], server.spec, TALK)
    assert {one["reread_dollars"] for one in rows_of(episode)["tool_calls"]} == {None}
    assert {one["dollars"] for one in episode.tool_costs.values()} == {None}


def test_an_episode_that_asks_no_model_holds_no_clock(bench):
    agent = scripted(*(_called(one) for one in SCRIPT))
    first, second = (cg.run_episode(bench[0], agent, TALK) for _ in range(2))
    assert first == second
    assert first.tool_costs == {}
    assert {one["seconds"] for one in rows_of(first)["tool_calls"]} == {None}


def _called(reply):
    return reply if isinstance(reply, str) else tool_call_reply(*reply)
