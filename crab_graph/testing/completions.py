"""OpenAI's chat-completions format, from the server's side: whole answers, and pieces of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

CHARACTERS_PER_TOKEN = 4
"""How tokens are counted without a tokenizer: about right for English text."""

_PIECE = 24


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a model.

    Attributes:
        text: What it says.
        calls: The tools it calls, as `(name, arguments)`; arguments that are a text are sent as
            they are, so that they may be malformed.
        ids: Ids of the calls; by default ones that differ.
        finish_reason: By default the one that fits.
        usage: Whether it tells how many tokens it took.
        fields: Further fields of the message, such as `reasoning_content`.
    """

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any] | str]] = ()
    ids: Sequence[str] = ()
    finish_reason: str | None = None
    usage: bool = True
    fields: Mapping[str, Any] = field(default_factory=dict)


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
    read = count_tokens(request.get("messages", [])) + count_tokens(request.get("tools") or "")
    written = count_tokens(answer.text) + sum(
        count_tokens([name, given]) for name, given in answer.calls
    )
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
