"""Taxes and fees: what lists of offers leave out in some tasks, and only a price tells.

What an offer costs is what the tables say, in every task; in these its lists show less, by a share
that is its own.
"""

from crab_graph.randomness import derive_rng

MOST_PERCENT = 20
"""Most of a price that taxes and fees are."""

_STEP = 10
"""Cents in which they are counted."""


def before_fees(offer_id: str, cents: int, fees: int) -> int:
    """Return what lists show of a price in cents: never more than that, nor nothing.

    `fees` numbers a task's own way of drawing the shares.
    """
    share = derive_rng("fees", fees, offer_id).random() * MOST_PERCENT / 100
    return cents - int(cents * share) // _STEP * _STEP
