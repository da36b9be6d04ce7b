"""Why a call of a chat model failed, whatever package it came through, and whether to try again.

Providers' packages share no exceptions, but nearly all of them carry the HTTP status and name their
classes alike; so an error is told by these, along its chain of causes.
"""

import json
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any, TypeGuard

LONGEST_WAIT_SECONDS = 300.0
_MILLISECONDS = 1000


class FailureKind(StrEnum):
    """Kinds of failures, as they are recorded."""

    RATE_LIMIT = "rate_limit"
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    UNREADABLE = "unreadable_answer"
    CONTEXT_OVERFLOW = "context_overflow"
    CONTENT_FILTER = "content_filter"
    QUOTA = "quota"
    REFUSED = "refused_request"
    OTHER = "other"


TRANSIENT = frozenset(
    {
        FailureKind.RATE_LIMIT,
        FailureKind.SERVER_ERROR,
        FailureKind.TIMEOUT,
        FailureKind.CONNECTION,
        FailureKind.UNREADABLE,
    }
)
"""Failures that may not happen again."""

_OVERFLOW_WORDS = (
    "context_length_exceeded",
    "context window",
    "maximum context length",
    "prompt is too long",
    "contextwindowexceeded",
)
_FILTER_WORDS = ("content_filter", "content management policy", "content_policy_violation")
_RATE_LIMITED, _TIMED_OUT, _CONFLICT = 429, 408, 409
_ASK_AGAIN = frozenset({_RATE_LIMITED, _TIMED_OUT, _CONFLICT})
_NO_REPLY_WORDS = (
    "null value for 'choices'",
    "missing 'choices'",
    "Unexpected response type from OpenAI-compatible endpoint",
    "No generations found in stream",
)


class UnreadableAnswer(Exception):
    """A provider answered, and what it answered holds no reply."""


class CallTimeout(TimeoutError):
    """A call took longer than it may, and was given up."""


def kind_of(error: BaseException) -> FailureKind:
    """Return why a call failed."""
    kinds = map(_kind_of_one, _chain(error))
    return next((kind for kind in kinds if kind is not FailureKind.OTHER), FailureKind.OTHER)


def described(error: BaseException) -> str:
    """Return what failed; for a connection also why, which clients keep to themselves."""
    text = f"{type(error).__name__}: {error}"
    *_, root = _chain(error)
    if kind_of(error) is FailureKind.CONNECTION and str(root) not in text:
        text += f" ({root})"
    return text


def wait_before_retry(error: BaseException, attempt: int, first_wait: float) -> float | None:
    """Return for how many seconds to wait before the next attempt; `None` means: do not try.

    Where the provider does not say, the first wait is doubled after each further attempt (from 0).
    """
    if kind_of(error) not in TRANSIENT:
        return None
    asked = next((wait for one in _chain(error) if (wait := _asked_wait(one)) is not None), None)
    if asked is None:
        return first_wait * 2.0**attempt
    return asked if asked <= LONGEST_WAIT_SECONDS else None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or following.__context__


def _kind_of_one(error: BaseException) -> FailureKind:
    said = (error, getattr(error, "code", ""), getattr(error, "body", ""))
    text = " ".join(map(str, said)).casefold()
    names = {kind.__name__ for kind in type(error).__mro__}
    is_no_reply = _is_no_reply(error)
    status = _code_in_answer(error) if is_no_reply else _status_of(error)
    if "ContextOverflowError" in names or any(words in text for words in _OVERFLOW_WORDS):
        return FailureKind.CONTEXT_OVERFLOW
    if "ContentFilterFinishReasonError" in names or any(words in text for words in _FILTER_WORDS):
        return FailureKind.CONTENT_FILTER
    if "insufficient_quota" in text and (is_no_reply or status == _RATE_LIMITED):
        return FailureKind.QUOTA
    if status == _RATE_LIMITED:
        return FailureKind.RATE_LIMIT
    if status == _TIMED_OUT or isinstance(error, TimeoutError) or _named(names, "Timeout"):
        return FailureKind.TIMEOUT
    if status is not None and (status >= 500 or status == _CONFLICT):
        return FailureKind.SERVER_ERROR
    if is_no_reply or isinstance(error, json.JSONDecodeError):
        return FailureKind.UNREADABLE
    if status is not None and status >= 400:
        return FailureKind.REFUSED
    if _named(names, "ResponseValidationError"):
        return FailureKind.UNREADABLE
    if isinstance(error, ConnectionError) or _named(
        names, "APIConnectionError", "ConnectError", "ProtocolError", "ReadError", "WriteError"
    ):
        return FailureKind.CONNECTION
    return FailureKind.OTHER


def _status_of(error: BaseException) -> int | None:
    """Return the HTTP status that an error carries, if it does."""
    response = getattr(error, "response", None)
    codes = (getattr(error, "status_code", None), getattr(response, "status_code", None))
    return next((one for one in codes if _is_number(one)), None)


def _is_no_reply(error: BaseException) -> bool:
    """Tell whether an answer came with a status of success, and held an error or nothing.

    OpenAI's package says so of a stream by an `APIError` that is no more than that, LangChain by a
    `ValueError` of what stood under `error`, or by one of these sentences.
    """
    if isinstance(error, UnreadableAnswer) or type(error).__name__ == "APIError":
        return True
    if isinstance(error, ValueError) and error.args and isinstance(error.args[0], Mapping):
        return True
    if isinstance(error, IndexError):  # LangChain takes the first choice, and there is none
        return _raised_in(error).startswith("langchain_core.language_models")
    return isinstance(error, KeyError | TypeError | ValueError) and any(
        words in str(error) for words in _NO_REPLY_WORDS
    )


def _raised_in(error: BaseException) -> str:
    """Return the module that raised an error, empty where nobody did."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return "" if place is None else str(place.tb_frame.f_globals.get("__name__", ""))


def _code_in_answer(error: BaseException) -> int | None:
    """Return the status that stands in the body of an answer, where it says to ask again."""
    told = error.args[0] if error.args and isinstance(error.args[0], Mapping) else None
    body = told if told is not None else getattr(error, "body", None)
    code = body.get("code") if isinstance(body, Mapping) else None
    if not _is_number(code) or not (code in _ASK_AGAIN or code >= 500):
        return None
    return int(code)


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _named(names: set[str], *endings: str) -> bool:
    return any(name.removesuffix("Error").endswith(endings) or name in endings for name in names)


def _asked_wait(error: BaseException) -> float | None:
    """Return the wait that a provider asked for: seconds, milliseconds or a date."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(milliseconds) / _MILLISECONDS)
        asked = headers.get("retry-after")
        if asked is None:
            return None
        if asked.strip().replace(".", "", 1).isdigit():
            return float(asked)
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
