"""How a user answers when it may choose: which option it takes, and what else was asked."""

import re

from crab_graph.money import parse_cents
from crab_graph.personas.fact_choice import chosen_facts
from crab_graph.personas.plan_answers import offered
from crab_graph.personas.stated_values import choices_in
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.wordbook import ValueForm

_PRICED_LABEL = re.compile(
    r"(?<![\w-])(?:(?:option|plan) )?\(?([a-d])\b(?! \w)[^?$]{0,80}?\$([\d,]+(?:\.\d\d)?)"
)
"""A labelled plan of which a question tells the price, as `A (the tour, $535.60)`."""

_WAY = re.compile(
    r"(?m:^)\W*(?:(?:option|plan) )?(?P<label>[A-Da-d])(?:[).:]|\*\*)[ *]+"
    r"(?P<way>[^\n?]{8,240})(?m:$)"
)
"""A line that offers a lettered way."""
_FEWEST = 2
_IN_PLACE = re.compile(r"\b(?:instead of|in place of|rather than) (?:the |an? )?[\w-]+")
_BOOKS = re.compile(r"\bbook\b")


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


def choose_by_words(turn: Turn) -> Decision | None:
    """Take the one of some lettered ways that names what is wished, where others do otherwise.

    Such as `A) cancel these and book the plan for the back`, `B) keep the plan for the knee`; of
    ways that name items the plan tells.
    """
    ways = [(one["label"].upper(), one["way"].casefold()) for one in _WAY.finditer(turn.text)]
    is_plain = len(dict(ways)) == len(ways) >= _FEWEST
    is_plain = is_plain and not any(
        one.casefold() in way for one in offered(turn) for _, way in ways
    )
    words, is_told = turn.briefing.lexicon.facts, turn.memory.record.is_settled
    for key in turn.facts if is_plain else ():
        if not is_told(key) or key not in words or words[key].form is not ValueForm.CHOICE:
            continue
        own = str(turn.facts[key].value)
        named = {one: choices_in(_IN_PLACE.sub("", way), words[key]) for one, way in ways}
        right = [one for one, values in named.items() if values == {own}]
        wrong = [one for one, values in named.items() if values and own not in values]
        if len(right) == 1 and wrong and {*turn.conflicts} <= {key}:
            chosen = turn.speaker.phrase("choose", choice=f"option {right[0]}")
            is_plan = _BOOKS.search(dict(ways)[right[0]]) is not None
            return Decision((chosen,), is_content=True, moved=True, approved=is_plan)
    return None


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
