"""Agents of other frameworks, by the examples that show them: their calls are run once."""

import gc
import importlib.util
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from crab_graph import build_graph
from crab_graph.graph.state import transcript_of
from crab_graph.testing import Answer, ScriptedServer
from tests.graph.builders import CUSTOMER, STOP, Killed, build_task, killed_once, scripted

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LOOKUP = ("get_customer_information", {"customer_id": CUSTOMER})
WRONG = ("get_customer_information", {"customer_id": "CU-0"})
CHANGE = ("update_customer", {"customer_id": CUSTOMER, "phone": "312-555-0177"})
CONFIG: Any = {"configurable": {"thread_id": "t"}}


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # theirs are not ours to mend
@pytest.mark.parametrize("name", ["openai_agents_sdk", "pydantic_ai_agent"])
def test_calls_work_in_place_and_are_run_once_though_the_turn_is_killed(name, monkeypatch):
    make = example(name)
    script: list[Any] = [
        Answer(calls=[CHANGE]),
        Answer(calls=[WRONG, LOOKUP]),
        Answer(calls=[CHANGE]),
        "Done.",
    ]
    with ScriptedServer([*script, "Bye."]) as server:
        monkeypatch.setenv("EXAMPLE_MODEL_URL", server.spec.partition("#")[0])

        def graph(saver: Any) -> Any:
            return build_graph(build_task(), make, scripted("Hello", "And?", STOP), saver)

        whole = graph(None).invoke({})
        assert whole["status"] == "ended", whole["ending"]
        calls = [call["name"] for x in transcript_of(whole) for call in x.get("tool_calls", ())]
        assert calls == [CHANGE[0], WRONG[0], LOOKUP[0], CHANGE[0]]
        assert (whole["counts"]["tool_errors"], len(whole["events"])) == (1, 2)
        saver = InMemorySaver()
        with monkeypatch.context() as patched:
            killed_once(saver, 3, patched)  # the user's greeting and two outcomes are kept
            with pytest.raises(Killed):
                graph(saver).invoke({}, CONFIG, durability="sync")
        asked = len(server.requests)
        state = graph(saver).invoke(None, CONFIG, durability="sync")
        assert transcript_of(state) == transcript_of(whole)
        assert state["events"] == whole["events"]
        assert len(server.requests) - asked == 5  # their models are asked again
    gc.collect()  # clients that nobody closes complain here, and not in another test
