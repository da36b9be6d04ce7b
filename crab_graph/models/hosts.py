"""Where requests of a model go by its spec, and to which hosts a key may go along.

A spec that the user gave is the user's word: a key goes where it says. One that stood in a file of
somebody else names hosts too, by its address or by settings such as `base_url`. To those no key
goes, unless the user names them, or they are the provider's own.
"""

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from urllib.parse import urlsplit

from crab_graph.errors import UsageError
from crab_graph.ownership import config_directory
from crab_graph.schema import FileModel
from crab_graph.seals import DamagedFile, read_toml

SETTINGS = "settings.toml"

_PROVIDERS_OWN = frozenset({"https://api.openai.com"})
"""Where the key that goes to an address, OpenAI's, belongs anyway."""

ABOUT_REPLIES = frozenset(
    "temperature top_p top_k min_p n seed stop max_tokens max_completion_tokens max_output_tokens "
    "max_retries timeout reasoning_effort verbosity presence_penalty frequency_penalty logprobs "
    "top_logprobs thinking_budget effort service_tier".split()
)
"""Settings that say what a model answers; any other may say where it is asked."""

_WITHHELD: ContextVar[frozenset[str]] = ContextVar("crab_graph_withheld", default=frozenset())


class OwnSettings(FileModel):
    """The user's settings file, `settings.toml` in their directory of settings."""

    key_hosts: tuple[str, ...] = ()


def hosts_in(address: str, settings: Iterable[tuple[str, object]] = ()) -> tuple[str, ...]:
    """Return the hosts that an address and the settings beside it name, as they are shown.

    A setting of which nobody knows that it says something else counts as one, by its value.
    """
    found = [_host_of(address)] if "://" in address else []
    for name, value in settings:
        if name not in ABOUT_REPLIES and not isinstance(value, int | float | None):
            found.append(_host_of(str(value)))
    return tuple(dict.fromkeys(found))


def without_own(hosts: Iterable[str], named: Collection[str] | None) -> frozenset[str]:
    """Return those of the hosts that the user named neither now nor in their settings file."""
    allowed = {one.strip().casefold() for one in (*(named or ()), *_own_settings().key_hosts)}
    return frozenset(
        one for one in hosts if one not in allowed and one.rpartition(":")[0] not in allowed
    )


@contextmanager
def keys_withheld(hosts: Collection[str]) -> Iterator[None]:
    """Let models that are opened inside send no key to some hosts."""
    token = _WITHHELD.set(frozenset(hosts))
    try:
        yield
    finally:
        _WITHHELD.reset(token)


def withheld(hosts: Iterable[str]) -> list[str]:
    """Return those of the hosts to which no key goes."""
    return [one for one in hosts if one in _WITHHELD.get()]


def is_providers(address: str) -> bool:
    """Return whether an address is the provider's own, to which its key belongs."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" in _PROVIDERS_OWN


def _host_of(value: str) -> str:
    """Return the host, and the port, of an address; of what is none, all of it."""
    try:
        netloc = urlsplit(value).netloc
    except ValueError:
        netloc = ""
    return (netloc.rpartition("@")[2] or value).casefold()


def _own_settings() -> OwnSettings:
    """Return what the user's settings file says.

    Raises:
        UsageError: it cannot be read.
    """
    path = Path(config_directory()) / SETTINGS
    try:
        return read_toml(path, OwnSettings) if os.access(path, os.R_OK) else OwnSettings()
    except DamagedFile as error:
        raise UsageError(f"{path}: {error}; mend it, or take it away") from None
