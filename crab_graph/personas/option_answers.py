"""How a user answers when it may choose: which option it takes, and what else was asked."""

import re

from crab_graph.money import parse_cents
from crab_graph.personas.fact_choice import chosen_facts
from crab_graph.personas.turns import Decision, Turn, told_as_asked

_PRICED_LABEL = re.compile(
    r"(?<![\w-])(?:(?:option|plan) )?\(?([a-d])\b(?! \w)[^?$]{0,80}?\$([\d,]+(?:\.\d\d)?)"
)
"""A labelled plan of which a question tells the price, as `A (the tour, $535.60)`."""


def choose(turn: Turn) -> Decision | None:
    """Return the turn that takes one of some options; `None` where there is none to take."""
    choice = turn.choice
    if choice is None:
        return _take_cheapest(turn)
    others = chosen_facts(turn, turn.choices) if turn.reading.asked else []
    named = choice.as_words(by_price=turn.behavior.indirect > 0)
    words = turn.speaker.phrase("choose", choice=named)
    return Decision(
        (words, *map(turn.speaker.fact, others)),
        told=told_as_asked(others),
        is_content=True,
        moved=True,
        approved=choice.slots >= {slot.id for slot in turn.briefing.slots},
    )


def _take_cheapest(turn: Turn) -> Decision | None:
    label = _cheapest_label(turn).upper()
    if not label:
        return None
    words = turn.speaker.phrase("choose", choice=f"option {label}")
    return Decision((words,), is_content=True, moved=True, approved=True)


def _cheapest_label(turn: Turn) -> str:
    """Return the label of the cheapest of the plans that a question names with their prices.

    Who wants what costs least goes by these; of equals there is none.
    """
    is_of_least = not turn.briefing.lexicon.undecided.keys().isdisjoint(turn.facts)
    if not (is_of_least and turn.reading.asks_choice) or turn.conflicts or turn.wallet.pending:
        return ""
    for segment in turn.reading.segments:
        found = [(parse_cents(one[2]), one[1]) for one in _PRICED_LABEL.finditer(segment.text)]
        if segment.is_request and len({cents for cents, _ in found}) == len(found) > 1:
            return min(found)[1]
    return ""
