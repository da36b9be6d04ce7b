"""Checksums: what comparing them adds to opening a task, reading and writing a shard, and tables.

Each is measured with and without the comparison, in turn, in one process.
"""

import gc
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from unittest.mock import patch

import crab_graph as cg
from crab_graph.analysis.seal_check import verify
from crab_graph.domains import benchmark
from crab_graph.runs import parts, shard_lines
from crab_graph.runs.store import Shard, load_records
from crab_graph.runs.warehouse import load_summaries
from crab_graph.seals import SealedLine

Row = tuple[str, str, str]

TASKS = 4
ROUNDS = 15
EPISODES = 100


def main() -> Sequence[Row]:
    """Return the rows of the table."""
    with tempfile.TemporaryDirectory() as folder:
        bench = cg.generate_benchmark(Path(folder) / "bench", tasks=TASKS, seed=0)
        run = cg.run(bench, "solver", "ruse", out=Path(folder) / "run")
        shard = Shard(run.directory / "shards" / "part-0.jsonl")
        for number in range(EPISODES - TASKS):
            episode = run[number % TASKS]
            name = f"{episode.episode_id}-{number}"
            shard.append(episode.model_copy(update={"episode_id": name}))
        shard.close()
        load_summaries(run.directory)
        return [_opening(bench), *_reading(run.directory), _verifying(bench)]


def _opening(bench: cg.Benchmark) -> Row:
    def open_tasks() -> None:
        for entry in bench.manifest.tasks:
            assert cg.load_benchmark(bench)[entry.id].world.tables

    hashes: Iterator[str] = iter(())

    def unhashed(tables: object, rows: object) -> str:
        del tables, rows
        return next(hashes)

    def without() -> None:
        nonlocal hashes
        hashes = iter([entry.rows_sha256 for entry in bench.manifest.tasks])
        with patch.object(benchmark, "hash_rows", unhashed):
            open_tasks()

    with_, bare = _both(open_tasks, without)
    what = f"opening a task and its tables, {1000 * with_ / TASKS:.0f} ms: with hashes / without"
    return what, f"{with_ / bare:.2f}×", "≤ 1.3×"


def _reading(run: Path) -> Sequence[Row]:
    def unchecked(line: bytes) -> SealedLine:
        end = line.rindex(b',"line":')
        return SealedLine(line[:end] + b"}", int(line[end + 8 : line.index(b",", end + 8)]))

    def records_without() -> None:
        with patch.object(shard_lines, "open_line", unchecked):
            load_records(run)

    def tables_without() -> None:
        known = {file: one.about.files[file.name] for one in parts.parts_in(run / "warehouse")
                 for file in one.directory.glob("*.parquet")}  # fmt: skip
        with patch.object(parts, "file_sha256", known.__getitem__):
            for _ in range(ROUNDS):
                load_summaries(run)

    with_, bare = _both(lambda: load_records(run), records_without)
    lines = (f"reading {EPISODES} episodes of a shard: with checksums / without",
             f"{with_ / bare:.2f}×", "≤ 1.1×")  # fmt: skip

    def tables_with() -> None:
        for _ in range(ROUNDS):
            load_summaries(run)

    with_, bare = _both(tables_with, tables_without, rounds=5)
    tables = (f"reading the tables of {EPISODES} episodes: with checksums / without",
              f"{with_ / bare:.2f}×", "≤ 1.3×")  # fmt: skip
    return [lines, tables]


def _verifying(bench: cg.Benchmark) -> Row:
    seconds, _ = _both(lambda: verify(bench), lambda: None, rounds=5)
    return "`verify` of a benchmark, a task", f"{1000 * seconds / TASKS:.0f} ms", ""


def _both(
    with_: Callable[[], object], without: Callable[[], object], rounds: int = ROUNDS
) -> tuple[float, float]:
    """Return the median seconds of CPU of two functions that are called in turn.

    A collection of garbage takes as long as a third of what is measured, and falls on either.
    """
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for seconds, work in zip(taken, (with_, without), strict=True):
            gc.collect()
            gc.disable()
            begun = time.process_time()
            work()
            seconds.append(time.process_time() - begun)
            gc.enable()
    return median(taken[0]), median(taken[1])
