"""How long a user puts up with an agent that gets nowhere: progress, a warning, the end (D4).

A turn is progress where the agent's message brings anything for the first time - an item, an
amount, a request, a question about something - or where the user tells, approves or pays
anything new. A question back, as to what was meant, costs no patience: the agent may answer it.
"""

from dataclasses import replace

from crab_graph.personas.memory import UserMemory
from crab_graph.personas.noted_facts import noted_after
from crab_graph.personas.turns import Decision, Turn
from crab_graph.text.phrases import TerminalToken


def with_patience(turn: Turn, reply: Decision) -> tuple[Decision, UserMemory]:
    """Return a reply as the user's patience lets it be, and what the user remembers then.

    In the last turn that it puts up with the user adds a warning, and only after one it ends. It
    adds none to a yes, unless it has given that twice more than its patience bears.
    """
    memory, behavior, speaker = turn.memory, turn.behavior, turn.speaker
    idle = idle_after(memory.idle, moved=has_moved(turn, reply), asked_back=reply.asked_back)
    memory = replace(memory, seen=memory.seen | _fresh(turn), noted=noted_after(turn), idle=idle)
    if reply.token or idle == 0:
        return reply, replace(memory, warned=False)
    if idle >= behavior.patience and memory.warned:
        return Decision((speaker.phrase("give_up"),), token=TerminalToken.STOP), memory
    bears = behavior.patience + (1 if reply.approved else -1)
    if idle >= bears and not memory.warned:
        warning = speaker.phrase("warn")
        return replace(reply, tail=(*reply.tail, warning)), replace(memory, warned=True)
    return reply, memory


def idle_after(idle: int, *, moved: bool, asked_back: bool) -> int:
    """Return the number of turns in a row without progress after one more; grading counts alike."""
    return 0 if moved else idle + (not asked_back)


def has_moved(turn: Turn, reply: Decision) -> bool:
    """Tell whether a message and the reply to it brought anything new."""
    memory = turn.memory
    is_told = any(not memory.record.is_settled(key) for key, _ in reply.told)
    is_approved = reply.approved and not memory.approved
    # One word for several parts may be asked for of each.
    is_declined = not all(map(memory.has_declined_again, reply.declined))
    return bool(_fresh(turn)) or reply.moved or is_told or is_approved or is_declined


def _fresh(turn: Turn) -> frozenset[str]:
    """Return what a message brings for the first time, and asks the meaning of so."""
    memory, asked = turn.memory, turn.clarification
    meant = frozenset(f"?{key} meant" for key in (asked.keys if asked is not None else ()))
    return memory.fresh(turn.reading) | (meant - memory.seen)
