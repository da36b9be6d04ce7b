"""Amounts of a message that are of cards: what one bears a day, and what was charged to each.

They are true by themselves, and neither a total nor the price of anything (rulebook §2.14, doubt):
a limit that the bank told, what is left of it, and sums by card that are, to the cent, what each
card was charged.
"""

import re
from collections import Counter
from collections.abc import Sequence

from crab_graph.eval.history import History
from crab_graph.text.amounts import Amount
from crab_graph.text.lexicon import fragment
from crab_graph.text.utterance import REACH, Utterance

_TO_CARD = re.compile(
    rf"(?:[^\w$.;]+{fragment('totals', 'moved')}){{0,3}}[^\w$.;]+{fragment('totals', 'onto')}"
    rf"(?:[^$.;]{{0,40}}?{fragment('totals', 'cards')}| \d{{4}}(?!\w|[.,]\d))"
)
"""A card behind an amount, by its words or its last digits alone."""
_FEWEST = 2
"""Cards between which a sum is parted."""


def without_those_of_cards(
    utterance: Utterance, amounts: Sequence[Amount], history: History, seq: int
) -> tuple[Amount, ...]:
    """Return amounts of which those are inert that are of cards."""
    charged: Counter[str] = Counter()
    for charge in history.charges:
        if charge.seq < seq:
            charged[charge.payment_method_id] += charge.cents
    of_cards: list[Amount] = []
    if len(charged) >= _FEWEST:
        of_cards = [one for one in amounts if _is_put_on_card(utterance, one)]
        if sorted(one.cents for one in of_cards) != sorted(charged.values()):
            of_cards = []
    bears = {*history.limits}
    bears |= {limit - cents for limit in history.limits for cents in charged.values()}
    return tuple(
        one._replace(is_inert=True) if one.cents in bears or one in of_cards else one
        for one in amounts
    )


def _is_put_on_card(utterance: Utterance, amount: Amount) -> bool:
    """Tell whether a card stands behind an amount, as what it was charged to."""
    clause = utterance.clause_at(amount.start)
    end = min(clause.end, amount.end + REACH)
    return not amount.is_inert and _TO_CARD.match(utterance.text, amount.end, end) is not None
