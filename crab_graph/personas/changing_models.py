"""A user that a model plays, in a task in which it changes its mind.

The model knows a request until the message for which the change is drawn: the note to that one
tells it, and from then on its prompt holds the next.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from crab_graph.personas.model_users import LlmUser
from crab_graph.personas.objection_answers import objects
from crab_graph.personas.plan_answers import wants_yes
from crab_graph.personas.rules_user import UserStep, is_visible
from crab_graph.personas.second_thoughts import (
    Mind,
    Moment,
    changes_said,
    has_booked,
    says_change,
    with_announcement,
)

_OF_REPLIES = ("note", "retries", "faults")
"""What the state keeps of how a message came about, whatever it says."""


class ChangingModelUser:
    """The engine that lets a model speak, with a prompt for each of its requests in turn."""

    def __init__(self, users: Sequence[LlmUser], minds: Sequence[Mind], seed: int) -> None:
        """Take the users of each request, one more than changes of mind, these, and their seed."""
        self._users, self._minds, self._seed = users, minds, seed

    def step(self, state: Mapping[str, Any], messages: Sequence[dict[str, Any]]) -> UserStep:
        """Return the user's next message; arguments as for the rule-based engine."""
        stage = len(changes_said(state))
        user = self._users[stage]
        if stage == len(self._minds) or not self._is_due(self._minds[stage], state, messages):
            return user.step(state, messages)
        mind = self._minds[stage]
        known = {row["key"] for row in state.get("disclosed", ())}
        after = mind.state_after(state)
        after["later"] = [*after["later"], *(key for key in mind.keys if key not in known)]
        order = mind.order("second_thoughts")
        step = self._users[stage + 1].step(after, messages, order=order, due=mind.keys)
        text = str(step.message["content"])
        if step.message.get("tool_calls") or not says_change(text, mind.before, mind.after):
            # It has not said so yet, and will be asked to with its next message.
            kept = {name: step.state[name] for name in _OF_REPLIES if name in step.state}
            return UserStep(step.message, {**state, **kept})
        number = 1 + sum(map(is_visible, messages))
        return with_announcement(step, after, number, mind)

    def _is_due(
        self, mind: Mind, state: Mapping[str, Any], messages: Sequence[dict[str, Any]]
    ) -> bool:
        """Tell whether the next message is the one that changes its mind."""
        rules = self._users[mind.place].rules
        turn = rules.hear(state, messages).turn
        if turn is None:
            return False
        if not has_booked(messages):
            would_agree = wants_yes(turn) and not objects(turn)
            moment = mind.moment(rules.behavior.waits_for_booking, self._seed)
            return moment is Moment.PLAN and would_agree
        return not mind.is_final and (turn.reading.asks_wallet or turn.reading.claims_done)
