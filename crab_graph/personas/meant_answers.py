"""How a user answers a message whose whole says what it wants, whatever words its clauses have."""

from collections.abc import Callable, Mapping

from crab_graph.personas.briefing import Fact
from crab_graph.personas.fact_choice import chosen_facts
from crab_graph.personas.fact_scopes import is_named
from crab_graph.personas.party_questions import who_writes
from crab_graph.personas.sought_facts import asked_facts, asks_openly, new_facts
from crab_graph.personas.standing_wishes import has_just_changed
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.unwished import asked_unwished
from crab_graph.personas.wordbook import ValueForm


def answer_meant(turn: Turn) -> Decision | None:
    """Return the turn that answers what a message as a whole means; `None` where that is nothing.

    What it plays back wrongly, or offers otherwise than it is wished, is spoken of first.
    """
    answer = _ANSWERS.get(turn.reading.meant)
    if answer is None or turn.playback.wrong or turn.conflicts:
        return None
    return answer(turn)


def _start(turn: Turn) -> Decision | None:
    """Have the agent begin to look, where nothing is left to say and nothing was offered."""
    if new_facts(turn) or turn.wallet.bookings or turn.reading.ids:
        return None
    return turn.say("start", is_answer=True, is_content=True, moved=True)


def _choose(turn: Turn) -> Decision | None:
    """Say by what to choose: a wish for what costs least, else whatever fits."""
    if turn.reading.ids or asked_unwished(turn):
        return None
    undecided = turn.briefing.lexicon.undecided
    told = [fact for key, fact in turn.facts.items() if key in undecided]
    others = [one for one in chosen_facts(turn) if one not in told and _is_left(turn, one)]
    parts = [turn.speaker.fact(one) for one in (*told, *others)]
    parts = parts if told else [turn.speaker.phrase("you_choose"), *parts]
    return Decision(
        tuple(parts),
        told=told_as_asked([*told, *others]),
        is_answer=True,
        is_content=True,
        moved=True,
    )


def _is_left(turn: Turn, fact: Fact) -> bool:
    return fact.key in asked_facts(turn) and not turn.memory.record.is_settled(fact.key)


def _confirm_change(turn: Turn) -> Decision | None:
    """Affirm that a change was understood, and say it once more."""
    keys = turn.memory.record.told_last
    facts = [turn.facts[key] for key in keys if key in turn.facts]
    beside = [key for key in asked_facts(turn) if key not in keys]
    if not facts or beside or asks_openly(turn) or not has_just_changed(turn):
        return None
    parts = (turn.speaker.phrase("right"), *map(turn.speaker.fact, facts))
    return Decision(parts, told=told_as_asked(facts), is_answer=True, is_content=True)


def _name_oneself(turn: Turn) -> Decision | None:
    """Say who it is that writes."""
    if turn.playback.is_asked or new_facts(turn) or turn.reading.asked:
        return None
    said = who_writes(turn.briefing, turn.memory.record)
    words = turn.speaker.phrase(said.act, name=said.name)
    return Decision((words,), is_answer=True, is_content=True, moved=True)


def _any_one(turn: Turn) -> Decision | None:
    """Say that it does not matter which one it is, of what is only to be the same."""
    words, settled = turn.briefing.lexicon.facts, turn.memory.record.is_settled
    named = {key for how in turn.reading.features for key in how.facts}
    flags = {key for key in turn.facts if key in words and words[key].form is ValueForm.FLAG}
    flags = {key for key in flags if settled(key) and not words[key].is_joint}
    beside = [key for key in turn.reading.asked if key not in flags and is_named(turn, key)]
    if new_facts(turn) or beside or flags.isdisjoint(named):
        return None
    return turn.say("no_wish", is_answer=True, is_content=True, moved=True)


_ANSWERS: Mapping[str, Callable[[Turn], Decision | None]] = {
    "may_search": _start,
    "who": _name_oneself,
    "which_one": _any_one,
    "choose_by": _choose,
    "changed": _confirm_change,
}
"""Of what is meant what no other part of the policy answers."""
