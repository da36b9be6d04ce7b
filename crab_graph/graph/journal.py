"""Replies of sampled models, kept before a step ends, so that none is asked (and paid) for twice.

A step that was killed between its reply and its checkpoint runs again. What it is answered then is
what it was answered before: each reply is filed, by the saver of the checkpoints and in its thread,
under LangGraph's id of the step, which is the same when a step runs again from the same checkpoint
and another one from any other. The entries go when the thread is deleted.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import get_runtime

from crab_graph.errors import CrabGraphError, StorageError

NAMESPACE = "replies"
"""The checkpoint namespace of the entries; that of the episode itself is empty."""

_CHANNEL = "reply"
_MOST_THREADS = 100
_RECENT: dict[str, BaseCheckpointSaver[Any]] = {}
_LOCK = threading.Lock()


class Step:
    """One execution of a node in one thread; what it was answered can be read and kept.

    It is repeated where all that it came to is known already.
    """

    def __init__(self, saver: BaseCheckpointSaver[Any], thread: str, task: str) -> None:
        """Point at the entries of a step, by its thread and LangGraph's id of it."""
        self.thread = thread
        self._saver = saver
        self._entries = {"thread_id": thread, "checkpoint_ns": NAMESPACE}
        self._task = task
        self.is_repeated = False
        self._asked = 0
        self._added = 0

    def recall(self, place: str) -> Any | None:
        """Return what was kept at a place of this step, if anything was."""
        config = self._entries | {"checkpoint_id": f"{self._task}.{place}"}
        try:
            found = self._saver.get_tuple({"configurable": config})
        except CrabGraphError:
            raise
        except Exception as error:
            raise StorageError(f"a reply cannot be read again: {error}") from error
        return None if found is None else json.loads(found.checkpoint["channel_values"][_CHANNEL])

    def keep(self, place: str, value: Any) -> None:
        """Keep a JSON value; when this returns it outlives the process."""
        name = f"{self._task}.{place}"
        checkpoint: Checkpoint = {
            "v": 1,
            "id": name,
            "ts": datetime.now(UTC).isoformat(),
            "channel_values": {_CHANNEL: json.dumps(value)},
            "channel_versions": {_CHANNEL: name},
            "versions_seen": {},
            "updated_channels": None,
        }
        config: RunnableConfig = {"configurable": dict(self._entries)}
        try:
            self._saver.put(config, checkpoint, {}, {_CHANNEL: name})
        except Exception as error:
            raise StorageError(f"a reply cannot be kept: {error}") from error

    def entries(self) -> list[Any]:
        """Return what was added to this step, in order."""
        found: list[Any] = []
        while (entry := self.recall(f"entry-{len(found)}")) is not None:
            found.append(entry)
        self._added = len(found)
        return found

    def add(self, entry: Any) -> None:
        """Keep a JSON value behind the others that were added; it outlives the process."""
        self.keep(f"entry-{self._added}", entry)
        self._added += 1

    def once(self, ask: Callable[[], Any]) -> Any:
        """Return the answer to the step's next question, asking only if it was not asked before."""
        self._asked += 1
        place = str(self._asked)
        answer = self.recall(place)
        if answer is None:
            answer = ask()
            self.keep(place, answer)
        return answer


_STEP: ContextVar[Step | None] = ContextVar("step", default=None)


def current_step(saver: BaseCheckpointSaver[Any] | None) -> Step | None:
    """Return the step that a node is executing; `None` where nothing is checkpointed.

    Without a saver of its own an episode may be checkpointed by the graph or the server around it,
    and stop for a person: then its entries are kept in this process.
    """
    try:
        info = get_runtime().execution_info
    except RuntimeError:
        return None  # no graph calls the node
    if info is None or info.thread_id is None:
        return None
    return Step(saver or _of_this_process(info.thread_id), info.thread_id, info.task_id)


def _of_this_process(thread: str) -> BaseCheckpointSaver[Any]:
    """Return where a thread's entries are kept in memory; those of old threads are dropped."""
    with _LOCK:
        saver = _RECENT.pop(thread, None) or InMemorySaver()
        _RECENT[thread] = saver
        while len(_RECENT) > _MOST_THREADS:
            del _RECENT[next(iter(_RECENT))]
    return saver


@contextmanager
def within(step: Step | None) -> Iterator[None]:
    """Let `ask_once` know the step in which it is called."""
    token = _STEP.set(step)
    try:
        yield
    finally:
        _STEP.reset(token)


def ask_once(ask: Callable[[], Any]) -> Any:
    """Return what `ask` answers, a JSON value, or what it answered when this step ran before.

    For steps that ask a model several times: each answer is kept when it is there.
    """
    step = _STEP.get()
    return ask() if step is None else step.once(ask)
