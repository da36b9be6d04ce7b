"""The server of `mock-llm`: reference agents behind real HTTP, or the replies of a file."""

import json
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, convert_to_messages

from crab_graph.agents.reference import REFERENCE_AGENTS, reference_agent
from crab_graph.agents.reference.mock_user import follow_prompt
from crab_graph.errors import UsageError
from crab_graph.models.usage import MOCK_MODEL
from crab_graph.testing.faults import FaultyAnswer
from crab_graph.testing.server import Answer, ScriptedServer


def open_mock_server(
    port: int = 0, scripted: Path | None = None, latency: float = 0.0
) -> ScriptedServer:
    """Return a server that answers without a model; enter it to begin to serve.

    Args:
        port: Port on the loopback; 0 takes a free one.
        scripted: File with replies instead of the reference agents.
        latency: Seconds before each answer.

    Raises:
        UsageError: the port is taken, or the file cannot be read.
    """
    replies = None if scripted is None else read_replies(scripted)

    def delayed(body: dict[str, Any]) -> Answer | FaultyAnswer:
        time.sleep(latency)
        if replies is None:
            return answer_request(body)
        said: int = sum(message["role"] == "assistant" for message in body["messages"])
        return replies[min(said, len(replies) - 1)]

    try:
        return ScriptedServer(
            delayed,
            model=MOCK_MODEL,
            port=port,
            remember=False,
            whole_request=True,
            names=NAMES,
        )
    except OSError as error:
        raise UsageError(f"port {port} cannot be used: {error.strerror}") from None


def read_replies(path: Path) -> list[Answer | FaultyAnswer]:
    """Read a list of replies.

    Each is a text; `{"text", "calls": [{"name", "arguments"}]}`; or a fault, such as
    `{"status": 429, "headers": {"Retry-After": "1"}, "body": {…}, "delay": 0.5}`.

    Raises:
        UsageError: the file is missing or malformed.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path}: not a JSON file: {error}") from None
    if not isinstance(values, list) or not values:
        raise UsageError(f"{path}: must be a JSON list with one reply or more")
    return [_reply(path, place, value) for place, value in enumerate(values)]


def wait_for_interrupt() -> None:
    """Return when the process is interrupted or told to end."""
    over = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: over.set())
    over.wait()


def _reply(path: Path, place: int, value: Any) -> Answer | FaultyAnswer:
    if isinstance(value, str):
        return Answer(value)
    try:
        if not isinstance(value, dict):
            raise TypeError("it is neither a text nor an object")
        if "status" in value or "delay" in value:
            return FaultyAnswer(**value)
        calls = [(call["name"], call["arguments"]) for call in value.pop("calls", [])]
        return Answer(**value, calls=calls)
    except (KeyError, TypeError) as error:
        raise UsageError(f"{path}: reply {place + 1} is malformed: {error}") from None


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
