"""Folders that somebody else may have made: nothing in them stands for what lies outside.

A link in an unpacked archive could let a reader show, and a writer overwrite, any file of whoever
opens it; a pipe or a device in the place of a file would keep a reader waiting for ever.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path, PureWindowsPath

from crab_graph.errors import CrabGraphError

_STEERING = "\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069"
PLAIN_NAME = rf"^[^./\\{_STEERING}][^/\\{_STEERING}]*$"
"""What a name that becomes that of a file looks like: it leads nowhere else."""

_DEEPEST = 6
_FARTHEST = 2


def check_enclosed(directory: Path, error: type[CrabGraphError], *names: str) -> None:
    """Refuse a folder of which a file, of these names or any, is none or lies elsewhere.

    Raises:
        CrabGraphError: one is so, as an error of the given kind, which names it.
    """
    inside = os.path.realpath(directory)
    _check(os.fspath(directory), inside, error, frozenset(names), 0)


def _check(
    folder: str, inside: str, error: type[CrabGraphError], names: frozenset[str], depth: int
) -> None:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return  # whoever reads it says why it cannot be read
    for entry in entries:
        if names and entry.name not in names:
            continue
        if entry.is_symlink():
            target = os.path.realpath(entry.path)
            if os.path.commonpath([inside, target]) != inside:
                raise error(f"{entry.path}: leads out of the folder; put what it stands for there")
        elif entry.is_dir(follow_symlinks=False):
            if depth < _DEEPEST:
                _check(entry.path, inside, error, frozenset(), depth + 1)
        else:
            with suppress(FileNotFoundError):  # somebody works there, and it is gone
                if not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                    raise error(f"{entry.path}: is no file, but a pipe, a socket or a device")


def is_beside(directory: Path, named: str) -> bool:
    """Return whether a path that a file in a folder names lies in it, or beside it.

    Beside is what was handed on together: at most two folders up, as `../../bench` from `runs/a`.
    """
    windows = PureWindowsPath(named)  # reads both kinds of separators
    if windows.drive or windows.root:
        return False
    parts = [one for one in windows.parts if one != "."]
    ups = next((number for number, one in enumerate(parts) if one != ".."), len(parts))
    if ups > _FARTHEST or ".." in parts[ups:]:
        return False
    base = os.path.realpath(directory.joinpath(*parts[:ups]))
    target = os.path.realpath(directory.joinpath(*parts))
    return os.path.commonpath([base, target]) == base
