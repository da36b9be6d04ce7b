"""A PostgreSQL server of the tests' own, on a socket in a temporary directory."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PASSWORD = "canary-5b1e07"


def _program(name: str) -> str | None:
    """Return the newest installed one; Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


@contextmanager
def postgres_server() -> Iterator[tuple[str, "ServerControl"]]:
    """Start a server with one user and a password; yields its address and its control."""
    initdb, control = _program("initdb"), _program("pg_ctl")
    if initdb is None or control is None:
        pytest.skip("no PostgreSQL is installed")
    owner = "postgres" if os.geteuid() == 0 else None  # the server refuses to be run by root
    base = Path(tempfile.mkdtemp(prefix="crab-pg-"))
    try:
        (base / "password").write_text(PASSWORD, encoding="utf-8")
        if owner:
            shutil.chown(base, owner)
            shutil.chown(base / "password", owner)
        server = ServerControl(control, base, owner)
        server.call(
            initdb,
            f"--pgdata={base / 'data'}",
            "--username=crab",
            "--auth=scram-sha-256",
            f"--pwfile={base / 'password'}",
            "--no-sync",
        )
        server.start()
        yield f"postgresql://crab:{PASSWORD}@/postgres?host={base}", server
        server.stop()
    finally:
        shutil.rmtree(base, ignore_errors=True)


class ServerControl:
    """Starts and stops the server."""

    def __init__(self, control: str, base: Path, owner: str | None) -> None:
        self._control = control
        self._base = base
        self._owner = owner

    def call(self, *command: str) -> None:
        """Run a program as the server's owner."""
        log = (self._base / "calls.log").open("ab")
        with log:
            subprocess.run(
                command, user=self._owner, cwd=self._base, check=True, stdout=log, stderr=log
            )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-c listen_addresses='' -c fsync=off -k {self._base}"
        self._pg_ctl("start", "-w", "-l", str(self._base / "server.log"), "-o", options)

    def stop(self) -> None:
        """Stop it at once, as when its machine goes down."""
        self._pg_ctl("stop", "-m", "immediate")

    def _pg_ctl(self, *arguments: str) -> None:
        self.call(self._control, *arguments, "-D", str(self._base / "data"))
