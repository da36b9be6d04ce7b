"""An OpenAI-compatible server without a model: real HTTP on the loopback, replies from a script.

Answers are sent whole or, where a client asks to stream, in pieces.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Self

from crab_graph.schema import canonical_json
from crab_graph.testing.faults import Attempts, FaultyAnswer, filled_in

CHARACTERS_PER_TOKEN = 4
"""How tokens are counted without a tokenizer: about right for English text."""

_PIECE = 24


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a model: what it says, and the tools it calls, as `(name, arguments)`.

    Arguments that are a text are sent as they are, so that they may be malformed. By default the
    ids of the calls differ, the reason to finish is the one that fits, and it tells how many tokens
    it took; `usage` may be what it tells instead, or false. `fields` are further ones of the
    message, such as `reasoning_content`.
    """

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any] | str]] = ()
    ids: Sequence[str] = ()
    finish_reason: str | None = None
    usage: bool | Mapping[str, int | None] = True
    fields: Mapping[str, Any] = field(default_factory=dict)


ServerReply = str | Sequence[tuple[str, Mapping[str, Any] | str]] | Answer | FaultyAnswer | Attempts
"""A text, tool calls as `(name, arguments)`, a whole answer, a fault, or one of them by attempt."""
ServerScript = (
    Sequence[ServerReply]
    | Callable[[list[dict[str, Any]]], ServerReply]
    | Callable[[dict[str, Any]], ServerReply]
)

LOOPBACK = "127.0.0.1"


class ScriptedServer:
    """A chat-completions endpoint that answers from a script.

    A sequence gives the n-th reply to a request with n assistant messages before it, and then its
    last one; a function is handed the messages. One server serves any number of dialogues, streams
    where it is asked to, and counts tokens at four characters each.

        with ScriptedServer(["Hello", "Bye. ###STOP###"]) as server:
            cg.run_episode(task, agent, "ruse", engine="llm", user_model=server.spec)

    Its `requests`, `keys` and `user_agents` are the bodies and the headers `Authorization` and
    `User-Agent` of all requests, in the order of arrival.
    """

    def __init__(
        self,
        script: ServerScript,
        *,
        model: str = "scripted",
        host: str = LOOPBACK,
        port: int = 0,
        remember: bool = True,
        whole_request: bool = False,
        names: Sequence[str] = (),
    ) -> None:
        """Open the socket; port 0 takes a free one.

        Requests are kept where it is to remember them. With `whole_request` a function is handed
        the whole body instead of the messages. It lists the models `names`, by default the one.
        """
        self._script = script
        self.model = model
        self._host = host
        self._remember = remember
        self._whole_request = whole_request
        self.names = tuple(names) or (model,)
        self._lock = threading.Lock()
        self._attempts: Counter[str] = Counter()
        self._numbers = count(1)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.user_agents: list[str] = []
        self._server = _Listener((host, port), self)
        serve = partial(self._server.serve_forever, 0.01)
        self._thread = threading.Thread(target=serve, daemon=True)

    @property
    def address(self) -> str:
        """Where a client finds it: `http://127.0.0.1:PORT/v1`."""
        return f"http://{self._host}:{self._server.server_port}/v1"

    @property
    def spec(self) -> str:
        """How a model on this server is named: `http://127.0.0.1:PORT/v1#scripted`."""
        return f"{self.address}#{self.model}"

    def __enter__(self) -> Self:
        """Begin to serve."""
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop serving; whoever still waits for an answer gets none."""
        self._server.is_over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def hear(self, user_agent: str) -> None:
        """Remember how a client names itself."""
        if self._remember:
            self.user_agents.append(user_agent)

    def answer(self, body: dict[str, Any], key: str) -> tuple[int, Answer | FaultyAnswer]:
        """Return the number of a request and what it gets, and remember the request."""
        with self._lock:
            number = next(self._numbers)
            if self._remember:
                self.requests.append(body)
                self.keys.append(key)
        said = sum(message["role"] == "assistant" for message in body["messages"])
        reply: Any
        if callable(self._script):
            given: Any = body if self._whole_request else body["messages"]
            reply = self._script(given)
        else:
            reply = self._script[min(said, len(self._script) - 1)]
        if isinstance(reply, Attempts):
            again = canonical_json(body["messages"])
            with self._lock:
                self._attempts[again] += 1
                reply = reply.replies[: self._attempts[again]][-1]
        if isinstance(reply, Answer | FaultyAnswer):
            return number, reply
        return number, Answer(text=reply) if isinstance(reply, str) else Answer(calls=reply)


class _Listener(ThreadingHTTPServer):
    """Serves each connection in a thread that keeps no process alive."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, place: tuple[str, int], scripted: ScriptedServer) -> None:
        super().__init__(place, _Handler)
        self.scripted = scripted
        self.is_over = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hung up."""


class _Handler(BaseHTTPRequestHandler):
    server: _Listener
    protocol_version = "HTTP/1.1"
    # An answer goes out in two writes; together with a client's delayed acknowledgement
    # Nagle's algorithm would hold the second one back for 40 ms.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        names = self.server.scripted.names
        listed = [{"id": name, "object": "model", "owned_by": "crab-graph"} for name in names]
        self._send({"object": "list", "data": listed})

    def do_POST(self) -> None:
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        except ValueError:
            body = None
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
            message = "the body must be a JSON object with messages"
            self._send({"error": {"message": message, "code": "bad_request"}}, 400)
            return
        key = self.headers.get("Authorization", "")
        self.server.scripted.hear(self.headers.get("User-Agent", ""))
        number, reply = self.server.scripted.answer(body, key)
        model = self.server.scripted.model
        if isinstance(reply, FaultyAnswer):
            self._fail(reply, key.removeprefix("Bearer "))
        elif body.get("stream"):
            self._head(200, {"Content-Type": "text/event-stream", "Connection": "close"})
            for piece in chunks(number, model, body, reply):
                self.wfile.write(f"data: {json.dumps(piece)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True
        else:
            self._send(completion(number, model, body, reply))

    def _send(self, document: Any, status: int = 200) -> None:
        payload = json.dumps(document).encode()
        self._head(status, {"Content-Length": str(len(payload))})
        self.wfile.write(payload)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _fail(self, fault: FaultyAnswer, key: str) -> None:
        wait = self.server.is_over.wait
        wait(fault.delay)
        body = json.dumps(filled_in(fault.body, key)) if fault.raw is None else fault.raw
        payload = body.encode()
        length = {"Content-Length": str(fault.drips + len(payload))}
        self._head(fault.status, filled_in(fault.headers, key) | length)
        for _ in range(fault.drips):
            self.wfile.write(b" ")
            self.wfile.flush()
            if wait(fault.drip):
                break
        self.wfile.write(payload[: fault.cut])
        if fault.cut is not None:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""


def count_tokens(value: Any) -> int:
    """Return about how many tokens a JSON value takes."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def completion(
    number: int, model: str, request: Mapping[str, Any], answer: Answer
) -> dict[str, Any]:
    """Return an answer as one JSON document."""
    about = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 0, "model": model}
    choice = {"index": 0, "message": _message(number, answer), "finish_reason": _reason(answer)}
    usage = {"usage": _usage(request, answer)} if answer.usage else {}
    return {**about, "choices": [choice], **usage}


