"""Plays one episode between two models, killed before each step that a model answered is stored.

    python -m tests.runs.paying BENCH OUT SPEC

Each sitting is a process of its own, forked after the imports, that dies before the first write of
a model's step that it has not died at before. Printed is how often one died.
"""

import os
import signal
import sys
from pathlib import Path

import httpx  # noqa: F401  (every import is made before the first fork)
import langchain_openai  # noqa: F401
from langgraph.checkpoint.sqlite import SqliteSaver

import crab_graph as cg
from crab_graph.eval import verdict  # noqa: F401
from crab_graph.graph import build  # noqa: F401
from crab_graph.runs.versions import code_sha256

MOST_SITTINGS = 40


def die_before_storing(seen):
    original = SqliteSaver.put_writes

    def put_writes(self, config, writes, task_id, task_path=""):
        died_before = seen.read_text().split() if seen.exists() else []
        if any(channel == "spent" for channel, _ in writes) and task_id not in died_before:
            with seen.open("a") as file:
                file.write(f"{task_id}\n")
            os.kill(os.getpid(), signal.SIGKILL)
        original(self, config, writes, task_id, task_path)

    SqliteSaver.put_writes = put_writes  # type: ignore[method-assign]


def sit(bench, out, spec):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            die_before_storing(out.parent / "seen")
            cg.run(bench, spec, "ruse", 1, out, tasks=["S1-001"], engine="llm", user_model=spec)
            status = 0
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
        finally:
            sys.stderr.flush()
            os._exit(status)
    return os.waitpid(child, 0)[1]


def main(bench, out, spec):
    code_sha256()  # the sources as they are now, for all sittings
    for sitting in range(MOST_SITTINGS):
        status = sit(bench, out, spec)
        if not os.WIFSIGNALED(status):
            print(sitting)
            sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
