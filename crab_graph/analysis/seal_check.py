"""Every checksum of a benchmark or a run, compared with what stands there; the hash to publish.

Checksums tell of accidents, and of whoever does not make them anew. The hash of the whole folder is
for whoever made it to publish, or to sign: with it everybody tells whether a copy is the same.
"""

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from crab_graph.domains.benchmark import DATABASE, MANIFEST, Benchmark, Manifest
from crab_graph.domains.database_file import GENERATE_AGAIN
from crab_graph.domains.surplus import surplus
from crab_graph.enclosed import check_enclosed
from crab_graph.errors import BenchmarkError, RunError
from crab_graph.given_values import a_path
from crab_graph.runs.config import CONFIG, ORIGIN, PIVOTS, read_config
from crab_graph.runs.parts import ParquetPart, complete_parts, differing_tables, parts_of, read_part
from crab_graph.runs.pivot import RESULT
from crab_graph.runs.shard_lines import LineReader, read_shard, shards_of, whole_lines
from crab_graph.runs.warehouse import WAREHOUSE
from crab_graph.schema import digest, first_error
from crab_graph.seals import SEAL, DamagedFile, document_problem, open_line, read_document

_AT_ONCE = 256
_EARLIER = "of format 1, which had no checksums: read as it is, and nothing tells of a change"


class SealState(StrEnum):
    """What comparing a checksum found."""

    OK = "ok"
    CHANGED = "changed"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class CheckedSeal:
    """A file of a folder, a part of one or a task, with its checksum, and what is wrong with it."""

    what: str
    state: SealState
    sha256: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class SealCheck:
    """What was compared; `sha256` is the hash of the whole, where all of it is as it was made."""

    path: str
    kind: str
    sha256: str | None
    seals: tuple[CheckedSeal, ...]

    @property
    def ok(self) -> bool:
        """Whether everything has a checksum, and the right one."""
        return all(one.state is SealState.OK for one in self.seals)

    def as_json(self) -> dict[str, Any]:
        """Return the document that `verify --json` prints."""
        return {"ok": self.ok, **asdict(self)}


def verify(path: str | os.PathLike[str]) -> SealCheck:
    """Compare every checksum of a benchmark or a run with what stands there.

    Nothing outside the folder is read, and nothing in it is written.

    Raises:
        BenchmarkError: the benchmark cannot be read at all.
        RunError: the run cannot be read at all, or the directory is neither.
    """
    directory = a_path("a benchmark or a run", path)
    if (directory / MANIFEST).exists():
        check_enclosed(directory, BenchmarkError, MANIFEST, DATABASE, f"{DATABASE}.wal")
        kind, seals, whole = "benchmark", *_benchmark(directory)
    else:
        check_enclosed(directory, RunError)
        kind, seals, whole = "run", *_run(directory)
    is_ok = all(one.state is SealState.OK for one in seals)
    return SealCheck(str(directory), kind, whole if is_ok else None, tuple(seals))


def _document(path: Path, name: str) -> tuple[CheckedSeal, dict[str, Any]]:
    """Return what the checksum of a document says, and its fields; errors as `read_document`."""
    fields = read_document(path, checked=False)
    problem, told = document_problem(fields), fields.pop(SEAL, None)
    if problem is not None:
        return CheckedSeal(name, SealState.CHANGED, None, problem), fields
    if told is None:
        return CheckedSeal(name, SealState.NONE, None, _EARLIER), fields
    return CheckedSeal(name, SealState.OK, told), fields


def _benchmark(directory: Path) -> tuple[list[CheckedSeal], str | None]:
    path = directory / MANIFEST
    try:
        seal, fields = _document(path, MANIFEST)
        bench = Benchmark(directory, Manifest.model_validate(fields))
    except DamagedFile as error:
        raise BenchmarkError(f"{path}: {error}; {GENERATE_AGAIN}") from None
    except ValidationError as error:
        raise BenchmarkError(f"{path}: {first_error(error)}; {GENERATE_AGAIN}") from None
    return [seal, *_tasks(bench)], seal.sha256


def _tasks(bench: Benchmark) -> Iterator[CheckedSeal]:
    entries = bench.manifest.tasks
    with bench.reading() as connection:
        for start in range(0, len(entries), _AT_ONCE):
            some = entries[start : start + _AT_ONCE]
            ids = [entry.id for entry in some]
            rows = bench.row_hashes(connection, ids)
            specs = bench.spec_hashes(connection, ids)
            provenance = bench.provenance_hashes(connection, ids)
            for one in some:
                found = {
                    "rows": (one.rows_sha256, rows[one.id]),
                    "wishes and solutions": (one.spec_sha256, specs.get(one.id)),
                    "origins of rows": (one.provenance_sha256, provenance[one.id]),
                }
                changed = [name for name, (told, now) in found.items() if told not in (None, now)]
                state, note = SealState.OK, ""
                if changed:
                    state = SealState.CHANGED
                    note = f"{DATABASE}: {' and '.join(changed)} are not those of {MANIFEST}"
                yield CheckedSeal(f"task {one.id}", state, one.rows_sha256, note)
        for more in surplus(bench, connection):
            note = f"holds {more}; {GENERATE_AGAIN}"
            yield CheckedSeal(DATABASE, SealState.CHANGED, None, note)


