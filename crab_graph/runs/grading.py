"""The verdict's part of an episode's record: what grading found, now or again (section 3.4, §13).

When a run is graded again nothing is played again; of several attempts at an episode the one that
stands is graded. A shard is replaced whole when its last episode is graded: an interrupt keeps what
was graded, and a kill leaves the shard as it was.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.task import Task
from crab_graph.errors import ResumeMismatch, RunError
from crab_graph.eval import verdict
from crab_graph.eval.checks import CheckVerdict
from crab_graph.eval.gradable import CRASH, UNSOUND, ended_by
from crab_graph.eval.stamp import WORLD, differing, grading_stamp
from crab_graph.eval.user_facts import UserConduct
from crab_graph.models.secrets import without_secrets
from crab_graph.runs.config import RunPath, read_config, save_config
from crab_graph.runs.final_tables import table_cards
from crab_graph.runs.record import NO_VERDICT, EpisodeRecord
from crab_graph.runs.shard_lines import LineReader, damage_told, read_shard, shards_of
from crab_graph.runs.trust import Named, check_trusted
from crab_graph.runs.versions import versions
from crab_graph.runs.writing import hold_run
from crab_graph.seals import seal_line
from crab_graph.settings import TrustSettings
from crab_graph.terms import TURNS_INTO
from crab_graph.workers import take_place, unfinished_path

VERDICT_FIELDS = tuple("outcome passed fault error checks strict failures primary_failure".split())
"""The fields of a record that say how an episode came out."""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Why an episode could not be played to its end: whose fault it was, and what was raised."""

    fault: str
    error: str


def grade_fields(
    task: Task,
    messages: Sequence[Mapping[str, Any]],
    ended: str,
    breakdown: Breakdown | None = None,
    user_faults: Sequence[Mapping[str, Any]] = (),
    conduct: UserConduct | None = None,
    *,
    is_own_world: bool = True,
) -> dict[str, Any]:
    """Return the verdict's fields of a record; a crash of grading is an environment's error.

    It `ended` by `token`, `budget`, `reply` or `infra`. In its own world, of these tables and
    tools, a recorded result that they do not give is the environment's error. An `infra_error` says
    nothing of the agent: it has neither checks nor failures.
    """
    stamp = {"package": versions()["crab-graph"], **grading_stamp(task)}
    try:
        found = verdict.grade(
            task,
            messages,
            termination=ended,
            max_reply_characters=None,  # a run has kept its own
            user_faults=user_faults,
            conduct=conduct,
        )
        fields = _fields_of(found, is_own_world)
    except Exception as error:  # the dialogue is kept, and can be graded again
        text = without_secrets(f"{CRASH}{type(error).__name__}: {error}")
        fields = {"outcome": "infra_error", "passed": False, "fault": "environment", "error": text}
        fields["metrics"] = {}
    if breakdown is not None:
        fields |= {"outcome": "infra_error", "passed": False}
        fields |= {"fault": breakdown.fault, "error": breakdown.error}
    if fields["outcome"] == "infra_error":
        fields |= NO_VERDICT
        fields["metrics"].pop("id_mismatch", None)
    return {**fields, "stamp": stamp}


def _fields_of(found: verdict.Verdict, is_own_world: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "outcome": str(found.outcome),
        "passed": found.passed,
        "fault": None if found.fault is None else str(found.fault),
        "error": found.error,
        "checks": dict(found.checks),
        "evidence": {name: tuple(pieces) for name, pieces in found.evidence.items()},
        "strict": dict(found.strict),
        "failures": tuple(found.failures),
        "primary_failure": found.primary_failure,
        "metrics": dict(found.metrics),
        "explanation": None if found.explanation is None else found.explanation.as_json(),
        "fact_fates": dict(found.fact_fates),
        "final": found.final,
    }
    if found.outcome == "infra_error":
        fields["error"] = f"{UNSOUND}{found.error}"
    elif found.unconfirmed and is_own_world and not found.passed:
        first = found.unconfirmed[0]
        text = f"{first.name} answered at step {first.seq} what the tables do not say"
        fields |= {"outcome": "infra_error", "fault": "environment", "error": f"{UNSOUND}{text}"}
    return fields


