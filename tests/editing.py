"""Files with checksums, edited as if they had been written so: what is tested is something else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crab_graph as cg
from crab_graph.domains.benchmark import Manifest
from crab_graph.seals import SEAL, open_line, seal_line, sealed

Fields = dict[str, Any]


def edit_document(path: Path, edit: Callable[[Fields], object]) -> None:
    """Let a function change the fields of a JSON file."""
    fields = json.loads(path.read_text(encoding="utf-8"))
    had_seal = fields.pop(SEAL, None) is not None
    edit(fields)
    path.write_text(json.dumps(sealed(fields) if had_seal else fields), encoding="utf-8")


def edit_lines(path: Path, edit: Callable[[Fields], Fields]) -> None:
    """Let a function return each record of a shard as it is to be."""
    records = [json.loads(open_line(line).body) for line in path.read_bytes().splitlines(True)]
    write_lines(path, [json.dumps(edit(record)) for record in records])


def write_lines(path: Path, bodies: list[str]) -> None:
    """Write records, each as JSON, as the lines of a shard."""
    lines = (seal_line(body.encode(), number) for number, body in enumerate(bodies, start=1))
    path.write_bytes(b"".join(lines))


def accept_rows(directory: Path) -> None:
    """Let the manifest of a benchmark name the rows that it holds now."""
    bench = cg.load_benchmark(directory)
    with bench.connect() as connection:
        hashes = bench.row_hashes(connection, [entry.id for entry in bench.manifest.tasks])
    tasks = tuple(
        entry.model_copy(update={"rows_sha256": hashes[entry.id]}) for entry in bench.manifest.tasks
    )
    manifest: Manifest = bench.manifest.model_copy(update={"tasks": tasks})
    (directory / "manifest.json").write_text(manifest.to_json(), encoding="utf-8")
