"""Episodes as examples for OpenAI's fine-tuning: one conversation a line.

Only the agent's own turns carry a weight, so that nobody trains on the simulator's words.
"""

import json
from functools import partial
from pathlib import Path

from crab_graph.analysis.export.exporters import (
    Exporter,
    agent_messages,
    episode_stamp,
    run_stamp,
)
from crab_graph.errors import RunError
from crab_graph.runs.notes import notes_by_episode
from crab_graph.runs.run import Run, benchmark_of
from crab_graph.tools.registry import Owner
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
            "so there is no example to write"
            + ("" if rewards else "; `rewards=True` keeps failed ones")
        )
    notes = notes_by_episode(run.notes)
    lines = []
    for record in kept:
        messages = agent_messages(bench, record)
        while messages[-1]["role"] not in {"assistant", "system"}:
            messages.pop()  # what comes after the agent's last turn teaches it nothing
        for message in messages:
            if message["role"] == "assistant":
                message["weight"] = 1
        tools = bench.domain.with_toolset(record.toolset).registry().openai_schemas(Owner.AGENT)
        example = {"messages": messages, "tools": tools, "parallel_tool_calls": True}
        if rewards:
            stamp = episode_stamp(record, notes.get(record.episode_id, ()))
            strict = float(stamp["strict_passed"])
            example |= {"reward": float(record.passed), "strict_reward": strict, "episode": stamp}
        lines.append(json.dumps(example, ensure_ascii=False) + "\n")
    write_atomically(out, "".join(lines))
    counts = {"examples": len(kept), "left_out": len(run) - len(kept)}
    card = {**run_stamp(run), **counts, "rewards": rewards, "weights": "agent turns 1, others none"}
    write_atomically(out.with_name(f"{out.name}.card.json"), json.dumps(card, indent=2) + "\n")
    return counts


OPENAI = Exporter(export_openai, rewards=partial(export_openai, rewards=True))
