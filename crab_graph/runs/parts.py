"""Parts of a run's warehouse: finished episodes as Parquet, beside the shards they are made from.

    RUN/shards/part-0.jsonl                        what a worker appends to; the truth
    RUN/warehouse/part-0.jsonl@0-918273-5f1c…/     the same episodes as rows, one file a table

A part tells which bytes of which shard it was made from, and their hash; the hash of each of its
files too, so that one that is damaged or was changed is not read, but made again. It is made in a
directory of its own that is renamed when it is whole: a kill leaves a part or none, and processes
that make the same one at once make the same. Bytes that changed, as by `regrade`, have no part any
more. A part that is lost is made again by whoever needs it.
"""

import hashlib
import os
import shutil
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Literal

import duckdb
import numpy as np
from pydantic import Field, ValidationError

from crab_graph.enclosed import PLAIN_NAME
from crab_graph.errors import MendedWarning, StorageError
from crab_graph.runs.final_tables import FINAL_COLUMNS, FINAL_ROWS, final_rows
from crab_graph.runs.relations import OF_EPISODES, Row, rows_of
from crab_graph.runs.shard_lines import BadLine, LineReader, whole_lines
from crab_graph.schema import FileModel, canonical_json, digest, first_error
from crab_graph.seals import SEAL, DamagedFile, file_sha256, read_document, sealed

RECORDS = "records"
"""Stored beside the tables: each record without its dialogue, for the report."""

PLACE = "place"
"""First column of stored rows: where in its shard an episode's line begins."""

STORED: Mapping[str, Mapping[str, str]] = {
    **{
        table.name: {PLACE: "BIGINT", **{column.name: column.type for column in table.columns}}
        for table in OF_EPISODES
    },
    FINAL_ROWS: {PLACE: "BIGINT", **FINAL_COLUMNS},
    RECORDS: {PLACE: "BIGINT", "record": "VARCHAR"},
}

_VERSION = 3
"""To be raised when rows are made in another way."""

_LAYOUT = digest([_VERSION, STORED])[:16]
_ABOUT = "part.json"
_UNFINISHED = ".part-"
_BYTES = 64 << 20
_BLOCK = 1 << 20
_MOST_PARTS = 8
_STALE_SECONDS = 3600.0
_SETTINGS: Mapping[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,
    "temp_directory": "",
}


class PartFile(FileModel):
    """The file `part.json`: which bytes of which shard a part was made from, and their hash.

    `modified_ns` says when the shard was last written, if it ended with the part; else it is 0. Of
    its `lines` those that are `bad` were left out; the last one bears the number `last`. `files`
    has the hash of each file of the part.
    """

    schema_version: Literal[2] = 2
    layout: str = _LAYOUT
    shard: str
    start: int
    end: int
    sha256: str
    modified_ns: int
    lines: int
    last: int | None
    bad: tuple[BadLine, ...] = ()
    files: dict[Annotated[str, Field(pattern=PLAIN_NAME)], str] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the part's directory."""
        return f"{self.shard}@{self.start}-{self.end}-{self.sha256[:8]}-{self.layout[:8]}"


@dataclass(frozen=True, slots=True)
class ParquetPart:
    """A part on disk."""

    directory: Path
    about: PartFile

    def file(self, table: str) -> Path:
        """Return the Parquet file of a table."""
        return self.directory / f"{table}.parquet"


def complete_parts(
    shard: Path, homes: Sequence[Path], is_sealed: bool, end: int | None = None
) -> list[ParquetPart]:
    """Return parts that hold every finished episode of a shard, making those that are missing.

    They are looked for in all homes; new ones are made in the last, of the bytes before an `end`,
    if one is given. Damaged lines are left out, and
    noted; with `is_sealed` so is one without a checksum.

    Raises:
        OSError: the last home cannot be written.
    """
    state = _state(shard)  # before its bytes are read: what is written later is no part of it
    found = [part for home in homes for part in parts_in(home) if part.about.shard == shard.name]
    parts = parts_of(shard, found)
    last = parts[-1].about.last if parts else 0
    reader = LineReader(is_sealed, sum(part.about.lines for part in parts), last)
    for start, lines in _chunks(shard, parts[-1].about.end if parts else 0, end):
        rows, stop = _rows(reader, start, lines), start + sum(map(len, lines))
        sha256 = hashlib.sha256(b"".join(lines)).hexdigest()
        about = _about(shard, state, start, stop, sha256).model_copy(
            update={"lines": len(lines), "last": reader.number, "bad": tuple(reader.bad)}
        )
        reader.bad = []
        parts.append(_make(about, rows, homes[-1]))
    return parts if len(parts) <= _MOST_PARTS else merge_parts(shard, parts, homes[-1])


