"""An episode from the agent's seat, in the message form of OpenAI's chat API.

The user's private calls and what they returned are left out, as they were from the agent's own
messages (design section 9).
"""

from collections.abc import Mapping
from typing import Any

from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.errors import BenchmarkError, RunError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run
from crab_graph.schema import canonical_json
from crab_graph.tools.tool import Owner

Message = dict[str, Any]


def benchmark_of(run: Run) -> Benchmark:
    """Return the benchmark that a run was made on.

    Raises:
        RunError: it is gone, or is another one now.
    """
    path = run.directory / run.config.benchmark
    try:
        bench = load_benchmark(path)
    except BenchmarkError as error:
        raise RunError(f"{run.directory}: its benchmark is needed for this: {error}") from None
    if bench.sha256 != run.config.benchmark_sha256:
        raise RunError(f"{run.directory}: made on other tasks than those in {path} now")
    return bench


def agent_tools(bench: Benchmark, record: EpisodeRecord) -> list[dict[str, Any]]:
    """Return the tools that an episode's agent was given."""
    return bench.domain.with_toolset(record.toolset).registry().openai_schemas(Owner.AGENT)


def agent_messages(bench: Benchmark, record: EpisodeRecord) -> list[Message]:
    """Return an episode as its agent saw it, its instructions first."""
    domain = bench.domain.with_toolset(record.toolset)
    policy = domain.policy(bench[record.task_id].today)
    messages: list[Message] = [{"role": "system", "content": policy}]
    for line in record.messages:
        if line["role"] == "assistant":
            messages.append(_own(line))
        elif line["role"] == "tool" and line.get("owner") == Owner.AGENT:
            messages.append({name: line[name] for name in ("role", "tool_call_id", "content")})
        elif line["role"] == "user" and not line.get("tool_calls"):
            messages.append({"role": "user", "content": line["content"]})
    return messages


def _own(line: Mapping[str, Any]) -> Message:
    message: Message = {"role": "assistant", "content": line["content"]}
    calls = []
    for call in line.get("tool_calls") or ():
        arguments = call["arguments"]
        if not isinstance(arguments, str):  # malformed ones were kept as they were written
            arguments = canonical_json(arguments)
        function = {"name": call["name"], "arguments": arguments}
        calls.append({"id": call["id"], "type": "function", "function": function})
    return {**message, "tool_calls": calls} if calls else message