def _run(directory: Path, prefix: str = "") -> tuple[list[CheckedSeal], str | None]:
    config_seal, is_sealed = _config(directory, prefix)
    seals, lines = [config_seal], []
    for shard in shards_of(directory):
        own, found = _shard(shard, prefix, is_sealed)
        lines += own
        seals += found
        seals += _warehouse(directory, shard, prefix, is_sealed)
    if (directory / ORIGIN).exists():
        seals.append(_origin(directory / ORIGIN, prefix, is_sealed))
    beside = [seal.sha256 for seal in seals if seal.what == f"{prefix}{ORIGIN}"]
    for result in sorted((directory / PIVOTS).glob(f"*/{RESULT}")):
        within = f"{prefix}{PIVOTS}/{result.parent.name}/"
        forks, whole = _run(result.parent, within)
        seals += [_pivot(result, within), *forks]
        beside.append(whole)
    return seals, digest([config_seal.sha256, sorted(lines), beside])


def _config(directory: Path, prefix: str) -> tuple[CheckedSeal, bool]:
    path = directory / CONFIG
    if not path.exists():
        read_config(directory)  # says what the directory is instead
    try:
        seal, fields = _document(path, f"{prefix}{CONFIG}")
    except DamagedFile as error:
        raise RunError(f"{path}: damaged: {error}; restore it from a copy") from None
    return seal, fields.get("schema_version") != 1


def _shard(shard: Path, prefix: str, is_sealed: bool) -> tuple[list[str], list[CheckedSeal]]:
    """Return the checksums of a shard's intact lines, and what is to be said of it."""
    name, reader, kept = f"{prefix}{shard.parent.name}/{shard.name}", LineReader(is_sealed), 0
    for _ in read_shard(shard, reader):
        kept += 1
    told, unsealed = [], 0
    with shard.open("rb") as file:
        for line in whole_lines(file):
            _, number, problem = open_line(line)
            if number is not None and problem is None:
                told.append(line[-67:-3].decode("ascii", "replace"))
            unsealed += number is None
    bad = [
        CheckedSeal(
            f"{name}, line {one.line}{one.episode and f' ({one.episode})'}",
            SealState.CHANGED,
            None,
            one.problem,
        )
        for one in reader.bad
    ]
    state = SealState.CHANGED if bad else SealState.OK
    note = f"{kept} of {reader.lines} lines intact" if bad else f"{kept} lines"
    if unsealed and not bad:
        state, note = SealState.NONE, f"{unsealed} of {reader.lines} lines {_EARLIER}"
    return told, [CheckedSeal(name, state, digest(told), note), *bad]


def _warehouse(directory: Path, shard: Path, prefix: str, is_sealed: bool) -> Iterator[CheckedSeal]:
    """Yield what the checksums of a shard's parts say, and whether they say what the shard does."""
    intact: list[ParquetPart] = []
    for place in sorted((directory / WAREHOUSE).glob(f"{shard.name}@*")):
        try:
            part, problem = read_part(place)
        except FileNotFoundError as error:
            part, problem = None, f"{Path(error.filename).name} is missing"
        name = f"{prefix}{WAREHOUSE}/{place.name}"
        if problem is not None:
            yield CheckedSeal(name, SealState.CHANGED, None, problem.removeprefix(f"{place}/"))
        elif part is not None:
            intact.append(part)
    chain = parts_of(shard, intact)
    if not chain:
        return
    with TemporaryDirectory(prefix="crab-graph-") as scratch:
        again = complete_parts(shard, [Path(scratch)], is_sealed, chain[-1].about.end)
        differing = differing_tables(chain, again)
    for part in chain:
        name = f"{prefix}{WAREHOUSE}/{part.directory.name}"
        if differing:
            note = f"{', '.join(differing)}: not what the shard says; remove the folder"
            yield CheckedSeal(name, SealState.CHANGED, None, note)
        else:
            yield CheckedSeal(name, SealState.OK, part.about.sha256)


def _origin(path: Path, prefix: str, is_sealed: bool) -> CheckedSeal:
    reader = LineReader(is_sealed)
    line = path.read_bytes()
    if reader.read(line) is None:
        return CheckedSeal(f"{prefix}{ORIGIN}", SealState.CHANGED, None, reader.bad[0].problem)
    if open_line(line).number is None:
        return CheckedSeal(f"{prefix}{ORIGIN}", SealState.NONE, None, _EARLIER)
    return CheckedSeal(f"{prefix}{ORIGIN}", SealState.OK, line[-67:-3].decode())


def _pivot(path: Path, prefix: str) -> CheckedSeal:
    try:
        return _document(path, f"{prefix}{RESULT}")[0]
    except DamagedFile as error:
        return CheckedSeal(f"{prefix}{RESULT}", SealState.CHANGED, None, str(error))
