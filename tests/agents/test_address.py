"""An agent behind an OpenAI-compatible address, over a real socket."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from crab_graph import build_graph
from crab_graph.graph.state import transcript_of
from tests.graph.builders import CUSTOMER, STOP, build_task, scripted

LOOKUP = json.dumps({"customer_id": CUSTOMER})
ANSWERS = [
    {"tool_calls": [("get_customer_information", LOOKUP), ("update_customer", "{oops")]},
    {"content": "Hello Ana"},
]


def completion(answer):
    calls = [
        {"id": "same", "type": "function", "function": {"name": name, "arguments": arguments}}
        for name, arguments in answer.get("tool_calls", ())
    ]
    message = {"role": "assistant", "content": answer.get("content")}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": message | ({"tool_calls": calls} if calls else {}),
            }
        ],
    }


@pytest.fixture
def server():
    requests: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = completion(ANSWERS[len(requests)])
            requests.append((self.path, self.headers["Authorization"], body))
            payload = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *arguments):
            """Say nothing."""

    http = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}/v1", requests
    http.shutdown()
    thread.join()
    http.server_close()


def test_a_server_sees_policy_tools_and_results_and_nothing_private(server, monkeypatch):
    address, requests = server
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key-123")
    graph = build_graph(build_task(), f"{address}?version=2#m", scripted("Hello", STOP))
    lines = transcript_of(graph.invoke({}))
    roles = [line["role"] for line in lines]
    assert roles == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert lines[1]["tool_calls"][1]["arguments"] == "{oops"
    assert "invalid_arguments" in lines[3]["content"]
    path, key, body = requests[1]
    assert (path, key) == ("/v1/chat/completions?version=2", "Bearer secret-key-123")
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    assert [m["tool_call_id"] for m in body["messages"][3:]] == ["call_1", "call_2"]
    assert len(body["tools"]) == 6
    assert "secret-key-123" not in json.dumps(lines)
