"""From a spec to a chat model: `provider:model`, or the address of an OpenAI-compatible server."""

import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from crab_graph.errors import UsageError
from crab_graph.models.secrets import public_spec, without_secrets

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

TIMEOUT_SECONDS = 120.0
MAX_RETRIES = 3
KEYLESS = "no-key"

_INSTALL = re.compile(r"pip install [\w.-]+")


def is_address(spec: str) -> bool:
    """Return whether a spec is the address of a server."""
    return spec.startswith(("http://", "https://"))


def is_provider(name: str) -> bool:
    """Return whether LangChain knows a provider of that name."""
    from langchain.chat_models import base  # noqa: PLC0415  (0.8 s to import)

    return name in getattr(base, "_BUILTIN_PROVIDERS", {"openai", "anthropic"})


def build_chat_model(
    spec: str, *, timeout: float = TIMEOUT_SECONDS, max_retries: int = MAX_RETRIES
) -> "BaseChatModel":
    """Return the chat model that a spec names, with a timeout and retries for each call.

    Args:
        spec: `provider:model`, or `http(s)://host/v1#model`.
        timeout: Seconds after which a call is given up.
        max_retries: How often a failed call is tried again.

    Raises:
        UsageError: the spec is malformed, its package is not installed, or its key is missing.
    """
    limits = {"timeout": timeout, "max_retries": max_retries}
    try:
        return _at_address(spec, limits) if is_address(spec) else _from_provider(spec, limits)
    except ImportError as error:
        hint = _INSTALL.search(str(error))
        advice = hint[0] if hint else f"pip install langchain-{spec.split(':', 1)[0]}"
        raise UsageError(f"model '{public_spec(spec)}' needs another package: {advice}") from error
    except UsageError:
        raise
    except Exception as error:  # each provider has its own way to say that a key is missing
        reason = without_secrets(str(error)).strip().splitlines() or [type(error).__name__]
        raise UsageError(f"model '{public_spec(spec)}' cannot be opened: {reason[0]}") from error


def _at_address(spec: str, limits: dict[str, Any]) -> "BaseChatModel":
    from langchain_openai import ChatOpenAI  # noqa: PLC0415  (0.8 s to import)

    parts = urlsplit(spec)
    if not parts.hostname or not parts.fragment:
        raise UsageError(
            f"address '{public_spec(spec)}' names no model; write it like http://host:8000/v1#model"
        )
    return ChatOpenAI(
        model=parts.fragment,
        base_url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
        default_query=dict(parse_qsl(parts.query)) or None,
        api_key=os.environ.get("OPENAI_API_KEY") or KEYLESS,
        **limits,
    )


def _from_provider(spec: str, limits: dict[str, Any]) -> "BaseChatModel":
    from langchain.chat_models import init_chat_model  # noqa: PLC0415  (0.8 s to import)
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415

    provider, _, model = spec.partition(":")
    built = init_chat_model(model, model_provider=provider, **limits)
    if not isinstance(built, BaseChatModel):
        raise UsageError(f"'{spec}' does not name one model")
    return built
