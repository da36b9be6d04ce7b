"""A benchmark while it is made: what is finished is kept, and an interrupted generation goes on."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from crab_graph.domain.contract import find_domain
from crab_graph.domains.benchmark import DATABASE, MANIFEST, Recipe, TaskEntry, read_manifest
from crab_graph.domains.construction import Scouted
from crab_graph.domains.database_file import open_to_write
from crab_graph.domains.task_certification import BuiltTask
from crab_graph.errors import BenchmarkError
from crab_graph.generation.materialize import (
    create_tables,
    hash_provenance,
    insert_columns,
    load_rows,
)
from crab_graph.schema import text_sha256
from crab_graph.workers import entries_of, take_place, unfinished_path

STORAGE_VERSION = "v1.5.0"
"""The oldest DuckDB that `pyproject.toml` allows reads what any later one writes."""

# Small blocks: 140 KB a task instead of 1.5 MB.
_LAYOUT = f"BLOCK_SIZE 16384, STORAGE_VERSION '{STORAGE_VERSION}'"

_OWN_FILES = (MANIFEST, f"{DATABASE}.wal", DATABASE)

_PROVENANCE = dict.fromkeys(("entity_id", "node", "origin", "broken"), "VARCHAR")

SEALED_TABLES = {
    "settings": frozenset({"settings"}),
    "candidates": frozenset({"scouted"}),
    "tasks": frozenset({"task_id", "spec"}),
    "entries": frozenset({"entry"}),
    "provenance": frozenset({"task_id", *_PROVENANCE}),
}
"""The tables of the schema `sealed` that every benchmark has, with their columns."""


class Workbench:
    """The open DuckDB file of a benchmark that is being made: a connection's default database."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, recipe: Recipe) -> None:
        self._connection = connection
        self._tables = find_domain(recipe.domain).tables

    def scouted(self) -> dict[tuple[int, int], Scouted]:
        """Return the candidates that were scouted, by stratum and number.

        Raises:
            BenchmarkError: another version of crab-graph scouted them.
        """
        found = self._connection.execute("SELECT scouted FROM sealed.candidates").fetchall()
        try:
            candidates = [Scouted.model_validate_json(text) for (text,) in found]
        except ValidationError:
            raise BenchmarkError(
                "the benchmark was begun by another version of crab-graph; "
                "begin it again: `force=True`"
            ) from None
        return {(one.stratum, one.candidate.number): one for one in candidates}

    def keep_scouted(self, scouted: Scouted) -> None:
        """Keep a scouted candidate."""
        stored = scouted.model_dump_json()
        self._connection.execute("INSERT INTO sealed.candidates VALUES (?)", [stored])

    def entries(self) -> dict[str, TaskEntry]:
        """Return the tasks that were built, by id."""
        found = self._connection.execute("SELECT entry FROM sealed.entries").fetchall()
        entries = (TaskEntry.model_validate_json(text) for (text,) in found)
        return {entry.id: entry for entry in entries}

    def keep_task(self, built: BuiltTask) -> None:
        """Write a task whole or not at all."""
        spec = built.spec
        stored = spec.model_dump_json()
        entry = TaskEntry(
            id=spec.id,
            rows_sha256=spec.rows_sha256,
            spec_sha256=text_sha256(stored),
            provenance_sha256=hash_provenance(built.provenance),
            certificate=spec.certificate,
            certified=spec.certificate.ok,
            seeds_drawn_by=spec.seeds_drawn_by,
        )
        execute = self._connection.execute
        execute("BEGIN")
        load_rows(self._connection, self._tables, spec.id, built.rows)
        made_for = dict(zip(_PROVENANCE, zip(*built.provenance, strict=True), strict=True))
        insert_columns(self._connection, "sealed.provenance", spec.id, made_for, _PROVENANCE)
        execute("INSERT INTO sealed.tasks VALUES (?, ?)", [spec.id, stored])
        execute("INSERT INTO sealed.entries VALUES (?)", [entry.model_dump_json()])
        execute("COMMIT")


