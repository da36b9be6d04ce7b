"""Keys that nobody may find again, in whatever form a file, a page or a database holds them."""

import io
import sqlite3
import zipfile
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

import duckdb

NAMED = {
    name: f"canary/{number}+{name.casefold().replace('_', '-')}-5e0c"
    for number, name in enumerate(
        "OPENAI_API_KEY ANTHROPIC_API_KEY AZURE_OPENAI_API_KEY GOOGLE_API_KEY MISTRAL_API_KEY "
        "AWS_SECRET_ACCESS_KEY HF_TOKEN LANGSMITH_API_KEY PGPASSWORD".split()
    )
}
"""What providers' packages take from the environment, by the name of the variable."""

LOGIN, QUERY, SETTING, HEADER = (
    f"canary/{part}+77aa-5e0c" for part in ("login", "query", "setting", "header")
)
SECRETS = (*NAMED.values(), LOGIN, QUERY, SETTING, HEADER)


def found_in(content: bytes) -> list[str]:
    """Return the secrets that some bytes hold, also as UTF-16, in a URL, in hexadecimal or base64.

    Of base64 there are three forms of the same bytes, by where in three of them they begin.
    """
    return [one for one in SECRETS if any(form in content for form in _forms(one))]


def _forms(secret: str) -> Iterator[bytes]:
    plain = secret.encode()
    yield from (plain, secret.encode("utf-16-le"), quote(secret, safe="").encode())
    yield plain.hex().encode()
    yield plain.replace(b"/", rb"\/")
    for before in range(3):
        whole = b64encode(bytes(before) + plain)
        yield whole[4 if before else 0 : -4]


def in_files(folder: Path) -> list[tuple[str, str]]:
    """Return where below a folder a secret stands: the file's name, and the secret."""
    return [
        (str(path.relative_to(folder)), secret)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for secret in sorted({one for part in unpacked(path) for one in found_in(part)})
    ]


def unpacked(path: Path) -> Iterator[bytes]:
    """Yield what a file holds: its bytes, and what is packed in archives, tables and databases."""
    content = path.read_bytes()
    yield content
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield from map(archive.read, archive.namelist())
    elif content.startswith(b"PAR1"):
        yield _written(duckdb.read_parquet(str(path)).fetchall())
    elif content.startswith(b"SQLite format 3"):
        with closing(sqlite3.connect(path)) as connection:
            named = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (name,) in named.fetchall():
                yield _written(connection.execute(f'SELECT * FROM "{name}"').fetchall())
    elif path.suffix == ".duckdb":
        with suppress(duckdb.Error), duckdb.connect(str(path), read_only=True) as connection:
            for schema, name in connection.execute(
                "SELECT schema_name, table_name FROM duckdb_tables()"
            ).fetchall():
                yield _written(connection.table(f'"{schema}"."{name}"').fetchall())


def _written(rows: Iterable[Iterable[object]]) -> bytes:
    """Return rows as text, in which bytes stand as they are."""
    cells = (cell for row in rows for cell in row)
    return b"\n".join(one if isinstance(one, bytes) else str(one).encode() for one in cells)
