"""The tables that a run can be queried by: names, types, and what each column says.

The names are stable. `docs/analytics.md` is made of these descriptions; a test holds it to them.
Neither a clock nor a path is in any table, except for the name of a run's directory in `runs`: the
same episodes give the same rows wherever and whenever they were played.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type in DuckDB, and what it says."""

    name: str
    type: str
    says: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what one of its rows is, and the columns after the number of the run.

    Attributes:
        name: Its name.
        row: What one row is.
        columns: The columns.
        order: Columns that rows of one episode are ordered by.
    """

    name: str
    row: str
    columns: tuple[Column, ...]
    order: tuple[str, ...] = ()


RUN = Column("run", "INTEGER", "number of the run, from 1 as they were named; see `runs`")
_EPISODE = Column("episode_id", "VARCHAR", "task, condition and trial, such as `S1-001.ruse.0`")
_TASK = Column("task_id", "VARCHAR", "the task")
_CONDITION = Column("condition", "VARCHAR", "what the user was asked to be, such as `ruse`")
_TRIAL = Column("trial", "INTEGER", "number of the trial, from 0")
_OWNER = Column("owner", "VARCHAR", "who calls: `agent`, or `user` for a private call")
_TURN = Column("turn", "INTEGER", "place among the visible messages, from 1; null for others")

RUNS = Table(
    "runs",
    "a run",
    (
        Column("name", "VARCHAR", "name of its directory"),
        Column("agent", "VARCHAR", "the agent's spec, without credentials"),
        Column("toolset", "VARCHAR", "which tools it was given: `parity` or `extended`"),
        Column("users", "VARCHAR", "conditions of the users, with commas"),
        Column("user_engine", "VARCHAR", "what played them: `rules`, `llm`, `hybrid` or `python`"),
        Column("user_model", "VARCHAR", "the model that did, if one did"),
        Column("seed", "BIGINT", "seed of the run"),
        Column("trials", "INTEGER", "episodes of each task and user"),
        Column("tasks", "INTEGER", "number of tasks"),
        Column("planned", "INTEGER", "episodes the run consists of"),
        Column("benchmark_sha256", "VARCHAR", "hash of the tasks"),
        Column("versions", "JSON", "versions of what it was begun with"),
    ),
)
EPISODES = Table(
    "episodes",
    "an episode that has ended: its latest attempt",
    (
        _EPISODE,
        _TASK,
        Column("stratum", "INTEGER", "number of seed solutions, 1 to 4"),
        Column("date_mode", "VARCHAR", "`fixed` or `flexible`"),
        Column("party", "INTEGER", "number of travellers"),
        _CONDITION,
        Column("persona", "VARCHAR", "the persona it was; `none` without one"),
        Column("dimensions", "VARCHAR", "behaviour dimensions switched on, with `+`"),
        _TRIAL,
        Column("seed", "BIGINT", "seed of the run"),
        Column("agent", "VARCHAR", "the agent's spec, without credentials"),
        Column("agent_is_reference", "BOOLEAN", "whether it is a built-in agent without a model"),
        Column("toolset", "VARCHAR", "which tools it was given: `parity` or `extended`"),
        Column("user_engine", "VARCHAR", "what played the user"),
        Column("user_model", "VARCHAR", "the model that did, if one did"),
        Column(
            "outcome", "VARCHAR", "`pass`, `fail`, `budget_exhausted`, `user_fault`, `infra_error`"
        ),
        Column("passed", "BOOLEAN", "whether every check that counts passed"),
        Column("concrete_passed", "BOOLEAN", "whether no check of the final tables failed"),
        Column("factuality_passed", "BOOLEAN", "whether no check of what was said failed"),
        Column("completion_passed", "BOOLEAN", "whether no check of how it ended failed"),
        Column("strict_passed", "BOOLEAN", "the same under strict grading"),
        Column("fault", "VARCHAR", "`agent`, `user`, `environment`, `infra`; null if it passed"),
        Column("termination", "VARCHAR", "the terminal token, the limit, or the failure"),
        Column("primary_failure", "VARCHAR", "the first failure mode that applies"),
        Column("failures", "VARCHAR", "all that apply, with commas"),
        Column("trip_state", "VARCHAR", "what was booked at the end: `full`, `partial`, `none`"),
        Column("attempts", "INTEGER", "how often it was begun; infrastructure errors are retried"),
        Column("messages", "INTEGER", "messages of the transcript, tool calls and results too"),
        Column("turns", "INTEGER", "visible messages"),
        Column("tool_calls", "INTEGER", "calls by the agent, failed ones too"),
        Column("redundant_calls", "INTEGER", "calls made before with the same arguments"),
        Column("cancellations", "INTEGER", "bookings made and cancelled again"),
        Column("admitted_errors", "INTEGER", "messages in which the agent owns a mistake"),
        Column("metrics", "JSON", "all of efficiency and disclosure coverage"),
    ),
)
CHECKS = Table(
    "checks",
    "a check of an episode",
    (
        _EPISODE,
        _TASK,
        _CONDITION,
        _TRIAL,
        Column("check_id", "VARCHAR", "such as `D17` or `F-PT`"),
        Column("verdict", "VARCHAR", "`pass`, `fail`, `not_triggered` or `not_evaluated`"),
        Column("strict_verdict", "VARCHAR", "the same under strict grading"),
    ),
    order=("check_id",),
)
TURNS = Table(
    "turns",
    "a visible message, with what its speaker did since the last one",
    (
        _EPISODE,
        Column("turn", "INTEGER", "place among the visible messages, from 1"),
        Column("speaker", "VARCHAR", "`agent` or `user`"),
        Column("number", "INTEGER", "place among all messages; see `messages`"),
        Column("words", "INTEGER", "words said"),
        Column("calls", "INTEGER", "tool calls the speaker made before saying it"),
        Column("writes", "INTEGER", "rows that these calls inserted or changed"),
        Column("facts", "INTEGER", "facts of the user that were first told in it"),
    ),
    order=("turn",),
)
MESSAGES = Table(
    "messages",
    "a message of the transcript",
    (
        _EPISODE,
        Column("number", "INTEGER", "place in the transcript, from 1"),
        _TURN,
        Column("role", "VARCHAR", "`user`, `assistant` or `tool`"),
        Column("owner", "VARCHAR", "of calls and results: `agent`, or `user` for private ones"),
        Column("content", "VARCHAR", "what was said, or a tool's answer"),
        Column("tool_calls", "JSON", "tools asked for, with arguments"),
        Column("tool_call_id", "VARCHAR", "the call that a tool's answer belongs to"),
    ),
    order=("number",),
)
TOOL_CALLS = Table(
    "tool_calls",
    "a tool call that was answered",
    (
        _EPISODE,
        Column("number", "INTEGER", "place among the calls of the episode, from 1"),
        Column("turn", "INTEGER", "visible message it led up to; null after the last one"),
        _OWNER,
        Column("name", "VARCHAR", "name of the tool"),
        Column("arguments", "JSON", "arguments as they were given"),
        Column("result", "JSON", "the answer; null for a refusal"),
        Column("error", "VARCHAR", "code of a refusal"),
        Column("error_message", "VARCHAR", "what the refusal said"),
        Column("writes", "INTEGER", "rows that it inserted or changed"),
    ),
    order=("number",),
)
FACTS = Table(
    "facts",
    "a fact that the user knew",
    (
        _EPISODE,
        Column("key", "VARCHAR", "such as `departure_date`"),
        Column("slot", "VARCHAR", "the entity it is about, if it is about one"),
        Column("level", "VARCHAR", "`basic` may be said upfront, `detail` only when asked"),
        Column("turn", "INTEGER", "visible message in which it was first told; null for never"),
        Column("reason", "VARCHAR", "`volunteered`, `asked`, `corrected` or `changed`"),
        Column("fate", "VARCHAR", "what became of it: `in_time`, `late`, `ignored`, `never`"),
    ),
    order=("key",),
)
COSTS = Table(
    "costs",
    "what one model took in an episode, in one seat",
    (
        _EPISODE,
        Column("party", "VARCHAR", "whose seat it had: `agent` or `user`"),
        Column("model", "VARCHAR", "the model, as it was asked for"),
        Column("calls", "INTEGER", "calls that it answered"),
        Column("failed_calls", "INTEGER", "attempts that failed"),
        Column("uncounted_calls", "INTEGER", "answers that did not tell their tokens"),
        Column("input_tokens", "BIGINT", "tokens that it read"),
        Column("cached_tokens", "BIGINT", "those among them that were cached"),
        Column("output_tokens", "BIGINT", "tokens that it wrote"),
        Column("reasoning_tokens", "BIGINT", "those among them that were not shown"),
        Column("party_cost", "DOUBLE", "US dollars of all models of the party; null if unknown"),
    ),
    order=("party", "model"),
)

TABLES: Sequence[Table] = (RUNS, EPISODES, CHECKS, TURNS, MESSAGES, TOOL_CALLS, FACTS, COSTS)
"""All tables; each begins with the column `run`."""


def document() -> str:
    """Return the tables as Markdown."""
    return "\n".join(_document(table) for table in TABLES)


def _document(table: Table) -> str:
    rows = "\n".join(
        f"| `{column.name}` | {column.type} | {column.says} |" for column in (RUN, *table.columns)
    )
    head = "| column | type | |\n|---|---|---|"
    return f"### `{table.name}`\n\nOne row: {table.row}.\n\n{head}\n{rows}\n"
