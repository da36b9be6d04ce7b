"""A user who changes its mind in the middle of a talk: the rules on either side of that moment.

What changes is the task's: it was certified for the request before and for the one after. Until it
is said the user wants what it wanted, from then on the other alone; so it may go on, change by
change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from crab_graph.personas.briefing import Fact, Reason, UserBriefing
from crab_graph.personas.memory import ACTS
from crab_graph.personas.own_tools import APPROVE, BOOKING_ID
from crab_graph.personas.recognition import stated_facts, told_after
from crab_graph.personas.rules_user import RulesUser, UserStep, is_visible
from crab_graph.personas.user_guide import user_guide
from crab_graph.personas.wording import word_fact
from crab_graph.randomness import derive_rng
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import find_token
from crab_graph.text.utterance import read_message

Message = Mapping[str, Any]

CHANGED = "changed"
"""Under which the user's state keeps what each change of mind was of that it said, and when."""


class Moment(StrEnum):
    """When a change of mind comes."""

    PLAN = "plan"
    BOOKING = "booking"


@dataclass(frozen=True)
class Mind:
    """What one user wants, and what it wants otherwise once it has thought again.

    It is final where what must be booked otherwise could not be cancelled; `place` counts the
    changes of mind before it.
    """

    kind: str
    before: UserBriefing
    after: UserBriefing
    is_final: bool
    place: int = 0

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The facts that are others then, in the order facts are told."""
        both = {*self.before.ordered_keys(), *self.after.ordered_keys()}
        ordered = dict.fromkeys([*self.after.ordered_keys(), *self.before.ordered_keys()])
        changed = {key for key in both if self.before.fact(key) != self.after.fact(key)}
        return tuple(key for key in ordered if key in changed)

    @property
    def wanted(self) -> list[Fact]:
        """What is wanted otherwise, as it is then."""
        return [fact for key in self.keys if (fact := self.after.fact(key)) is not None]

    def order(self, line: str) -> str:
        """Return a line of the guide for users, with what is wanted otherwise in words."""
        lexicon = self.after.lexicon
        said = (word_fact(fact, lexicon, None, short=False) for fact in self.wanted)
        return user_guide().notes[line].format(wanted=" ".join(said))

    @property
    def due(self) -> str:
        """The line of the guide for users that tells it beforehand."""
        return self.order("later_thoughts_due" if self.place else "second_thoughts_due")

    def moment(self, share: float, seed: int) -> Moment:
        """Draw when it comes, given in what share of tasks it waits for a booking, if it can."""
        which = (self.place,) if self.place else ()
        drawn = derive_rng("second thoughts", seed, self.before.task_id, *which).random()
        return Moment.BOOKING if drawn < share and not self.is_final else Moment.PLAN

    def state_after(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the user remembers once it wants something else.

        What it said of that before stands in the record as what it wanted then. All that an agent
        asks for anew is news again.
        """
        rows = [self._taken_back(row) for row in state.get("disclosed", ())]
        seen = [one for one in state.get("seen", ()) if one not in ACTS]
        left = {
            name: [key for key in state.get(name, ()) if key not in self.keys]
            for name in ("declined", "noted", "later")
        }
        kept = {**state, "disclosed": rows, "seen": seen, **left}
        return {**kept, "idle": 0, "warned": False, "approved": False}

    def _taken_back(self, row: Mapping[str, Any]) -> dict[str, Any]:
        fact = self.before.fact(row["key"]) if row["key"] in self.keys else None
        return {**row} if fact is None or "value" in row else {**row, "value": fact.value}


