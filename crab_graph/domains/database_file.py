"""Reading a benchmark's DuckDB file, whoever else has it open, and however they opened it.

DuckDB opens one file in one process under one configuration, so the file is attached to a database
in memory, which has a configuration of its own: any reader beside it is welcome. Whoever has opened
the file for writing lets nobody else in, in this process or in another; then a copy of it is read.
"""

import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import duckdb

from crab_graph.errors import BenchmarkError

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_HELD = ("Unique file handle conflict", "Could not set lock on file")
"""What DuckDB says of a file that is open for writing: in this process, in another."""

_TRIES = 3
_SUFFIXES = ("", ".wal")
"""The file, and its log of what is committed and not yet in it."""

# Run in a process of its own: closing a file gives up all locks that a process has on it (POSIX),
# and with them that of a connection which writes it here.
_COPY = "import shutil, sys; shutil.copyfile(sys.argv[1], sys.argv[2])"

_State = tuple[tuple[int, int] | None, ...]


class _Copy(NamedTuple):
    state: _State
    database: duckdb.DuckDBPyConnection


_copies: dict[Path, _Copy] = {}
_lock = threading.Lock()


def open_read_only(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection that reads a DuckDB file as its default database.

    It sees what is committed now, also by somebody who has the file open for writing.

    Raises:
        BenchmarkError: the file is damaged, or it is being written and cannot be copied.
    """
    try:
        try:
            return _attached(path)
        except duckdb.Error as error:
            if not any(told in str(error) for told in _HELD):
                raise
            return _read_copy(path.resolve(), error)
    except duckdb.Error as error:
        raise BenchmarkError(f"{path}: cannot be opened ({_first_line(error)})") from None


def _attached(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config=_SETTINGS)
    try:
        quoted = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{quoted}' AS benchmark (READ_ONLY)")
        connection.execute("USE benchmark")
    except BaseException:
        connection.close()
        raise
    return connection


def _read_copy(path: Path, held: duckdb.Error) -> duckdb.DuckDBPyConnection:
    """Return a connection to a copy, which is made once for each state of the file."""
    with _lock:
        for _ in range(_TRIES):
            state = _state(path)
            known = _copies.get(path)
            if known is None or known.state != state:
                known = _Copy(state, _copied(path, held))
            if _state(path) == state:
                _copies[path] = known
                connection = known.database.cursor()
                connection.execute("USE benchmark")
                return connection
            known.database.close()
    raise _is_held(path, held)


def _copied(path: Path, held: duckdb.Error) -> duckdb.DuckDBPyConnection:
    """Return a database in memory with a copy attached, whose files are gone already."""
    # Windows keeps what is open; there the copy stays behind.
    with TemporaryDirectory(prefix="crab-graph-", ignore_cleanup_errors=True) as folder:
        for suffix in _SUFFIXES:
            source = path.with_name(path.name + suffix)
            if source.exists():
                command = [
                    sys.executable,
                    "-I",
                    "-c",
                    _COPY,
                    str(source),
                    folder + "/" + source.name,
                ]
                if subprocess.run(command, capture_output=True, check=False).returncode:
                    raise _is_held(path, held)
        return _attached(Path(folder) / path.name)


def _state(path: Path) -> _State:
    """Return what tells whether a file or its log was written: size and time of each."""
    found: list[tuple[int, int] | None] = []
    for suffix in _SUFFIXES:
        try:
            about = path.with_name(path.name + suffix).stat()
            found.append((about.st_size, about.st_mtime_ns))
        except FileNotFoundError:
            found.append(None)
    return tuple(found)


def _is_held(path: Path, error: duckdb.Error) -> BenchmarkError:
    return BenchmarkError(
        f"{path}: is being written by another connection; close it and try again "
        f"({_first_line(error)})"
    )


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]
