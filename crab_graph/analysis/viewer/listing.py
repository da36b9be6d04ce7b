"""The list of episodes: a row for each, what it can be filtered by, and what a search reads."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from crab_graph.errors import UsageError
from crab_graph.settings import Toolset, agent_label

NOT_PASSED = "!pass"
"""The outcome of every episode that did not pass."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which episodes are wanted; an empty text wants all.

    Attributes:
        outcome: One of the five outcomes, or `!pass`.
        agent: Agent spec.
        user: Condition of the user.
        persona: Persona of the user.
        stratum: Number of the stratum.
        dates: `fixed` or `flexible`.
        check: A check that failed.
        mode: A failure mode that applies, first or not.
        run: Number of the run among those that are shown.
        task: Id of the task.
        q: Words that all occur: in ids and names, in what was said, in names of tools called.
    """

    outcome: str = ""
    agent: str = ""
    user: str = ""
    persona: str = ""
    stratum: str = ""
    dates: str = ""
    check: str = ""
    mode: str = ""
    run: str = ""
    task: str = ""
    q: str = ""

    @classmethod
    def read(cls, given: Mapping[str, str]) -> "Wanted":
        """Return what a query string asks for; names it does not know are somebody else's."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value.strip() for name, value in given.items() if name in names})

    def fits(self, row: Row, text: str) -> bool:
        """Whether an episode is wanted, given its row and what a search reads of it."""
        if self.outcome == NOT_PASSED and row["outcome"] == "pass":
            return False
        if self.outcome not in ("", NOT_PASSED, row["outcome"]):
            return False
        for name in ("agent", "user", "persona", "stratum", "dates", "run", "task"):
            wanted = getattr(self, name)
            if wanted and wanted != str(row[name]):
                return False
        if self.check and self.check not in row["failed"]:
            return False
        if self.mode and self.mode not in row["modes"]:
            return False
        return all(word in text for word in self.q.casefold().split())


def row_of(run: int, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of an episode, from the fields of its record."""
    messages = fields["messages"]
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
        "dates": fields["date_mode"],
        "outcome": str(fields["outcome"]),
        "failure": fields["primary_failure"],
        "modes": list(fields["failures"]),
        "failed": [check for check, verdict in fields["checks"].items() if verdict == "fail"],
        # Of a large run the dialogues are not read; how long they were is known all the same.
        "turns": sum(1 for message in messages if _is_visible(message))
        or fields["metrics"].get("visible_messages", 0),
        "calls": fields["metrics"].get("total_tool_calls"),
    }


def text_of(fields: Mapping[str, Any]) -> str:
    """Return what a search reads of an episode, in lower case."""
    return " ".join(_texts(fields)).casefold()


def count_facets(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Return, for each filter with a list to choose from, its values and how often they occur."""
    single = ("outcome", "agent", "user", "persona", "stratum", "dates")
    several = {"check": "failed", "mode": "modes"}
    counts: dict[str, Counter[str]] = {name: Counter() for name in (*single, *several)}
    for row in rows:
        for name in single:
            counts[name][str(row[name])] += 1
        for name, column in several.items():
            counts[name].update(set(row[column]))
    return {name: dict(sorted(values.items())) for name, values in counts.items()}


def read_number(given: Mapping[str, str], name: str, default: int, most: int) -> int:
    """Return a whole number from a query string, no more than `most`.

    Raises:
        UsageError: it is none, or is negative.
    """
    text = given.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise UsageError(f"{name}: '{text[:40]}' is no whole number")
    return min(int(text), most)


def _texts(fields: Mapping[str, Any]) -> Iterator[str]:
    yield from (fields["episode_id"], fields["agent"], fields["persona"])
    for message in fields["messages"]:
        if _is_visible(message):
            yield message.get("content") or ""
        yield from (str(call.get("name")) for call in message.get("tool_calls") or ())
    for step in fields["trace"]:
        yield from (str(event["key"]) for event in step.get("events") or ())


def _is_visible(message: Mapping[str, Any]) -> bool:
    return message["role"] in ("assistant", "user") and not message.get("tool_calls")


def neighbours(keys: Sequence[tuple[int, str]], key: tuple[int, str]) -> dict[str, Any]:
    """Return the episodes before and after one, in the order of a list that holds it."""
    if key not in keys:
        return {"before": None, "after": None}
    place = keys.index(key)
    before = keys[place - 1] if place > 0 else None
    after = keys[place + 1] if place + 1 < len(keys) else None
    return {"before": before, "after": after}
