"""The list of episodes: a row for each, what it can be filtered by, and what a search reads."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from crab_graph.runs.record import NO_VERDICT, axes_in
from crab_graph.settings import Toolset, agent_label

NOT_PASSED = "!pass"
"""The outcome of every episode that did not pass."""

Row = Mapping[str, Any]

AXIS = "axis."
"""How a filter by an axis begins: `axis.insurance`."""

_SINGLE = ("outcome", "agent", "user", "persona", "stratum")
_SEVERAL = {"check": "failed", "mode": "modes"}
"""Filters by one of several values that a row has, and the column that holds them."""

FILTERS = (*_SINGLE, *_SEVERAL, "run", "task", "q")
"""All names in a query string that choose episodes, beside those of axes."""


def is_wanted(row: Row, text: str, given: Mapping[str, str]) -> bool:
    """Whether a query string asks for an episode, given its row and what a search reads of it.

    `check` is one that failed, `mode` a failure mode that applies, first or not, and `q` words that
    all occur: in ids and names, in what was said, in names of tools called. An empty value wants
    all, and names that are no filter are somebody else's.
    """
    for name, value in given.items():
        wanted = value.strip()
        if not wanted:
            continue
        if name == "q":
            fits = all(word in text for word in wanted.casefold().split())
        elif name in _SEVERAL:
            fits = wanted in row[_SEVERAL[name]]
        elif name.startswith(AXIS):
            fits = wanted == str(row["axes"].get(name.removeprefix(AXIS)))
        elif name == "outcome" and wanted == NOT_PASSED:
            fits = row["outcome"] != "pass"
        else:
            fits = name not in FILTERS or wanted == str(row[name])
        if not fits:
            return False
    return True


def row_of(run: int, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of an episode, from the fields of its record."""
    if fields["outcome"] == "infra_error":
        fields = {**fields, **NO_VERDICT}
    return {
        "run": run,
        "id": fields["episode_id"],
        "task": fields["task_id"],
        "trial": fields["trial"],
        "turn": (fields.get("forked_from") or {}).get("turn"),
        "agent": agent_label(fields["agent"], fields.get("toolset", Toolset.PARITY)),
        "reference": fields["agent_is_reference"],
        "user": fields["condition"],
        "persona": fields["persona"],
        "stratum": fields["stratum"],
        "axes": axes_in(fields),
        "outcome": str(fields["outcome"]),
        "failure": fields["primary_failure"],
        "modes": list(fields["failures"]),
        "failed": [check for check, verdict in fields["checks"].items() if verdict == "fail"],
        # Of a large run the dialogues are not read; how long they were is known all the same.
        "turns": sum(map(_is_visible, fields["messages"]))
        or fields["metrics"].get("visible_messages", 0),
        "calls": fields["metrics"].get("total_tool_calls"),
    }


def text_of(fields: Mapping[str, Any]) -> str:
    """Return what a search reads of an episode, in lower case."""
    texts = [fields["episode_id"], fields["agent"], fields["persona"]]
    for message in fields["messages"]:
        if _is_visible(message):
            texts.append(message.get("content") or "")
        texts += (str(call.get("name")) for call in message.get("tool_calls") or ())
    for step in fields["trace"]:
        texts += (str(event["key"]) for event in step.get("events") or ())
    return " ".join(texts).casefold()


def count_facets(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Return, for each filter with a list to choose from, its values and how often they occur."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in (*_SINGLE, *_SEVERAL)}
    for row in rows:
        for name in _SINGLE:
            counts[name][str(row[name])] += 1
        for name, column in _SEVERAL.items():
            counts[name].update(set(row[column]))
        for name, value in row["axes"].items():
            counts.setdefault(AXIS + name, Counter())[str(value)] += 1
    return {name: dict(sorted(values.items())) for name, values in counts.items()}


def _is_visible(message: Mapping[str, Any]) -> bool:
    return message["role"] in ("assistant", "user") and not message.get("tool_calls")
