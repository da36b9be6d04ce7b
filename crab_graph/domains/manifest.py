"""The manifest of a benchmark: what it was made from, and the certificate of each task."""

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from crab_graph.errors import BenchmarkError
from crab_graph.generation.certify import Certificate
from crab_graph.generation.paper_population import PaperParameters
from crab_graph.schema import FileModel

MANIFEST = "manifest.json"
DATABASE = "benchmark.duckdb"


class SweepMember(FileModel):
    """Which part of a sweep a benchmark is.

    Attributes:
        vary: What differs between the members.
        value: Its value in this one.
        values: Its values in all members.
        source: Hash of the benchmark whose tasks are varied.
        tasks: Ids of these tasks.
    """

    vary: Literal["distractors", "edges", "solutions"]
    value: int
    values: tuple[int, ...]
    source: str
    tasks: tuple[str, ...]


class Recipe(FileModel):
    """What a benchmark is generated from; the same settings give the same rows.

    Attributes:
        domain: Name of the domain.
        seed: What everything is drawn from; a private split does not tell it.
        tasks: Number of tasks.
        strata: Numbers of seed solutions.
        distractors: Distractors of each task.
        commitment: What a private split was announced by, in place of its seed.
        sweep: Which part of a sweep it is, where it is one.
        paper: Parameters of the paper's algorithms, where these are the method.
    """

    domain: str
    seed: int | None
    tasks: int
    strata: tuple[int, ...]
    distractors: int
    commitment: str | None = None
    sweep: SweepMember | None = None
    paper: PaperParameters | None = None


class TaskEntry(FileModel):
    """One task as the manifest lists it.

    Attributes:
        id: Id of the task.
        rows_sha256: Hash of its rows.
        certificate: Counts of its solutions.
        certified: Whether these are what they must be; without repair they need not.
    """

    id: str
    rows_sha256: str
    certificate: Certificate
    certified: bool = True


class Selection(FileModel):
    """How the tasks of one stratum were chosen.

    Attributes:
        stratum: The stratum.
        candidates: Number of candidates scouted.
        chosen: Number of tasks taken.
        solved_by_shortcut: Candidates that a solver without reasoning solves.
        duplicates: Candidates with the seed solutions of another.
        rejected: Why drafts could not become candidates, with how often.
    """

    stratum: int
    candidates: int
    chosen: int
    solved_by_shortcut: int
    duplicates: int
    rejected: dict[str, int]


class Manifest(FileModel):
    """The manifest file; a benchmark without one is half-written."""

    schema_version: Literal[1] = 1
    settings: Recipe
    versions: dict[str, str]
    selection: tuple[Selection, ...]
    tasks: tuple[TaskEntry, ...]

    def to_json(self) -> str:
        """Return the manifest as it is written."""
        return json.dumps(self.model_dump(mode="json"), indent=1) + "\n"


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of a benchmark directory.

    Raises:
        BenchmarkError: the directory is missing, half-written, or no benchmark.
    """
    path = directory / MANIFEST
    if not directory.is_dir():
        raise BenchmarkError(
            f"{directory}: no such directory; make one with: crab-graph generate {directory}"
        )
    if not path.exists():
        if (directory / DATABASE).exists():
            raise BenchmarkError(
                f"{directory}: the benchmark is half-written ({MANIFEST} is missing); "
                "run the same `crab-graph generate` again to finish it"
            )
        raise BenchmarkError(f"{directory}: not a benchmark ({MANIFEST} is missing)")
    if not (directory / DATABASE).exists():
        raise BenchmarkError(f"{directory}: the benchmark is incomplete ({DATABASE} is missing)")
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
        return Manifest.model_validate(document)
    except json.JSONDecodeError as error:
        raise BenchmarkError(f"{path}: not JSON ({error}); generate the benchmark again") from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise BenchmarkError(f"{path}: field '{field}': {first['msg']}") from None
