"""Kills a run again and again, lets it go on, and tells how the records came out.

    python -m tests.runs.killing BENCH OUT STORE SEED TRIALS

Every run is a process of its own, forked from this one after the imports. It dies at the n-th
passing of one of the points below, or after some milliseconds. Printed is one JSON document: the
number of kills at each point, and of runs whose records differ from those of a run that nobody
touched. STORE is `ours`; or `in-place`, with an agent that plays each turn in one step, in a loop
and with a memory of its own; or `naive`: tools that write what they do to a file at once, as a
booking service with a database of its own would, instead of events in the checkpointed state.
"""

import gc
import hashlib
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from functools import wraps
from pathlib import Path
from typing import Any

import duckdb  # noqa: F401  (every import is made before the first fork)
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.sqlite import SqliteSaver

import crab_graph as cg
from crab_graph.agents.adapters import resolve_agent
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.eval import verdict  # noqa: F401
from crab_graph.graph import build, journal, nodes  # noqa: F401
from crab_graph.personas import rules_user
from crab_graph.runs import execution, runner, store
from crab_graph.runs.versions import code_sha256
from crab_graph.schema import canonical_json
from crab_graph.testing import ScriptedChatModel
from crab_graph.tools.registry import ToolRegistry

WRITES = "effects.jsonl"
USERS = ["generic", "ruse"]
MOST_KILLS = 5

POINTS = {
    "checkpoint": (SqliteSaver, "put"),
    "writes": (SqliteSaver, "put_writes"),
    "reply": (journal.Step, "keep"),
    "forget": (SqliteSaver, "delete_thread"),
    "record": (store.Shard, "append"),
    "tool": (ToolRegistry, "call"),
    "environment": (nodes.EpisodeNodes, "environment"),
    "agent": (nodes.EpisodeNodes, "agent"),
    "user": (rules_user.RulesUser, "step"),
    "replacement": (Path, "replace"),
}


def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)


class Trap:
    """Counts how often each point is passed, and kills at one of the passings."""

    def __init__(self, place=None, number=0):
        self.place = place
        self.left = number
        self.passed: Counter[str] = Counter()

    def arm(self):
        for name, (owner, attribute) in POINTS.items():
            setattr(owner, attribute, self._around(name, getattr(owner, attribute)))
        self._tear(store.Shard)

    def _around(self, name, function):
        @wraps(function)
        def trapped(*arguments, **options):
            self.at(f"before {name}")
            result = function(*arguments, **options)
            self.at(f"after {name}")
            return result

        return trapped

    def _tear(self, shard):
        """Add a point in the middle of a line."""
        append = shard.append

        def torn(self_, record):
            if self.place == "within record" and self.left == 1:
                self_._file.write(record.model_dump_json().encode()[:500])
                die()
            self.at("within record")
            append(self_, record)

        shard.append = torn

    def at(self, name):
        self.passed[name] += 1
        if name == self.place:
            self.left -= 1
            if self.left == 0:
                die()


def unlabelled_solver(bench):
    """Return the reference solver as an agent nobody knows: its replies are kept like a model's."""
    solve = resolve_agent("solver").open_for(bench.domain, tuple)

    def agent(messages, tools):
        return solve(messages)

    return agent


