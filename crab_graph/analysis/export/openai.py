"""Episodes as examples for OpenAI's fine-tuning: one conversation a line.

Only the agent's own turns carry a weight, so that nobody trains on the simulator's words.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

from crab_graph.analysis.export.exporters import (
    Exporter,
    agent_messages,
    agent_tools,
    episode_stamp,
    run_stamp,
)
from crab_graph.domains.benchmark import Benchmark
from crab_graph.errors import RunError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run, benchmark_of
from crab_graph.workers import write_atomically


def export_openai(run: Run, out: Path, *, rewards: bool = False) -> dict[str, int]:
    """Write one example a line, and `OUT.card.json` beside it, which says where they come from.

    Without rewards the lines hold nothing but OpenAI's own keys (`messages`, `tools`,
    `parallel_tool_calls`), and passing episodes alone. With rewards every graded episode is there,
    with `reward` and `strict_reward` (1 or 0) and what it was.

    Raises:
        RunError: there is nothing to write, or the run's benchmark is not what it was.
    """
    bench = benchmark_of(run)
    # An outcome that is the user's or the network's says nothing of the agent.
    ungraded = {"infra_error", "user_fault"}
    kept = [one for one in run if (one.outcome not in ungraded if rewards else one.passed)]
    if not kept:
        raise RunError(
            f"{run.directory}: no episode {'is graded' if rewards else 'passed'}, "
            "so there is no example to write" + ("" if rewards else "; --rewards keeps failed ones")
        )
    examples = (json.dumps(_example(bench, one, rewards), ensure_ascii=False) for one in kept)
    write_atomically(out, "".join(f"{example}\n" for example in examples))
    counts = {"examples": len(kept), "left_out": len(run) - len(kept)}
    card = {**run_stamp(run), **counts, "rewards": rewards, "weights": "agent turns 1, others none"}
    write_atomically(out.with_name(f"{out.name}.card.json"), json.dumps(card, indent=2) + "\n")
    return counts


OPENAI = Exporter(export_openai, rewards=partial(export_openai, rewards=True))


def _example(bench: Benchmark, record: EpisodeRecord, rewards: bool) -> dict[str, Any]:
    messages = agent_messages(bench, record)
    while messages[-1]["role"] not in {"assistant", "system"}:
        messages.pop()  # what comes after the agent's last turn teaches it nothing
    example: dict[str, Any] = {
        "messages": [
            {**one, "weight": 1} if one["role"] == "assistant" else one for one in messages
        ],
        "tools": agent_tools(bench, record),
        "parallel_tool_calls": True,
    }
    if rewards:
        stamp = episode_stamp(record)
        strict = float(stamp["strict_passed"])
        example |= {"reward": float(record.passed), "strict_reward": strict, "episode": stamp}
    return example
