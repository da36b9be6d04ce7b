"""A user that a model plays, in a task in which it changes its mind.

The model knows the first request until the message for which the change is drawn: the note to that
one tells it, and from then on its prompt holds the second.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from crab_graph.personas.model_users import LlmUser
from crab_graph.personas.objection_answers import objects
from crab_graph.personas.plan_answers import asks_for_plan, can_approve
from crab_graph.personas.rules_user import UserStep, is_visible
from crab_graph.personas.second_thoughts import (
    CHANGED,
    Mind,
    Moment,
    has_booked,
    says_change,
    with_announcement,
)

_OF_REPLIES = ("note", "retries", "faults")
"""What the state keeps of how a message came about, whatever it says."""


class ChangingModelUser:
    """The engine that lets a model speak, with one prompt before the change and one after it."""

    def __init__(self, before: LlmUser, after: LlmUser, mind: Mind, seed: int) -> None:
        """Take the user that wants the first, the one that wants the second, and their seed."""
        self._before, self._after, self._mind = before, after, mind
        self._moment = mind.moment(before.rules.behavior.waits_for_booking, seed)

    def step(self, state: Mapping[str, Any], messages: Sequence[dict[str, Any]]) -> UserStep:
        """Return the user's next message; arguments as for the rule-based engine."""
        if CHANGED in state:
            return self._after.step(state, messages)
        if not self._is_due(state, messages):
            return self._before.step(state, messages)
        mind = self._mind
        known = {row["key"] for row in state.get("disclosed", ())}
        after = mind.state_after(state)
        after["later"] = [*after["later"], *(key for key in mind.keys if key not in known)]
        step = self._after.step(after, messages, order=mind.order("second_thoughts"), due=mind.keys)
        text = str(step.message["content"])
        if step.message.get("tool_calls") or not says_change(text, mind.before, mind.after):
            # It has not said so yet, and will be asked to with its next message.
            kept = {name: step.state[name] for name in _OF_REPLIES if name in step.state}
            return UserStep(step.message, {**state, **kept})
        number = 1 + sum(map(is_visible, messages))
        return with_announcement(step, after, number, mind)

    def _is_due(self, state: Mapping[str, Any], messages: Sequence[dict[str, Any]]) -> bool:
        """Tell whether the next message is the one that changes its mind."""
        turn = self._before.rules.hear(state, messages).turn
        if turn is None:
            return False
        if not has_booked(messages):
            would_agree = asks_for_plan(turn) and can_approve(turn) and not objects(turn)
            return self._moment is Moment.PLAN and would_agree
        return not self._mind.is_final and (turn.reading.asks_wallet or turn.reading.claims_done)
