"""The tables that a run can be queried by, and an episode as their rows.

They stand in `relations.toml`, and their names are stable; `docs/analytics.md` is made of them.
No path is in any table, but for the name of a run's directory in `runs`, and no clock but in
`notes`, and in `steps` and `tool_calls` where a model was asked: the same episodes give the same
rows wherever and whenever they were played.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from crab_graph.domain.card import AxisCard
from crab_graph.domain.verification import Part
from crab_graph.eval.verifiers import part_of_check
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.step_costs import rereads, step_rows, tool_seconds

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type in DuckDB, what it says, and the JSON that holds it, if one."""

    name: str
    type: str
    says: str
    within: str | None = None

    @property
    def source(self) -> str:
        """SQL for its value in a stored row."""
        if self.within is None:
            return f'"{self.name}"'
        return f"""TRY_CAST("{self.within}"->>'$."{self.name}"' AS {self.type})"""


@dataclass(frozen=True, slots=True)
class Relation:
    """A table: what one of its rows is, and the columns after the number of the run.

    Rows of one episode are ordered by the columns `order`. The rows of all final tables are stored
    together; `final` is the name of the table of the domain.
    """

    name: str
    row: str
    columns: tuple[Column, ...]
    order: tuple[str, ...]
    final: str | None = None


RUN = Column("run", "INTEGER", "number of the run, from 1 as they were named; see `runs`")
_TEXT = files("crab_graph.runs").joinpath("relations.toml").read_text(encoding="utf-8")
RELATIONS = tuple(
    Relation(
        name,
        about["row"],
        tuple(Column(one, *said) for one, said in about["columns"].items()),
        tuple(about.get("order", ())),
    )
    for name, about in tomllib.loads(_TEXT).items()
)
"""All tables; each begins with the column `run`."""
RUNS, NOTED = RELATIONS[0], RELATIONS[-1]
OF_EPISODES = RELATIONS[1:-1]
"""Those that are made of the episodes alone, and can be stored with them."""
_EPISODES = "episodes"


def relations_with(axes: Iterable[AxisCard]) -> tuple[Relation, ...]:
    """Return all tables as they stand in a query: beside the axes a column for each of them.

    An axis that is named like another column has none of its own.
    """
    return tuple(_widened(one, axes) if one.name == _EPISODES else one for one in RELATIONS)


def _widened(table: Relation, axes: Iterable[AxisCard]) -> Relation:
    kinds: dict[str, set[str]] = {}
    for axis in axes:
        kinds.setdefault(axis.name, set()).add("INTEGER" if axis.holds_numbers else "VARCHAR")
    taken = {RUN.name, *(column.name for column in table.columns)}
    added = [
        Column(name, min(of_axis) if len(of_axis) == 1 else "VARCHAR", "", within="axes")
        for name, of_axis in kinds.items()
        if name not in taken
    ]
    place = next(n for n, column in enumerate(table.columns, 1) if column.name == "axes")
    return replace(table, columns=(*table.columns[:place], *added, *table.columns[place:]))


def document() -> str:
    """Return the tables as Markdown."""
    documents = []
    for one in RELATIONS:
        columns = (RUN, *one.columns)
        rows = "\n".join(
            f"| `{column.name}` | {column.type} | {column.says} |" for column in columns
        )
        head = f"### `{one.name}`\n\nOne row: {one.row}.\n\n| column | type | |\n|---|---|---|\n"
        documents.append(f"{head}{rows}\n")
    return "\n".join(documents)


def rows_of(record: EpisodeRecord) -> dict[str, list[Row]]:
    """Return the rows of an episode by table, without the number of its run."""
    dialogue = _Dialogue(record)
    found = {
        "episodes": [_episode(record, len(dialogue.turns))],
        "checks": [
            {
                "task_id": record.task_id,
                "condition": record.condition,
                "trial": record.trial,
                "check_id": name,
                "verdict": str(verdict),
                "strict_verdict": record.strict.get("checks", {}).get(name),
            }
            for name, verdict in record.checks.items()
        ],
        "turns": dialogue.turns,
        "messages": dialogue.messages,
        "tool_calls": dialogue.calls,
        "facts": [{**fact, "fate": record.fact_fates.get(fact["key"])} for fact in record.facts],
        "user_breaches": [dict(fault) for fault in record.user_faults],
        "costs": _costs(record),
        "steps": step_rows(record),
        "events": list(_events(record)),
        "slots": [] if record.final is None else [one.model_dump() for one in record.final.slots],
    }
    for rows in found.values():
        for row in rows:
            row["episode_id"] = record.episode_id
    return found


