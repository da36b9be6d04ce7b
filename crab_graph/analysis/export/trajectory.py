"""An episode from the agent's seat, in the message form of OpenAI's chat API.

The user's private calls and what they returned are left out, as they were from the agent's own
messages (design section 9).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.errors import BenchmarkError, RunError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run
from crab_graph.schema import canonical_json
from crab_graph.tools.tool import Owner

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class AgentSeat:
    """What an agent is given at the beginning of an episode: its instructions and its tools."""

    policy: str
    tools: list[dict[str, Any]]


class Seats:
    """The seats of a run's episodes; one is made for each task and toolset."""

    def __init__(self, bench: Benchmark) -> None:
        """Hold the benchmark that the run was made on."""
        self._bench = bench
        self._seats: dict[tuple[str, str], AgentSeat] = {}

    def of(self, record: EpisodeRecord) -> AgentSeat:
        """Return the seat of an episode's agent."""
        key = (record.task_id, record.toolset)
        if key not in self._seats:
            domain = self._bench.domain.with_toolset(record.toolset)
            policy = domain.policy(self._bench[record.task_id].today)
            self._seats[key] = AgentSeat(policy, domain.registry().openai_schemas(Owner.AGENT))
        return self._seats[key]


def open_seats(run: Run) -> Seats:
    """Return the seats of a run's episodes.

    Raises:
        RunError: the run's benchmark is gone, or is another one now.
    """
    path = Path(run.directory) / run.config.benchmark
    try:
        bench = load_benchmark(path)
    except BenchmarkError as error:
        raise RunError(f"{run.directory}: its benchmark is needed for this: {error}") from None
    if bench.sha256 != run.config.benchmark_sha256:
        raise RunError(f"{run.directory}: made on other tasks than those in {path} now")
    return Seats(bench)


def agent_messages(record: EpisodeRecord, seat: AgentSeat) -> list[Message]:
    """Return an episode as its agent saw it, its instructions first."""
    messages: list[Message] = [{"role": "system", "content": seat.policy}]
    for line in record.messages:
        if line["role"] == "assistant":
            messages.append(_own(line))
        elif line["role"] == "tool" and line.get("owner") == Owner.AGENT:
            messages.append(
                {"role": "tool", "tool_call_id": line["tool_call_id"], "content": line["content"]}
            )
        elif line["role"] == "user" and not line.get("tool_calls"):
            messages.append({"role": "user", "content": line["content"]})
    return messages


def _own(line: Mapping[str, Any]) -> Message:
    calls: Sequence[Mapping[str, Any]] = line.get("tool_calls") or ()
    message: Message = {"role": "assistant", "content": line["content"]}
    if calls:
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": _written(call["arguments"])},
            }
            for call in calls
        ]
    return message


def _written(arguments: Any) -> str:
    """Return arguments as a model writes them; malformed ones were kept as they were written."""
    return arguments if isinstance(arguments, str) else canonical_json(arguments)
