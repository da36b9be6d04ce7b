"""Checkpoints in PostgreSQL, for runs that several machines work on (extra `postgres`)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from crab_graph.errors import MissingExtra, UsageError
from crab_graph.models.secrets import public_spec, remember_spec_secrets, without_secrets

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres import PostgresSaver

_SCHEMES = ("postgresql://", "postgres://")
_CONNECT_SECONDS = 10
_TABLES_LOCK = 0x63726162
"""Number of the lock under which tables are made: workers that begin at once would collide."""


def check_address(address: str) -> str:
    """Return the address of a PostgreSQL database, and mask its password from now on.

    Raises:
        UsageError: it is not one.
    """
    if not address.startswith(_SCHEMES):
        raise UsageError(
            f"--checkpoint {public_spec(address)}: not an address of PostgreSQL; "
            "write postgresql://USER@HOST/DATABASE"
        )
    remember_spec_secrets(address)
    return address


@contextmanager
def open_shared_saver(address: str) -> Iterator["PostgresSaver"]:
    """Open the checkpoints of a database, with their tables made, for any number of threads.

    A connection that was lost is replaced by the next step; what a step had not kept is done again
    when the run is resumed.

    Args:
        address: Such as `postgresql://USER@HOST/DATABASE`; what it leaves out is taken from the
            environment (`PGPASSWORD`, `PGHOST`, …), as by every client of PostgreSQL.

    Raises:
        MissingExtra: the saver is not installed.
        UsageError: no such database answers.
    """
    try:
        import psycopg  # noqa: PLC0415  (an extra)
        from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415
        from psycopg import Connection  # noqa: PLC0415
        from psycopg.rows import dict_row  # noqa: PLC0415
        from psycopg_pool import ConnectionPool  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("--checkpoint postgresql://…", "postgres") from None

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
        raise UsageError(f"--checkpoint {public_spec(address)}: {reason}") from None
    with ConnectionPool(
        address,
        min_size=1,
        max_size=2,  # the saver uses one at a time
        kwargs=settings,
        connection_class=Connection[dict[str, Any]],
        check=ConnectionPool.check_connection,
        open=True,
    ) as pool:
        yield PostgresSaver(pool)
