"""What is left after a fault of the world: solutions counted on the tables as they are then.

An offer that was sold is taken out of them, one that is quoted anew costs more. What is counted are
the same three ways as in a certificate, on every offer of a solution that the fault can strike.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crab_graph.generation.certify import Recovery, StoredTask, count_offers
from crab_graph.generation.objects import Columns, take
from crab_graph.generation.search import search_solutions

PRICE = "price"


class Blow(NamedTuple):
    """A fault at an offer: which one, of which type of node, and how much more it costs then.

    It is gone where no cents are given.
    """

    fault: int
    kind: str
    type: str
    key: str
    offer: str
    needed: int
    cents: int | None = None


def count_left(
    stored: StoredTask, offers: Mapping[str, Columns], blows: Sequence[Blow], limit: int
) -> tuple[Recovery, ...]:
    """Count the solutions after each blow; `offers` are those before, a search stops at `limit`."""
    return tuple(_left(stored, offers, blow, limit) for blow in blows)


def _left(stored: StoredTask, offers: Mapping[str, Columns], blow: Blow, limit: int) -> Recovery:
    after = stored._replace(sources={**stored.sources, blow.type: _source(stored, blow)})
    changed = {**offers, blow.type: _columns(offers[blow.type], blow)}
    found = search_solutions(stored.graph, stored.offered(changed), limit)
    # Where nothing is left nothing is the cheaper; such an offer the fault cannot strike.
    compared = after.compared(changed) if blow.needed else ()
    return Recovery(
        fault=blow.fault,
        kind=blow.kind,
        offer=blow.offer,
        sql=after.count_by_sql(),
        arrays=count_offers(stored.graph, changed),
        search=len(found),
        needed=blow.needed,
        comparisons=compared,
    )


def _source(stored: StoredTask, blow: Blow) -> str:
    """Return the SELECT of the offers of a type as they are after a blow."""
    struck = f"\"{blow.key}\" = '{blow.offer}'"
    before = stored.sources[blow.type]
    if blow.cents is None:
        return f"SELECT * FROM ({before}) WHERE NOT {struck}"  # noqa: S608
    dearer = f"CASE WHEN {struck} THEN {PRICE} + {blow.cents} ELSE {PRICE} END"
    return f"SELECT * REPLACE ({dearer} AS {PRICE}) FROM ({before})"  # noqa: S608


def _columns(offers: Columns, blow: Blow) -> Columns:
    struck = np.asarray(offers[blow.key] == blow.offer)
    if blow.cents is None:
        return take(offers, np.flatnonzero(~struck))
    return {**offers, PRICE: offers[PRICE] + np.where(struck, blow.cents, 0)}
