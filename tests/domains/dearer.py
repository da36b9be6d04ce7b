"""Travel where everything costs twice as much, and a fee for each booking."""

from dataclasses import replace

from crab_graph.domain.compiler import build
from crab_graph.domains.travel.domain import TRAVEL


def with_fee(price, units):
    """Twice the units, and a fee for each booking."""
    return price * units * 2 + 2_300


_OFFERS = {one.booked_as: replace(one, cost=with_fee) for one in TRAVEL.declaration.offers}
DEARER = build(
    replace(
        TRAVEL.declaration,
        name="dearer",
        slots=[replace(one, offer=_OFFERS[one.kind]) for one in TRAVEL.declaration.slots],
    )
)
