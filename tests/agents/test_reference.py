"""The reference agents against the rule-based user, graded both ways."""

import re
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from crab_graph.agents.reference import AGENTS, REFERENCE_AGENTS, reference_agent
from crab_graph.domain.contract import find_domain
from crab_graph.domains.generate import generate_benchmark
from crab_graph.errors import UnknownName
from crab_graph.eval.verdict import grade
from tests.personas.dialogue import agent_view, talk

TRAVEL = find_domain("travel")
CONDITIONS = ("generic", "terse", "neutral", "impatient", "ruse", "d1", "d2", "d3", "d4")
QUICK = {"generic", "ruse", "d2"}

LACKING = {"literal": "d1", "hasty": "d2", "credulous": "d3", "stubborn": "d4"}
"""Agents that lack one skill each, with the dimension that calls for it."""


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    return generate_benchmark(tmp_path_factory.mktemp("reference"), 4, seed=3, distractors=400)


@pytest.mark.parametrize(
    "condition",
    [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in CONDITIONS],
)
def test_the_solver_passes_every_task_under_every_user(benchmark, condition):
    number = CONDITIONS.index(condition)
    for task in benchmark if condition == "ruse" else [benchmark[number % 4]]:
        dialogue = talk(task, reference_agent("solver", TRAVEL), condition)
        verdict = grade(task, dialogue.transcript)
        assert verdict.passed, (task.id, verdict.evidence, dialogue.text())
        assert verdict.strict["passed"], (task.id, verdict.strict, dialogue.text())
        assert verdict.metrics["redundant_calls"] == 0
        most = {"fixed": 20, "flexible": 40}[task.axes["date_mode"]]
        assert verdict.metrics["total_tool_calls"] <= most
        assert dialogue.ending == "STOP"


def test_the_solver_looks_for_one_stay_after_the_other_until_all_fits(benchmark):
    for task in benchmark:
        dialogue = talk(task, reference_agent("solver", TRAVEL), "generic")
        searched = [
            [call["name"] for call in message["tool_calls"]].count("search_hotels_by_city")
            for message in dialogue.transcript
            if message.get("tool_calls")
        ]
        departures = {solution["hotel"]["check_in"] for solution in task.solutions}
        assert max(searched) == 1
        assert task.axes["date_mode"] != "fixed" or sum(searched) == len(departures) == 1


def test_the_solver_asks_for_facts_only_while_some_are_missing(benchmark):
    open_user = talk(benchmark[0], reference_agent("solver", TRAVEL), "generic")
    terse_user = talk(benchmark[0], reference_agent("solver", TRAVEL), "terse")
    assert len(open_user.visible) < 12
    assert len(terse_user.visible) > len(open_user.visible)


@pytest.mark.slow
@pytest.mark.parametrize("agent", LACKING)
def test_who_lacks_a_skill_fails_where_it_is_called_for_and_passes_elsewhere(benchmark, agent):
    def passes(condition, tasks):
        dialogues = [talk(task, reference_agent(agent, TRAVEL), condition) for task in tasks]
        return sum(grade(one.task, one.transcript).passed for one in dialogues)

    own = LACKING[agent]
    assert passes(own, list(benchmark)) <= 1
    for number, condition in enumerate(sorted({"generic", "d1", "d2", "d3", "d4"} - {own})):
        assert passes(condition, [benchmark[number]]) == 1, condition


def test_hasty_never_asks_for_a_fact(benchmark):
    for condition in ("generic", "terse", "neutral"):
        dialogue = talk(benchmark[1], reference_agent("hasty", TRAVEL), condition)
        assert not any(
            row["reason"] == "asked" and row["key"] != "payment_card"
            for row in dialogue.user_state["disclosed"]
        )


def test_the_solver_plays_every_wish_back_before_it_proposes_anything(benchmark):
    for task in benchmark:
        dialogue = talk(task, reference_agent("solver", TRAVEL), "generic")
        said = [m["content"] for m in dialogue.visible if m["role"] == "assistant"]
        recaps = [text for text in said if "noted" in text]
        assert len(recaps) == 1
        assert said.index(recaps[0]) < next(i for i, text in enumerate(said) if "FL-" in text)
        told = {fact.key: fact.value for fact in task.facts}
        assert f"nights: {told['nights']} nights" in recaps[0]
        assert told["customer_id"] in recaps[0]
        assert told["traveller_names"][-1] in recaps[0]


def test_the_stubborn_proposes_what_misses_a_wish_twice_and_then_what_meets_all(benchmark):
    dialogue = talk(benchmark[0], reference_agent("stubborn", TRAVEL), "generic")
    said = [m["content"] for m in dialogue.visible if m["role"] == "assistant"]
    first, again, last = (text for text in said if "Trip total" in text)
    assert first == again != last
    assert grade(benchmark[0], dialogue.transcript).passed