def changes_said(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the changes of mind that a user's state says were said: the turn and keys of each."""
    said = state.get(CHANGED, ())
    # A state of before there could be several holds the one.
    return [said] if isinstance(said, Mapping) else list(said)


def says_change(text: str, before: UserBriefing, after: UserBriefing) -> bool:
    """Tell whether a text announces a change of mind, and what is wanted by it.

    One of the values is enough: a user holds to the others, too.
    """
    if pattern("attribution", "changes_of_mind").search(read_message(text).text) is None:
        return False
    changed = [fact.key for fact in after.facts if before.fact(fact.key) != fact]
    told = stated_facts(text, after, changed)
    return any(key in told for key in changed)


def has_booked(messages: Sequence[Message]) -> bool:
    """Tell whether the agent has spoken of a booking by its id."""
    said = (one for one in messages if one["role"] == "assistant" and is_visible(one))
    return any(BOOKING_ID in str(one.get("content") or "") for one in said)


class ChangingUser:
    """The rule-based user of a task in which it changes its mind.

    That comes in the place of its yes to a plan, or of its approval of the payments where all that
    it means can be cancelled; and there, too, with an agent that books without a yes.
    """

    def __init__(self, users: Sequence[RulesUser], minds: Sequence[Mind], seed: int) -> None:
        """Take the users of each request, one more than changes of mind, these, and their seed."""
        self._users, self._minds, self._seed = users, minds, seed
        self.first_briefing = minds[0].before
        """What the user says it wants before it changes its mind."""

    def step(self, state: Mapping[str, Any], messages: Sequence[dict[str, Any]]) -> UserStep:
        """Return the user's next message; arguments as for the rule-based engine."""
        said = changes_said(state)
        user = self._users[len(said)]
        step = _with(user.step(state, messages), said)
        if len(said) == len(self._minds):
            return step
        mind = self._minds[len(said)]
        if not self._is_due(mind, state, step, messages):
            return step
        number = 1 + sum(map(is_visible, messages))
        after, next_user = mind.state_after(state), self._users[len(said) + 1]
        told = next_user.announce(after, messages, f"change_{mind.kind}", mind.wanted)
        return _with(told, [*said, {"turn": number, "keys": list(mind.keys)}])

    def _is_due(
        self,
        mind: Mind,
        state: Mapping[str, Any],
        step: UserStep,
        messages: Sequence[dict[str, Any]],
    ) -> bool:
        """Tell whether a change comes in the place of a step."""
        user = self._users[mind.place]
        calls = [call["name"] for call in step.message.get("tool_calls") or ()]
        if not has_booked(messages):
            is_yes = not calls and step.state["approved"] and not state.get("approved", False)
            moment = mind.moment(user.behavior.waits_for_booking, self._seed)
            return moment is Moment.PLAN and is_yes
        if mind.is_final:
            return False
        ends = not calls and find_token(step.message["content"]) is not None
        turn = user.hear(state, messages).turn
        return (ends or APPROVE in calls) and turn is not None and bool(turn.wallet.bookings)


def told_around_changes(
    state: Mapping[str, Any], said: str, heard: str, number: int, minds: Sequence[Mind]
) -> dict[str, Any]:
    """Return a user's state after it said a text of somebody's own, as the message of a number.

    `heard` is what the agent said last.
    """
    before = changes_said(state)
    if len(before) == len(minds):
        known = minds[-1].after
    else:
        mind = minds[len(before)]
        if says_change(said, mind.before, mind.after):
            after = mind.state_after(state)
            told = told_after(after["disclosed"], said, heard, number, mind.after, due=mind.keys)
            return {**after, **_announced(after, told, number, mind)}
        known = mind.before
    rows = told_after(state.get("disclosed", ()), said, heard, number, known)
    return {**state, "disclosed": rows}


def _announced(
    after: Mapping[str, Any], rows: Sequence[dict[str, Any]], number: int, mind: Mind
) -> dict[str, Any]:
    """Return the parts of a state that a message changes which announced the change."""
    known = len(after["disclosed"])
    told = [
        {**row, "reason": str(Reason.CHANGED)} if row["key"] in mind.keys else row
        for row in rows[known:]
    ]
    return {
        "disclosed": [*rows[:known], *told],
        CHANGED: [*changes_said(after), {"turn": number, "keys": list(mind.keys)}],
    }


def with_announcement(
    step: UserStep, after: Mapping[str, Any], number: int, mind: Mind
) -> UserStep:
    """Return the step that announced the change, from the state `after` it was made."""
    rows = step.state["disclosed"]
    return UserStep(step.message, {**step.state, **_announced(after, rows, number, mind)})


def _with(step: UserStep, said: Sequence[Mapping[str, Any]]) -> UserStep:
    return UserStep(step.message, {**step.state, CHANGED: [*said]}) if said else step
