"""Counts the model calls of one step, wherever in an agent they are made.

A meter is a LangChain callback that every chat model invoked in its context reports to: the model
of a spec, those inside a compiled graph, and those that a callable asks by itself. A step that was
given up closes its meter, and whatever goes on in it can ask no model any more.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context, ContextVar
from itertools import chain
from typing import Any, TypeVar
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook

from crab_graph.models.failures import FailureKind, kind_of
from crab_graph.models.usage import ModelUsage, Usage, add_usage

Result = TypeVar("Result")

_METER: ContextVar["Meter | None"] = ContextVar("crab_graph_meter", default=None)
register_configure_hook(_METER, inheritable=True)

_UNNAMED = "unnamed"
_RECORDED_SETTINGS = (
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
    "reasoning",
    "seed",
    "stop",
    "stream",
    "tool_choice",
    "parallel_tool_calls",
)


class StepAbandoned(RuntimeError):
    """A step that was given up tried to go on."""


class Meter(BaseCallbackHandler):
    """What the model calls of one step took so far, as its `usage`."""

    raise_error = True
    run_inline = True

    def __init__(self, outer: "Meter | None" = None) -> None:
        """Begin to count, within the step of another meter or as one of a step's own."""
        self.usage: dict[str, ModelUsage] = {}
        self._outer = outer
        self._is_over = False
        self._asked: dict[UUID, tuple[str, dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def run(self, context: Context, function: Callable[[], Result]) -> Result:
        """Call a function in a context in which this meter counts, and close it after that."""
        try:
            context.run(_METER.set, self)
            return context.run(function)
        finally:
            self._is_over = True

    def add(self, usage: Usage) -> None:
        """Count something that no callback told, such as a reply that was paid for earlier."""
        with self._lock:
            self.usage = add_usage(self.usage, usage)

    def check_open(self) -> None:
        """Raise `StepAbandoned` in a step that is over."""
        if self._is_over:
            raise StepAbandoned("this step was given up")
        if self._outer is not None:
            self._outer.check_open()

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        **kwargs: Any,
    ) -> None:
        """Remember which model is asked, and with which settings."""
        self.check_open()
        asked = kwargs.get("invocation_params") or {}
        name = str(asked.get("model") or asked.get("model_name") or _UNNAMED)
        settings = {
            key: asked[key] if isinstance(asked[key], str | int | float) else str(asked[key])
            for key in _RECORDED_SETTINGS
            if asked.get(key) is not None
        }
        self._asked[run_id] = (name, settings)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Count an answer."""
        name, settings = self._asked.pop(run_id, (_UNNAMED, {}))
        for one in chain.from_iterable(response.generations):
            if isinstance(one, ChatGeneration) and isinstance(one.message, AIMessage):
                self.add(usage_of(one.message, name, settings))
                return
        self.add({name: ModelUsage(failed={str(FailureKind.UNREADABLE): 1})})

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Count a failed attempt."""
        name, settings = self._asked.pop(run_id, (_UNNAMED, {}))
        one = ModelUsage(failed={str(kind_of(error)): 1})
        if settings:
            one["settings"] = settings
        self.add({name: one})

    def count_timeout(self, name: str) -> None:
        """Count an attempt that was given up and has told nothing yet."""
        self.add({name: ModelUsage(failed={str(FailureKind.TIMEOUT): 1})})


def current_meter() -> Meter | None:
    """Return the meter that counts here, if one does."""
    return _METER.get()


@contextmanager
def metered() -> Iterator[Meter]:
    """Count what is asked inside, here and in the meter outside."""
    outer = _METER.get()
    inner = Meter(outer)
    token = _METER.set(inner)
    try:
        yield inner
    finally:
        _METER.reset(token)
        if outer is not None:
            outer.add(inner.usage)


def usage_of(
    message: AIMessage, asked: str = _UNNAMED, settings: Mapping[str, Any] | None = None
) -> dict[str, ModelUsage]:
    """Return what one message took, under the name asked for or else the one that answered."""
    told = message.response_metadata
    answered_by = str(told.get("model_name") or told.get("model") or asked)
    name = answered_by if asked == _UNNAMED else asked
    one = ModelUsage(calls=1)
    if answered_by != name:
        one["answered_by"] = answered_by
    counted = message.usage_metadata
    if counted is None or _is_unknown(message, counted):
        one["uncounted"] = 1
    if counted is not None:
        read, written = counted.get("input_token_details"), counted.get("output_token_details")
        for kind in ("input_tokens", "output_tokens"):
            if counted[kind] or "uncounted" not in one:
                one[kind] = counted[kind]
        if cached := (read or {}).get("cache_read"):
            one["cached_tokens"] = cached
        if hidden := (written or {}).get("reasoning"):
            one["reasoning_tokens"] = hidden
    if told.get("finish_reason") == FailureKind.CONTENT_FILTER:
        one["failed"] = {str(FailureKind.CONTENT_FILTER): 1}
    if settings:
        one["settings"] = dict(settings)
    return {name: one}


def _is_unknown(message: AIMessage, counted: UsageMetadata) -> bool:
    """Tell whether a count is missing: packages of providers put 0 where a server says null.

    No question takes no token, and no answer with words or calls.
    """
    has_said = bool(message.content or message.tool_calls or message.invalid_tool_calls)
    told = message.response_metadata.get("token_usage")
    names = ("prompt_tokens", "completion_tokens")
    is_null = isinstance(told, Mapping) and any(told.get(one, 0) is None for one in names)
    return is_null or not counted["input_tokens"] or (has_said and not counted["output_tokens"])
