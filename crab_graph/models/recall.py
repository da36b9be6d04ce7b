"""Chat models that are asked what they answered before, wherever in an agent that is.

Every chat model of LangChain, whatever package it comes from, is asked through two pairs of methods
of `BaseChatModel`. Where a recorder listens in the present context, it is asked first whether it
knows the reply, and told each new one; anywhere else nothing changes.
"""

import hashlib
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, NamedTuple, Protocol

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    BaseMessageChunk,
    ToolMessage,
    message_chunk_to_message,
    messages_from_dict,
)
from langchain_core.outputs import ChatGeneration, ChatResult

Json = dict[str, Any]

_NUMBERS = re.compile(r"\d+")


class Question(NamedTuple):
    """Hashes of what a model is asked: as it stands, and whatever numbers are in it.

    A prompt may hold the time of day.
    """

    exact: str
    loose: str


class Recorder(Protocol):
    """What listens to the chat models of a step."""

    def knows(self, question: Question) -> bool:
        """Return whether `recall` would know the reply."""

    def recall(self, question: Question) -> list[Json] | None:
        """Return the reply to a question, as messages, if it was given before and not used yet."""

    def record(self, question: Question, reply: list[Json]) -> None:
        """Keep a new reply."""


_RECORDER: ContextVar[Recorder | None] = ContextVar("crab_graph_recorder", default=None)


@contextmanager
def recording(recorder: Recorder | None) -> Iterator[None]:
    """Let a recorder listen to the chat models that are asked inside."""
    _attach()
    token = _RECORDER.set(recorder)
    try:
        yield
    finally:
        _RECORDER.reset(token)


def _attach() -> None:
    """Let every chat model ask the recorder of its context first, from the first time on."""
    with _ATTACHING:
        while _DOORS:
            name, wrapped = _DOORS.popitem()
            setattr(BaseChatModel, name, wrapped(getattr(BaseChatModel, name)))


def _generating(generate: Callable[..., ChatResult]) -> Callable[..., ChatResult]:
    @wraps(generate)
    def asked(
        self: BaseChatModel, messages: list[BaseMessage], stop: Any = None, *given: Any, **how: Any
    ) -> ChatResult:
        recorder = _RECORDER.get()
        if recorder is None:
            return generate(self, messages, stop, *given, **how)
        question = _question(self, messages, stop, how)
        known = recorder.recall(question)
        if known is not None:
            return _result(known)
        result = generate(self, messages, stop, *given, **how)
        recorder.record(question, [as_json(one.message) for one in result.generations])
        return result

    return asked


def _agenerating(generate: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(generate)
    async def asked(
        self: BaseChatModel, messages: list[BaseMessage], stop: Any = None, *given: Any, **how: Any
    ) -> ChatResult:
        recorder = _RECORDER.get()
        if recorder is None:
            return await generate(self, messages, stop, *given, **how)  # type: ignore[no-any-return]
        question = _question(self, messages, stop, how)
        known = recorder.recall(question)
        if known is not None:
            return _result(known)
        result: ChatResult = await generate(self, messages, stop, *given, **how)
        recorder.record(question, [as_json(one.message) for one in result.generations])
        return result

    return asked


def _streaming(stream: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    @wraps(stream)
    def asked(
        self: BaseChatModel, input: Any, config: Any = None, *, stop: Any = None, **how: Any
    ) -> Iterator[AIMessageChunk]:
        recorder = _RECORDER.get()
        question = _streamed(self, input, stop, how, is_async=False) if recorder else None
        if recorder is None or question is None:
            yield from stream(self, input, config, stop=stop, **how)
        elif recorder.knows(question):
            # Through the other door, where the recorder answers and callbacks are told.
            yield _as_chunk(self.invoke(input, config, stop=stop, **how))
        else:
            whole: Any = None
            for chunk in stream(self, input, config, stop=stop, **how):
                whole = chunk if whole is None else whole + chunk
                yield chunk
            recorder.record(question, [as_json(whole)])

    return asked


def _astreaming(stream: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
    @wraps(stream)
    async def asked(
        self: BaseChatModel, input: Any, config: Any = None, *, stop: Any = None, **how: Any
    ) -> AsyncIterator[AIMessageChunk]:
        recorder = _RECORDER.get()
        question = _streamed(self, input, stop, how, is_async=True) if recorder else None
        if recorder is None or question is None:
            async for chunk in stream(self, input, config, stop=stop, **how):
                yield chunk
        elif recorder.knows(question):
            yield _as_chunk(await self.ainvoke(input, config, stop=stop, **how))
        else:
            whole: Any = None
            async for chunk in stream(self, input, config, stop=stop, **how):
                whole = chunk if whole is None else whole + chunk
                yield chunk
            recorder.record(question, [as_json(whole)])

    return asked


def _streamed(
    model: BaseChatModel, given: Any, stop: Any, how: Mapping[str, Any], *, is_async: bool
) -> Question | None:
    """Return the question of a stream; `None` for a model that has none, which is only invoked."""
    if not model._should_stream(async_api=is_async, **{**how, "stream": True}):
        return None
    return _question(model, model._convert_input(given).to_messages(), stop, how)


def _question(
    model: BaseChatModel, messages: Sequence[BaseMessage], stop: Any, how: Mapping[str, Any]
) -> Question:
    """Return what a model is asked, the same when it is asked that again.

    Ids of messages are drawn anew each time, and ids of calls may be; so calls are numbered.
    """
    numbers: dict[str | None, int] = {}

    def number(identity: str | None) -> int:
        return numbers.setdefault(identity, len(numbers))

    asked = []
    for message in messages:
        line: Json = {"type": message.type, "content": message.content, "name": message.name}
        if isinstance(message, AIMessage):
            line["calls"] = [
                [one["name"], one["args"], number(one["id"])] for one in message.tool_calls
            ]
        elif isinstance(message, ToolMessage):
            line["call"] = number(message.tool_call_id)
        asked.append(line)
    name = getattr(model, "model_name", None) or getattr(model, "model", None)
    options = {key: value for key, value in how.items() if key != "run_manager"}
    whole = [type(model).__qualname__, name, asked, stop, options]
    text = json.dumps(whole, sort_keys=True, default=lambda value: type(value).__qualname__)
    return Question(_hash(text), _hash(_NUMBERS.sub("0", text)))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def as_json(message: BaseMessage) -> Json:
    """Return a message as a JSON value."""
    if isinstance(message, BaseMessageChunk):
        message = message_chunk_to_message(message)
    return {"type": message.type, "data": message.model_dump(mode="json", fallback=str)}


def _result(known: list[Json]) -> ChatResult:
    return ChatResult(
        generations=[ChatGeneration(message=one) for one in messages_from_dict(known)]
    )


def _as_chunk(message: BaseMessage) -> AIMessageChunk:
    fields = message.model_dump(exclude={"type"})
    return AIMessageChunk(**fields, chunk_position="last")


_ATTACHING = threading.Lock()
_DOORS: dict[str, Callable[..., Any]] = {
    "_generate_with_cache": _generating,
    "_agenerate_with_cache": _agenerating,
    "stream": _streaming,
    "astream": _astreaming,
}
"""The methods through which chat models are asked, and what is put around each, once."""
