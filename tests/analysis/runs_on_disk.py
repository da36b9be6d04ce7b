"""Runs on disk for tests, written as `run` leaves them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crab_graph.runs.config import RunConfig, save_config
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import Shard
from crab_graph.settings import Limits


def write_run(directory: Path, records: Sequence[EpisodeRecord], **settings: Any) -> Path:
    """Write a run with some episodes, as `run` leaves it."""
    tasks = tuple(dict.fromkeys(record.task_id for record in records))
    users = tuple(dict.fromkeys(record.condition for record in records))
    config: dict[str, Any] = {
        "benchmark": "../bench",
        "benchmark_sha256": "0" * 64,
        "agent": records[0].agent if records else "solver",
        "users": users or ("generic",),
        "user_engine": "rules",
        "seed": 0,
        "trials": 1,
        "tasks": tasks or ("S1-001",),
        "limits": Limits(),
        "versions": {},
    }
    directory.mkdir(parents=True)
    save_config(directory, RunConfig(**{**config, **settings}))
    append_episodes(directory, records)
    return directory


def append_episodes(directory: Path, records: Sequence[EpisodeRecord], shard: int = 0) -> None:
    """Append finished episodes to one of a run's shards."""
    file = Shard(directory / "shards" / f"part-{shard}.jsonl")
    for record in records:
        file.append(record)
    file.close()
