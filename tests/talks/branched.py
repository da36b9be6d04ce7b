"""Talks with branches: at one place several messages that an agent may send, and each answer.

A line of `branches/NAME.jsonl` is a step of a model in the agent's seat: messages that it `tries`
from where the talk stands, with the answers of the user as it was then and what the model, shown
the wishes afterwards, says of each; one that it `says`, by which the talk goes on; or `calls`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from crab_graph import Benchmark, load_benchmark
from crab_graph.domains.task import Task
from crab_graph.graph.users import ruled_user
from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.rules_user import RulesUser
from crab_graph.personas.second_thoughts import ChangingUser
from crab_graph.tools.ledger import Ledger
from tests.personas.dialogue import Dialogue, _run, _user_view

FOLDER = Path(__file__).resolve().parent / "branches"
_MOST_CALLS = 14


@dataclass(frozen=True)
class Branch:
    """A message that an agent may send, what was answered then, how it was judged, and today's."""

    place: str
    text: str
    then: str
    said_of_it: str
    now: str


def names() -> list[str]:
    """Return the names of the kept talks."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def load(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what a talk was played with, and its steps."""
    head, *steps = map(json.loads, (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines())
    return head, steps


@cache
def bench_of(name: str) -> Benchmark:
    """Return the benchmark of some of the talks."""
    return load_benchmark(FOLDER / name)


def branches_of(name: str) -> list[Branch]:
    """Return all branches of a kept talk, with what today's user answers."""
    head, steps = load(name)
    return list(replayed(bench_of(head["bench"])[head["task"]], head["seed"], steps))


def replayed(task: Task, seed: int, steps: list[dict[str, Any]]) -> Iterator[Branch]:
    """Yield all branches of a talk, with what today's user answers."""
    talk = Talk(task, user_of(task, seed), Dialogue(task, Ledger.fold(task.world, [])))
    talk.answer()
    for number, step in enumerate(steps):
        if "tries" in step:
            for place, one in enumerate(step["tries"]):
                now = talk.forked().say(one["text"])
                yield Branch(f"{number}.{place}", one["text"], one["answer"], one["read"], now)
        elif "says" in step:
            talk.say(step["says"])
        else:
            talk.call(step["calls"])


def user_of(task: Task, seed: int) -> RulesUser | ChangingUser:
    return ruled_user(task, resolve(parse_condition("ruse"), seed, task.id, 0), seed)


@dataclass
class Talk:
    task: Task
    user: RulesUser | ChangingUser
    dialogue: Dialogue
    state: dict[str, Any] = field(default_factory=dict)

    def forked(self) -> "Talk":
        own = Dialogue(self.task, self.dialogue.ledger, list(self.dialogue.transcript))
        return Talk(self.task, self.user, own, json.loads(json.dumps(self.state)))

    def answer(self) -> str:
        for _ in range(_MOST_CALLS):
            step = self.user.step(self.state, _user_view(self.dialogue.transcript))
            self.state, message = dict(step.state), dict(step.message)
            self.dialogue.transcript.append(message)
            if not message.get("tool_calls"):
                return str(message["content"])
            _run(self.dialogue, message)
        raise AssertionError("the user calls without an end")

    def say(self, text: str) -> str:
        self.dialogue.transcript.append({"role": "assistant", "content": text})
        return self.answer()

    def call(self, calls: list[dict[str, Any]]) -> None:
        start = len(self.dialogue.transcript)
        named = [
            {"id": f"c{start}_{n}", "name": one["name"], "arguments": one.get("arguments", {})}
            for n, one in enumerate(calls)
        ]
        message = {"role": "assistant", "owner": "agent", "content": "", "tool_calls": named}
        self.dialogue.transcript.append(message)
        _run(self.dialogue, message)