def is_finished(directory: Path, recipe: Recipe) -> bool:
    """Return whether the directory already holds the benchmark of these settings.

    Raises:
        BenchmarkError: it holds something else.
    """
    if directory.exists() and not directory.is_dir():
        raise BenchmarkError(f"{directory}: is a file, not a directory")
    if directory.exists() and {entry.name for entry in entries_of(directory)} - set(_OWN_FILES):
        raise BenchmarkError(
            f"{directory}: holds files that are no benchmark's; choose another directory"
        )
    if not (directory / MANIFEST).exists():
        return False
    manifest = read_manifest(directory)
    made_with, version = manifest.settings, find_domain(recipe.domain).card.version
    if made_with == recipe and manifest.domain_version == version:
        return True
    after = _plain(recipe)
    sides = {key: (one, after[key]) for key, one in _plain(made_with).items()}
    differing = {key: pair for key, pair in sides.items() if pair[0] != pair[1]}
    told = [
        f"{key} {one}, not {other}"
        for key, (one, other) in differing.items()
        if not isinstance(one, dict) and None not in (one, other)
    ]
    what = f"with other settings ({', '.join(told or differing)})"
    if not differing:
        what = (
            f"by version {manifest.domain_version} of the domain '{recipe.domain}', not {version}"
        )
    raise BenchmarkError(f"{directory}: made {what}; choose another directory or use `force=True`")


def _plain(recipe: Recipe) -> dict[str, Any]:
    """Return every field as in JSON, also those that a file leaves out."""
    fields: dict[str, Any] = json.loads(json.dumps(dict(recipe), default=to_jsonable_python))
    return fields


def clear(directory: Path) -> None:
    """Remove a benchmark's files from a directory."""
    for name in _OWN_FILES:
        (directory / name).unlink(missing_ok=True)


@contextmanager
def open_workbench(directory: Path, recipe: Recipe) -> Iterator[Workbench]:
    """Open the DuckDB file of a benchmark that is begun or to be gone on with.

    Raises:
        BenchmarkError: the file is not this benchmark's, or another process writes it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / DATABASE
    if not path.exists():
        _begin(path, recipe)
    with open_to_write(path, _LAYOUT) as connection:
        _check_begun(connection, path, recipe)
        with _finishing(connection, path):
            yield Workbench(connection, recipe)


def _begin(path: Path, recipe: Recipe) -> None:
    """Lay out a new file, which stands there whole or not at all, also on a full disk."""
    unfinished = unfinished_path(path)
    try:
        with (
            open_to_write(unfinished, _LAYOUT, known_as=path) as connection,
            _finishing(connection, path),
        ):
            _lay_out(connection, recipe)
        if not path.exists():  # another process may have begun it meanwhile
            take_place(unfinished, path)
    finally:
        for suffix in ("", ".wal"):
            unfinished.with_name(unfinished.name + suffix).unlink(missing_ok=True)


@contextmanager
def _finishing(connection: duckdb.DuckDBPyConnection, path: Path) -> Iterator[None]:
    """Close the file in the end, with all that was written; errors as `open_workbench`."""
    try:
        yield
        connection.execute("USE memory")
        connection.execute("DETACH benchmark")
    except (duckdb.Error, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or ["?"])[0]
        reason = reason.replace(str(unfinished_path(path)), str(path))
        raise BenchmarkError(
            f"{path}: cannot be gone on with ({reason}); make room if the disk is full, and "
            "give the same command again, or begin it again: `force=True`"
        ) from None


def _lay_out(connection: duckdb.DuckDBPyConnection, recipe: Recipe) -> None:
    provenance = ", ".join(f"{name} {kind}" for name, kind in _PROVENANCE.items())
    connection.execute("BEGIN")
    create_tables(connection, find_domain(recipe.domain).tables)
    connection.execute(f"""
        CREATE SCHEMA sealed;
        CREATE TABLE sealed.settings (settings VARCHAR);
        CREATE TABLE sealed.candidates (scouted VARCHAR);
        CREATE TABLE sealed.tasks (task_id VARCHAR, spec VARCHAR);
        CREATE TABLE sealed.entries (entry VARCHAR);
        CREATE TABLE sealed.provenance (task_id VARCHAR, {provenance});
    """)
    begun = [[recipe.model_dump_json()], [_version(recipe)]]
    connection.executemany("INSERT INTO sealed.settings VALUES (?)", begun)
    connection.execute("COMMIT")


def _check_begun(connection: duckdb.DuckDBPyConnection, path: Path, recipe: Recipe) -> None:
    try:
        stored = connection.execute("SELECT settings FROM sealed.settings").fetchall()
        settings, *version = (text for (text,) in stored)
    except duckdb.CatalogException:
        text = f"{path}: not begun by crab-graph; choose another directory"
        raise BenchmarkError(text) from None
    if json.loads(settings) != recipe.model_dump(mode="json"):
        raise BenchmarkError(
            f"{path}: begun with other settings; choose another directory or use `force=True`"
        )
    if version != [_version(recipe)]:
        raise BenchmarkError(
            f"{path}: begun by another version of the domain '{recipe.domain}'; "
            "choose another directory or use `force=True`"
        )


def _version(recipe: Recipe) -> str:
    return str(find_domain(recipe.domain).card.version)