def merge_parts(shard: Path, parts: list[ParquetPart], home: Path) -> list[ParquetPart]:
    """Put the parts of a shard together into one, unless the shard is another one by now."""
    if len(parts) < 2:
        return parts
    state, end = _state(shard), parts[-1].about.end
    with shard.open("rb") as file:
        sha256 = _digest(file, 0, end)
        if any(_digest(file, p.about.start, p.about.end) != p.about.sha256 for p in parts):
            return parts
    about = _about(shard, state, 0, end, sha256).model_copy(
        update={
            "lines": sum(part.about.lines for part in parts),
            "last": parts[-1].about.last,
            "bad": tuple(bad for part in parts for bad in part.about.bad),
        }
    )
    with _part_directory(about, home) as directory, connect() as connection:
        for table in STORED:
            files = ", ".join(quoted(part.file(table)) for part in parts)
            _write(connection, f"read_parquet([{files}])", "*", directory / f"{table}.parquet")
    return [ParquetPart(home / about.name, about)]


def parts_in(home: Path) -> list[ParquetPart]:
    """Return the intact parts in a directory, those of other layouts left out.

    One that is damaged or was changed is removed where that can be done, to be made again.
    """
    found = []
    for path in sorted(home.glob(f"[!.]*/{_ABOUT}")):
        with suppress(FileNotFoundError):  # another process has put it together with others
            part, problem = read_part(path.parent)
            if part is not None and problem is None:
                found.append(part)
            elif problem is not None:
                shutil.rmtree(path.parent, ignore_errors=True)
                text = f"{problem}; the part was left out, and made again from its shard"
                warnings.warn(text, MendedWarning, stacklevel=2)
    return found


def read_part(directory: Path) -> tuple[ParquetPart | None, str | None]:
    """Return a part and what is wrong with it; neither, if it is one of another layout.

    Raises:
        FileNotFoundError: it is gone.
    """
    path = directory / _ABOUT
    try:
        fields = read_document(path)
        fields.pop(SEAL, None)
        if fields.get("layout", _LAYOUT) != _LAYOUT:
            return None, None
        part = ParquetPart(directory, PartFile.model_validate(fields))
    except DamagedFile as error:
        return None, f"{path}: damaged: {error}"
    except ValidationError as error:
        return None, f"{path}: damaged: {first_error(error)}"
    for name, sha256 in part.about.files.items():
        if file_sha256(directory / name) != sha256:
            return part, f"{directory / name}: damaged, or changed after it was written"
    return part, None


def differing_tables(parts: Sequence[ParquetPart], others: Sequence[ParquetPart]) -> list[str]:
    """Return the tables of which parts hold other rows than other parts do."""
    with connect() as connection:
        return [table for table in STORED if not _are_same(connection, table, parts, others)]


def _are_same(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    parts: Sequence[ParquetPart],
    others: Sequence[ParquetPart],
) -> bool:
    files = (", ".join(quoted(one.file(table)) for one in own) for own in (parts, others))
    one, other = (f"SELECT * FROM read_parquet([{own}])" for own in files)  # noqa: S608
    for left, right in ((one, other), (other, one)):
        query = f"({left}) EXCEPT ALL ({right})"
        if connection.execute(f"SELECT count(*) FROM ({query})").fetchone() != (0,):  # noqa: S608
            return False
    return True


def remove_others(home: Path, kept: Sequence[ParquetPart]) -> None:
    """Remove all but some parts, and what killed processes left unfinished."""
    names = {part.directory.name for part in kept}
    for path in home.iterdir():
        unfinished = path.name.startswith(_UNFINISHED)
        is_fresh = unfinished and time.time() - path.stat().st_mtime < _STALE_SECONDS
        if path.name not in names and not is_fresh:
            shutil.rmtree(path, ignore_errors=True)


def connect() -> duckdb.DuckDBPyConnection:
    """Return a connection to an empty database in memory that sees no Python variables."""
    return duckdb.connect(":memory:", config=dict(_SETTINGS))


