"""How a user answers who asks if all is to be paid with one card, or some of it with another."""

import re

from crab_graph.personas.absences import absence_words
from crab_graph.personas.declined_cards import method_words
from crab_graph.personas.fact_choice import chosen_facts
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.plan_answers import wants_yes, yes_act
from crab_graph.personas.sought_facts import new_facts
from crab_graph.personas.turns import Decision, Turn, told_as_asked

_CARD = r"(?:cards?|payment methods?|pm-\d+|visa|mastercard|american express|amex)"
_ALL = r"(?:all|everything|each|both|every\w*|whole|four|three)"
_ONE_CARD = re.compile(
    rf"\b{_ALL}\b[^?]{{0,60}}\b(?:with|to|on|by|from|using) "
    rf"(?:(?:that|this|the|one|same|single|your) ){{1,3}}{_CARD}\b[^?]*\?"
    rf"|\b{_CARD}\b[^?]{{0,60}}\b(?:for|of|on) {_ALL}\b[^?]*\?"
    r"|\b(?:one|the same|a single) card\b[^?]*\?"
    r"|\b(?:different|two|several|separate|more than one) cards?\b[^?]*\?"
)
"""Asks whether one card pays for all."""


def on_one_card(turn: Turn) -> Decision | None:
    """Return the turn that says so; with what else is asked, where no payment is."""
    reading, card = turn.reading, turn.facts.get(CARD_FACT)
    asked = (one.text for one in reading.segments if one.is_request)
    if card is None or reading.tells_of_failed_card:
        return None
    is_plain = not turn.wallet.earlier and any(map(_ONE_CARD.search, asked))
    if not is_plain and not reading.means("one_card"):
        return None
    if reading.asks_approval or reading.asks_card or turn.conflicts or turn.playback.wrong:
        return None
    others = chosen_facts(turn, (CARD_FACT,))
    absent, declined = absence_words(turn, others)
    named = method_words(turn) if turn.wallet.card else turn.speaker.fact(card)
    # A plan that is put beside that gets its yes, but not while a wish is left to tell.
    left = {*new_facts(turn)}.difference({CARD_FACT}, (one.key for one in others))
    approves = wants_yes(turn) and not left
    yes = [turn.speaker.phrase(yes_act(turn))] if approves else []
    words = [*yes, turn.speaker.phrase("one_card"), named]
    return Decision(
        (*words, *map(turn.speaker.fact, others), *absent),
        told=told_as_asked([card, *others]),
        declined=declined,
        is_answer=True,
        is_content=True,
        moved=approves,
        approved=approves,
    )