_KEPT_BEFORE = {*VERDICT_FIELDS, "stamp"}
_UNDECIDED = str(CheckVerdict.NOT_EVALUATED)

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
                words = TURNS_INTO.join((before or "none", after or "none"))
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
    path: RunPath,
    *,
    allow_mismatch: bool = False,
    trust: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Regrading:
    """Grade every stored episode of a run again; `progress` hears how many are graded so far.

    With `allow_mismatch` on a benchmark, or with tools, other than those the run was made with. On
    a benchmark of an earlier version the tools are others in any case.

    Raises:
        RunError: there is no run, it is damaged, or another process works on it.
        UntrustedRun: somebody else wrote it, without `trust`.
        ResumeMismatch: benchmark or tools are others; nothing was written.
    """
    directory = Path(path)
    config = read_config(directory)
    check_trusted(directory, Named(), TrustSettings(trust=trust))
    bench = load_benchmark(directory / config.benchmark)
    if bench.sha256 != config.benchmark_sha256 and not allow_mismatch:
        raise ResumeMismatch(
            f"{directory}: made on other tasks than those in {bench.directory}; "
            "`allow_mismatch=True` grades on them all the same"
        )
    found = Regrading()
    with hold_run(directory):
        if not config.tables:
            save_config(directory, replace(config, tables=table_cards(bench.domain.tables)))
        shards = shards_of(directory)
        standing = _standing(shards, config.is_sealed).values()
        for _, _, one in () if allow_mismatch or not bench.is_current else standing:
            task = bench[one.task_id].with_toolset(one.toolset)
            if parts := differing(one.stamp, grading_stamp(task), WORLD):
                raise ResumeMismatch(
                    f"{directory}: episode '{one.episode_id}' was made with another "
                    f"{' and another '.join(parts)}; `allow_mismatch=True` grades it all the same"
                )
        for shard in shards:
            ends = {end for path, end, _ in standing if path == shard}
            _regrade_shard(shard, bench, ends, found, progress or (lambda _: None))
    return found


def regrade_record(bench: Benchmark, record: EpisodeRecord) -> EpisodeRecord:
    """Return an episode with its verdict of now, and the one so far in its history."""
    task = bench[record.task_id].with_toolset(record.toolset)
    error, breakdown = record.error or "", None
    ended = ended_by(record.termination or "")
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
        is_own_world=bench.is_current and not differing(record.stamp, grading_stamp(task), WORLD),
    )
    before = record.model_dump(include=_KEPT_BEFORE)
    after = record.model_copy(update=fields)
    if before == after.model_dump(include=_KEPT_BEFORE):
        return after
    return after.model_copy(update={"history": (*record.history, before)})


def _standing(
    shards: Sequence[Path], is_sealed: bool
) -> dict[str, tuple[Path, int, EpisodeRecord]]:
    found: dict[str, tuple[Path, int, EpisodeRecord]] = {}
    for shard in shards:
        reader = LineReader(is_sealed)
        for end, record in read_shard(shard, reader):
            known = found.get(record.episode_id)
            if known is None or record.attempts >= known[2].attempts:
                found[record.episode_id] = shard, end, record.summary
        if reader.bad:
            raise RunError(f"nothing was graded: {damage_told(shard, reader.bad)}")
    return found


def _regrade_shard(
    shard: Path,
    bench: Benchmark,
    ends: Collection[int],
    found: Regrading,
    progress: Callable[[int], None],
) -> None:
    """Grade the episodes of a shard whose lines end at the given places."""
    unfinished = unfinished_path(shard)
    read = written = 0
    stopped: KeyboardInterrupt | None = None
    try:
        with unfinished.open("wb") as file:
            try:
                reader = LineReader(sealed=False)  # each line was read before
                for end, record in read_shard(shard, reader):
                    again = _regrade_one(bench, record, found) if end in ends else record
                    file.write(seal_line(again.model_dump_json().encode(), reader.lines))
                    read, written = end, file.tell()
                    progress(found.episodes)
            except KeyboardInterrupt as interrupt:
                stopped = interrupt
                # The episode under way, and those after it, stay as they were.
                file.truncate(written)
                file.seek(written)
                with shard.open("rb") as source:
                    source.seek(read)
                    shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())
        take_place(unfinished, shard)
    finally:
        unfinished.unlink(missing_ok=True)
    if stopped is not None:
        raise stopped


def _regrade_one(bench: Benchmark, record: EpisodeRecord, found: Regrading) -> EpisodeRecord:
    again = regrade_record(bench, record)
    found.episodes += 1
    found.unstamped += not record.stamp
    for part in differing(record.stamp, again.stamp):
        found.reasons[part] = found.reasons.get(part, 0) + 1
    if again.error and again.error.startswith(CRASH):
        found.ungraded[again.episode_id] = again.error
    before, after = _with_all_checks(record, again), _with_all_checks(again, record)
    if any(getattr(before, name) != getattr(after, name) for name in VERDICT_FIELDS):
        checks = _turned(before.checks, after.checks)
        strict = _turned(before.strict.get("checks", {}), after.strict.get("checks", {}))
        change = VerdictChange(record.episode_id, record.outcome, again.outcome, checks, strict)
        found.changes.append(change)
    return again


def _with_all_checks(record: EpisodeRecord, other: EpisodeRecord) -> EpisodeRecord:
    """Return a record with the other's checks too: one that it lacks was not evaluated.

    A version of a domain that knows more checks changes no verdict where they decide nothing.
    """
    strict = dict(record.strict)
    if "checks" in strict:
        known = other.strict.get("checks", {})
        strict["checks"] = {**dict.fromkeys(known, _UNDECIDED), **strict["checks"]}
    checks = {**dict.fromkeys(other.checks, _UNDECIDED), **record.checks}
    return record.model_copy(update={"checks": checks, "strict": strict})


def _turned(before: Mapping[str, str], after: Mapping[str, str]) -> Turned:
    both = {name: (before.get(name), after.get(name)) for name in {**before, **after}}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}
