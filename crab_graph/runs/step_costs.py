"""What each step of an episode took where it was measured, each tool, and re-reading its results.

A step that asked a model has time, tokens and, with a price, dollars; what follows rules has none.
Tools have time in an episode that asked a model; one that asked none holds no clock. A tool's
result is read again by every later step of the agent, so its tokens are paid for as often. How many
tokens a result has no provider tells: it is estimated by its length.
"""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from math import isnan, nan
from typing import Any, NamedTuple

from crab_graph.models.usage import TOKENS
from crab_graph.runs.record import EpisodeRecord, ToolCost

BYTES_PER_TOKEN = 4
"""By which the tokens of a result are estimated."""

_DIGITS = 8

Row = dict[str, Any]


class Reread(NamedTuple):
    """A result of a tool: its tokens, by how many later steps it was read, and what that cost.

    Tokens are estimates, and so are dollars: its share of what those steps paid for reading. They
    are unknown where a price is, or a count.
    """

    tokens: int
    reads: int
    dollars: float | None

    @property
    def in_all(self) -> int:
        """Tokens that were read of it in all, an estimate."""
        return self.tokens * self.reads


def step_rows(record: EpisodeRecord) -> list[Row]:
    """Return a row for each step of an episode that asked a model."""
    beside = _beside(record)
    rows = []
    turn = 0
    for seq, message in enumerate(record.messages):
        is_said = message["role"] != "tool" and not message.get("tool_calls")
        turn += is_said
        if (took := beside.get(seq)) is not None and message["role"] != "tool":
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


def _beside(record: EpisodeRecord) -> dict[int, Mapping[str, Any]]:
    """Return what was measured beside messages, by their places from 0."""
    return {one["seq"]: one["took"] for one in record.hidden.get("beside", ()) if "took" in one}


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
    later = [0.0, *accumulate(reversed(list(_prices_of_steps(record))))]
    reads = len(later) - 1
    for message in record.messages:
        reads -= message["role"] == "assistant"
        if message["role"] != "tool":
            continue
        is_read = message.get("owner", "agent") == "agent" and bool(record.usage.get("agent"))
        tokens = -(-len((message["content"] or "").encode("utf-8", "replace")) // BYTES_PER_TOKEN)
        dollars = None if isnan(later[reads]) else round(later[reads] * tokens, _DIGITS)
        found.append(Reread(tokens, reads, dollars) if is_read else None)
    return found


def _prices_of_steps(record: EpisodeRecord) -> Iterator[float]:
    """Yield what a token that it read cost each step of the agent; unknown is not a number.

    Of a turn whose calls were made in place that is known at its end.
    """
    beside = _beside(record)
    waiting = 0
    for seq, message in enumerate(record.messages):
        if message["role"] != "assistant":
            continue
        waiting += 1
        took = beside.get(seq)
        if took is None:
            continue
        tokens, dollars = _sum(took["models"], "input_tokens"), took.get("read_dollars")
        yield from [nan if dollars is None or not tokens else dollars / tokens] * waiting
        waiting = 0
    yield from [nan] * waiting


def tool_seconds(record: EpisodeRecord) -> list[float | None]:
    """Return of each answered call how long the tool took; `None` where that was not measured."""
    beside = _beside(record)
    places = [seq for seq, one in enumerate(record.messages) if one["role"] == "tool"]
    return [beside[seq]["seconds"] if seq in beside else None for seq in places]


def called_names(record: EpisodeRecord) -> list[str]:
    """Return the tool of each answered call."""
    asked = {call["id"]: call for one in record.messages for call in one.get("tool_calls") or ()}
    answers = [one for one in record.messages if one["role"] == "tool"]
    return [str(asked.get(one["tool_call_id"], {}).get("name")) for one in answers]


def tool_costs(record: EpisodeRecord) -> dict[str, ToolCost]:
    """Return what each tool took in an episode, by name; nothing where no model was asked."""
    if not record.usage:
        return {}
    found: dict[str, ToolCost] = {}
    answered = zip(called_names(record), tool_seconds(record), rereads(record), strict=True)
    for name, seconds, read in answered:
        known = found.get(name, _NOTHING)
        found[name] = ToolCost(
            calls=known["calls"] + 1,
            timed=known["timed"] + (seconds is not None),
            seconds=round(known["seconds"] + (seconds or 0.0), _DIGITS),
            tokens=None if read is None else (known["tokens"] or 0) + read.in_all,
            dollars=_plus(known["dollars"], read),
        )
    return found


_NOTHING = ToolCost(calls=0, timed=0, seconds=0.0, tokens=None, dollars=0.0)


def _plus(dollars: float | None, read: Reread | None) -> float | None:
    if dollars is None or read is None or read.dollars is None:
        return None
    return round(dollars + read.dollars, _DIGITS)
