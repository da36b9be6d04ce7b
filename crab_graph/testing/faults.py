"""What can go wrong between a client and a chat-completions server, as replies of a script."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class FaultyAnswer:
    """An answer that is none.

    In its JSON body and its further headers `{key}` stands for the request's credentials, for
    servers that echo them. After `delay` seconds, `drips` bytes that mean nothing are sent before
    the body, `drip` seconds apart. The connection is closed after `cut` bytes of the body, if that
    is not `None`; `raw` is a text that is sent instead of JSON.
    """

    status: int = 200
    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    drips: int = 0
    cut: int | None = None
    raw: str | None = None


class Attempts:
    """What the same request gets when it is sent again: each attempt the next reply, then the last.

    ScriptedServer([Attempts(rate_limited(0.1), "Hello"), "Bye"])
    """

    def __init__(self, *replies: Any) -> None:
        self.replies = replies


def rate_limited(retry_after: float | None = None, message: str = "slow down") -> FaultyAnswer:
    """Return a 429, with the seconds after which to ask again."""
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    return FaultyAnswer(429, _error(message, "rate_limit_exceeded"), headers)


def out_of_quota() -> FaultyAnswer:
    """Return the 429 of an account without money, which no waiting helps."""
    return FaultyAnswer(429, _error("You exceeded your current quota", "insufficient_quota"))


def server_error(status: int = 500, message: str = "internal error") -> FaultyAnswer:
    """Return a 500 or the like."""
    return FaultyAnswer(status, _error(message, "server_error"))


def stalling(seconds: float) -> FaultyAnswer:
    """Return an answer that comes after so many seconds."""
    return FaultyAnswer(200, delay=seconds)


def dripping(seconds: float, times: int) -> FaultyAnswer:
    """Return an answer before which a byte comes every so many seconds.

    A client's own time-out, which counts from byte to byte, never ends it.
    """
    return FaultyAnswer(200, drip=seconds, drips=times)


def truncated(length: int = 40) -> FaultyAnswer:
    """Return an answer whose connection ends in the middle of its JSON."""
    return FaultyAnswer(200, {"id": "x" * 100, "choices": []}, cut=length)


def not_json(text: str = "<html>Bad gateway</html>") -> FaultyAnswer:
    """Return an answer that is whole, called JSON, and is none."""
    return FaultyAnswer(200, raw=text)


def error_in_answer(code: int | None = None, message: str = "overloaded") -> FaultyAnswer:
    """Return an answer whose status says that all is well, and whose body is an error."""
    return FaultyAnswer(200, {"error": {"message": message, "type": "error", "code": code}})


def without_choices(choices: Sequence[Any] | None = ()) -> FaultyAnswer:
    """Return an answer in which nothing is answered."""
    return FaultyAnswer(200, {"id": "1", "choices": choices and list(choices)})


def context_overflow() -> FaultyAnswer:
    """Return the 400 of a request that is longer than the model's context."""
    message = "This model's maximum context length is 8192 tokens"
    return FaultyAnswer(400, _error(message, "context_length_exceeded"))


def content_filtered() -> FaultyAnswer:
    """Return the 400 of a request that the provider's filter refused."""
    return FaultyAnswer(400, _error("The response was filtered", "content_filter"))


def unauthorised(message: str = "Incorrect API key provided: {key}") -> FaultyAnswer:
    """Return a 401 that echoes the key in its body and in a header."""
    return FaultyAnswer(401, _error(message, "invalid_api_key"), {"X-Echo": "{key}"})


def filled_in(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a JSON object with `{key}` in its texts replaced."""
    filled: dict[str, Any] = json.loads(json.dumps(value).replace("{key}", json.dumps(key)[1:-1]))
    return filled


def _error(message: str, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "code": code, "param": None}}
