"""Which faults of the world a task has, drawn so that there is a way out of each, and counted.

Nothing that is sold may take the last solution with it, and no price may rise by more than every
solution can bear, within the budget and on the card that is to pay. So what an agent has booked
when a fault strikes never stands in the way of the rest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from random import Random
from typing import Any, NamedTuple

from crab_graph.domain.contract import Domain
from crab_graph.domain.kind import Kind
from crab_graph.errors import UnknownName
from crab_graph.generation.certify import Certificate, Recovery, StoredTask
from crab_graph.generation.recovery import Blow, count_left
from crab_graph.generation.search import Solution
from crab_graph.randomness import derive_rng
from crab_graph.tools.fault_schedule import FaultKind, WorldFault
from crab_graph.tools.registry import Owner
from crab_graph.tools.tables import Row

_RISES = (0.02, 0.12)
"""By which share of its price a unit may get dearer."""
_SPARE = 0.05
"""Share of what the dearest solution costs that a card has beyond it, at least."""
_BORNE = (0.3, 0.85)
"""Share of what the cheapest solution costs that a card bears in one day."""
_ROUND = 50_00
"""Cents that what a card bears is a multiple of."""
_GRAIN = 10
"""Cents that prices are multiples of."""


class FaultyJob(NamedTuple):
    """What faults are drawn for: a request, with every solution that it has on the tables.

    Where the user changes its mind, what faults leave must do for the request `after` it, too.
    Where it wants the cheaper of some values, these are so by a `lead` in cents, which must stay.
    """

    domain: Domain
    request: Any
    solutions: Sequence[Solution]
    after: "FaultyJob | None" = None
    lead: int | None = None

    def slots_of(self, kind: str) -> list[str]:
        """Return the slots that a kind of booking fills."""
        return [slot.id for slot in self.domain.slots if slot.kind == kind]

    def offers(self, kind: Kind) -> list[str]:
        """Return the offers of a kind that solutions have, sorted."""
        slots, key = self.slots_of(kind.name), kind.offer.key
        return sorted({str(one[slot][key]) for one in self.solutions for slot in slots})

    def without(self, kind: Kind, offer: str) -> int:
        """Return how many solutions do without an offer."""
        left = self._left(kind, offer)
        own = len(left) if self._lead_of(left) > 0 else 0
        return own if self.after is None else min(own, self.after.without(kind, offer))

    def _left(self, kind: Kind, offer: str) -> list[Solution]:
        slots, key = self.slots_of(kind.name), kind.offer.key
        return [one for one in self.solutions if all(one[slot][key] != offer for slot in slots)]

    @property
    def totals(self) -> list[int]:
        """What each solution costs, in cents."""
        return [self.domain.cost_of_solution(one, self.request) for one in self.solutions]

    def _lead_of(self, left: Sequence[Solution]) -> float:
        """Return by how much the cheapest of some solutions costs less than every rival."""
        if not left:
            return 0
        if self.lead is None:
            return inf
        return self.lead + min(self.totals) - min(self._replace(solutions=left).totals)

    @property
    def least_lead(self) -> float:
        """By how much the cheapest solution leads, whatever was sold before."""
        found = (
            self._lead_of(self._left(kind, offer))
            for kind in self.domain.kinds.values()
            for offer in self.offers(kind)
        )
        return min((lead for lead in found if lead > 0), default=self._lead_of(self.solutions))

    @property
    def paid(self) -> list[Kind]:
        """The kinds of bookings that cost something."""
        return [kind for kind in self.domain.kinds.values() if not kind.is_free]


def fault_kinds(names: Sequence[str]) -> tuple[FaultKind, ...]:
    """Return the kinds of faults with these names, in their own order; all where there are none.

    Raises:
        UnknownName: there is no such kind.
    """
    known = [str(kind) for kind in FaultKind]
    for name in set(names) - set(known):
        raise UnknownName("kind of fault", name, known)
    return tuple(kind for kind in FaultKind if not names or kind in names)


def draw_faults(
    job: FaultyJob, number: int, seed: int, kinds: Sequence[FaultKind]
) -> tuple[WorldFault, ...]:
    """Draw so many faults of different kinds, fewer where a task admits no more of them."""
    rng = derive_rng(seed, "faults of the world")
    silent = _silent(job, number, kinds, seed)
    left = [kind for kind in kinds if kind not in _SILENT]
    drawn: list[WorldFault] = []
    while left and len(drawn) + len(silent) < number:
        kind = rng.choice(left)
        left.remove(kind)
        options = list(_DRAWN[kind](job, rng))
        drawn += [rng.choice(options)] if options else []
    # Those that nobody is told of come last: they strike what no other fault does.
    return (*drawn, *(_steps_apart(one, drawn) for one in silent))


def _silent(job: FaultyJob, number: int, kinds: Sequence[FaultKind], seed: int) -> list[WorldFault]:
    """Return the faults that no tool tells of: one among several, or where they are asked for."""
    asked = [kind for kind in kinds if kind in _SILENT]
    if number < _SEVERAL and len(kinds) == len(FaultKind):
        return []
    rng = derive_rng(seed, "silent faults of the world")
    options = [one for kind in asked for one in _DRAWN[kind](job, rng)]
    return [rng.choice(options)] if options and number else []


def _steps_apart(silent: WorldFault, others: Sequence[WorldFault]) -> WorldFault:
    """Return a silent fault that comes to strike, where others take steps of its kind."""
    is_first = any(one.of == silent.of for one in others)
    return silent.model_copy(update={"nth": 1}) if is_first else silent


def _sold(job: FaultyJob, rng: Random) -> Iterator[WorldFault]:
    del rng
    kinds = job.domain.kinds.values()
    spare = (one for kind in kinds for one in job.offers(kind) if job.without(kind, one))
    offers = tuple(sorted(spare))
    if offers:
        yield WorldFault(kind=FaultKind.SOLD, offers=offers)


def _quote(job: FaultyJob, rng: Random) -> Iterator[WorldFault]:
    for kind in job.paid:
        slots = job.slots_of(kind.name)
        least = min(int(one[slot]["price"]) for one in job.solutions for slot in slots)
        bearable = _slack(job) // max(1, kind.slope(kind.wanted(job.request)))
        cents = min(int(least * rng.uniform(*_RISES)), bearable) // _GRAIN * _GRAIN
        nth = rng.randint(1, len(slots))
        yield WorldFault(kind=FaultKind.QUOTE, of=kind.name, nth=nth, cents=max(0, cents))


def _slack(job: FaultyJob) -> int:
    """Return by how many cents every solution may get dearer."""
    totals, budget = job.totals, getattr(job.request, "budget_cents", None)
    on_card = int(max(totals) * _SPARE)
    own = on_card if budget is None else min(on_card, budget - max(totals))
    own = own if job.lead is None else min(own, int(job.least_lead) - 1)
    return own if job.after is None else min(own, _slack(job.after))


def _declined(job: FaultyJob, rng: Random) -> Iterator[WorldFault]:
    charges = sum(len(job.slots_of(kind.name)) for kind in job.paid)
    if charges:
        yield WorldFault(kind=FaultKind.DECLINED, nth=rng.randint(1, charges))


def _limit(job: FaultyJob, rng: Random) -> Iterator[WorldFault]:
    """Yield a limit that the cheapest solution goes beyond."""
    cents = int(min(job.totals) * rng.uniform(*_BORNE)) // _ROUND * _ROUND
    if cents > 0:
        yield WorldFault(kind=FaultKind.LIMIT, cents=cents)


def _timeout(job: FaultyJob, rng: Random) -> Iterator[WorldFault]:
    yield WorldFault(kind=FaultKind.TIMEOUT, nth=rng.randint(1, len(job.domain.slots)))


def _unconfirmed(job: FaultyJob, rng: Random) -> Iterator[WorldFault]:
    for kind in job.domain.kinds.values():
        if kind.tools is not None and kind.tools.details is not None:
            nth = rng.randint(1, len(job.slots_of(kind.name)))
            yield WorldFault(kind=FaultKind.UNCONFIRMED, of=kind.name, nth=nth)


def _misentered(job: FaultyJob, rng: Random) -> Iterator[WorldFault]:
    """Yield slips in bookings for people by name that can be looked up and cancelled."""
    can = job.domain.registry().names(Owner.AGENT)
    for kind in job.domain.kinds.values():
        tools = kind.tools
        if kind.people and tools is not None and tools.details is not None and tools.cancel in can:
            nth = rng.randint(1, len(job.slots_of(kind.name)))
            yield WorldFault(kind=FaultKind.MISENTERED, of=kind.name, nth=nth)


_DRAWN: Mapping[FaultKind, Callable[[FaultyJob, Random], Iterator[WorldFault]]] = {
    FaultKind.SOLD: _sold,
    FaultKind.QUOTE: _quote,
    FaultKind.DECLINED: _declined,
    FaultKind.LIMIT: _limit,
    FaultKind.TIMEOUT: _timeout,
    FaultKind.UNCONFIRMED: _unconfirmed,
    FaultKind.MISENTERED: _misentered,
}

_SILENT = (FaultKind.MISENTERED,)
"""What no tool tells of."""

_SEVERAL = 4
"""So many faults hold one that no tool tells of, if a task admits such."""


def lift_spare_card(cards: Sequence[Row], faults: Sequence[WorldFault]) -> None:
    """Let a second card of the user's bear the whole job, where the first bears a part in one day.

    The lowest one stays what it is.
    """
    if len(cards) > 1 and any(fault.kind is FaultKind.LIMIT for fault in faults):
        spare, own = sorted(cards, key=lambda card: (card["limit_cents"], card["card_id"]))[-2:]
        spare["limit_cents"] = own["limit_cents"]


def steady(faults: Sequence[WorldFault]) -> tuple[WorldFault, ...]:
    """Return faults under which no price rises: quotes that expire stay what they were."""
    return tuple(
        one.model_copy(update={"cents": 0}) if one.kind is FaultKind.QUOTE else one
        for one in faults
    )


def count_recoveries(
    job: FaultyJob, faults: Sequence[WorldFault], stored: StoredTask, certificate: Certificate
) -> Certificate:
    """Return a certificate with what is left after each fault, at each offer it can strike."""
    offered = stored.offers()
    found: list[Recovery] = []
    for number, fault in enumerate(faults, start=1):
        blows = list(_blows(job, number, fault))
        if blows:
            found += count_left(stored, offered, blows, certificate.expected + 1)
        else:
            found.append(_as_before(number, fault, certificate))
    return certificate.model_copy(update={"recoveries": tuple(found)})


def _blows(job: FaultyJob, number: int, fault: WorldFault) -> Iterator[Blow]:
    for kind in job.domain.kinds.values():
        about = (number, str(fault.kind), kind.name, kind.offer.key)
        for offer in job.offers(kind):
            if fault.kind is FaultKind.SOLD:
                yield Blow(*about, offer, int(offer in fault.offers))
            elif fault.kind is FaultKind.QUOTE and fault.of == kind.name and fault.cents:
                yield Blow(*about, offer, len(job.solutions), fault.cents)


def _as_before(number: int, fault: WorldFault, certificate: Certificate) -> Recovery:
    """Return what is left after a fault that leaves the tables as they are."""
    counts = (certificate.sql, certificate.arrays, certificate.search)
    named = dict(zip(("sql", "arrays", "search"), counts, strict=True))
    kind = str(fault.kind)
    return Recovery(fault=number, kind=kind, offer=None, needed=certificate.expected, **named)
