"""Opening a benchmark's DuckDB file, whoever else has it open, and however they opened it.

Whoever made the file is not trusted: it may hold tables and nothing else, no view, macro, type or
computed column, for these could read other files or stand for what we call; and a connection that
has it open reaches no other file, no network and no extension. Only here is a DuckDB file opened.

DuckDB opens one file in one process under one configuration, so the file is attached to a database
in memory, which has a configuration of its own: any reader beside it is welcome. Whoever has opened
the file for writing lets nobody else in, in this process or in another; then a copy of it is read.
"""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import duckdb

from crab_graph.errors import BenchmarkError

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "allow_persistent_secrets": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_OTHERS = {
    "view": "view_name FROM duckdb_views() WHERE NOT internal",
    "macro": "function_name FROM duckdb_functions() WHERE NOT internal",
    "type": "type_name FROM duckdb_types() WHERE NOT internal",
    "sequence": "sequence_name FROM duckdb_sequences() WHERE true",
    "computed column": "table_name FROM duckdb_tables() WHERE contains(sql, 'GENERATED ALWAYS')",
}
"""What a file might hold beside tables: how its names are found."""

_HELD = ("Unique file handle conflict", "Could not set lock on file")
"""What DuckDB says of a file that is open for writing: in this process, in another."""

GENERATE_AGAIN = "get it again from where it came from, or generate it again"
"""What to do about a benchmark that is damaged or was changed."""

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
_looked_at: dict[Path, _State] = {}
"""Files that hold tables alone, as they were when they were looked at: it takes a while."""


def open_read_only(path: Path, writing_to: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Return a connection that reads a DuckDB file as its default database, and no other file.

    It sees what is committed now, also by somebody who has the file open for writing. Files can be
    written in one folder, if one is named.

    Raises:
        BenchmarkError: the file is damaged, holds more than tables, or it is being written and
            cannot be copied.
    """
    try:
        try:
            return _attached(path, writing_to)
        except duckdb.Error as error:
            if not any(told in str(error) for told in _HELD):
                raise
            return _read_copy(path.resolve(), error)
    except (duckdb.Error, UnicodeDecodeError) as error:
        raise unreadable(path, error) from None


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what DuckDB says of a damaged file, in the midst of it too, into a `BenchmarkError`."""
    try:
        yield
    except (duckdb.BinderException, duckdb.CatalogException):
        raise  # it is whole, and laid out otherwise
    except (duckdb.Error, UnicodeDecodeError) as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: Exception) -> BenchmarkError:
    """Return the error of a file that DuckDB cannot read."""
    return BenchmarkError(f"{path}: cannot be read ({_first_line(error)}); {GENERATE_AGAIN}")


def open_to_write(
    path: Path, layout: str, known_as: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """Return a connection that writes a DuckDB file, laid out so if it is new, as its default.

    Where it takes the place of another one later, errors name that one.

    Raises:
        BenchmarkError: the file is damaged, holds more than tables, or another process has it open.
    """
    connection = duckdb.connect(":memory:", config=_SETTINGS)
    try:
        connection.execute(f"ATTACH {_quoted(path)} AS benchmark ({layout})")
        _shut_in(connection, path)
    except duckdb.Error as error:
        connection.close()
        if any(told in str(error) for told in _HELD):
            raise _is_held(path, error) from None
        shown = known_as or path
        reason = _first_line(error).replace(str(path), str(shown))
        raise BenchmarkError(
            f"{shown}: cannot be written ({reason}); make room if the disk is full, or "
            "begin it again: `force=True`"
        ) from None
    except BaseException:
        connection.close()
        raise
    return connection


def _attached(path: Path, writing_to: Path | None = None) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config=_SETTINGS)
    try:
        connection.execute(f"ATTACH {_quoted(path)} AS benchmark (READ_ONLY)")
        _shut_in(connection, path, writing_to)
    except BaseException:
        connection.close()
        raise
    return connection


def _shut_in(
    connection: duckdb.DuckDBPyConnection, path: Path, writing_to: Path | None = None
) -> None:
    """Let a connection use the attached file alone, once it is seen to hold tables alone."""
    if writing_to is not None:
        connection.execute(f"SET allowed_directories = [{_quoted(writing_to)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    connection.execute("USE benchmark")
    state = _state(path)
    if _looked_at.get(path) == state:
        return
    for kind, query in _OTHERS.items():
        of_file = f"SELECT {query} AND database_name = 'benchmark' ORDER BY ALL"
        if names := connection.execute(of_file).fetchall():
            raise BenchmarkError(
                f"{path}: holds a {kind}, '{names[0][0]}', and a benchmark has tables alone; "
                f"it was not made, or was changed since, by crab-graph: {GENERATE_AGAIN}"
            )
    _looked_at[path] = state


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


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


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
