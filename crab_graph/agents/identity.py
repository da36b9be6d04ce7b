"""What makes an agent the one that an episode or a run was begun with."""

import secrets
import threading
import types
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crab_graph.agents.adapters import PYTHON_PREFIX, Agent
from crab_graph.agents.agent_types import AgentSpec
from crab_graph.agents.fingerprint import Fingerprint, fingerprint
from crab_graph.agents.reference import AGENTS
from crab_graph.agents.written_code import source_sha256
from crab_graph.errors import UsageError
from crab_graph.models.chat import is_address, is_provider
from crab_graph.plugins import import_attribute
from crab_graph.schema import digest

LONGEST_NAME = 80
MODULE = "module"
"""The part of an identity by which a named agent is known before its module is imported."""


class Identity(NamedTuple):
    """An agent that is Python code, or holds some.

    Attributes:
        sha256: Hash of all that makes it; another agent has another one.
        parts: What it is made of: hashes of its `source` and of all that could be `read`, its
            `models` in words, and the hash of the `module` that its spec names, if it names one.
        unread: Which values cannot be read; it is told from others by its name alone.
    """

    sha256: str
    parts: dict[str, str]
    unread: tuple[str, ...] = ()


def identify(agent: AgentSpec | Agent, name: str | None = None) -> Identity | None:
    """Return what makes an agent; `None` where its spec says it all.

    An object is what it was before it played: what an agent itself changes in playing, as its
    memory, makes no other agent of it. Where values cannot be read, the name that it was given
    tells it from others; without one it is itself alone, in this process.
    """
    if isinstance(agent, Agent):
        return None
    if isinstance(agent, str):
        return _identify_named(agent.strip())
    with _LOCK:
        life = _life_of(agent)
        found = _as_begun(agent, life)
    if not found.unread:
        return Identity(found.sha256, _parts(found))
    told_apart = ["name", name] if name is not None else ["object", life.token]
    unread = found.unread if name is None else ()
    return Identity(digest([found.sha256, told_apart]), _parts(found), unread)


def identify_all(values: Iterable[Any]) -> Identity | None:
    """Return what makes several objects, such as the users of a run; `None` of none."""
    known = [one for one in map(identify, values) if one is not None]
    if not known:
        return None
    parts = {
        "source": digest([one.parts["source"] for one in known]),
        "models": ", ".join(filter(None, (one.parts["models"] for one in known))),
        "read": digest([one.parts["read"] for one in known]),
    }
    unread = tuple(dict.fromkeys(why for one in known for why in one.unread))
    return Identity(digest([one.sha256 for one in known]), parts, unread)


@contextmanager
def playing(*players: Any) -> Iterator[None]:
    """Let agents and users play: what they change in themselves meanwhile makes no others of them.

    They may play several episodes at once.
    """
    objects = [one for one in players if not isinstance(one, str | Agent)]
    with _LOCK:
        lives = [_life_of(one) for one in objects]
        for one, life in zip(objects, lives, strict=True):
            _as_begun(one, life)
            life.under_way += 1
    try:
        yield
    finally:
        with _LOCK:
            for one, life in zip(objects, lives, strict=True):
                life.under_way -= 1
                if not life.under_way:
                    life.played = fingerprint(one).sha256


def untold(unread: Sequence[str]) -> str:
    """Return what to add to the refusal of an agent that nothing may tell from others."""
    if not unread:
        return ""
    return f"; nothing tells this agent from others, since {', '.join(unread)}: give it a name="


def check_name(name: str | None, spec: str) -> None:
    """Refuse a name by which nobody could tell an agent.

    Raises:
        UsageError: it is empty, long, not one line, or that of another agent.
    """
    if name is None:
        return
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise UsageError(f"an agent's name is one line of 1 to {LONGEST_NAME} characters")
    if name != spec and (name in AGENTS.built_in or name.startswith(PYTHON_PREFIX)):
        raise UsageError(f"the name '{name}' is another agent's; choose another name")


def _identify_named(spec: str) -> Identity | None:
    """Return what a spec of Python code stands for: its module's source says the rest."""
    module = spec.partition(":")[0]
    if ":" not in spec:
        if spec in AGENTS.built_in:
            return None
        found = fingerprint(AGENTS.find(spec))
        return Identity(found.sha256, _parts(found))
    if is_address(spec) or ("." not in module and is_provider(module)):
        return None
    value = import_attribute("agent", spec, missing="is no model provider and no module")
    found = fingerprint(value)
    file = source_sha256(module)
    source = digest([found.source, file])
    known = {"source": source} | ({} if file is None else {MODULE: file})
    return Identity(digest([found.sha256, source]), _parts(found) | known)


def _parts(found: Fingerprint) -> dict[str, str]:
    return {"source": found.source, "models": found.models, "read": found.sha256}


@dataclass(slots=True)
class _Life:
    """An object in this process: how it was before it played, and how it has been since.

    `under_way` counts the runs and episodes that it plays just now.
    """

    token: str = field(default_factory=lambda: secrets.token_hex(8))
    begun: Fingerprint | None = None
    played: str | None = None
    under_way: int = 0


_LOCK = threading.RLock()
_lives: dict[Any, tuple["weakref.ref[Any]", _Life]] = {}


def _as_begun(agent: Any, life: _Life) -> Fingerprint:
    """Return what an object was before it played, or is now if somebody else changed it."""
    if life.begun is not None and life.under_way:
        return life.begun
    found = fingerprint(agent)
    if life.begun is None or found.sha256 not in (life.begun.sha256, life.played):
        life.begun, life.played = found, None
    return life.begun


def _life_of(agent: Any) -> _Life:
    anchor, key = agent, id(agent)
    if isinstance(agent, types.MethodType):  # made anew whenever it is asked for
        anchor, key = agent.__self__, hash((id(agent.__self__), id(agent.__func__)))
    if (known := _lives.get(key)) is not None and known[0]() is anchor:
        return known[1]
    life = _Life()
    with suppress(TypeError):  # without such references nothing tells when another has its place
        _lives[key] = weakref.ref(anchor, lambda _: _lives.pop(key, None)), life
    return life
