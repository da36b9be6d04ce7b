"""What each step of an episode took where it was measured, and what re-reading results cost.

A step that asked a model has time, tokens and, with a price, dollars; what follows rules has none.
A tool's result is read again by every later step of the agent, so its tokens are paid for as often.
How many tokens a result has no provider tells: it is estimated by its length.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from crab_graph.models.usage import TOKENS
from crab_graph.runs.record import EpisodeRecord

BYTES_PER_TOKEN = 4
"""By which the tokens of a result are estimated."""

Row = dict[str, Any]


class Reread(NamedTuple):
    """A result of a tool: its tokens, by how many later steps it was read, and both together.

    Tokens are estimates.
    """

    tokens: int
    reads: int

    @property
    def in_all(self) -> int:
        """Tokens that were read of it in all, an estimate."""
        return self.tokens * self.reads


def step_rows(record: EpisodeRecord) -> list[Row]:
    """Return a row for each step of an episode that asked a model."""
    beside = {one["seq"]: one["took"] for one in record.hidden.get("beside", ()) if "took" in one}
    rows = []
    turn = 0
    for seq, message in enumerate(record.messages):
        is_said = message["role"] != "tool" and not message.get("tool_calls")
        turn += is_said
        if (took := beside.get(seq)) is not None:
            models = took["models"]
            rows.append(
                {
                    "number": seq + 1,
                    "turn": turn if is_said else turn + 1,
                    "party": "agent" if message["role"] == "assistant" else "user",
                    "calls": _sum(models, "calls"),
                    "uncounted_calls": _sum(models, "uncounted"),
                    **{name: _sum(models, name) for name in TOKENS},
                    "dollars": took["dollars"],
                    "seconds": took["seconds"],
                }
            )
    return rows


def _sum(models: Mapping[str, Mapping[str, int]], name: str) -> int:
    return sum(one.get(name, 0) for one in models.values())


def measured_seconds(record: EpisodeRecord) -> dict[str, float]:
    """Return the measured time of a party's steps; a party that asked no model has none."""
    found: dict[str, float] = {}
    for row in step_rows(record):
        found[row["party"]] = round(found.get(row["party"], 0.0) + row["seconds"], 3)
    return found


def rereads(record: EpisodeRecord) -> list[Reread | None]:
    """Return of each answered call what reading its result took; `None` where no model read it.

    That is so for a user's private call, and for an agent that asks no model.
    """
    found: list[Reread | None] = []
    later = sum(message["role"] == "assistant" for message in record.messages)
    for message in record.messages:
        later -= message["role"] == "assistant"
        if message["role"] != "tool":
            continue
        is_read = message.get("owner", "agent") == "agent" and bool(record.usage.get("agent"))
        size = len((message["content"] or "").encode("utf-8", "replace"))
        found.append(Reread(-(-size // BYTES_PER_TOKEN), later) if is_read else None)
    return found
