"""What `test_ray_workers` looks at, in a process of its own: Ray leaves threads behind."""

import json
import os
import signal
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from crab_graph.errors import CrabGraphError
from crab_graph.workers import Executor, run_parallel


@contextmanager
def noting(folder, slot):
    """A handler that dies the first time it meets each multiple of five, and always at 99."""

    def handle(number):
        mark = Path(folder) / f"met-{number}"
        if number == 99 or (number % 5 == 0 and not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return slot, number

    yield handle


@contextmanager
def refusing(slot):
    raise CrabGraphError(f"worker {slot} finds no benchmark")
    yield


def failure(items, setup):
    try:
        list(run_parallel(items, setup, jobs=1, executor=Executor.RAY))
    except CrabGraphError as error:
        return str(error)
    return None


def main(folder):
    import ray  # noqa: PLC0415

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    setup = partial(noting, folder)
    results = list(run_parallel(range(1, 24), setup, jobs=2, concurrency=2, executor=Executor.RAY))
    found = {
        "results": results,
        "deaths": len(list(Path(folder).glob("met-*"))),
        "deadly": failure([99], setup),
        "refused": failure([1], refusing),
    }
    Path(folder, "found.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
