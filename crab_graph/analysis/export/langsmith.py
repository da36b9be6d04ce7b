"""Episodes as LangSmith runs: a trace for each, with a child for each step.

A record keeps no clock. A trace begins when its run was begun and takes a millisecond a step: times
say the order, not how long something took.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from crab_graph.analysis.export.folder import check_free
from crab_graph.analysis.export.provenance import begun_at, episode_stamp, run_stamp
from crab_graph.analysis.export.trajectory import AgentSeat, Message, agent_messages, open_seats
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run
from crab_graph.schema import digest
from crab_graph.workers import write_atomically

_STEP = timedelta(milliseconds=1)


def export_langsmith(run: Run, out: Path, *, force: bool = False) -> dict[str, int]:
    """Write a JSON list of runs, parents before children, as LangSmith's client takes them.

    The root of a trace is the episode, with its verdict in `feedback_stats`; its children are the
    agent's turns (`llm`: the messages that were new to it, and its answer), its tool calls
    (`tool`), and the user's turns (`chain`). The user's private calls are left out.

    Returns:
        The number of traces and of runs written.

    Raises:
        UsageError: the file is there already, and `force` is not given.
        RunError: the run's benchmark is not what it was.
    """
    check_free(out, force=force)
    seats = open_seats(run)
    stamp = run_stamp(run)
    started = begun_at(run)
    runs: list[str] = []
    for record in run:
        trace = _Trace(record, seats.of(record), stamp, started)
        runs += (json.dumps(one, ensure_ascii=False) for one in trace.runs())
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, "[\n" + ",\n".join(runs) + "\n]\n")
    return {"traces": len(run), "runs": len(runs)}


class _Trace:
    """The runs of one episode."""

    def __init__(
        self, record: EpisodeRecord, seat: AgentSeat, stamp: dict[str, Any], started: datetime
    ) -> None:
        self._record = record
        self._messages = agent_messages(record, seat)
        self._stamp = stamp
        self._started = started
        self._root = _id(stamp, record.episode_id, 0)

    def runs(self) -> Iterator[dict[str, Any]]:
        """Yield the root, then its children in order."""
        record = self._record
        verdict = {"passed": record.passed, "strict": bool(record.strict.get("passed"))}
        yield {
            **self._run(0, "chain", record.episode_id, end=len(self._messages)),
            "inputs": {"messages": self._messages[:2]},
            "outputs": {"outcome": record.outcome},
            "error": record.error,
            "status": "error" if record.error else "success",
            "tags": ["crab-graph", record.condition, record.outcome],
            "extra": {"metadata": {**episode_stamp(record), "run": self._stamp}},
            "feedback_stats": {
                name: {"n": 1, "avg": float(value)} for name, value in verdict.items()
            },
        }
        yield from self._children()

    def _children(self) -> Iterator[dict[str, Any]]:
        new: list[Message] = []
        calls: dict[str, dict[str, Any]] = {}
        for step, message in enumerate(self._messages):
            if message["role"] == "assistant":
                run = self._run(step, "llm", self._record.agent)
                yield {**run, "inputs": {"messages": new}, "outputs": {"messages": [message]}}
                new = []
                asked = message.get("tool_calls", ())
                calls |= {call["id"]: call["function"] for call in asked}
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

    def _run(self, step: int, kind: str, name: str, end: int | None = None) -> dict[str, Any]:
        own = self._root if step == 0 else _id(self._stamp, self._record.episode_id, step)
        begun = self._started + step * _STEP
        dotted = _dot(self._started, self._root)
        if step:
            dotted += f".{_dot(begun, own)}"
        return {
            "id": str(own),
            "trace_id": str(self._root),
            "parent_run_id": str(self._root) if step else None,
            "dotted_order": dotted,
            "name": name,
            "run_type": kind,
            "start_time": begun.isoformat(),
            "end_time": (self._started + (step + 1 if end is None else end) * _STEP).isoformat(),
        }


def _id(stamp: dict[str, Any], episode_id: str, step: int) -> UUID:
    """Return an id that the run, the episode and the step decide."""
    return uuid5(NAMESPACE_URL, f"crab-graph:{digest(stamp)}/{episode_id}/{step}")


def _dot(time: datetime, id: UUID) -> str:
    return f"{time:%Y%m%dT%H%M%S%fZ}{id}"
