"""A folder that is written whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crab_graph.errors import UsageError


def check_free(path: Path, *, force: bool) -> None:
    """Refuse to overwrite what is there, unless it is asked for.

    Raises:
        UsageError: something is there.
    """
    if path.exists() and not force:
        raise UsageError(f"{path}: is there already; choose another --out, or add --force")


@contextmanager
def whole_folder(path: Path, *, force: bool) -> Iterator[Path]:
    """Give a folder to write to, and put it in place when all of it is written.

    Raises:
        UsageError: something is in its place, and `force` is not given.
    """
    check_free(path, force=force)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.mkdir()
    try:
        yield unfinished
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        unfinished.replace(path)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
