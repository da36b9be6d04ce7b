"""The last look at a composed turn.

What no person says in one breath is taken out of it, and what is left unsaid is spoken of.
"""

from collections.abc import Collection
from dataclasses import replace

from crab_graph.personas.fact_scopes import is_wish
from crab_graph.personas.omitted_questions import passes_over
from crab_graph.personas.plan_answers import asks_for_plan, yes_act
from crab_graph.personas.sought_facts import asks_openly, bounds_of, new_facts
from crab_graph.personas.turns import Decision, Turn


def reviewed(turn: Turn, reply: Decision) -> Decision:
    """Return a reply that approves no plan beside a wish of which the plan shows nothing.

    It says nothing twice. An answer that leaves out what was asked for has a word on that, as far
    as nothing else ends it.
    """
    reply = replace(reply, parts=tuple(dict.fromkeys(reply.parts)))
    if reply.approved and asks_for_plan(turn) and _tells_unmet(turn, reply):
        yes = turn.speaker.phrase(yes_act(turn))
        parts = tuple(part for part in reply.parts if part != yes)
        if parts and len(parts) < len(reply.parts):
            reply = replace(reply, parts=parts, approved=False)
    tells = reply.is_answer or bool(reply.told)
    if not tells or reply.tail or reply.token or reply.approved:
        return reply
    given = {key for key, _ in reply.told}
    tail = _on_many(turn, given)
    if not tail and passes_over(turn, reply):
        tail = turn.speaker.phrase("rest_waits")
    return replace(reply, tail=(tail,), promises=True) if tail else reply


def _on_many(turn: Turn, given: Collection[str]) -> str:
    """Return what the user says to many questions: an open one is one, however much is left."""
    new, is_open = {*new_facts(turn)}, asks_openly(turn)
    wanted = new & {*turn.reading.asked} if is_open else new
    left = new.difference(given)
    if is_open and given and left and wanted <= {*given} and any(is_wish(turn, k) for k in left):
        # Who is asked for all that is left, and tells a part of it, has not done yet.
        return turn.speaker.phrase("rest_waits")
    asking = [one for one in turn.reading.segments if one.is_request]
    questions = sum(one.is_item or "?" in one.text for one in asking)
    may_object = questions > 1 or not (is_open or bounds_of(turn) is not None)
    given_of = len(wanted.intersection(given))
    return turn.speaker.on_many(len(wanted), given_of, may_object=may_object)


def _tells_unmet(turn: Turn, reply: Decision) -> bool:
    """Tell whether a reply tells a wish for the first time that the plan does not plainly fit."""
    record, words = turn.memory.record, turn.briefing.lexicon.facts
    return any(
        not record.has(key) and key in words and words[key].conflict is not None
        for key, _ in reply.told
        if key not in turn.met
    )
