"""SQL over a run's episodes, in a database that holds nothing else and can reach nothing else."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crab_graph.errors import UsageError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import load_records

if TYPE_CHECKING:
    import duckdb

TABLES: Mapping[str, Mapping[str, str]] = {
    "episodes": {
        "episode_id": "VARCHAR",
        "task_id": "VARCHAR",
        "stratum": "INTEGER",
        "date_mode": "VARCHAR",
        "party": "INTEGER",
        "condition": "VARCHAR",
        "persona": "VARCHAR",
        "dimensions": "VARCHAR",
        "trial": "INTEGER",
        "seed": "BIGINT",
        "agent": "VARCHAR",
        "agent_is_reference": "BOOLEAN",
        "user_engine": "VARCHAR",
        "outcome": "VARCHAR",
        "passed": "BOOLEAN",
        "fault": "VARCHAR",
        "termination": "VARCHAR",
        "strict_passed": "BOOLEAN",
        "primary_failure": "VARCHAR",
        "failures": "VARCHAR",
        "attempts": "INTEGER",
        "messages": "INTEGER",
        "metrics": "JSON",
    },
    "checks": {
        "episode_id": "VARCHAR",
        "task_id": "VARCHAR",
        "condition": "VARCHAR",
        "trial": "INTEGER",
        "check_id": "VARCHAR",
        "verdict": "VARCHAR",
        "strict_verdict": "VARCHAR",
    },
    "messages": {
        "episode_id": "VARCHAR",
        "number": "INTEGER",
        "turn": "INTEGER",
        "role": "VARCHAR",
        "owner": "VARCHAR",
        "content": "VARCHAR",
        "tool_calls": "JSON",
        "tool_call_id": "VARCHAR",
    },
    "tool_calls": {
        "episode_id": "VARCHAR",
        "number": "INTEGER",
        "owner": "VARCHAR",
        "name": "VARCHAR",
        "arguments": "JSON",
        "result": "JSON",
        "error": "VARCHAR",
        "error_message": "VARCHAR",
    },
    "facts": {
        "episode_id": "VARCHAR",
        "key": "VARCHAR",
        "slot": "VARCHAR",
        "level": "VARCHAR",
        "turn": "INTEGER",
        "reason": "VARCHAR",
    },
}

_SETTINGS = {"threads": 1, "enable_external_access": False, "autoinstall_known_extensions": False}


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answer to a query."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def as_objects(self) -> list[dict[str, Any]]:
        """Return each row as a dict by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def query_run(directory: Path, query: str) -> QueryResult:
    """Run a query over the episodes of a run's directory.

    Raises:
        RunError: there is no run, or it is damaged.
        UsageError: the query is wrong, or reaches beyond the run.
    """
    return query_records(load_records(directory), query)


def query_records(records: Sequence[EpisodeRecord], query: str) -> QueryResult:
    """Run a query over episodes.

    Raises:
        UsageError: the query is wrong, or reaches beyond the run.
    """
    import duckdb  # noqa: PLC0415  (heavy, not always needed)

    connection = duckdb.connect(":memory:", config=dict(_SETTINGS))
    try:
        fill_tables(connection, records)
        connection.execute("SET lock_configuration = true")
        try:
            answer = connection.execute(query)
            if answer is None:  # DuckDB's answer to an empty query
                raise UsageError("sql: the query holds no statement")
            columns = tuple(column[0] for column in answer.description or ())
            return QueryResult(columns, answer.fetchall() if columns else [])
        except duckdb.Error as error:
            raise UsageError(f"sql: {str(error).strip().splitlines()[0]}") from error
    finally:
        connection.close()


def fill_tables(connection: "duckdb.DuckDBPyConnection", records: Sequence[EpisodeRecord]) -> None:
    """Create the tables of a run in an empty database, and fill them."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for record in records:
        rows["episodes"].append(_episode(record))
        rows["checks"] += _checks(record)
        rows["messages"] += _messages(record)
        rows["tool_calls"] += _tool_calls(record)
        rows["facts"] += ({**fact, "episode_id": record.episode_id} for fact in record.facts)
    for name, columns in TABLES.items():
        declared = ", ".join(f'"{column}" {type}' for column, type in columns.items())
        connection.execute(f'CREATE TABLE "{name}" ({declared})')
        _insert(connection, name, columns, rows[name])


def _insert(
    connection: "duckdb.DuckDBPyConnection",
    table: str,
    columns: Mapping[str, str],
    rows: Iterable[Mapping[str, Any]],
) -> None:
    """Insert all rows at once: one list for each column."""
    lists = [[_cell(row.get(column), type) for row in rows] for column, type in columns.items()]
    if lists[0]:
        unnested = ", ".join("unnest(?)" for _ in columns)
        connection.execute(f'INSERT INTO "{table}" SELECT {unnested}', lists)


def _cell(value: Any, type: str) -> Any:
    if type == "JSON" and value is not None:
        return json.dumps(value, ensure_ascii=False)
    return str(value) if type == "VARCHAR" and value is not None else value


def _episode(record: EpisodeRecord) -> dict[str, Any]:
    return {
        **record.model_dump(include=set(TABLES["episodes"]) - {"messages"}),
        "dimensions": "+".join(record.dimensions),
        "failures": ",".join(record.failures),
        "strict_passed": record.strict.get("passed"),
        "messages": len(record.messages),
    }


def _checks(record: EpisodeRecord) -> list[dict[str, Any]]:
    about = record.model_dump(include={"episode_id", "task_id", "condition", "trial"})
    strict = record.strict.get("checks", {})
    return [
        {**about, "check_id": name, "verdict": verdict, "strict_verdict": strict.get(name)}
        for name, verdict in record.checks.items()
    ]


def _messages(record: EpisodeRecord) -> list[dict[str, Any]]:
    rows = []
    turn = 0
    for number, message in enumerate(record.messages, start=1):
        is_visible = message["role"] != "tool" and not message.get("tool_calls")
        turn += is_visible
        rows.append(
            {
                **message,
                "episode_id": record.episode_id,
                "number": number,
                "turn": turn if is_visible else None,
            }
        )
    return rows


def _tool_calls(record: EpisodeRecord) -> list[dict[str, Any]]:
    asked = {call["id"]: call for one in record.messages for call in one.get("tool_calls") or ()}
    answers = [one for one in record.messages if one["role"] == "tool"]
    rows = []
    for number, answer in enumerate(answers, start=1):
        call, content = asked[answer["tool_call_id"]], json.loads(answer["content"])
        failed = "error" in content
        rows.append(
            {
                "episode_id": record.episode_id,
                "number": number,
                "owner": answer["owner"],
                "name": call["name"],
                "arguments": call["arguments"],
                "result": None if failed else content,
                "error": content["error"] if failed else None,
                "error_message": content["message"] if failed else None,
            }
        )
    return rows