def test_the_credulous_plays_nothing_back_and_proposes_by_id_name_and_price_alone(benchmark):
    dialogue = talk(benchmark[0], reference_agent("credulous", TRAVEL), "generic")
    said = [m["content"] for m in dialogue.visible if m["role"] == "assistant"]
    plan = next(text for text in said if "Trip total" in text)
    assert not any("noted" in text for text in said)
    assert re.search(r"^- Outbound flight: FL-\d+, FA-\d+, \$[\d.,]+\.$", plan, re.MULTILINE)
    assert grade(benchmark[0], dialogue.transcript).passed


@pytest.mark.parametrize("name", ["silent", "rt01"])
def test_silence_does_nothing_and_fails(benchmark, name):
    dialogue = talk(benchmark[0], reference_agent(name, TRAVEL), "generic")
    assert dialogue.ending == "STOP"
    assert not any(message.get("owner") == "agent" for message in dialogue.transcript)
    assert not grade(benchmark[0], dialogue.transcript).passed


def test_every_agent_is_a_pure_function_of_its_messages(benchmark):
    dialogue = talk(benchmark[0], reference_agent("solver", TRAVEL), "neutral")
    view = agent_view(dialogue)
    for end in range(2, len(view), 3):
        first, again = (reference_agent("solver", TRAVEL)(view[:end], []) for _ in range(2))
        assert first == again


def test_a_plan_states_ids_names_prices_and_the_total(benchmark):
    dialogue = talk(benchmark[0], reference_agent("solver", TRAVEL), "neutral")
    plan = next(m["content"] for m in dialogue.visible if "Trip total" in m["content"])
    assert len(re.findall(r"FL-\d+", plan)) == 2
    assert re.search(r"\w+ \w+ \w+ \(HT-\d+\)", plan) and re.search(r"\w+ \w+ \(AT-\d+\)", plan)
    wholes = re.findall(r"\$([\d,.]+\d) for", plan)
    (total,) = re.findall(r"Trip total: \$([\d,.]+\d)", plan)
    assert len(wholes) == 4
    assert sum(_cents(amount) for amount in wholes) == _cents(total)


def test_a_trip_that_cannot_be_met_is_apologised_for(benchmark):
    opening = (
        "From {0} to {1}, leaving on {2}, 2 nights, 1 person. Budget $1.00. Nothing else. "
        "CU-10000. Names: Ana Ruiz. Born 1990-04-02."
    )
    request = benchmark[0].request
    text = opening.format(request.origin, request.destination, request.first_day)
    dialogue = talk(benchmark[0], reference_agent("credulous", TRAVEL), "generic", opening=text)
    said = [m["content"] for m in dialogue.visible if m["role"] == "assistant"]
    assert any("human agent" in text for text in said)
    assert dialogue.ending == "TRANSFER"


def test_a_user_who_asks_for_a_person_is_transferred():
    offer = "I am sorry. Would you like me to transfer you to a human agent?"
    messages: list[BaseMessage] = [
        SystemMessage(TRAVEL.policy("2027-01-10")),
        HumanMessage("Help me."),
        AIMessage(offer),
        HumanMessage("Yes please."),
    ]
    answer: Any = reference_agent("solver", TRAVEL)(messages, [])
    assert _calls(answer) == ["transfer_to_human_agents"]


def test_a_declined_charge_leads_to_another_card(benchmark):
    dialogue = talk(benchmark[0], reference_agent("solver", TRAVEL), "generic")
    view = agent_view(dialogue)
    charge = next(i for i, m in enumerate(view) if _calls(m) and "charge" in _calls(m)[0])
    declined = [
        m.model_copy(update={"content": '{"error": "declined", "message": "declined"}'})
        for m in view[charge + 1 : charge + 5]
    ]
    answer: Any = reference_agent("solver", TRAVEL)([*view[: charge + 1], *declined], [])
    assert "another card" in answer and "BK-" in answer
    told = HumanMessage("Card added. Approved. PM-99999999.")
    said = AIMessage(str(answer))
    again: Any = reference_agent("solver", TRAVEL)([*view[: charge + 1], *declined, said, told], [])
    assert _calls(again)
    assert {call["args"]["payment_method_id"] for call in again.tool_calls} == {"PM-99999999"}


def test_unknown_agents_are_refused_and_known_ones_described():
    with pytest.raises(UnknownName):
        reference_agent("sovler", TRAVEL)
    assert all(AGENTS.find(name).__doc__ for name in REFERENCE_AGENTS)


def _cents(amount):
    return round(float(amount.replace(",", "")) * 100)


def _calls(message: Any) -> list[str]:
    return [call["name"] for call in getattr(message, "tool_calls", None) or ()]
