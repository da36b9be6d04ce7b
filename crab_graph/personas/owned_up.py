"""What a user says to an agent that owns up that what it booked is not as it was wished."""

import re

from crab_graph.personas.fact_scopes import is_wish
from crab_graph.personas.stated_values import choices_in, names_value
from crab_graph.personas.turns import Decision, Turn
from crab_graph.personas.wordbook import ValueForm

_OWNS_UP = re.compile(
    r"\b(?:point(?:ing)? out|own(?:ing)? up|(?:be|being) (?:open|honest|upfront|frank|transparent)"
    r"|(?:a|one|my) correction"
    r"|(?:must|should|have to|need to) (?:admit|confess|tell you|flag|mention)"
    r"|overlooked|(?:i|we) missed|failed to|my (?:mistake|fault|bad|error|oversight))\b"
)
"""Says that something went wrong that was the agent's own doing."""
_UNDOES = re.compile(
    r"\b(?:cancel\w*|re-?book\w*|undo\w*|swap\w*|replace\w*|keep\w*|leave (?:it|that|them)"
    r"|look (?:again|further|on))\b[^?]*\?"
)
_WHICH = re.compile(r"\b(?:which|what) (?:do|would|should)\b[^?]*\?")
_CAN_UNDO = re.compile(r"\b(?:can|could|may|will|would)\b[^?.!]{0,30}\bcancel")
"""Asks whether to undo it, in one sentence or two."""


def on_owned_up(turn: Turn) -> Decision | None:
    """Have what is not as wished cancelled and looked for again; `None` where nothing is owned."""
    text = turn.reading.utterance.text.casefold()
    undoes = _UNDOES.search(text) or (_WHICH.search(text) and _CAN_UNDO.search(text))
    if not (turn.wallet.bookings and undoes and _OWNS_UP.search(text) and _is_broken(turn, text)):
        return None
    return turn.say("cancel_it", is_content=True, moved=True)


def _is_broken(turn: Turn, text: str) -> bool:
    """Tell whether a text names another value of a wish than was told, or a condition that was."""
    words, record = turn.briefing.lexicon.facts, turn.memory.record
    for key, fact in turn.facts.items():
        if key not in words or not (is_wish(turn, key) and record.has(key)):
            continue
        own = words[key]
        if own.form is ValueForm.FLAG and names_value(text, own):
            return True
        if own.form is ValueForm.CHOICE and {*choices_in(text, own)} - {str(fact.value)}:
            return True
    return False
