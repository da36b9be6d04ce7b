"""What a user remembers of a message that a model wrote for it, read back from its words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from crab_graph.personas.breaches import is_approval
from crab_graph.personas.briefing import DisclosureRecord, Fact, Reason, UserBriefing
from crab_graph.personas.error_reactions import ErrorRecord, Reaction
from crab_graph.personas.memory import UserMemory
from crab_graph.personas.plan_answers import can_approve
from crab_graph.personas.private_notes import drawn_reaction, due_facts
from crab_graph.personas.recognition import told_after
from crab_graph.personas.rules_user import Hearing
from crab_graph.personas.turns import Turn
from crab_graph.text.phrases import find_token, without_tokens

Rows = Sequence[Mapping[str, Any]]


def memory_after(
    hearing: Hearing,
    text: str,
    before: UserMemory,
    briefing: UserBriefing,
    *,
    first: Fact | None,
    idle: int,
    due: Sequence[str] = (),
) -> UserMemory:
    """Return what the user remembers after it said a text.

    `first` is what it wants before it changes its mind; `idle` counts the agent's messages in a row
    that brought nothing new, the one it answers included; of what is `due` a bare value is enough.
    """
    said, turn, record = without_tokens(text), hearing.turn, before.record
    rows = told_after(
        record.rows,
        said,
        "" if turn is None else turn.text,
        hearing.number,
        briefing,
        first,
        {key: one for key, one in hearing.speaker.sayings.items() if not record.has(key)},
        due if turn is None else (*due, *due_facts(turn).now),
    )
    told = DisclosureRecord(tuple(rows))
    if turn is None:
        return replace(before, record=told)
    new = rows[len(record.rows) :]
    is_new = any(not record.has(row["key"]) for row in new)
    left = due_facts(turn).later
    is_tired = 0 < idle >= hearing.behavior.patience - 1
    return replace(
        before,
        record=told,
        seen=before.seen | before.fresh(turn.reading),
        idle=0 if is_new else idle,
        warned=not is_new and (is_tired or (before.warned and idle > 0)),
        approved=before.approved or (can_approve(turn) and is_approval(said)),
        later=tuple(key for key in left if not told.has(key)),
        errors=_errors_after(turn, hearing.number, text, new),
    )


def _errors_after(turn: Turn, number: int, text: str, new: Rows) -> ErrorRecord:
    """Return the record of reactions to errors after a text that told some rows (D4)."""
    errors = turn.memory.errors
    corrected = [row["key"] for row in new if row["reason"] == Reason.CORRECTED]
    for key in turn.overlooked:
        if key not in errors.overlooked and key not in corrected:
            errors = errors.with_reaction(key, number, Reaction.OVERLOOKED)
    for key in corrected:
        if turn.memory.record.has(key):
            errors = errors.with_reaction(key, number, Reaction.CORRECTED)
    drawn = drawn_reaction(turn)
    if drawn is None or drawn[0] in corrected:
        return errors
    key, name = drawn
    if name == "gives_up_on" and find_token(text) is not None:
        return errors.with_reaction(key, number, Reaction.GAVE_UP)
    is_hint = name == "hints" and not is_approval(text)
    return errors.with_reaction(key, number, Reaction.HINTED) if is_hint else errors
