"""What an agent's graph remembers, as a value: its thread's checkpoints, and its store.

A memory names what it holds by hashes, the items of lists (such as messages) each for itself. A
later memory says only what no earlier one held, so that memories grow with the talk and not with
its square. What LangGraph cannot write is left out:

    {"blobs": {hash: [type, data]}, "threads": {namespace: {…}}, "store": [[namespace, key, hash]]}
"""

import base64
import hashlib
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, cast

from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from crab_graph.agents.value_serializers import dumps, loads

_CHECKPOINT = ("v", "ts", "id", "channel_versions", "versions_seen", "updated_channels")
_MOST_ITEMS = 1_000_000


class Remembered:
    """The values of a memory."""

    def __init__(self, blobs: Mapping[str, Any] | None = None) -> None:
        """Begin with what earlier memories held."""
        self._known = dict(blobs or {})
        self.new: dict[str, Any] = {}

    def name(self, value: Any) -> str | None:
        """Return the hash of a value, which is held from now on; `None` if it cannot be written."""
        written = dumps(value)
        if written is None:
            return None
        kind, data = written
        name = hashlib.sha256(kind.encode() + b":" + data).hexdigest()[:20]
        if name not in self._known:
            packed = base64.b64encode(zlib.compress(data)).decode()
            self._known[name] = self.new[name] = [kind, packed]
        return name

    def names(self, value: Any) -> Any:
        """Return the hashes of a list's items, or that of another value; `None` as `name` does."""
        if type(value) is not list:
            return self.name(value)
        names = [self.name(one) for one in value]
        return None if None in names else names

    def value(self, names: Any) -> Any:
        """Return what was named."""
        if isinstance(names, list):
            return [self.value(one) for one in names]
        kind, packed = self._known[names]
        return loads(kind, zlib.decompress(base64.b64decode(packed)))


def write_threads(
    saver: BaseCheckpointSaver[Any],
    thread: str,
    state: Mapping[str, Any],
    graph: Any,
    held: Remembered,
) -> dict[str, Any]:
    """Return the last checkpoints of a thread, of the graph (in that `state`) and its subgraphs."""
    threads = {}
    for namespace in _namespaces(saver, thread, graph):
        place = {"thread_id": thread, "checkpoint_ns": namespace}
        found = saver.get_tuple({"configurable": place})
        if found is None:
            continue
        values = dict(found.checkpoint["channel_values"])
        if not namespace:  # a channel of deltas is whole in the state alone
            deltas = {k for k, one in graph.channels.items() if isinstance(one, DeltaChannel)}
            values |= {name: state[name] for name in deltas if name in state}
        checkpoint = cast(Mapping[str, Any], found.checkpoint)
        named = {name: held.names(value) for name, value in values.items()}
        threads[namespace] = {
            "checkpoint": held.name({key: checkpoint.get(key) for key in _CHECKPOINT}),
            "step": found.metadata.get("step", 0),
            "values": {name: names for name, names in named.items() if names is not None},
        }
    return threads


def last_checkpoint(saver: BaseCheckpointSaver[Any], thread: str) -> str | None:
    """Return the id of the checkpoint in which a thread stands."""
    found = saver.get_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
    return None if found is None else found.checkpoint["id"]


def restore_threads(
    saver: BaseCheckpointSaver[Any], thread: str, threads: Mapping[str, Any], held: Remembered
) -> None:
    """Let a thread stand where it stood when it was written; what is in it is forgotten."""
    saver.delete_thread(thread)
    for namespace, written in threads.items():
        kept = held.value(written["checkpoint"])
        values = {name: held.value(names) for name, names in written["values"].items()}
        checkpoint = cast(Checkpoint, {**kept, "channel_values": values})
        place = {"thread_id": thread, "checkpoint_ns": namespace}
        saver.put(
            {"configurable": place},
            checkpoint,
            {"source": "loop", "step": written["step"], "parents": {}},
            checkpoint["channel_versions"],
        )


def write_store(store: BaseStore, held: Remembered) -> list[Any]:
    """Return all items of a store."""
    items = store.search((), limit=_MOST_ITEMS)
    return [[list(one.namespace), one.key, held.name(one.value)] for one in items]


def copy_store(store: InMemoryStore) -> InMemoryStore:
    """Return a store with the same items, for one episode alone."""
    return filled_store(
        store, ((one.namespace, one.key, one.value) for one in store.search((), limit=_MOST_ITEMS))
    )


def filled_store(like: InMemoryStore, items: Iterable[tuple[Any, str, Any]]) -> InMemoryStore:
    """Return a store made as another one is, with items."""
    store = InMemoryStore(index=like.index_config)
    for namespace, key, value in items:
        store.put(tuple(namespace), key, value)
    return store


def _namespaces(saver: BaseCheckpointSaver[Any], thread: str, graph: Any) -> list[str]:
    """Return where the checkpoints of a thread are: the graph's own, and what outlives a turn.

    A subgraph that keeps nothing has a namespace of its own each time, with an id in it.
    """
    if isinstance(saver, InMemorySaver):
        found = saver.list({"configurable": {"thread_id": thread}})
        spaces = {one.config["configurable"].get("checkpoint_ns", "") for one in found}
        return sorted(one for one in spaces if ":" not in one)
    kept = (name for name, one in graph.get_subgraphs(recurse=True) if one.checkpointer is True)
    return ["", *kept]