class SolvingModel(ScriptedChatModel):
    """A chat model that answers as the reference solver does."""

    solve: Any

    def _generate(self, messages, *given, **how):
        reply = self.solve(messages)
        calls = [
            {"name": name, "args": arguments, "id": f"solve_{len(messages)}_{number}"}
            for number, (name, arguments) in enumerate(reply.calls)
        ]
        message = AIMessage(reply.text, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def looping_solver(bench):
    """Return the reference solver as an agent of `create_agent`."""
    solve = resolve_agent("solver").open_for(bench.domain, tuple)

    def make(tools):
        return create_agent(SolvingModel(replies=[], solve=solve), tools)

    return make


def play(bench_path, out, kind):
    bench = load_benchmark(bench_path)
    agent = looping_solver(bench) if kind == "in-place" else unlabelled_solver(bench)
    runner.run(bench, agent, USERS, 1, out, tasks=["S1-001"], name="solver under test")


def make_naive(out):
    """Let tools keep what they did in a file, and see what that file holds."""
    episode = {}
    original = vars(execution)["play_episode"]

    def play_episode(task, agent, user, setup, visit):
        episode["file"] = out.parent / f"{out.name}-{visit.thread_id}-{WRITES}"
        return original(task, agent, user, setup, visit)

    run_calls = nodes.EpisodeNodes._run

    def run(self, calls, owner, log, seq):
        lines: list[Any] = []
        events: list[Any] = []
        errors = 0
        for number, call in enumerate(calls, start=seq):
            file = episode["file"]
            rows = file.read_text().splitlines() if file.exists() else []
            known = [json.loads(row) for row in rows]
            line, written, failed = run_calls(self, [call], owner, known, number)
            with file.open("a") as stream:
                stream.writelines(json.dumps(event) + "\n" for event in written)
            lines, events, errors = lines + line, events + written, errors + failed
        return lines, events, errors

    vars(execution)["play_episode"] = play_episode
    nodes.EpisodeNodes._run = run  # type: ignore[method-assign]


def in_child(action, told):
    """Run an action in a forked process; return how it ended, and write what it failed with."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        except BaseException:
            told.write_text(traceback.format_exc())
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1]


def digest_of(out):
    # Hashes of sources, in which somebody may be writing; and ids that LangChain draws.
    left_out: Any = {"stamp": True, "hidden": {"agent_states"}}
    run = cg.open_run(out)
    records = [canonical_json(one.model_dump(mode="json", exclude=left_out)) for one in run]
    lines = sum(path.read_bytes().count(b"\n") for path in (out / "shards").iterdir())
    return hashlib.sha256(json.dumps([records, lines]).encode()).hexdigest()


def alone():
    """Wait until no thread of a database is left, which a fork would tear apart."""
    for _ in range(200):
        if len(os.listdir("/proc/self/task")) == 1:
            return
        time.sleep(0.01)
    raise SystemExit(f"threads are left: {threading.enumerate()}")


class Harness:
    def __init__(self, bench, out, kind):
        self.bench, self.out, self.kind = bench, out, kind
        self.kills: Counter[str] = Counter()
        self.differing: list[dict[str, Any]] = []

    def sitting(self, out, trap, seconds=None):
        def action():
            if self.kind == "naive":
                make_naive(out)
            trap.arm()
            if seconds is not None:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, seconds)
            play(self.bench, out, self.kind)
            (out.parent / f"{out.name}.passed").write_text(json.dumps(trap.passed))
            (out.parent / f"{out.name}.digest").write_text(digest_of(out))

        return in_child(action, out.parent / f"{out.name}.error")

    def whole(self):
        out = self.out / "whole"
        assert self.sitting(out, Trap()) == 0
        passed = json.loads((self.out / "whole.passed").read_text())
        return (self.out / "whole.digest").read_text(), passed

    def trial(self, number, rng, points, whole, passed):
        out = self.out / f"trial-{number}"
        place = points[number % len(points)]
        places = []
        for turn in range(MOST_KILLS + 1):
            seconds = None
            trap = Trap()
            if turn < MOST_KILLS and place == "any moment":
                seconds = rng.uniform(0.001, 0.4)
            elif turn < MOST_KILLS:
                trap = Trap(place, rng.randint(1, max(1, passed[place] // (turn + 1))))
            status = self.sitting(out, trap, seconds)
            places.append([place, seconds or trap.left])
            if not os.WIFSIGNALED(status):
                break
            self.kills[place] += 1
            place = rng.choice(points)
        digest = self.out / f"trial-{number}.digest"
        if status != 0 or not digest.exists() or digest.read_text() != whole:
            error = self.out / f"trial-{number}.error"
            said = error.read_text() if error.exists() else "other records"
            self.differing.append(
                {"trial": number, "killed_at": places, "status": status, "said": said}
            )


def main(bench, out, kind, seed, trials):
    out.mkdir(parents=True)
    code_sha256()  # the sources as they are now, for all sittings
    play(
        bench, out / "warm", kind
    )  # what is imported and compiled now need not be in every process
    gc.collect()
    alone()
    gc.freeze()
    harness = Harness(bench, out, kind)
    whole, passed = harness.whole()
    points = [*sorted(passed), "any moment", "any moment"]
    rng = random.Random(seed)
    for number in range(trials):
        harness.trial(number, rng, points, whole, passed)
    print(
        json.dumps(
            {
                "points": points,
                "kills": dict(harness.kills),
                "trials": trials,
                "differing": harness.differing,
            }
        )
    )


if __name__ == "__main__":
    _, bench_path, out_path, kind, first, count = sys.argv
    main(Path(bench_path), Path(out_path), kind, int(first), int(count))
