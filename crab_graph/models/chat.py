"""From a spec to a chat model: `provider:model`, or the address of an OpenAI-compatible server.

Settings may follow the model's name, as in `openai:gpt-5?reasoning_effort=low&timeout=60` or
`http://host:8000/v1#model?temperature=0.2`; all but `timeout` and `max_retries` are the provider's.
"""

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from crab_graph.errors import UsageError
from crab_graph.models.hosts import ABOUT_REPLIES, hosts_in, is_providers, withheld
from crab_graph.models.retrying import MAX_RETRIES, RetryingModel
from crab_graph.models.secrets import (
    public_spec,
    remember_model_secrets,
    remember_spec_secrets,
    without_secrets,
)

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

TIMEOUT_SECONDS = 120.0
KEYLESS = "no-key"

_INSTALL = re.compile(r"pip install [\w.-]+")


_WITH_HEADERS = frozenset({"openai", "azure_openai", "anthropic"})
"""Providers whose packages take headers; the others' say who they are themselves."""


@cache
def user_agent() -> str:
    """Return how crab-graph names itself to servers."""
    try:
        return f"crab-graph/{version('crab-graph')}"
    except PackageNotFoundError:  # a checkout that is not installed
        return "crab-graph"


def is_address(spec: str) -> bool:
    """Return whether a spec is the address of a server."""
    return spec.startswith(("http://", "https://"))


def provider_names() -> frozenset[str]:
    """Return the providers that LangChain knows."""
    from langchain.chat_models import base  # noqa: PLC0415  (0.8 s to import)

    return frozenset(getattr(base, "_BUILTIN_PROVIDERS", {"openai", "anthropic"}))


def is_provider(name: str) -> bool:
    """Return whether LangChain knows a provider of that name."""
    return name in provider_names()


_FAMILIES = {
    "openai": ("gpt-", "chatgpt", "o1", "o3", "o4"),
    "anthropic": ("claude",),
    "google_genai": ("gemini",),
    "mistralai": ("mistral", "mixtral", "ministral", "codestral"),
    "deepseek": ("deepseek",),
    "xai": ("grok",),
    "cohere": ("command",),
    "perplexity": ("sonar",),
}


def provider_of(model: str) -> str | None:
    """Return whose model a bare name is, as far as its beginning tells."""
    for provider, beginnings in _FAMILIES.items():
        if model.casefold().startswith(beginnings):
            return provider
    return None


def build_chat_model(spec: str) -> RetryingModel:
    """Return the chat model that a spec names, with a time limit and retries for each call.

    Raises:
        UsageError: the spec is malformed, its package is not installed, its key is missing, or
            would go to a host that the user did not name.
    """
    _check_hosts(spec)
    _check_place(spec)
    settings: dict[str, Any] = {"timeout": TIMEOUT_SECONDS, "max_retries": MAX_RETRIES}
    settings |= _settings(spec)
    seconds, retries = _limits(spec, settings)
    remember_spec_secrets(spec)
    bare = without_settings(spec)
    # The clients' own retries are out of sight; ours are counted, and keep to the time limit.
    settings |= {"timeout": seconds, "max_retries": 0}
    if is_address(spec) or spec.partition(":")[0] in _WITH_HEADERS:
        own = settings.get("default_headers")
        settings["default_headers"] = {"User-Agent": user_agent()} | (own or {})
    try:
        if is_address(bare):
            model = _at_address(bare, settings, keyless=bool(withheld(hosts_of(spec))))
        else:
            model = _from_provider(bare, settings)
    except ImportError as error:
        hint = _INSTALL.search(str(error))
        advice = hint[0] if hint else f"pip install langchain-{spec.split(':', 1)[0]}"
        raise UsageError(f"model '{public_spec(spec)}' needs another package: {advice}") from error
    except UsageError:
        raise
    except Exception as error:  # each provider has its own way to say that a key is missing
        said = without_secrets(str(error))
        reason = said.strip().splitlines() or [type(error).__name__]
        cause = error if said == str(error) else None  # a traceback would show it whole
        shown = without_secrets(f"model '{public_spec(spec)}' cannot be opened: {reason[0]}")
        raise UsageError(shown) from cause
    remember_model_secrets(model)
    return RetryingModel(model, model_of(spec), timeout=seconds, retries=retries)


