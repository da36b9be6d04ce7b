"""How a user answers questions: which of its facts a turn gives, what it says without one."""

from typing import Any

from crab_graph.personas.briefing import Fact, Reason
from crab_graph.personas.plan_answers import asks_for_plan, can_approve
from crab_graph.personas.turns import Decision, Turn, told_as_asked


def asked_facts(turn: Turn) -> list[str]:
    """Return the keys the message asks for, an open question standing for all that is left."""
    keys = list(turn.reading.asked)
    keys += [key for key in turn.reading.checked if not turn.memory.record.is_settled(key)]
    if turn.reading.asks_choice:
        keys += turn.choices
    if turn.reading.is_open_question:
        keys += [key for key in turn.facts if not turn.memory.record.has(key)]
    return list(dict.fromkeys(keys))


def chosen_facts(turn: Turn) -> list[Fact]:
    """Choose which of the facts asked for one answer gives: new ones, in the question's order.

    When there are none, those said least often: an agent that asks again does get all of them.
    """
    record, facts = turn.memory.record, turn.facts
    asked = [key for key in asked_facts(turn) if key in facts]
    new = [key for key in asked if not record.is_settled(key)]
    chosen = new or sorted(asked, key=record.times)
    return [facts[key] for key in chosen[: turn.behavior.facts_per_answer]]


def answer(turn: Turn) -> Decision | None:
    """Return the turn that answers questions about facts; `None` where there was none."""
    reading, speaker = turn.reading, turn.speaker
    asked = asked_facts(turn)
    if not asked and not reading.is_open_question:
        return None
    facts = chosen_facts(turn)
    told = told_as_asked(facts)
    parts = [speaker.phrase("right")] if reading.confirms and facts else []
    parts += [speaker.fact(fact) for fact in facts]
    if asks_for_plan(turn) and can_approve(turn):
        parts.append(speaker.phrase("approve"))
        return Decision(tuple(parts), told, is_content=True, moved=True, approved=True)
    if not parts and reading.is_open_question:
        parts = [speaker.phrase("nothing_else")]
    elif not parts:
        words = turn.briefing.lexicon.facts
        absent = [speaker.absent(words[key]) for key in asked if key in words]
        parts = absent[: turn.behavior.facts_per_answer] or [speaker.phrase("no_wish")]
    mine = sum(key in turn.facts for key in asked)
    parts.append(speaker.on_many(mine, len(facts)))
    return Decision(tuple(parts), told, is_answer=True, is_content=True)


def name_detail(turn: Turn, act: str, key: str, reason: Reason, **effects: Any) -> Decision:
    """Return the turn that names one detail after a phrase, and answers what else was asked."""
    others = [fact for fact in chosen_facts(turn) if fact.key != key]
    facts = [turn.facts[key], *others] if key in turn.facts else others
    told = ((key, reason), *told_as_asked(others))
    return Decision((turn.speaker.phrase(act), *map(turn.speaker.fact, facts)), told, **effects)
