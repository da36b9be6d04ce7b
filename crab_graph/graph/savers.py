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

from crab_graph.errors import MissingExtra, UnknownName, UsageError
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
_TABLES_LOCK = 0x63726162
"""Number of the lock under which tables are made: workers that begin at once would collide."""


class CheckpointStore(NamedTuple):
    """One kind of place for checkpoints.

    `check` raises `UsageError` for an address that it could not open, and opens nothing. `open`
    opens an address, its tables made, for any number of threads; what is in it must outlive the
    process when the saver's `put` returns.
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
    """
    from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: PLC0415  (heavy)

    connection = sqlite3.connect(path, check_same_thread=False, timeout=_BUSY_SECONDS)
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        saver = SqliteSaver(connection)
        saver.setup()
        yield saver
    finally:
        connection.close()


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
        yield PostgresSaver(pool)


SQLITE = CheckpointStore(_check_file, lambda address: _open_file(_file_of(address)))
POSTGRES = CheckpointStore(_check_database, _open_database)