def parts_of(shard: Path, found: Sequence[ParquetPart]) -> list[ParquetPart]:
    """Return parts that follow each other from the first byte on, and hold what the shard does."""
    state = _state(shard)
    chain: list[ParquetPart] = []
    with shard.open("rb") as file:
        while True:
            start = chain[-1].about.end if chain else 0
            following = [p for p in found if p.about.start == start < p.about.end <= state[1]]
            following.sort(key=lambda part: -part.about.end)
            for part in following:
                # A whole shard that nobody wrote to since needs no reading.
                is_whole = start == 0 and (part.about.modified_ns, part.about.end) == state
                if is_whole or _digest(file, start, part.about.end) == part.about.sha256:
                    chain.append(part)
                    break
            else:
                return chain


def _chunks(shard: Path, start: int, end: int | None = None) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the complete lines from a place on, some at a time, with where they begin."""
    lines: list[bytes] = []
    length = 0
    with shard.open("rb") as file:
        file.seek(start)
        for line in whole_lines(file):
            if end is not None and start + length >= end:
                break
            lines.append(line)
            length += len(line)
            if length >= _BYTES:
                yield start, lines
                start, lines, length = start + length, [], 0
    if lines:
        yield start, lines


def _rows(reader: LineReader, start: int, lines: Sequence[bytes]) -> dict[str, list[Row]]:
    """Return the rows of intact lines, of which the first one begins at a place, by table."""
    rows: dict[str, list[Row]] = {table: [] for table in STORED}
    place = start
    for line in lines:
        if (record := reader.read(line)) is not None:
            summary = {"record": record.summary.model_dump_json()}
            others = {FINAL_ROWS: final_rows(record), RECORDS: [summary]}
            for table, own in {**rows_of(record), **others}.items():
                rows[table] += [{**row, PLACE: place} for row in own]
        place += len(line)
    return rows


def _make(about: PartFile, rows: Mapping[str, list[Row]], home: Path) -> ParquetPart:
    with _part_directory(about, home) as directory, connect() as connection:
        for table, columns in STORED.items():
            # Column by column is ten times as fast as row by row.
            found = {
                one: np.array([row.get(one) for row in rows[table]], object) for one in columns
            }
            cast = ", ".join(
                f'TRY_CAST("{one}" AS {type}) AS "{one}"' for one, type in columns.items()
            )
            connection.register("incoming", found)
            _write(connection, "incoming", cast, directory / f"{table}.parquet")
            connection.unregister("incoming")
    return ParquetPart(home / about.name, about)


def _write(connection: duckdb.DuckDBPyConnection, source: str, columns: str, path: Path) -> None:
    query = f"SELECT {columns} FROM {source}"  # noqa: S608  (names of ours)
    try:
        connection.execute(f"COPY ({query}) TO {quoted(path)} (FORMAT parquet, COMPRESSION zstd)")
    except duckdb.IOException as error:
        raise StorageError(f"{path}: cannot be written: {str(error).splitlines()[0]}") from None


@contextmanager
def _part_directory(about: PartFile, home: Path) -> Iterator[Path]:
    """Yield a directory that gets its name, and is a part, once it is whole."""
    directory = home / f"{_UNFINISHED}{os.getpid()}-{time.monotonic_ns()}"
    directory.mkdir()
    try:
        yield directory
        files = {file.name: file_sha256(file) for file in sorted(directory.iterdir())}
        fields = about.model_copy(update={"files": files}).model_dump(mode="json")
        text = canonical_json(sealed(fields)) + "\n"
        (directory / _ABOUT).write_text(text, encoding="utf-8", newline="\n")
        with suppress(OSError):  # another process has made the same part meanwhile
            directory.rename(home / about.name)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _about(shard: Path, state: tuple[int, int], start: int, end: int, sha256: str) -> PartFile:
    written = state[0] if end == state[1] else 0
    return PartFile(
        shard=shard.name,
        start=start,
        end=end,
        sha256=sha256,
        modified_ns=written,
        lines=0,
        last=None,
    )


def _state(shard: Path) -> tuple[int, int]:
    stat = shard.stat()
    return stat.st_mtime_ns, stat.st_size


def _digest(file: IO[bytes], start: int, end: int) -> str:
    found = hashlib.sha256()
    file.seek(start)
    while start < end and (block := file.read(min(_BLOCK, end - start))):
        found.update(block)
        start += len(block)
    return found.hexdigest()


def quoted(path: Path) -> str:
    """Return a path as a text of SQL."""
    return "'" + str(path).replace("'", "''") + "'"
