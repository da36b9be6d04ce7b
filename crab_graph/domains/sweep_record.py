"""The file of a sweep: what varies, and which tasks correspond to each other."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.variation import Vary
from crab_graph.errors import BenchmarkError
from crab_graph.schema import FileModel

SWEEP = "sweep.json"


class MemberRecord(FileModel):
    """One benchmark of a sweep.

    Attributes:
        value: Its value of what varies.
        directory: Its directory within the sweep's.
        sha256: Hash of what it is.
    """

    value: int
    directory: str
    sha256: str


class VariantRecord(FileModel):
    """One task of a family."""

    value: int
    task: str
    solutions: int
    node_distractors: int
    edge_distractors: int
    active_edges: tuple[str, ...]


class FamilyRecord(FileModel):
    """The tasks that were made from one: they correspond to each other."""

    source: str
    tasks: tuple[VariantRecord, ...]


class LeftOut(FileModel):
    """A task without a family, since some value cannot be met."""

    task: str
    reason: str


class SweepRecord(FileModel):
    """The file `sweep.json`.

    Attributes:
        vary: What varies.
        values: Its values.
        source_sha256: Hash of the benchmark whose tasks were varied.
        benchmarks: One benchmark for each value.
        families: Which tasks correspond.
        left_out: Tasks that could not be varied.
    """

    schema_version: Literal[1] = 1
    vary: Vary
    values: tuple[int, ...]
    source_sha256: str
    benchmarks: tuple[MemberRecord, ...]
    families: tuple[FamilyRecord, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Sweep:
    """A finished sweep.

    Attributes:
        directory: Its directory.
        record: What varies, and which tasks correspond.
    """

    directory: Path
    record: SweepRecord

    @property
    def benchmarks(self) -> dict[int, Benchmark]:
        """The benchmark of each value."""
        return {
            one.value: load_benchmark(self.directory / one.directory)
            for one in self.record.benchmarks
        }


def load_sweep(path: str | Path) -> Sweep:
    """Open a finished sweep.

    Raises:
        BenchmarkError: the directory holds none.
    """
    directory = Path(path)
    file = directory / SWEEP
    try:
        record = SweepRecord.model_validate_json(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BenchmarkError(f"{directory}: not a finished sweep ({SWEEP} is missing)") from None
    except (ValidationError, UnicodeDecodeError) as error:
        raise BenchmarkError(f"{file}: damaged ({str(error).splitlines()[0]})") from None
    return Sweep(directory, record)