def hosts_of(spec: str) -> tuple[str, ...]:
    """Return the hosts that a spec names; those of a provider itself are none."""
    before = _split(spec)[0]
    if is_address(spec) and is_providers(before):
        before = ""
    return hosts_in(before, _settings(spec).items())


def _check_hosts(spec: str) -> None:
    """Refuse a provider's model elsewhere than with the provider: its package adds the key."""
    refused = () if is_address(spec) else withheld(hosts_of(spec))
    if refused:
        raise UsageError(
            f"model '{public_spec(spec)}': the settings send the provider's key to '{refused[0]}', "
            f"which you have not named; `key_hosts={refused[0]}` does"
        )


def _check_place(spec: str) -> None:
    """Refuse settings of ours that stand in the address, before the model's name: none would hold.

    What else an address asks for, such as `api-version`, is its server's.
    """
    before, name, _ = _split(spec)
    query = urlsplit(before.rstrip("#")).query if is_address(spec) else ""
    for setting, value in parse_qsl(query):
        if setting in ABOUT_REPLIES:
            raise UsageError(
                f"model '{public_spec(spec)}': {setting} stands before the model's name; "
                f"settings follow it, as in #{name or 'MODEL'}?{setting}={value}"
            )


def model_of(spec: str) -> str:
    """Return the name of the model in a spec, without its provider, address and settings."""
    return _split(spec)[1]


def _split(spec: str) -> tuple[str, str, str]:
    """Return a spec as what stands before the model's name, the name, and its settings."""
    before, mark, rest = spec.partition("#" if is_address(spec) else ":")
    name, _, settings = rest.partition("?")
    return before + mark, name, settings


def without_settings(spec: str) -> str:
    """Return a spec without the settings after the model's name."""
    return "".join(_split(spec)[:2])


def _settings(spec: str) -> dict[str, Any]:
    """Return the settings that follow a model's name; what reads as JSON is taken as such."""
    found: dict[str, Any] = {}
    for name, value in parse_qsl(_split(spec)[2], keep_blank_values=True):
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _limits(spec: str, settings: Mapping[str, Any]) -> tuple[float, int]:
    seconds, retries = settings["timeout"], settings["max_retries"]
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or seconds <= 0:
        raise UsageError(f"model '{public_spec(spec)}': timeout must be a number of seconds")
    if not isinstance(retries, int) or isinstance(retries, bool) or retries < 0:
        raise UsageError(f"model '{public_spec(spec)}': max_retries must be 0 or more")
    return float(seconds), retries


def _at_address(spec: str, settings: dict[str, Any], *, keyless: bool) -> "BaseChatModel":
    from langchain_openai import ChatOpenAI  # noqa: PLC0415  (0.8 s to import)

    parts = urlsplit(spec)
    if not parts.hostname or not parts.fragment:
        raise UsageError(
            f"address '{public_spec(spec)}' names no model; write it like http://host:8000/v1#model"
        )
    given: dict[str, Any] = {
        "model": parts.fragment,
        "base_url": urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
        "default_query": dict(parse_qsl(parts.query)) or None,
        "api_key": (not keyless and os.environ.get("OPENAI_API_KEY")) or KEYLESS,
        "stream_usage": True,
    }
    return ChatOpenAI(**(given | settings))


def _from_provider(spec: str, settings: dict[str, Any]) -> "BaseChatModel":
    from langchain.chat_models import init_chat_model  # noqa: PLC0415  (0.8 s to import)
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415

    provider, _, model = spec.partition(":")
    built = init_chat_model(model, model_provider=provider, **settings)
    if not isinstance(built, BaseChatModel):
        raise UsageError(f"'{spec}' does not name one model")
    return built
