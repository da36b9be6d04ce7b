"""One question asked in many ways: whether the user answers what was asked, told without a reader.

A set has situations (`NAME.toml`): a place of a kept talk with branches, what the agent wants to
know there, and what a right answer says. Language models that knew neither user nor code wrote the
messages (`NAME.jsonl`) that different agents might send there.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from crab_graph.tools.ledger import Ledger
from tests.personas.dialogue import Dialogue
from tests.talks.branched import Talk, bench_of, user_of
from tests.talks.branched import load as load_talk

FOLDER = Path(__file__).resolve().parent


class Situation(BaseModel):
    """A place of a talk, and what is right to answer there.

    `says` are patterns that the answer holds, `never` those that it does not; it `grows` what was
    told; so many `approvals` are recorded with it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    talk: str
    step: int
    wants: str
    facts: str = ""
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    grows: bool = False
    approvals: int | None = None


class Heard(NamedTuple):
    """A message, what was answered, and what is wrong with that, if anything."""

    situation: str
    text: str
    answer: str
    faults: tuple[str, ...]


def names() -> list[str]:
    """Return the names of the sets."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@cache
def situations(name: str) -> dict[str, Situation]:
    """Return the situations of a set."""
    found = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    return {key: Situation.model_validate(one) for key, one in found.items()}


def heard(name: str) -> Iterator[Heard]:
    """Yield every message of a set with what today's user answers."""
    for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        situation = situations(name)[row["situation"]]
        answer, faults = _judged(situation, row["text"])
        yield Heard(row["situation"], row["text"], answer, tuple(faults))


def _judged(situation: Situation, text: str) -> tuple[str, list[str]]:
    place = _place(situation.talk, situation.step)
    talk = place.forked()
    answer = talk.say(text)
    low = answer.casefold().replace("\u2019", "'")
    faults = [f"lacks {one}" for one in situation.says if not re.search(one, low)]
    faults += [f"says {one}" for one in situation.never if re.search(one, low)]
    if situation.grows and not _told(talk) - _told(place):
        faults.append("tells nothing new")
    made = _approvals(talk) - _approvals(place)
    if situation.approvals not in (None, made):
        faults.append(f"approves {made}")
    return answer, faults


@cache
def _place(name: str, step: int) -> Talk:
    head, steps = load_talk(name)
    task = bench_of(head["bench"])[head["task"]]
    talk = Talk(task, user_of(task, head["seed"]), Dialogue(task, Ledger.fold(task.world, [])))
    talk.answer()
    for one in steps[:step]:
        if "says" in one:
            talk.say(one["says"])
        elif "calls" in one:
            talk.call(one["calls"])
    return talk


def _told(talk: Talk) -> set[str]:
    return {row["key"] for row in talk.state["disclosed"]}


def _approvals(talk: Talk) -> int:
    own = (one for one in talk.dialogue.transcript if one["role"] == "user")
    calls = (call["name"] for one in own for call in one.get("tool_calls", ()))
    return sum(name == "record_payment_approval" for name in calls)
