"""Outcomes of calls, kept so that the same call on the same tables need not be run again.

Tools are pure: the same call on the same tables has the same outcome. Grading runs an episode's
calls again right after it was played, and other trials of its task make many of the same calls.
"""

import marshal
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

Kept = TypeVar("Kept")

MAX_BYTES = 1 << 20
"""About how much the outcomes of one world may take."""
MAX_OUTCOMES = 8192


class Memo(Generic[Kept]):
    """What was used last, by key, within bounds of number and size.

    It consists of two halves: what was used since the newer one was begun, and what was used last
    before that. A full newer half replaces the older one. Episodes of several threads share it
    without a lock, which a process that is forked off could find locked for ever: each step on a
    dictionary is whole by itself, and what two threads do at once costs at most a half.
    """

    __slots__ = ("_new", "_old", "_size")

    def __init__(self) -> None:
        self._new: dict[Hashable, tuple[Kept, int]] = {}
        self._old: dict[Hashable, tuple[Kept, int]] = {}
        self._size = 0

    def get(self, key: Hashable) -> Kept | None:
        """Return what is kept under a key, if anything is."""
        entry = self._new.get(key)
        if entry is not None:
            return entry[0]
        entry = self._old.get(key)
        if entry is None:
            return None
        self.keep(key, *entry)
        return entry[0]

    def keep(self, key: Hashable, value: Kept, size: int) -> None:
        """Keep a value that never changes; what was used long ago may give way to it.

        Args:
            key: What it is found by.
            value: The value.
            size: About how many bytes it takes with its key.
        """
        if size > MAX_BYTES // 2:
            return
        if self._size + size > MAX_BYTES // 2 or len(self._new) >= MAX_OUTCOMES // 2:
            self._old, self._new, self._size = self._new, {}, 0
        self._new[key] = value, size
        self._size += size


def plain_bytes(value: Any) -> bytes | None:
    """Return bytes that no other value has, type for type; `None` for what is no plain value."""
    try:
        return marshal.dumps(value, 2)  # later versions write equal values in several ways
    except ValueError:
        return None


def plain_value(plain: bytes) -> Any:
    """Return a new copy of the value that has those bytes."""
    return marshal.loads(plain)
