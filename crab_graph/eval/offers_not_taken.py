"""Amounts of a message that are of an offer that was not taken: `the cheapest was $80.00 a night`.

They are prices of nothing that is booked, and no totals (rulebook §2.14, doubt): their clause says
so, names nothing and tells of no deed, and an answer to the agent showed such an offer.
"""

from collections.abc import Sequence

from crab_graph.eval.history import History
from crab_graph.text.amounts import Amount, stated_amounts
from crab_graph.text.lexicon import pattern
from crab_graph.text.mentions import Reference, ReferenceForm, references_within
from crab_graph.text.utterance import Clause, Utterance

_NAMING = {ReferenceForm.ENTITY, ReferenceForm.BOOKING, ReferenceForm.WHOLE_WORD}
_QUANTITY = "all"
"""What names nothing, unlike other words for the whole: `on all nights`, `in all`."""


def without_those_not_taken(
    utterance: Utterance,
    amounts: Sequence[Amount],
    references: Sequence[Reference],
    history: History,
    seq: int,
) -> tuple[Amount, ...]:
    """Return amounts of which those are inert that are of offers that were not taken."""
    if pattern("offers", "others").search(utterance.text) is None:
        return tuple(amounts)
    of_others: set[Amount] = set()
    for clause, stated in stated_amounts(utterance, amounts).items():
        if _is_of_other(utterance, clause, stated[0], references):
            prices = history.shown({one.cents for one in stated}, seq)
            of_others.update(one for one in stated if one.cents in prices)
    return tuple(one._replace(is_inert=True) if one in of_others else one for one in amounts)


def _is_of_other(
    utterance: Utterance, clause: Clause, first: Amount, references: Sequence[Reference]
) -> bool:
    """Tell whether a clause speaks of an offer, such as the cheapest, before its first amount."""
    if pattern("offers", "others").search(utterance.text, clause.start, first.start) is None:
        return False
    words = utterance.words(clause)
    own = references_within(references, clause.start, clause.end)
    is_theirs = any(utterance.text.endswith("your ", clause.start, one.start) for one in own)
    is_deed = is_theirs or pattern("offers", "deeds").search(words) is not None
    names = any(one.form in _NAMING and one.word != _QUANTITY for one in own)
    return not is_deed and not names
