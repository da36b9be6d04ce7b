"""Certifying a whole benchmark: every task counted again, in batches spread over processes."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.generation.certify import Certificate
from crab_graph.workers import run_parallel

_BATCH = 20
"""Tasks certified together; a process takes about as long to start as a batch to certify."""

_Counted = list[tuple[str, Certificate]]


def certify_benchmark(
    benchmark: Benchmark,
    task_ids: Sequence[str],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Certificate]:
    """Count the solutions of tasks again on their stored tables, three ways each.

    Args:
        benchmark: The benchmark.
        task_ids: Ids of the tasks.
        jobs: Number of processes; by default one a core, where there is work for them.
        progress: Told of the tasks that are done.

    Returns:
        The certificate of each task, in the order of the ids.

    Raises:
        CrabGraphError: the rows of a task were changed after generation.
    """
    batches = [task_ids[at : at + _BATCH] for at in range(0, len(task_ids), _BATCH)]
    processes = min(jobs or os.cpu_count() or 1, len(batches))
    setup = partial(_opened, benchmark.directory)
    certified: dict[str, Certificate] = {}
    for counted in run_parallel(batches, setup, jobs=processes, preload=(__name__,)):
        certified.update(counted)
        progress(len(certified), len(task_ids))
    return {task_id: certified[task_id] for task_id in task_ids}


@contextmanager
def _opened(directory: Path, slot: int) -> Iterator[Callable[[Sequence[str]], _Counted]]:
    del slot
    benchmark = load_benchmark(directory)
    with benchmark.connect() as connection:

        def certify(task_ids: Sequence[str]) -> _Counted:
            tasks = benchmark.load(task_ids)
            return list(zip(task_ids, benchmark.certify_tasks(tasks, connection), strict=True))

        yield certify
