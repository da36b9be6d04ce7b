"""The list of episodes: a row for each, what it can be filtered by, and what a search reads."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crab_graph.models.usage import Usage, totals
from crab_graph.runs.notes import Note
from crab_graph.runs.record import NO_VERDICT, axes_in
from crab_graph.settings import Toolset, agent_label

NOT_PASSED = "!pass"
"""The outcome of every episode that did not pass."""

Row = Mapping[str, Any]

AXIS = "axis."
"""How a filter by an axis begins: `axis.insurance`."""

_SINGLE = ("outcome", "agent", "user", "persona", "stratum", "level")
_FACETS = (*_SINGLE, "run")
_SEVERAL = {"check": "failed", "mode": "modes", "tag": "tags", "difficulty": "difficulties"}
"""Filters by one of several values that a row has, and the column that holds them."""

FILTERS = (*_FACETS, *_SEVERAL, "task", "q")
"""All names in a query string that choose episodes, beside those of axes."""


def is_wanted(row: Row, text: str, given: Mapping[str, str]) -> bool:
    """Whether a query string asks for an episode, given its row and what a search reads of it.

    `check` is one that failed, `mode` a failure mode that applies, first or not, `tag` one of a
    note, and `q` words that all occur: in ids and names, in what was said, in names of tools
    called, in notes. An empty value wants all, and names that are no filter are somebody else's.
    """
    return not _misses(row, text, given)


def _misses(row: Row, text: str, given: Mapping[str, str]) -> list[str]:
    """Return the filters that an episode does not fit."""
    return [
        name
        for name, value in given.items()
        if value.strip() and not _fits(row, text, name, value.strip())
    ]


def _fits(row: Row, text: str, name: str, wanted: str) -> bool:
    if name == "q":
        return all(word in text for word in wanted.casefold().split())
    if name in _SEVERAL:
        return wanted in row[_SEVERAL[name]]
    if name.startswith(AXIS):
        return wanted == str(row["axes"].get(name.removeprefix(AXIS)))
    if name == "outcome" and wanted == NOT_PASSED:
        return bool(row["outcome"] != "pass")
    return name not in FILTERS or wanted == str(row[name])


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
        "level": fields.get("level", 1),
        "difficulties": list(fields.get("difficulties", ())),
        "axes": axes_in(fields),
        "outcome": str(fields["outcome"]),
        "failure": fields["primary_failure"],
        "modes": list(fields["failures"]),
        "tags": [],
        "failed": [check for check, verdict in fields["checks"].items() if verdict == "fail"],
        # Of a large run the dialogues are not read; how long they were is known all the same.
        "turns": sum(map(_is_visible, fields["messages"]))
        or fields["metrics"].get("visible_messages", 0),
        "calls": fields["metrics"].get("total_tool_calls"),
        **_taken(fields),
    }


def _taken(fields: Mapping[str, Any]) -> dict[str, float | None]:
    """Return tokens, seconds and dollars of the models of both seats; `None` where not measured."""
    asked: Mapping[str, Usage] = fields.get("usage") or {}
    seats = {party: totals(usage) for party, usage in asked.items() if usage}
    seconds, cost = fields.get("seconds") or {}, fields.get("cost") or {}
    dollars = [cost.get(party) for party in seats]
    is_counted = bool(seats) and not any(one.uncounted for one in seats.values())
    return {
        "tokens": sum(one.tokens for one in seats.values()) if is_counted else None,
        "seconds": round(sum(seconds.values()), 3) if seconds else None,
        "dollars": sum(one or 0.0 for one in dollars) if seats and None not in dollars else None,
    }


def with_notes(row: Row, text: str, notes: Sequence[Note]) -> tuple[dict[str, Any], str]:
    """Return the row of an episode with the tags of its notes, and what a search reads with them.

    Every note has the tag `noted`, and one that disputes a verdict `disputed`.
    """
    if not notes:
        return dict(row), text
    tags = dict.fromkeys(mark for note in notes for mark in ("noted", *note.marks))
    said = " ".join(word for note in notes for word in (*note.marks, note.text))
    return {**row, "tags": list(tags)}, f"{text} {said.casefold()}"


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


def find_rows(
    entries: Iterable[tuple[Row, str]], given: Mapping[str, str]
) -> tuple[list[Row], dict[str, dict[str, int]]]:
    """Return the rows that a query string asks for, and the facets as the other filters leave them.

    A value of a filter is counted among the rows that fit all filters but that one; a value that
    none of them has is there with 0.
    """
    found, counts = [], _Counts()
    for row, text in entries:
        missed = _misses(row, text, given)
        counts.add(row, missed)
        if not missed:
            found.append(row)
    return found, counts.sorted()


def count_facets(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Return, for each filter with a list to choose from, its values and how often they occur."""
    return find_rows(((row, "") for row in rows), {})[1]


class _Counts:
    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in (*_FACETS, *_SEVERAL)}

    def add(self, row: Row, missed: Sequence[str]) -> None:
        values: dict[str, Iterable[object]] = {name: [row[name]] for name in _FACETS}
        values |= {name: set(row[column]) for name, column in _SEVERAL.items()}
        values |= {AXIS + name: [value] for name, value in row["axes"].items()}
        for name, own in values.items():
            counts = self._counts.setdefault(name, Counter())
            fits_others = not missed or list(missed) == [name]
            for value in own:
                counts[str(value)] += fits_others

    def sorted(self) -> dict[str, dict[str, int]]:
        return {name: dict(sorted(values.items())) for name, values in self._counts.items()}


def _is_visible(message: Mapping[str, Any]) -> bool:
    return message["role"] in ("assistant", "user") and not message.get("tool_calls")
