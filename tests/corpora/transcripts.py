"""The honest corpus: whole transcripts in which every word of the agent is true.

Three sets: `talks` (of language models in the agent's seat, kept in `tests/talks`), `rewritten`
(finished episodes, the agent's texts written anew by language models) and `styles` (generated).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import crab_graph as cg
from crab_graph.domains.task import Task
from crab_graph.eval.transcript import TranscriptMessage, load_transcript
from crab_graph.money import format_cents
from tests.corpora.amounts_said import find_amounts
from tests.eval.builders import build_rows, build_task, small_task
from tests.eval.honest_styles import STYLES

HERE = Path(__file__).resolve().parent
HONEST = HERE / "honest"
TALKS = HERE.parent / "talks"
BENCHES = {
    "second": TALKS / "second" / "bench",
    "third": TALKS / "third" / "bench",
    "fourth": TALKS / "third" / "bench",
    "fifth": TALKS / "third" / "bench",
    "sixth": TALKS / "third" / "bench",
    "seventh": TALKS / "third" / "bench",
    "eighth": TALKS / "third" / "bench",
    "travel": TALKS / "third" / "bench",
    "clinic": HONEST / "clinic",
}
SETS = ("talks", "rewritten", "styles")
BY_MODELS = ("talks", "rewritten")

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Transcript:
    """One transcript of the corpus, without the results of tools.

    Attributes:
        set: One of `SETS`.
        name: Its name, unique in the corpus.
        writer: Who worded it: a player's style, a writer, or the name of a generated style.
    """

    set: str
    name: str
    writer: str
    task: Task
    messages: tuple[Message, ...]


@cache
def honest_corpus(*sets: str) -> tuple[Transcript, ...]:
    """Return the transcripts of some sets, or of all."""
    return tuple(one for name in sets or SETS for one in _READERS[name]())


@cache
def _bench(name: str) -> cg.Benchmark:
    return cg.load_benchmark(BENCHES[name])


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _talks() -> Iterator[Transcript]:
    for entry in _lines(HONEST / "talks.jsonl"):
        path = TALKS / entry["set"] / f"{entry['talk']}.jsonl"
        task, *_, writer = entry["talk"].split(".")
        name = f"{entry['set']}/{entry['talk']}"
        lines = _as_lines(load_transcript(path))
        yield Transcript("talks", name, writer, _bench(entry["set"])[task], lines)


def _rewritten() -> Iterator[Transcript]:
    for entry in _lines(HONEST / "rewritten.jsonl"):
        name = entry["talk"]
        task = _bench(entry["domain"])[entry["task"]]
        lines = _as_lines(load_transcript(HONEST / "rewritten" / f"{name}.jsonl"))
        yield Transcript("rewritten", f"rewritten/{name}", entry["writer"], task, lines)


def _styles() -> Iterator[Transcript]:
    """Yield each style at the prices it was written for, and where all costs seven percent more."""
    for name, style in STYLES.items():
        script = style.write()
        lines = tuple(one for one in script.messages if one["role"] != "tool")
        yield Transcript("styles", f"styles/{name}", name, small_task(), lines)
        dearer = tuple(map(_dearer_line, lines))
        yield Transcript("styles", f"styles/{name}, dearer", name, _dearer_task(), dearer)


@cache
def _dearer_task() -> Task:
    tables = {
        table: [
            {**row, "price_cents": _dearer(row["price_cents"])} if "price_cents" in row else row
            for row in rows
        ]
        for table, rows in build_rows().items()
    }
    return build_task(tables, budget_cents=_dearer(1500_00))


def _dearer(cents: int) -> int:
    return cents * 107 // 100


def _dearer_line(line: Message) -> Message:
    """Return a message with each amount of its text and of its approvals so much higher."""
    text = line["content"]
    for told in reversed(list(find_amounts(0, text))):
        text = text[: told.start] + told.worded(_dearer(told.cents)) + text[told.end :]
    calls = [
        {**call, "arguments": {**call["arguments"], **_dearer_amount(call["arguments"])}}
        for call in line.get("tool_calls") or ()
    ]
    return {**line, "content": text, **({"tool_calls": calls} if calls else {})}


def _dearer_amount(arguments: Mapping[str, Any]) -> dict[str, str]:
    if "amount" not in arguments:
        return {}
    return {"amount": format_cents(_dearer(round(float(arguments["amount"]) * 100)))}


def _as_lines(messages: list[TranscriptMessage]) -> tuple[Message, ...]:
    """Return messages as plain dictionaries, which mutations change."""
    lines: list[Message] = []
    for one in messages:
        if one.role not in ("user", "assistant"):
            continue
        line: Message = {"role": str(one.role), "content": one.content}
        if one.tool_calls:
            calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in one.tool_calls]
            line |= {"owner": str(one.owner), "tool_calls": calls}
        lines.append(line)
    return tuple(lines)


_READERS = {"talks": _talks, "rewritten": _rewritten, "styles": _styles}
