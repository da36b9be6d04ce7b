"""Keep credentials out of records and logs: only how a model is named is stored, not what opens it.

Clients log what a server answers, and some servers say back what opened them. So from the first
credential on that a process remembers, whatever it logs is masked too.
"""

import json
import logging
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

MASK = "***"

_SECRET_NAME = re.compile(
    r"key|token|secret|passw|pwd|auth|credential|signature|header|cookie|^sig$|^code$",
    re.IGNORECASE,
)
_PLAIN_NAMES = frozenset({"max_tokens", "max_completion_tokens", "max_output_tokens"})
_SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_KEY_SHAPE = re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_][A-Za-z0-9_\-*]{8,}")
_USERINFO = re.compile(r"(?<=://)[^/\s@]+@")
_PLAIN_WORD = re.compile(r"[a-z]+(?:[_-][a-z]+)*")
_SHORTEST_SECRET = 8
_LONGEST_ERROR = 600

_used: set[str] = set()


def remember_secret(value: str) -> None:
    """Mask a credential from now on, wherever this process writes text of others."""
    for form in (value, quote(value, safe=""), b64encode(value.encode()).decode().rstrip("=")):
        if len(value) >= _SHORTEST_SECRET and form not in _used:
            if not _used:
                _mask_logs()
            _used.add(form)


def _mask_logs() -> None:
    """Let records of any logger of this process be made without used credentials."""
    make = logging.getLogRecordFactory()

    def make_masked(*given: Any, **named: Any) -> logging.LogRecord:
        record = make(*given, **named)
        with suppress(Exception):  # a record whose arguments do not fit is reported by its handler
            said = record.getMessage()
            if said != (masked := without_used_secrets(said)):
                record.msg, record.args = masked, ()
        if record.exc_info and record.exc_info[0]:
            # What stands here is written instead of a traceback.
            written = logging.Formatter().formatException(record.exc_info)
            if written != (masked := without_used_secrets(written)):
                record.exc_text = masked
        return record

    logging.setLogRecordFactory(make_masked)


def remember_model_secrets(model: object) -> None:
    """Mask the credentials that a LangChain model holds."""
    for value in list(getattr(model, "__dict__", {}).values()):
        reveal = getattr(value, "get_secret_value", None)
        if callable(reveal):
            remember_secret(str(reveal()))


def remember_credentials(value: object) -> None:
    """Mask what stands where a name says that credentials do: in a text, a list, or JSON.

    A text of several words is none, nor is a name in lower case, such as `key = "destination"`.
    """
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        with suppress(ValueError):
            found = json.loads(value)
            value = found if isinstance(found, dict | list) else value
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            remember_credentials(one)
    elif isinstance(value, str):
        credential = value.strip().removeprefix("Bearer ")
        if not (any(map(str.isspace, credential)) or _PLAIN_WORD.fullmatch(credential)):
            remember_secret(credential)


def remember_environment_secrets() -> None:
    """Mask what credentials the environment holds: code of somebody's own may open models by it."""
    for value in environment_secrets():
        remember_credentials(value)


def remember_spec_secrets(spec: str) -> None:
    """Mask the login and the secret settings that stand in a spec, or in an address within it."""
    parts = urlsplit(spec)
    for login in (parts.netloc.rpartition("@")[0], unquote(parts.netloc.rpartition("@")[0])):
        remember_secret(login)
        remember_secret(login.partition(":")[2])
    for query in (parts.query, spec.partition("#")[2].partition("?")[2]):
        for name, value in parse_qsl(query):
            if "://" in value:
                with suppress(ValueError):  # it is no address
                    remember_spec_secrets(value)
            if _is_secret(name):
                remember_secret(value)
                remember_credentials(value)


def without_used_secrets(text: str) -> str:
    """Return a text with the credentials masked that models of this process were opened with."""
    for value in sorted(_used, key=len, reverse=True) if _used else ():
        text = text.replace(value, MASK)
    return text


def without_secrets(text: str) -> str:
    """Return a text in which credentials are masked.

    Besides those in use: values of secret environment variables, all that has the shape of a key,
    and logins in addresses.
    """
    return without_key_shapes(without_used_secrets(text), environment_secrets())


def environment_secrets() -> tuple[str, ...]:
    """Return the values of environment variables that are named like credentials."""
    return tuple(
        value
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST_SECRET and _SECRET_VARIABLE.search(name)
    )


def without_key_shapes(text: str, known: Iterable[str] = ()) -> str:
    """Return a text with known credentials, what is shaped like one, and logins masked.

    Other than `without_secrets` it does not depend on which models this process has opened.
    """
    for value in known:
        text = text.replace(value, MASK)
    return _USERINFO.sub(f"{MASK}@", _KEY_SHAPE.sub(MASK, text))


def public_spec(spec: str) -> str:
    """Return a spec as it may be stored: with its login and the values of secret parts masked."""
    if "://" not in spec:
        name, mark, settings = spec.partition("?")
        return f"{name}{mark}{_masked(settings)}"
    parts = urlsplit(spec)
    host = parts.netloc.rpartition("@")
    netloc = f"{MASK}@{host[2]}" if host[1] else parts.netloc
    model, mark, settings = parts.fragment.partition("?")
    fragment = f"{model}{mark}{_masked(settings)}"
    return urlunsplit((parts.scheme, netloc, parts.path, _masked(parts.query), fragment))


def _masked(query: str) -> str:
    """Return settings of the form `name=value&…` with secret ones, and logins in others, masked."""
    return "&".join(
        f"{name}={MASK if _is_secret(name) else _public_value(value)}"
        for name, value in parse_qsl(query, keep_blank_values=True)
    )


def _public_value(value: str) -> str:
    """Return the value of a setting, which may be an address with a login of its own."""
    try:
        return public_spec(value) if "://" in value else value
    except ValueError:  # it is no address
        return MASK


def _is_secret(name: str) -> bool:
    return name not in _PLAIN_NAMES and _SECRET_NAME.search(name) is not None


def shortened(text: str) -> str:
    """Return what was raised as one line; some servers answer an error with a whole page."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_ERROR else f"{line[:_LONGEST_ERROR]}…"