def chunks(
    number: int, model: str, request: Mapping[str, Any], answer: Answer
) -> Iterator[dict[str, Any]]:
    """Yield an answer as the pieces of a stream, the token counts in the last one if asked for."""
    about = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 0}
    about["model"] = model
    message = _message(number, answer)
    calls = message.pop("tool_calls", [])
    text = message.pop("content") or ""
    deltas: list[dict[str, Any]] = [{**message, "content": ""}]
    deltas += [{"content": text[at : at + _PIECE]} for at in range(0, len(text), _PIECE)]
    for place, call in enumerate(calls):
        written = call["function"]["arguments"]
        opened = {**call, "index": place, "function": {**call["function"], "arguments": ""}}
        parts = [written[at : at + _PIECE] for at in range(0, len(written), _PIECE)]
        more = [{"index": place, "function": {"arguments": part}} for part in parts]
        deltas += [{"tool_calls": [piece]} for piece in (opened, *more)]
    reasons = [*(None for _ in deltas), _reason(answer)]
    for delta, reason in zip([*deltas, {}], reasons, strict=True):
        yield {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    asked = request.get("stream_options") or {}
    if answer.usage and asked.get("include_usage"):
        yield {**about, "choices": [], "usage": _usage(request, answer)}


def _message(number: int, answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None, **answer.fields}
    if answer.calls:
        calls = message["tool_calls"] = []
        ids = answer.ids or [f"call_{number}_{place}" for place in range(len(answer.calls))]
        for identity, (name, given) in zip(ids, answer.calls, strict=True):
            written = given if isinstance(given, str) else json.dumps(given)
            function = {"name": name, "arguments": written}
            calls.append({"id": identity, "type": "function", "function": function})
    return message


def _reason(answer: Answer) -> str:
    return answer.finish_reason or ("tool_calls" if answer.calls else "stop")


def _usage(request: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    if isinstance(answer.usage, Mapping):
        return dict(answer.usage)
    read = count_tokens(request.get("messages", [])) + count_tokens(request.get("tools") or "")
    written = count_tokens(answer.text) + sum(
        count_tokens([name, given]) for name, given in answer.calls
    )
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
