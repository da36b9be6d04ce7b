"""The server of `mock-llm`: reference agents behind real HTTP, or the replies of a file."""

import json
import signal
import threading
import time
from pathlib import Path
from typing import Any

from crab_graph.agents.mock_model import NAMES, answer_request
from crab_graph.errors import UsageError
from crab_graph.models.usage import MOCK_MODEL
from crab_graph.testing.completions import Answer
from crab_graph.testing.faults import FaultyAnswer
from crab_graph.testing.server import ScriptedServer


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
