"""Runs with agents that are Python objects, and one with a store that must not come out alike.

An agent nobody knows, whose replies are kept like a model's; one that plays each turn in one step,
in a loop and with a memory of its own; and tools that write what they do to a file at once, as a
booking service with a database of its own would, instead of events in the checkpointed state.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from crab_graph.agents.adapters import resolve_agent
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.graph import nodes
from crab_graph.runs import execution, runner
from crab_graph.testing import ScriptedChatModel
from tests.soak.works import BENCH, Work, records_of

WRITES = "effects.jsonl"
USERS = ["generic", "ruse"]


def unlabelled_solver(bench: Benchmark) -> Any:
    """Return the reference solver as an agent nobody knows."""
    solve = resolve_agent("solver").open_for(bench.domain, tuple)

    def agent(messages: Any, tools: Any) -> Any:
        return message_of(solve(messages), len(messages))

    return agent


def message_of(reply: Any, number: int) -> AIMessage:
    """Return what the reference solver answers as LangChain's message."""
    calls = [
        {"name": name, "args": arguments, "id": f"solve_{number}_{place}"}
        for place, (name, arguments) in enumerate(reply.calls)
    ]
    return AIMessage(reply.text, tool_calls=calls)


class SolvingModel(ScriptedChatModel):
    """A chat model that answers as the reference solver does."""

    solve: Any

    def _generate(self, messages: Any, *given: Any, **how: Any) -> ChatResult:
        message = message_of(self.solve(messages), len(messages))
        return ChatResult(generations=[ChatGeneration(message=message)])


def looping_solver(bench: Benchmark) -> Any:
    """Return the reference solver as an agent of `create_agent`."""
    solve = resolve_agent("solver").open_for(bench.domain, tuple)

    def make(tools: Any) -> Any:
        return create_agent(SolvingModel(replies=[], solve=solve), tools)

    return make


def play(make: Callable[[Benchmark], Any]) -> Callable[[Path, Path], int]:
    """Return what lets an agent play one task."""

    def begin(folder: Path, out: Path) -> int:
        bench = load_benchmark(folder / BENCH)
        runner.run(bench, make(bench), USERS, 1, out, tasks=["S1-001"], name="solver under test")
        return 0

    return begin


def play_naively(folder: Path, out: Path) -> int:
    """Let tools keep what they did in a file, and see what that file holds."""
    episode: dict[str, Path] = {}
    original = vars(execution)["play_episode"]

    def play_episode(task: Any, agent: Any, user: Any, setup: Any, visit: Any) -> Any:
        episode["file"] = out.parent / f"{out.name}-{visit.thread_id}-{WRITES}"
        return original(task, agent, user, setup, visit)

    run_calls = nodes.EpisodeNodes._run

    def run(self: Any, calls: Any, owner: Any, log: Any, seq: int) -> Any:
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
    try:
        return play(unlabelled_solver)(folder, out)
    finally:
        vars(execution)["play_episode"] = original
        nodes.EpisodeNodes._run = run_calls  # type: ignore[method-assign]


PLAYERS: Mapping[str, Work] = {
    "a function": Work(play(unlabelled_solver), records_of),
    "an agent with a loop": Work(play(looping_solver), records_of),
    "a naive store": Work(play_naively, records_of),
}
