"""Episodes as LangSmith runs: a trace for each, with a child for each step.

A record keeps no clock. A trace begins when its run was begun and takes a millisecond a step: times
say the order, not how long something took.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from crab_graph.analysis.export.exporters import (
    Exporter,
    Message,
    agent_messages,
    begun_at,
    episode_stamp,
    run_stamp,
)
from crab_graph.runs.notes import Note, notes_by_episode
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run, benchmark_of
from crab_graph.schema import digest
from crab_graph.workers import write_atomically


def export_langsmith(run: Run, out: Path) -> dict[str, int]:
    """Write a JSON list of runs, parents before children, as LangSmith's client takes them.

    The root of a trace is the episode, with its verdict in `feedback_stats`; its children are the
    agent's turns (`llm`: the messages that were new to it, and its answer), its tool calls
    (`tool`), and the user's turns (`chain`). The user's private calls are left out.

    Raises:
        RunError: the run's benchmark is not what it was.
    """
    bench = benchmark_of(run)
    stamp = run_stamp(run)
    origin = f"crab-graph:{digest(stamp)}"
    notes = notes_by_episode(run.notes)
    runs: list[str] = []
    for record in run:
        trace = _Trace(record, agent_messages(bench, record), begun_at(run), origin)
        root = trace.root(stamp, notes.get(record.episode_id, ()))
        runs += (json.dumps(one, ensure_ascii=False) for one in (root, *trace.children()))
    write_atomically(out, "[\n" + ",\n".join(runs) + "\n]\n")
    return {"traces": len(run), "runs": len(runs)}


LANGSMITH = Exporter(export_langsmith)


@dataclass(frozen=True, slots=True)
class _Trace:
    """The runs of one episode."""

    record: EpisodeRecord
    messages: list[Message]
    started: datetime
    origin: str

    def root(self, stamp: dict[str, Any], notes: Sequence[Note]) -> dict[str, Any]:
        record = self.record
        verdict = {"passed": record.passed, "strict": bool(record.strict.get("passed"))}
        error = None if record.has_verdict else record.error
        return {
            **self._run(0, "chain", record.episode_id, steps=len(self.messages)),
            "inputs": {"messages": self.messages[:2]},
            "outputs": {"outcome": record.outcome},
            "error": error,
            "status": "error" if error else "success",
            "tags": ["crab-graph", record.condition, record.outcome],
            "extra": {"metadata": {**episode_stamp(record, notes), "run": stamp}},
            "feedback_stats": {
                name: {"n": 1, "avg": float(value)}
                for name, value in verdict.items()
                if record.has_verdict
            },
        }

    def children(self) -> Iterator[dict[str, Any]]:
        new: list[Message] = []
        calls: dict[str, dict[str, Any]] = {}
        for step, message in enumerate(self.messages):
            if message["role"] == "assistant":
                run = self._run(step, "llm", self.record.agent)
                yield {**run, "inputs": {"messages": new}, "outputs": {"messages": [message]}}
                new = []
                calls |= {call["id"]: call["function"] for call in message.get("tool_calls", ())}
                continue
            if message["role"] == "tool":
                called = calls[message["tool_call_id"]]
                failed = message["content"].startswith('{"error":')
                yield {
                    **self._run(step, "tool", called["name"]),
                    "inputs": {"arguments": called["arguments"]},
                    "outputs": {"content": message["content"]},
                    "error": message["content"] if failed else None,
                }
            elif message["role"] == "user":
                run = self._run(step, "chain", "user")
                yield {**run, "inputs": {}, "outputs": {"messages": [message]}}
            new.append(message)

    def _run(self, step: int, kind: str, name: str, steps: int = 1) -> dict[str, Any]:
        """Return what every run has; the id is one that run, episode and step decide."""
        ids = [
            uuid5(NAMESPACE_URL, f"{self.origin}/{self.record.episode_id}/{one}")
            for one in (0, step)
        ]
        begun, ended = (self.started + timedelta(milliseconds=one) for one in (step, step + steps))
        moments = zip((self.started, begun), ids, strict=True)
        dots = [f"{time:%Y%m%dT%H%M%S%fZ}{id}" for time, id in moments]
        return {
            "id": str(ids[1]),
            "trace_id": str(ids[0]),
            "parent_run_id": str(ids[0]) if step else None,
            "dotted_order": ".".join(dots if step else dots[:1]),
            "name": name,
            "run_type": kind,
            "start_time": begun.isoformat(),
            "end_time": ended.isoformat(),
        }
