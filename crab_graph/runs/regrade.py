"""Grade the episodes of a run again, from their transcripts and the benchmark alone (§13).

Nothing is played again. Of an episode that was tried several times the attempt that stands is
graded, and those before it stay as they were. A shard is replaced whole when its last episode is
graded; an interrupt keeps what was graded, and a kill leaves the shard as it was. Doing it twice
does no harm.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from crab_graph.errors import ResumeMismatch
from crab_graph.runs.config import SHARDS, read_config
from crab_graph.runs.grading import CRASH, UNSOUND, VERDICT_FIELDS, Breakdown, grade_fields
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import read_shard
from crab_graph.runs.writing import hold_run

if TYPE_CHECKING:
    from crab_graph.domains.benchmark import Benchmark

_KEPT_BEFORE = (*VERDICT_FIELDS, "stamp")


Turned = dict[str, tuple[str | None, str | None]]
"""The checks that changed, each with its verdict so far and now; `None` for none."""


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """How an episode's outcome changed, and which checks did in either grading."""

    episode_id: str
    before: str
    after: str
    checks: Turned
    strict: Turned

    @property
    def rules(self) -> Turned:
        """The checks that changed; those that changed under strict grading alone are marked so."""
        only = {f"{name} (strict)": p for name, p in self.strict.items() if name not in self.checks}
        return {**self.checks, **only}


@dataclass(slots=True)
class Regrading:
    """What grading a run again found: how many episodes were graded, and which changed.

    `ungraded` are those whose grading crashed, with the error; `reasons` the parts of stamps that
    differ, with the number of episodes.
    """

    episodes: int = 0
    changes: list[VerdictChange] = field(default_factory=list)
    ungraded: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    unstamped: int = 0

    @property
    def is_same(self) -> bool:
        """Whether every verdict was reproduced."""
        return not self.changes and not self.ungraded

    @property
    def rules(self) -> dict[str, dict[str, int]]:
        """How often each check changed, and how, such as `{"D05": {"pass → fail": 2}}`.

        A check that changed under strict grading alone is counted as `F-PS (strict)`.
        """
        counts: dict[str, Counter[str]] = {}
        for change in self.changes:
            for check, (before, after) in change.rules.items():
                words = f"{before or 'none'} → {after or 'none'}"
                counts.setdefault(check, Counter())[words] += 1
        return {check: dict(counts[check]) for check in sorted(counts)}

    def as_json(self) -> dict[str, Any]:
        """Return the document that `regrade --json` prints."""
        return {
            "ok": self.is_same,
            "episodes": self.episodes,
            "changed": [asdict(change) for change in self.changes],
            "rules": self.rules,
            "ungraded": dict(self.ungraded),
            "stamp_differs": dict(self.reasons),
            "unstamped": self.unstamped,
        }


