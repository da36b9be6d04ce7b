"""A chat model that is asked again when it fails for no reason of its own.

Each attempt has a time limit and is counted. What a provider says about waiting holds for every
episode that asks the same model in this process: one refusal does not become hundreds.
"""

import threading
import time
from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from crab_graph.models.failures import (
    CallTimeout,
    FailureKind,
    UnreadableAnswer,
    kind_of,
    wait_before_retry,
)
from crab_graph.workers import begin

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

Result = TypeVar("Result")

FIRST_WAIT_SECONDS = 0.5
MAX_RETRIES = 3

_CANNOT_READ = (AttributeError, LookupError, TypeError, ValueError)
_ENDINGS = frozenset({"finish_reason", "stop_reason", "done_reason", "status"})
"""Under which providers say why an answer ended."""


class Pace:
    """When a model may be asked next, for all threads that ask it."""

    def __init__(self) -> None:
        """Begin without a wait."""
        self._open_at = 0.0
        self._lock = threading.Lock()

    def hold(self, seconds: float) -> None:
        """Let nobody ask for some seconds."""
        with self._lock:
            self._open_at = max(self._open_at, time.monotonic() + seconds)

    def wait(self) -> None:
        """Return when the model may be asked."""
        while (left := self._open_at - time.monotonic()) > 0:
            time.sleep(left)


class RetryingModel:
    """A chat model with a time limit for each attempt, and several attempts.

    It has the two methods that episodes need of a chat model: `bind_tools` and `invoke`.
    """

    def __init__(
        self, model: Any, name: str, *, timeout: float | None, retries: int, is_own: bool = True
    ) -> None:
        """Wrap a chat model that does not retry by itself.

        Attempts that were given up are counted under the name; retries come after the first one. A
        model that is not our own retries all by itself, but answers that hold no reply.
        """
        self.name = name
        self._model = model
        self._timeout = timeout
        self._retries = retries
        self._is_own = is_own
        self._pace = Pace()

    def bind_tools(self, schemas: Sequence[Any]) -> "RetryingModel":
        """Return the model with tools."""
        bound = copy(self)
        bound._model = self._model.bind_tools(schemas)
        return bound

    def invoke(self, messages: "Sequence[BaseMessage]") -> "AIMessage":
        """Return the model's answer.

        Raises:
            CallTimeout: no attempt was answered in time.
            Exception: whatever the last attempt failed with.
        """
        from crab_graph.models.meter import current_meter, metered  # noqa: PLC0415  (LangChain)

        meter = current_meter()
        attempt = 0
        while True:
            self._pace.wait()
            if meter is not None:
                meter.check_open()
            try:
                with metered():  # what an attempt tells after it was given up counts no more
                    return within(self._timeout, lambda: self._asked(messages))
            except Exception as error:
                if meter is not None and isinstance(error, CallTimeout):
                    meter.count_timeout(self.name)
                wait = wait_before_retry(error, attempt, FIRST_WAIT_SECONDS)
                is_ours = self._is_own or kind_of(error) is FailureKind.UNREADABLE
                if wait is None or attempt >= self._retries or not is_ours:
                    raise
                if kind_of(error) is FailureKind.RATE_LIMIT:
                    self._pace.hold(wait)
                else:
                    time.sleep(wait)
            attempt += 1

    def _asked(self, messages: "Sequence[BaseMessage]") -> "AIMessage":
        """Return the answer to one attempt; what a provider's package cannot read is none."""
        from pydantic import ValidationError  # noqa: PLC0415  (not needed to say what there is)

        try:
            answer: AIMessage = self._model.invoke(messages)
        except ValidationError:
            raise  # of a reply whose calls are malformed: the model's mistake
        except _CANNOT_READ as error:
            if kind_of(error) is not FailureKind.OTHER or not self._is_own:
                raise
            raise UnreadableAnswer(f"the answer holds no reply ({error})") from error
        if self._is_own and _says_nothing(answer):
            raise UnreadableAnswer("the answer holds no reply")
        return answer


def asked_again(model: Any, name: str) -> RetryingModel:
    """Return somebody's model, by a name, that is asked again where an answer holds no reply.

    Its own client retries whatever has the status of an error, and knows of no other.
    """
    return RetryingModel(model, name, timeout=None, retries=MAX_RETRIES, is_own=False)


def _says_nothing(answer: "AIMessage") -> bool:
    """Tell whether a message is empty, and does not even say why it ended."""
    calls = answer.tool_calls or answer.invalid_tool_calls
    return not (answer.content or calls or _ENDINGS & answer.response_metadata.keys())


def within(seconds: float | None, function: Callable[[], Result]) -> Result:
    """Return what a function returns, or give it up after so many seconds, if they are limited.

    Where they are it runs in a thread of its own (`workers.begin`). Once given up, it may end when
    it likes.

    Raises:
        CallTimeout: it took longer.
    """
    if seconds is None:
        return function()
    answer = begin(function)
    try:
        return answer.result(max(0.0, seconds))
    except TimeoutError:
        if answer.done():
            raise
        raise CallTimeout(f"no answer within {seconds:g} s") from None
