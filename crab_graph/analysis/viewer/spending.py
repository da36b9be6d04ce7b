"""What an episode took, for its page: steps that asked a model, and answers read most often."""

from collections.abc import Iterator
from typing import Any

from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.step_costs import Reread, rereads, step_rows

_MOST_TOOLS = 8


def view_spending(record: EpisodeRecord) -> dict[str, Any] | None:
    """Return what the page shows; `None` where nothing was measured, as no model was asked."""
    steps = step_rows(record)
    if not steps:
        return None
    tools: dict[str, dict[str, Any]] = {}
    for number, name, read in _read_answers(record):
        row = tools.setdefault(name, {"name": name, "answers": 0, "tokens": 0, "most": 0})
        row["answers"] += 1
        row["tokens"] += read.in_all
        if read.in_all >= row["most"]:
            row |= {"most": read.in_all, "call": number, "once": read.tokens, "reads": read.reads}
    dearest = sorted(tools.values(), key=lambda row: -row["tokens"])
    return {"steps": steps, "tools": dearest[:_MOST_TOOLS]}


def _read_answers(record: EpisodeRecord) -> Iterator[tuple[int, str, Reread]]:
    """Yield the number of each call whose answer models read, its tool, and what that took."""
    found = iter(rereads(record))
    asked: dict[str, tuple[int, str]] = {}
    number = 0
    for message in record.messages:
        for call in message.get("tool_calls") or ():
            number += 1
            asked[call["id"]] = number, call["name"]
        if message["role"] == "tool":
            read = next(found)
            if read is not None and message["tool_call_id"] in asked:
                yield *asked[message["tool_call_id"]], read
