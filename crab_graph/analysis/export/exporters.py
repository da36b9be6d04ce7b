"""The seam of exports: what can write a run, or a benchmark, in a format of another tool.

A package that brings a format registers an `Exporter` under its name in the entry point group
`crab_graph.exporters`. Beside it stands what exports share: what they say about where they come
from, and an episode from the agent's seat, in the message form of OpenAI's chat API. The user's
private calls and what they returned are left out there, as they were from the agent's own messages
(design section 9).
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crab_graph.domains.benchmark import MANIFEST, Benchmark, load_benchmark
from crab_graph.errors import RunError, UsageError
from crab_graph.given_values import a_path
from crab_graph.graph.view import openai_view
from crab_graph.plugins import Seam
from crab_graph.runs.config import CONFIG
from crab_graph.runs.notes import Note
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run, open_run
from crab_graph.runs.versions import versions

Message = dict[str, Any]

Writer = Callable[[Any, Path], dict[str, int]]
"""Writes a `Run` or a `Benchmark` to a file or folder, and returns how many of what it wrote.

What stands there may be replaced (`export` asked), but only by what is whole.
"""


@dataclass(frozen=True, slots=True)
class Exporter:
    """One format: how it writes a run, of which at least one episode is finished."""

    run: Writer
    benchmark: Writer | None = None
    """`None` for a format of episodes alone."""
    rewards: Writer | None = None
    """With a reward on every episode (`--rewards`); `None` where it holds every verdict anyway."""


_ROOM = "crab_graph.analysis.export"
EXPORTERS = Seam(
    "crab_graph.exporters",
    "format",
    {
        "openai": f"{_ROOM}.openai:OPENAI",
        "parquet": f"{_ROOM}.dataset:PARQUET",
        "inspect": f"{_ROOM}.inspect_file:INSPECT",
        "langsmith": f"{_ROOM}.langsmith:LANGSMITH",
    },
)


def export(
    source: str | os.PathLike[str],
    format: str,
    out: str | os.PathLike[str],
    *,
    rewards: bool = False,
    force: bool = False,
) -> dict[str, int]:
    """Write a run or a benchmark in the format of another tool, and return how many of what.

    Args:
        source: A run or a benchmark, or its directory.
        format: `openai`, `parquet`, `inspect` or `langsmith`, or what another package brings.
        out: File to write; for `parquet` a folder.
        rewards: For `openai`: keep failed episodes too, and attach rewards to all.
        force: Replace what is there.

    Raises:
        UnknownName: there is no such format.
        UsageError: the format is none for a benchmark, or has no rewards, or the output is there.
        RunError: no episode of the run is finished yet.
        CrabGraphError: the source cannot be read, or a format needs an extra.
    """
    if not isinstance(source, str | os.PathLike):
        raise UsageError(
            f"export: takes a run, a benchmark or a directory, not {type(source).__name__}"
        )
    source, out = Path(source), a_path("out", out)
    exporter: Exporter = EXPORTERS.find(format)
    if rewards and exporter.rewards is None:
        raise UsageError(
            "`rewards=True`: belongs to `format=openai`; the others hold every verdict"
        )
    is_benchmark = (source / MANIFEST).exists()
    of_run = exporter.rewards if rewards else exporter.run
    write = exporter.benchmark if is_benchmark else of_run
    if write is None:
        raise UsageError(
            f"{source}: is a benchmark, which has no episodes; `format=parquet` writes it"
        )
    opened = load_benchmark(source) if is_benchmark else open_run(source)
    if not is_benchmark and not len(opened):
        raise RunError(f"{source}: no episode is finished yet")
    if out.exists() and not force:
        raise UsageError(f"{out}: is there already; choose another `out=`, or add `force=True`")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        return write(opened, out)
    except OSError as error:
        if error.filename is None:  # a full disk is told of without a name
            error.filename = str(out)
        raise


def run_stamp(run: Run) -> dict[str, Any]:
    """Return what a run's results depend on, without paths and without credentials."""
    config = run.config.as_json()
    for name in ("benchmark", "personas", "schema_version"):
        del config[name]
    return {
        **config,
        "agent_is_reference": any(record.agent_is_reference for record in run),
        "user_is_rule_based": config["user_engine"] == "rules",
        "exported_with": versions()["crab-graph"],
    }


def begun_at(run: Run) -> datetime:
    """Return when a run was begun; no record keeps a clock."""
    return datetime.fromtimestamp((run.directory / CONFIG).stat().st_mtime, UTC)


_NOT_SAID = {"schema_version", "episode_id", "deleted"}
_STAMPED = (
    "episode_id task_id stratum condition persona dimensions trial seed agent "
    "agent_is_reference toolset user_engine user_model prompt_sha256 outcome passed fault "
    "primary_failure"
)


def episode_stamp(record: EpisodeRecord, notes: Sequence[Note] = ()) -> dict[str, Any]:
    """Return who took part in an episode, how it was graded, and what people noted on it."""
    noted = [note.model_dump(exclude=_NOT_SAID, mode="json") for note in notes]
    return {
        **({"notes": noted} if noted else {}),
        **record.axes,
        **record.model_dump(include=set(_STAMPED.split()), mode="json"),
        "passed": record.passed if record.has_verdict else None,
        "strict_passed": record.strict.get("passed"),
        "verifier_sha256": record.stamp.get("verifier"),
    }


def agent_messages(bench: Benchmark, record: EpisodeRecord) -> list[Message]:
    """Return an episode as its agent saw it, its instructions first."""
    task = bench[record.task_id].with_toolset(record.toolset)
    return openai_view(task.policy, record.messages)
