"""Which fees lists leave out: such that who takes what lists say costs least goes wrong.

Shares are drawn for each offer by its id (`tools.fees`). Of several ways of drawing them that one
is a task's in which something else is the cheapest of its lists, before a change of mind and after.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from crab_graph.domain.kind import Kind
from crab_graph.domains.fault_drawing import FaultyJob
from crab_graph.generation.constraints import Ref
from crab_graph.generation.objects import Columns
from crab_graph.generation.rivals import Contest
from crab_graph.generation.search import Solution
from crab_graph.tools.fees import before_fees

TRIES = 12
"""Ways of drawing shares that are tried; where none misleads, that which does so oftenest is it."""

MISLED = 1.05
"""So much more than the cheapest of its lists a task's least sum is there, at least."""


def draw_fees(jobs: Sequence[FaultyJob], offered: Mapping[str, Columns]) -> int:
    """Return the number of the fees of a task, given what it offers by type; from 1 on."""
    best, found = 0, 1
    for fees in range(1, TRIES + 1):
        misled = sum(_misleads(job, offered, fees) for job in jobs)
        if misled > best:
            best, found = misled, fees
        if best == len(jobs):
            break
    return found


def _listed(kind: Kind, offers: Columns, fees: int) -> Columns:
    """Return offers of a kind at the prices that lists show."""
    if not _is_priced(kind):
        return offers
    ids, prices = offers[kind.offer.key].tolist(), offers["price"].tolist()
    shown = [
        before_fees(str(one), int(cents), fees) for one, cents in zip(ids, prices, strict=True)
    ]
    return {**offers, "price": np.array(shown, dtype=np.int64)}


def _misleads(job: FaultyJob, offered: Mapping[str, Columns], fees: int) -> bool:
    """Tell whether lists show something cheaper than each least sum, all other wishes met."""
    graph, kinds = job.domain.build_graph(job.request), job.domain.kinds
    if not graph.lesser:
        return True
    listed = {name: _listed(kinds[name], own, fees) for name, own in offered.items()}
    contest = Contest.of_types(graph, listed)
    names = {wish.name for wish in graph.lesser}
    return all(
        contest.has_sum(stated, int(_shown(job, stated.refs, job.solutions[0], fees) / MISLED))
        for stated in graph.constraints
        if stated.name in names
    )


def _shown(job: FaultyJob, refs: Sequence[Ref], solution: Solution, fees: int) -> int:
    """Return the sum that lists show of what a wish names in a solution."""
    kinds = {one.id: job.domain.kinds[one.kind] for one in job.domain.slots}
    total = 0
    for slot, name in refs:
        row, kind = solution[slot], kinds[slot]
        cents = int(row[name])
        is_shown = name == "price" and _is_priced(kind)
        total += before_fees(str(row[kind.offer.key]), cents, fees) if is_shown else cents
    return total


def _is_priced(kind: Kind) -> bool:
    return kind.tools is not None and kind.tools.price is not None
