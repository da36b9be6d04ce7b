"""Where episodes are checkpointed: LangGraph's savers, by the scheme of an address (section 3.3).

SQLite files and PostgreSQL are built in. Another package adds a `CheckpointStore` by an entry point
named by the scheme:

    [project.entry-points."crab_graph.savers"]
    redis = "my_package:REDIS"
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crab_graph.errors import MissingExtra, RunError, UnknownName, UsageError
from crab_graph.models.secrets import public_spec, remember_spec_secrets, without_secrets
from crab_graph.plugins import Seam

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.postgres import PostgresSaver
    from langgraph.checkpoint.sqlite import SqliteSaver

SAVERS = Seam(
    "crab_graph.savers",
    "checkpoint store",
    {
        "sqlite": "crab_graph.graph.savers:SQLITE",
        "postgresql": "crab_graph.graph.savers:POSTGRES",
        "postgres": "crab_graph.graph.savers:POSTGRES",
    },
)

_BUSY_SECONDS = 30.0
_CONNECT_SECONDS = 10
_JOURNAL_MARK = bytes.fromhex("d9d505f920a163d7")
"""The end of a journal that names another file."""
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_BEGIN_ANEW = "take that file away, and its episodes begin anew"
_VIRTUAL = "CREATE VIRTUAL"
_TABLES_LOCK = 0x63726162
"""Number of the lock under which tables are made: workers that begin at once would collide."""


class CheckpointStore(NamedTuple):
    """One kind of place for checkpoints.

    `check` raises `UsageError` for an address that it could not open, and opens nothing. `open`
    opens an address, its tables made, for any number of threads; what is in it must outlive the
    process when the saver's `put` returns. Its saver reads with a `StrictSerializer`, or with one
    that likewise makes nothing of what others may have written there.
    """

    check: Callable[[str], None]
    open: "Callable[[str], AbstractContextManager[BaseCheckpointSaver[Any]]]"


def check_address(address: str) -> str:
    """Return the address of checkpoints, and mask what is secret in it from now on.

    Raises:
        UsageError: no store takes it.
    """
    remember_spec_secrets(address)
    try:
        _store_of(address).check(address)
    except UsageError as error:
        raise UsageError(f"`checkpoint={public_spec(address)}`: {error}") from None
    return address


def open_saver(place: str | Path) -> "AbstractContextManager[BaseCheckpointSaver[Any]]":
    """Open the checkpoints at an address, or in a SQLite file, for any number of threads."""
    return _open_file(place) if isinstance(place, Path) else _store_of(place).open(place)


def stored_threads(path: Path) -> set[str]:
    """Return the threads that a checkpoint file holds: each has one checkpoint of its input."""
    with _open_file(path) as saver:
        begun = saver.list(None, filter={"source": "input"})
        return {one.config["configurable"]["thread_id"] for one in begun}


def _store_of(address: str) -> CheckpointStore:
    scheme, mark, _ = address.partition("://")
    try:
        store: CheckpointStore = SAVERS.find(scheme if mark else "")
    except UnknownName:
        known = ", ".join(f"{name}://…" for name in SAVERS.names())
        raise UsageError(f"not the address of a checkpoint store; there are {known}") from None
    return store


@contextmanager
def _open_file(path: Path) -> "Iterator[SqliteSaver]":
    """Open a file, made if it is missing.

    In WAL mode, which LangGraph sets, `synchronous=NORMAL` loses nothing when the process is
    killed, and a step costs less than half of what it does with SQLite's default.

    Raises:
        RunError: the file is a link, or has views or triggers, which would act when it is read;
            or it is damaged.
    """
    from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: PLC0415  (heavy)

    from crab_graph.graph.strict_serializer import StrictSerializer  # noqa: PLC0415

    if path.is_symlink():
        raise RunError(f"{path}: is a link, not a file of checkpoints; put the file there itself")
    _check_journal(path.with_name(f"{path.name}-journal"))
    connection = sqlite3.connect(path, check_same_thread=False, timeout=_BUSY_SECONDS)
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA synchronous=NORMAL")
        _check_schema(connection, path)
        saver = SqliteSaver(connection, serde=StrictSerializer(str(path)))
        saver.setup()
        yield saver
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", None) not in _DAMAGED:
            raise
        raise RunError(f"{path}: damaged: {error}; {_BEGIN_ANEW}") from None
    finally:
        connection.close()


def _check_journal(journal: Path) -> None:
    """Refuse a journal that names another file: SQLite would delete that one when it rolls back.

    One belongs to changes of several databases at once, of which there are none here.
    """
    if journal.exists() and journal.read_bytes().endswith(_JOURNAL_MARK):
        raise RunError(f"{journal}: names another file, which no journal here does; take it away")


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    found = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master").fetchall()
    for kind, name, made in found:
        is_plain = kind == "index" or (kind == "table" and not made.upper().startswith(_VIRTUAL))
        if not is_plain:
            raise RunError(
                f"{path}: holds {kind} '{name}', which no file of checkpoints does, and is not "
                f"read; {_BEGIN_ANEW}"
            )


def _file_of(address: str) -> Path:
    return Path(address.removeprefix("sqlite:///"))


def _check_file(address: str) -> None:
    if not address.startswith("sqlite:///") or not _file_of(address).parent.is_dir():
        raise UsageError("no file in a folder that is there; write sqlite:///FOLDER/FILE")


def _check_database(address: str) -> None:
    if address.endswith("://"):
        raise UsageError("names no database; write postgresql://USER@HOST/DATABASE")


@contextmanager
def _open_database(address: str) -> "Iterator[PostgresSaver]":
    """Open a database of PostgreSQL (extra `postgres`).

    What the address leaves out is taken from the environment (`PGPASSWORD`, `PGHOST`, …), as by
    every client. A connection that was lost is replaced by the next step; what a step had not kept
    is done again when the run is resumed.
    """
    try:
        import psycopg  # noqa: PLC0415  (an extra)
        from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415
        from psycopg.rows import dict_row  # noqa: PLC0415
        from psycopg_pool import ConnectionPool  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("`checkpoint=postgresql://…`", "postgres") from None

    from crab_graph.graph.strict_serializer import StrictSerializer  # noqa: PLC0415

    settings: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    try:
        with psycopg.connect(
            address, autocommit=True, connect_timeout=_CONNECT_SECONDS
        ) as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", (_TABLES_LOCK,))
            with psycopg.connect(address, **settings) as own:
                PostgresSaver(own).setup()
    except psycopg.Error as error:
        reason = without_secrets(" ".join(str(error).split()))
        raise UsageError(f"`checkpoint={public_spec(address)}`: {reason}") from None
    with ConnectionPool(
        address,
        min_size=1,
        max_size=2,  # the saver uses one at a time
        kwargs=settings,
        connection_class=psycopg.Connection[dict[str, Any]],
        check=ConnectionPool.check_connection,
        open=True,
    ) as pool:
        yield PostgresSaver(pool, serde=StrictSerializer(public_spec(address)))


SQLITE = CheckpointStore(_check_file, lambda address: _open_file(_file_of(address)))
POSTGRES = CheckpointStore(_check_database, _open_database)