def regrade_run(
    path: str | Path,
    *,
    allow_mismatch: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Regrading:
    """Grade every stored episode of a run again.

    Args:
        path: The run's directory.
        allow_mismatch: Grade on a benchmark, or with tools, other than those the run was made with.
        progress: Called with the number of episodes graded so far.

    Raises:
        RunError: there is no run, it is damaged, or another process works on it.
        ResumeMismatch: benchmark or tools are others; nothing was written.
    """
    from crab_graph.domains.benchmark import load_benchmark  # noqa: PLC0415

    directory = Path(path)
    config = read_config(directory)
    bench = load_benchmark(directory / config.benchmark)
    if bench.sha256 != config.benchmark_sha256 and not allow_mismatch:
        raise ResumeMismatch(
            f"{directory}: made on other tasks than those in {bench.directory}; "
            "--allow-mismatch grades on them all the same"
        )
    found = Regrading()
    with hold_run(directory):
        shards = sorted((directory / SHARDS).glob("*.jsonl"))
        standing = _standing(shards)
        if not allow_mismatch:
            _check_stamps(directory, standing, bench)
        for shard in shards:
            ends = {one.end for one in standing.values() if one.shard == shard}
            _regrade_shard(shard, bench, ends, found, progress or (lambda _: None))
    return found


def regrade_record(bench: "Benchmark", record: EpisodeRecord) -> EpisodeRecord:
    """Return an episode with its verdict of now, and the one so far in its history."""
    from crab_graph.eval.stamp import WORLD, differing, grading_stamp  # noqa: PLC0415
    from crab_graph.eval.user_facts import UserConduct  # noqa: PLC0415

    task = bench[record.task_id].with_toolset(record.toolset)
    error, breakdown = record.error or "", None
    ended = "budget" if (record.termination or "").startswith("max_") else "token"
    if record.outcome == "infra_error" and not error.startswith((CRASH, UNSOUND)):
        # Why it broke down while it was played; no verdict decides that anew.
        ended, breakdown = "infra", Breakdown(record.fault or "infra", error)
    fields = grade_fields(
        task,
        record.messages,
        ended,
        breakdown,
        record.user_faults,
        UserConduct.from_record(record.persona, record.dimensions, record.facts),
        is_own_world=not differing(record.stamp, grading_stamp(task), WORLD),
    )
    before = record.model_dump(include=set(_KEPT_BEFORE))
    after = record.model_copy(update=fields)
    if before == after.model_dump(include=set(_KEPT_BEFORE)):
        return after
    return after.model_copy(update={"history": (*record.history, before)})


class _Standing(NamedTuple):
    """Where the attempt of an episode stands that counts, the latest one, and its stamp."""

    attempts: int
    shard: Path
    end: int
    task_id: str
    toolset: str
    stamp: dict[str, Any]


def _standing(shards: Sequence[Path]) -> dict[str, _Standing]:
    """Return the attempt that stands for each episode; those before it stay as they are."""
    found: dict[str, _Standing] = {}
    for shard in shards:
        for end, record in read_shard(shard):
            known = found.get(record.episode_id)
            if known is None or record.attempts >= known.attempts:
                found[record.episode_id] = _Standing(
                    record.attempts, shard, end, record.task_id, record.toolset, record.stamp
                )
    return found


def _check_stamps(directory: Path, standing: Mapping[str, _Standing], bench: "Benchmark") -> None:
    """Refuse episodes that were made in another world, before anything is written."""
    from crab_graph.eval.stamp import WORLD, differing, grading_stamp  # noqa: PLC0415

    for episode_id, one in standing.items():
        task = bench[one.task_id].with_toolset(one.toolset)
        parts = differing(one.stamp, grading_stamp(task), WORLD)
        if parts:
            raise ResumeMismatch(
                f"{directory}: episode '{episode_id}' was made with another "
                f"{' and another '.join(parts)}; --allow-mismatch grades it all the same"
            )


def _regrade_shard(
    shard: Path,
    bench: "Benchmark",
    ends: Collection[int],
    found: Regrading,
    progress: Callable[[int], None],
) -> None:
    """Grade the episodes of a shard whose lines end at the given places."""
    unfinished = shard.with_name(f".{shard.name}.{os.getpid()}")
    read = written = 0
    try:
        with unfinished.open("wb") as file:
            try:
                for end, record in read_shard(shard):
                    again = _regrade_one(bench, record, found) if end in ends else record
                    file.write(again.model_dump_json().encode() + b"\n")
                    read, written = end, file.tell()
                    progress(found.episodes)
            except KeyboardInterrupt:
                # The episode under way, and those after it, stay as they were.
                file.truncate(written)
                file.seek(written)
                with shard.open("rb") as source:
                    source.seek(read)
                    shutil.copyfileobj(source, file)
                _replace(file, unfinished, shard)
                raise
            _replace(file, unfinished, shard)
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()


def _replace(file: IO[bytes], unfinished: Path, shard: Path) -> None:
    file.flush()
    os.fsync(file.fileno())
    unfinished.replace(shard)


def _regrade_one(bench: "Benchmark", record: EpisodeRecord, found: Regrading) -> EpisodeRecord:
    from crab_graph.eval.stamp import differing  # noqa: PLC0415

    again = regrade_record(bench, record)
    found.episodes += 1
    found.unstamped += not record.stamp
    for part in differing(record.stamp, again.stamp):
        found.reasons[part] = found.reasons.get(part, 0) + 1
    if again.error and again.error.startswith(CRASH):
        found.ungraded[again.episode_id] = again.error
    if any(getattr(record, name) != getattr(again, name) for name in VERDICT_FIELDS):
        checks, strict = (
            {
                name: (before.get(name), after.get(name))
                for name in {**before, **after}
                if before.get(name) != after.get(name)
            }
            for before, after in (
                (record.checks, again.checks),
                (record.strict.get("checks", {}), again.strict.get("checks", {})),
            )
        )
        change = VerdictChange(record.episode_id, record.outcome, again.outcome, checks, strict)
        found.changes.append(change)
    return again
