"""The last look at a composed turn: what no person says in one breath is taken out of it."""

from dataclasses import replace

from crab_graph.personas.plan_answers import asks_for_plan
from crab_graph.personas.turns import Decision, Turn


def reviewed(turn: Turn, reply: Decision) -> Decision:
    """Return a reply that approves no plan beside a wish of which the plan shows nothing."""
    if reply.approved and asks_for_plan(turn) and _tells_unmet(turn, reply):
        yes = turn.speaker.phrase("approve")
        parts = tuple(part for part in reply.parts if part != yes)
        if parts and len(parts) < len(reply.parts):
            return replace(reply, parts=parts, approved=False)
    return reply


def _tells_unmet(turn: Turn, reply: Decision) -> bool:
    """Tell whether a reply tells a wish for the first time that the plan does not plainly fit."""
    record, words = turn.memory.record, turn.briefing.lexicon.facts
    return any(
        not record.has(key) and key in words and words[key].conflict is not None
        for key, _ in reply.told
        if key not in turn.met
    )
