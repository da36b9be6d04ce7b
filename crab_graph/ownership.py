"""What this user wrote, told by a key of their own from what others made to look like it.

The key lies in the user's own directory of state (`CRAB_STATE`, else as the system has it), is made
when it is first needed, and never leaves the machine. A seal is a keyed hash: whoever lacks the key
can copy one beside what it was made of, but make none for anything else. Who owns a file says
nothing: an archive that is unpacked belongs to whoever unpacked it.
"""

import hmac
import os
import secrets
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from crab_graph.schema import canonical_json

STATE_VARIABLE = "CRAB_STATE"
CONFIG_VARIABLE = "CRAB_CONFIG"

_APPLICATION = "crab-graph"
_KEY = "key"
_BYTES = 32


def state_directory() -> Path:
    """Return where what this user's programs remember is kept."""
    return _own_directory(STATE_VARIABLE, "XDG_STATE_HOME", ".local/state")


def config_directory() -> Path:
    """Return where this user's settings are kept."""
    return _own_directory(CONFIG_VARIABLE, "XDG_CONFIG_HOME", ".config")


def sealed(purpose: str, value: Any) -> str:
    """Return this user's seal on a JSON value, for one purpose."""
    return _seal(_key(state_directory()), purpose, value)


def is_sealed(purpose: str, value: Any, seal: object) -> bool:
    """Return whether a seal is this user's, on that value and for that purpose."""
    return isinstance(seal, str) and hmac.compare_digest(
        seal.encode("utf-8", "replace"), sealed(purpose, value).encode()
    )


def _seal(key: bytes, purpose: str, value: Any) -> str:
    text = canonical_json([purpose, value])
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def _own_directory(variable: str, standard: str, below_home: str) -> Path:
    if given := os.environ.get(variable):
        return Path(given).absolute()
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / _APPLICATION
    named = Path(os.environ.get(standard, ""))
    if named.is_absolute():
        return named / _APPLICATION
    return Path(os.path.expanduser("~")) / below_home / _APPLICATION


@cache
def _key(directory: Path) -> bytes:
    """Return the user's key, made if there is none.

    Where none can be kept this process has one of its own: what it seals is not known again.
    """
    path = directory / _KEY
    if not directory.is_absolute():  # a user without a home
        return secrets.token_bytes(_BYTES)
    with suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make(path)
        found = path.read_bytes()
        if len(found) == _BYTES:
            return found
    return secrets.token_bytes(_BYTES)


def _make(path: Path) -> None:
    """Write a new key, whole or not at all, if no other process has written one meanwhile."""
    if path.exists():
        return
    unfinished = path.with_name(f"{_KEY}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            _put(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _put(unfinished: Path, path: Path) -> None:
    try:
        os.link(unfinished, path)  # refuses where there is one, as renaming does not
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        os.replace(unfinished, path)
