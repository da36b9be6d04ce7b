"""Episodes as examples for OpenAI's fine-tuning: one conversation a line.

Only the agent's own turns carry a weight, so that nobody trains on the simulator's words.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crab_graph.analysis.export.folder import check_free
from crab_graph.analysis.export.provenance import episode_stamp, run_stamp
from crab_graph.analysis.export.trajectory import AgentSeat, agent_messages, open_seats
from crab_graph.errors import RunError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run
from crab_graph.workers import write_atomically


def export_openai(
    run: Run, out: Path, *, rewards: bool = False, force: bool = False
) -> dict[str, int]:
    """Write one example a line, and `OUT.card.json` beside it, which says where they come from.

    Without rewards the lines hold nothing but OpenAI's own keys (`messages`, `tools`,
    `parallel_tool_calls`), and passing episodes alone. With rewards every graded episode is there,
    with `reward` and `strict_reward` (1 or 0) and what it was.

    Args:
        run: The run.
        out: The file.
        rewards: Whether to keep failed episodes and attach rewards.
        force: Whether what is there is replaced.

    Returns:
        The number of examples written, and of episodes left out.

    Raises:
        UsageError: the file is there already, and `force` is not given.
        RunError: there is nothing to write, or the run's benchmark is not what it was.
    """
    check_free(out, force=force)
    seats = open_seats(run)
    kept = [one for one in run if (_is_graded(one) if rewards else one.passed)]
    if not kept:
        raise RunError(
            f"{run.directory}: no episode {'is graded' if rewards else 'passed'}, "
            "so there is no example to write" + ("" if rewards else "; --rewards keeps failed ones")
        )
    examples = (_example(one, seats.of(one), rewards) for one in kept)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, "".join(_lines(examples)))
    counts = {"examples": len(kept), "left_out": len(run) - len(kept)}
    card = {**run_stamp(run), **counts, "rewards": rewards, "weights": "agent turns 1, others none"}
    write_atomically(out.with_name(f"{out.name}.card.json"), json.dumps(card, indent=2) + "\n")
    return counts


def _is_graded(record: EpisodeRecord) -> bool:
    """Whether the outcome says something of the agent: neither the user's nor the network's."""
    return record.outcome not in {"infra_error", "user_fault"}


def _example(record: EpisodeRecord, seat: AgentSeat, rewards: bool) -> dict[str, Any]:
    messages = agent_messages(record, seat)
    while messages[-1]["role"] not in {"assistant", "system"}:
        messages.pop()  # what comes after the agent's last turn teaches it nothing
    example: dict[str, Any] = {
        "messages": [
            {**one, "weight": 1} if one["role"] == "assistant" else one for one in messages
        ],
        "tools": seat.tools,
        "parallel_tool_calls": True,
    }
    if rewards:
        stamp = episode_stamp(record)
        strict = float(stamp["strict_passed"])
        example |= {"reward": float(record.passed), "strict_reward": strict, "episode": stamp}
    return example


def _lines(examples: Iterator[dict[str, Any]]) -> Iterator[str]:
    for example in examples:
        yield json.dumps(example, ensure_ascii=False) + "\n"
