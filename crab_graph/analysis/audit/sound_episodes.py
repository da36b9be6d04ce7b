"""What holds of every episode: nothing leaks, verdicts repeat, episodes stay apart (§13)."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crab_graph.agents.reference import AgentFunction, reference_agent
from crab_graph.analysis.audit.gates import Gate, none_gate
from crab_graph.analysis.audit.telling import PROPOSAL, Telling, perfect
from crab_graph.domain.contract import Domain
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.task import Task
from crab_graph.runs.episode import run_episode
from crab_graph.runs.record import EpisodeRecord
from crab_graph.schema import canonical_json
from crab_graph.tools.registry import Owner

_HASH_SEEDS = ("0", "4242")
_SIDE_BY_SIDE = 4
_PROVENANCE = ("distractor", "certified", "solution", "stratum")


@dataclass
class Listener:
    """The solver, with the messages of each step and the names of all its tools kept."""

    domain: Domain
    heard: list[list[str]] = field(default_factory=list)
    tools: set[str] = field(default_factory=set)

    @cached_property
    def _solver(self) -> AgentFunction:
        return reference_agent("solver", self.domain)

    def __call__(self, messages: list[Any], tools: list[Any]) -> Any:
        """Keep what is handed over, and answer as the solver does."""
        self.heard.append(
            [_joined(one.content, getattr(one, "tool_calls", ()), "args") for one in messages]
        )
        self.tools |= {tool.name for tool in tools}
        return self._solver(messages, tools)


def privacy_gate(tasks: Sequence[Task], conditions: Sequence[str]) -> Gate:
    """Count what reached an agent beyond its policy, the delivered turns and its own results."""
    leaks: list[str] = []
    steps = 0
    for number, task in enumerate(tasks):
        listener = Listener(task.domain)
        condition = conditions[number % len(conditions)]
        record = run_episode(task, listener.__call__, condition, seed=number)
        steps += len(listener.heard)
        leaks += [f"{record.episode_id}: {leak}" for leak in find_leaks(task, record, listener)]
    note = f"{steps} inputs of an agent in {len(tasks)} episodes; canaries from wallet and facts"
    return none_gate("private text in agent input", len(leaks), note, leaks)


def find_leaks(task: Task, record: EpisodeRecord, listener: Listener) -> Iterator[str]:
    """Yield what an agent was handed that it should not have been."""
    users_tools = task.domain.registry().names(Owner.USER)
    for name in sorted(listener.tools & set(users_tools)):
        yield f"tool {name}"
    policy = task.policy
    open_lines = [line for line in record.messages if line.get("owner") != "user"]
    turns = [place for place, line in enumerate(open_lines) if line["role"] == "assistant"]
    # What must not reach an agent unless it was said or found openly.
    facts = [fact.value if isinstance(fact.value, list) else [fact.value] for fact in task.facts]
    canaries = [
        *(row["card_id"] for row in task.world.rows("cards")),
        *(text for values in facts for text in values if isinstance(text, str)),
        *(one["content"] for one in record.messages if one.get("owner") == "user"),
        *users_tools,
        *_PROVENANCE,
    ]
    for heard, place in zip(listener.heard, turns, strict=False):
        said = (
            _joined(line["content"], line.get("tool_calls"), "arguments")
            for line in open_lines[:place]
        )
        due = [policy, *said]
        for text in heard:
            if text not in due:
                yield f"an input that is no delivered turn: {text[:60]}"
        public = "\n".join(due)
        for canary in canaries:
            if canary and canary not in public and any(canary in text for text in heard):
                yield f"canary {canary}"


def determinism_gates(benchmark: Benchmark) -> list[Gate]:
    """Return whether verdicts are the same bytes whatever the hash seed and the order of rows."""
    task = benchmark[len(benchmark) // 2]
    told = perfect(task, task.solutions[0])
    # One that passes and one that fails several checks: evidence has an order too.
    spoilt = told.without(task.domain.slots[-1].id).said(PROPOSAL, str.swapcase)
    rows = sum(
        _verdict_bytes(telling) != _verdict_bytes(replace(telling, reverses_rows=True))
        for telling in (told, spoilt)
    )
    seeds = len({_graded_apart(benchmark, task, spoilt, seed) for seed in _HASH_SEEDS}) - 1
    note = f"differences over PYTHONHASHSEED {', '.join(_HASH_SEEDS)}"
    return [
        none_gate("verdicts by row order", rows, "differences, 2 episodes"),
        none_gate("verdicts by hash seed", seeds, note),
    ]


def _verdict_bytes(telling: Telling) -> bytes:
    verdict = telling.grade()
    evidence = {check: list(found) for check, found in verdict.evidence.items()}
    return canonical_json([verdict.as_json(), evidence]).encode()


def _graded_apart(benchmark: Benchmark, task: Task, telling: Telling, seed: str) -> str:
    """Return what `grade --json` prints in a process of its own."""
    with TemporaryDirectory() as directory:
        path = Path(directory) / "transcript.jsonl"
        lines = "\n".join(map(json.dumps, telling.messages()))
        path.write_text(lines, encoding="utf-8", newline="\n")
        places = os.pathsep.join(filter(None, sys.path))
        command = [sys.executable, "-P", "-m", "crab_graph", "grade", str(benchmark.directory)]
        finished = subprocess.run(
            [*command, task.id, str(path), "--json"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": places},
        )
    return finished.stdout or finished.stderr


def isolation_gate(tasks: Sequence[Task], conditions: Sequence[str]) -> Gate:
    """Count the episodes that come out otherwise when they are run side by side."""

    def play(number: int) -> str:
        task = tasks[number % len(tasks)]
        agent = "solver" if number % 2 else "rt06"
        condition = conditions[number % len(conditions)]
        return run_episode(task, agent, condition, seed=number).model_dump_json()

    numbers = range(2 * len(tasks))
    alone = [play(number) for number in numbers]
    with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
        together = list(pool.map(play, numbers))
    differing = sum(one != other for one, other in zip(alone, together, strict=True))
    note = f"{len(alone)} episodes alone and {_SIDE_BY_SIDE} at a time"
    return none_gate("episodes changed by others", differing, note)


def _joined(content: Any, calls: Sequence[Mapping[str, Any]] | None, arguments: str) -> str:
    """Return a message as one text; calls name what they were made with in two ways."""
    asked = [[call["name"], call[arguments]] for call in calls or ()]
    return f"{content}{canonical_json(asked)}" if asked else str(content)
