"""An OpenAI-compatible server without a model: real HTTP on the loopback, replies from a script."""

import json
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

ServerReply = str | Sequence[tuple[str, dict[str, Any]]]
"""A text, or tool calls as `(name, arguments)`."""
ServerScript = Sequence[ServerReply] | Callable[[list[dict[str, Any]]], ServerReply]


class ScriptedServer:
    """A chat-completions endpoint that answers from a script.

    A sequence gives the n-th reply to a request with n assistant messages before it, and then its
    last one; a function is handed the messages. One server serves any number of dialogues.

        with ScriptedServer(["Hello", "Bye. ###STOP###"]) as server:
            cg.run_episode(task, agent, "ruse", engine="llm", user_model=server.spec)

    Attributes:
        requests: The body of every request, in the order of arrival.
        keys: The `Authorization` header of every request.
    """

    def __init__(self, script: ServerScript) -> None:
        self._script = script
        self._lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    @property
    def spec(self) -> str:
        """How a model on this server is named: `http://127.0.0.1:PORT/v1#scripted`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1#scripted"

    def __enter__(self) -> Self:
        """Begin to serve."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Return the response to one request, and remember the request."""
        with self._lock:
            self.requests.append(body)
            self.keys.append(key)
            number = len(self.requests)
        messages = body["messages"]
        if callable(self._script):
            reply = self._script(messages)
        else:
            said = sum(message["role"] == "assistant" for message in messages)
            reply = self._script[min(said, len(self._script) - 1)]
        return _completion(number, str(body.get("model", "scripted")), reply)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self.answer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length))
                sent = json.dumps(answer(body, self.headers.get("Authorization", ""))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, format: str, *args: Any) -> None:
                del format, args

        return Handler


def _completion(number: int, model: str, reply: ServerReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(reply, str):
        message["content"] = reply
    else:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for place, (name, arguments) in enumerate(reply)
        ]
    reason = "stop" if isinstance(reply, str) else "tool_calls"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }
