"""What stands behind `mock-llm`: answers of reference agents and a mock user, as a model's.

Which seat it is asked to take is told by the tools of the request, and which agent by the name of
the model: `mock` is the solver, any reference agent answers to its own name. It shows that the way
to a language model works, and says nothing about language models.
"""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, convert_to_messages

from crab_graph.agents.reference import REFERENCE_AGENTS, reference_agent
from crab_graph.agents.reference.mock_user import follow_prompt
from crab_graph.models.usage import MOCK_MODEL
from crab_graph.testing.completions import Answer
from crab_graph.testing.faults import FaultyAnswer

DEFAULT_AGENT = "solver"
NAMES = ("mock", *REFERENCE_AGENTS)
"""Names that the server answers to."""

_USER_TOOL = "record_payment_approval"
_DRAFT = "The draft of the answer:\n\n"


def answer_request(body: Mapping[str, Any]) -> Answer | FaultyAnswer:
    """Return the answer to one chat-completions request."""
    messages = convert_to_messages(body["messages"])
    names = {tool.get("function", tool).get("name") for tool in body.get("tools") or ()}
    last = str(messages[-1].text) if messages else ""
    if not names and _DRAFT in last:
        return Answer(last.partition(_DRAFT)[2])  # the hybrid engine: a draft, to be worded
    if _USER_TOOL in names:
        return _answer(follow_prompt(messages, ()))
    asked = str(body.get("model", ""))
    name = DEFAULT_AGENT if asked in {"mock", MOCK_MODEL} else asked
    if name not in REFERENCE_AGENTS:
        known = ", ".join(NAMES)
        message = f"no model '{asked}' is served here; there are {known}"
        return FaultyAnswer(404, {"error": {"message": message, "code": "model_not_found"}})
    return _answer(reference_agent(name)(messages, []))


def _answer(said: AIMessage | str) -> Answer:
    if isinstance(said, str):
        return Answer(said)
    calls = [(call["name"], call["args"]) for call in said.tool_calls]
    return Answer(str(said.text), calls)