class _Dialogue:
    """Reads a transcript once, message by message."""

    def __init__(self, record: EpisodeRecord) -> None:
        self.messages: list[Row] = []
        self.turns: list[Row] = []
        self.calls: list[Row] = []
        self._trace = iter(record.trace)
        self._rereads = iter(rereads(record))
        self._seconds = iter(tool_seconds(record))
        self._asked: dict[str, Mapping[str, Any]] = {}
        self._unspoken: dict[str, list[Row]] = {"agent": [], "user": []}
        told = Counter(fact.get("turn") for fact in record.facts)
        for message in record.messages:
            asked = message.get("tool_calls") or ()
            self._asked |= {call["id"]: call for call in asked}
            row = {
                "number": len(self.messages) + 1,
                "turn": None,
                "role": message["role"],
                "owner": message.get("owner"),
                "content": message.get("content"),
                "tool_calls": _json(asked) if asked else None,
                "tool_call_id": message.get("tool_call_id"),
            }
            self.messages.append(row)
            if message["role"] == "tool":
                self._answer(message)
            elif message["role"] in ("user", "assistant") and not asked:
                row["turn"] = len(self.turns) + 1
                self._say(row, told[row["turn"]])

    def _say(self, message: Row, facts: int) -> None:
        speaker = "agent" if message["role"] == "assistant" else "user"
        calls, self._unspoken[speaker] = self._unspoken[speaker], []
        for call in calls:
            call["turn"] = message["turn"]
        self.turns.append(
            {
                "turn": message["turn"],
                "speaker": speaker,
                "number": message["number"],
                "words": len((message["content"] or "").split()),
                "calls": len(calls),
                "writes": sum(call["writes"] for call in calls),
                "facts": facts,
            }
        )

    def _answer(self, message: Mapping[str, Any]) -> None:
        call = self._asked.get(message["tool_call_id"], {})
        step = next(self._trace, {})
        answer = message["content"]
        refusal = _refusal(answer)
        owner = message.get("owner") or "agent"
        row = {
            "number": len(self.calls) + 1,
            "turn": None,
            "owner": owner,
            "caller": step.get("caller"),
            "name": call.get("name"),
            "arguments": _json(call.get("arguments")),
            "result": None if refusal else answer,
            "error": str(refusal["error"]) if refusal else None,
            "error_message": refusal.get("message"),
            "writes": len(step.get("events") or ()),
            "seconds": next(self._seconds),
        }
        if (read := next(self._rereads)) is not None:
            row |= {"result_tokens": read.tokens, "later_steps": read.reads}
            row |= {"reread_tokens": read.in_all, "reread_dollars": read.dollars}
        self.calls.append(row)
        self._unspoken[owner].append(row)


_COPIED = (
    {column.name for table in RELATIONS if table.name == _EPISODES for column in table.columns}
    & EpisodeRecord.model_fields.keys()
) - {"episode_id", "axes", "dimensions", "difficulties", "failures", "messages", "metrics"}


def _episode(record: EpisodeRecord, turns: int) -> Row:
    failed = {part_of_check(name) for name, said in record.checks.items() if said == "fail"}
    parts = Part if record.has_verdict else ()
    metrics = record.metrics
    return {
        **record.model_dump(include=_COPIED),
        **{f"{part}_passed": part not in failed for part in parts},
        "agent_spec": record.agent_spec or record.agent,
        "passed": record.passed if record.has_verdict else None,
        "axes": _json(record.axes),
        "dimensions": "+".join(record.dimensions),
        "difficulties": "+".join(record.difficulties),
        "failures": ",".join(record.failures),
        "strict_passed": record.strict.get("passed"),
        "job_state": metrics.get("job_state"),
        "messages": len(record.messages),
        "turns": turns,
        "tool_calls": metrics.get("total_tool_calls"),
        "redundant_calls": metrics.get("redundant_calls"),
        "cancellations": metrics.get("call_cancellation"),
        "admitted_errors": metrics.get("admitted_errors"),
        "metrics": _json(metrics),
        "has_final_tables": record.final is not None,
    }


_TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")


def _events(record: EpisodeRecord) -> Iterator[Row]:
    number = 0
    for call, step in enumerate(record.trace, start=1):
        for event in step.get("events") or ():
            number += 1
            changes = {event["column"]: event["delta"]} if event["op"] == "add" else None
            yield {
                "number": number,
                "call": call,
                "owner": step["owner"],
                "tool": step["name"],
                **{name: event[name] for name in ("op", "key")},
                "table_name": event["table"],
                "change": _json(changes or event.get("set") or event.get("row")),
            }


def _costs(record: EpisodeRecord) -> list[Row]:
    return [
        {
            "party": party,
            "model": model,
            "calls": took.get("calls", 0),
            "failed_calls": sum(took.get("failed", {}).values()),
            "uncounted_calls": took.get("uncounted", 0),
            **{name: took.get(name, 0) for name in _TOKENS},
            "party_cost": record.cost.get(party),
        }
        for party, usage in record.usage.items()
        for model, took in usage.items()
    ]


def _refusal(answer: str | None) -> Mapping[str, Any]:
    """Return a tool's refusal, if it is one: answers are long, few of them mention an error."""
    if answer is None or '"error"' not in answer:
        return {}
    try:
        found = json.loads(answer)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and "error" in found else {}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
