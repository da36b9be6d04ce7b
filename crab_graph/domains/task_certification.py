"""Certifying a drawn task on its tables: its solutions, change of mind and faults (section 3.2)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import duckdb

from crab_graph.domain.contract import Domain, Draft, Inventory
from crab_graph.domains.fault_drawing import (
    FaultWish,
    FaultyJob,
    count_recoveries,
    draw_certified,
    lift_spare_card,
    steady,
)
from crab_graph.domains.ladder import LADDER, Difficulty
from crab_graph.domains.left_out_fees import draw_fees
from crab_graph.domains.second_requests import Twin, moved_slots
from crab_graph.domains.substance import TaskOffers, count_fitting, solved_by
from crab_graph.domains.task import Change, TaskSpec
from crab_graph.errors import CertificationError
from crab_graph.generation.certify import (
    Certificate,
    StoredTask,
    certify_again,
    certify_tables,
    recount,
)
from crab_graph.generation.constraint_graph import ConstraintGraph
from crab_graph.generation.materialize import create_tables, hash_rows, load_rows
from crab_graph.generation.objects import Columns
from crab_graph.generation.population import Population
from crab_graph.generation.rivals import Contest
from crab_graph.generation.search import Solution, search_solutions
from crab_graph.schema import canonical_json
from crab_graph.tools.fault_schedule import FaultKind, WorldFault
from crab_graph.tools.tables import Row


@dataclass(frozen=True, slots=True)
class BuiltTask:
    """A certified task with all its rows.

    Of each offer its provenance says `(id, node, origin, broken constraint)`, ordered by id.
    """

    spec: TaskSpec
    rows: Mapping[str, list[Row]]
    provenance: Sequence[tuple[str, str, str, str]]


class DrawnTask(NamedTuple):
    """A task whose objects exist, also as offers; earlier customers booked some of `booked`.

    Where it is not repaired, its number of solutions is only reported.
    """

    seed: int
    draft: Draft
    population: Population
    offers: Inventory
    booked: Inventory
    repaired: bool = True
    level: int = 1
    difficulty: Difficulty = LADDER[1]
    twin: Twin | None = None
    fault_kinds: tuple[FaultKind, ...] = tuple(FaultKind)


def certify_drawn(
    task_id: str, domain: Domain, drawn: DrawnTask, *, by_csp: bool = False
) -> BuiltTask:
    """Certify a drawn task on its tables, and complete it.

    The third count is python-constraint's where it is asked for and can be: candidates that are not
    chosen, and draws that fail, do without.

    Of a task without repair the first solutions found are stored, `SEARCH_MARGIN` more than its
    seeds combine to at most.

    Raises:
        CertificationError: the counts do not agree.
    """
    draft, population, offers = drawn.draft, drawn.population, drawn.offers
    with _stored(domain, draft.request, task_id, offers.tables) as stored:
        offered = stored.offers()
        certificate, solutions = certify_tables(stored, offered, population.closure)
        _check(certificate, task_id, drawn)
        told = TaskOffers.of(domain, stored.graph, offered)
        if by_csp:
            certificate = recount(stored, offered, certificate)
            _check(certificate, task_id, drawn)
        changes = _certified_change(domain, drawn, stored, offered, solutions, by_csp=by_csp)
        lead = _lead(stored.graph, offered)
        job = FaultyJob(domain, draft.request, solutions, changes.job, lead)
        faults, certificate, changes = _certified_faults(
            task_id, drawn, job, changes, stored, certificate
        )
        jobs = [job] if changes.job is None else [job, changes.job]
        fees = draw_fees(jobs, offered) if drawn.difficulty.fees else 0
    totals = [domain.cost_of_solution(solution, draft.request) for solution in solutions]
    totals += changes.totals
    rows = {**offers.tables, **domain.people(draft, drawn.booked, totals, drawn.seed)}
    lift_spare_card(rows.get("cards", []), faults)
    spec = TaskSpec(
        id=task_id,
        domain=domain.name,
        stratum=len(population.seeds),
        seed=drawn.seed,
        today=draft.today,
        request=draft.request.model_dump(),
        profile=draft.profile.model_dump(mode="json"),
        solutions=tuple(sorted(map(domain.describe_solution, solutions), key=canonical_json)),
        node_distractors=population.distractor_count("node"),
        edge_distractors=population.distractor_count("edge"),
        active_edges=draft.folded.active_edges,
        fitting=count_fitting(draft.folded, told.objects),
        shortcuts=solved_by(drawn.seed, told),
        certificate=certificate,
        rows_sha256=hash_rows(domain.tables, rows),
        seeds_drawn_by=population.sampler,
        level=drawn.level,
        faults=faults,
        difficulty=drawn.difficulty,
        changes=changes.made,
        fees=fees,
    )
    return BuiltTask(spec, rows, _provenance(population, offers))


def _provenance(population: Population, offers: Inventory) -> list[tuple[str, str, str, str]]:
    """Return of each offer what it was made for, ordered by id."""
    made_for = (population.nodes, population.origins, population.broken)
    return sorted(
        chain.from_iterable(
            zip(ids, *(column[name] for column in made_for), strict=True)
            for name, ids in offers.ids.items()
        )
    )


class _Changes(NamedTuple):
    """A change of mind that was certified, if there is one, and what its solutions cost in cents.

    The budget after it is among the costs: the user's card covers it.
    """

    made: tuple[Change, ...] = ()
    totals: Sequence[int] = ()
    job: FaultyJob | None = None

    def certified(self, certificate: Certificate) -> "_Changes":
        """Return the same under another certificate."""
        change = self.made[0].model_copy(update={"certificate": certificate})
        return self._replace(made=(change,))


def _certified_change(
    domain: Domain,
    drawn: DrawnTask,
    stored: StoredTask,
    offered: Mapping[str, Columns],
    before: Sequence[Solution],
    *,
    by_csp: bool,
) -> _Changes:
    """Certify the request after a change of mind on the same tables.

    Raises:
        CertificationError: the counts do not agree.
    """
    twin = drawn.twin
    if twin is None:
        return _Changes()
    request, second = twin.draft.request, twin.second
    stored = stored._replace(graph=domain.build_graph(request))
    certificate, solutions = certify_tables(stored, offered, twin.solutions)
    if by_csp:
        certificate = recount(stored, offered, certificate)
    _check(certificate, stored.task_id, drawn)
    earlier, later = (
        sorted(map(domain.describe_solution, found), key=canonical_json)
        for found in (before, solutions)
    )
    fields = drawn.draft.request.model_dump()
    change = Change(
        kind=second.kind,
        keys=second.keys,
        old={name: fields[name] for name in second.fields},
        new=dict(second.fields),
        people=second.people,
        moves=moved_slots(earlier, later),
        solutions=tuple(later),
        certificate=certificate,
    )
    totals = [domain.cost_of_solution(one, request) for one in solutions]
    budget = getattr(request, "budget_cents", None) or 0
    job = FaultyJob(domain, request, solutions, lead=_lead(stored.graph, offered))
    return _Changes((change,), [*totals, budget], job)


def _lead(graph: ConstraintGraph, offered: Mapping[str, Columns]) -> int | None:
    """Return by how much what a graph takes for the cheaper is, where it has rivals."""
    return Contest.of_types(graph, offered).lead if graph.rivals else None


def _certified_faults(
    task_id: str,
    drawn: DrawnTask,
    job: FaultyJob,
    changes: _Changes,
    stored: StoredTask,
    certificate: Certificate,
) -> tuple[tuple[WorldFault, ...], Certificate, _Changes]:
    """Return faults that leave solutions before a change and after, and what was counted."""
    wish = FaultWish(drawn.difficulty.faults, drawn.fault_kinds)
    faults, certificate = draw_certified(job, wish, drawn.seed, stored, certificate)
    _check(certificate, task_id, drawn)
    counted = _counted_after(changes, faults, stored)
    if counted is not None and not counted.ok:
        # A dearer price takes a solution of the request after the change away.
        faults = steady(faults)
        certificate = count_recoveries(job, faults, stored, certificate)
        counted = _counted_after(changes, faults, stored)
    if counted is not None:
        _check(counted, task_id, drawn)
        changes = changes.certified(counted)
    return faults, certificate, changes


def _counted_after(
    changes: _Changes, faults: Sequence[WorldFault], stored: StoredTask
) -> Certificate | None:
    """Return the certificate of the request after a change, with what each fault leaves of it."""
    if changes.job is None or not faults:
        return None
    after = stored._replace(graph=changes.job.domain.build_graph(changes.job.request))
    return count_recoveries(changes.job, faults, after, changes.made[0].certificate)


def _check(certificate: Certificate, task_id: str, drawn: DrawnTask) -> None:
    if drawn.repaired and not certificate.ok:
        raise CertificationError(
            f"task '{task_id}' (seed {drawn.seed}) is not certified: {certificate.as_json()}"
        )


@contextmanager
def _stored(
    domain: Domain, request: object, task_id: str, rows: Mapping[str, list[Row]]
) -> Iterator[StoredTask]:
    """Put rows into tables for as long as something is counted on them."""
    connection = _workshop(domain)
    # What is rolled back is gone, and the tables stay for the next task.
    connection.execute("BEGIN")
    try:
        load_rows(connection, domain.tables, task_id, rows)
        yield StoredTask(connection, domain.build_graph(request), domain.sources, task_id)
    finally:
        connection.execute("ROLLBACK")


_WORKSHOPS: dict[str, tuple[Domain, duckdb.DuckDBPyConnection]] = {}


def _workshop(domain: Domain) -> duckdb.DuckDBPyConnection:
    """Return this process's database in memory, with a domain's tables, which stay empty.

    Opening one takes as long as certifying a task.
    """
    known, connection = _WORKSHOPS.get(domain.name, (None, None))
    if connection is None or known is not domain:
        connection = duckdb.connect(":memory:", config={"threads": 1})
        create_tables(connection, domain.tables)
        _WORKSHOPS[domain.name] = domain, connection
    return connection


def certify_spec(
    connection: duckdb.DuckDBPyConnection,
    domain: Domain,
    request: object,
    task_id: str,
    expected: int,
    faults: Sequence[WorldFault] = (),
) -> Certificate:
    """Certify a finished task on the tables a connection sees, from its request and faults."""
    stored = StoredTask(connection, domain.build_graph(request), domain.sources, task_id)
    certificate = certify_again(stored, expected)
    if not faults:
        return certificate
    rows = stored.offered(stored.offers())
    solutions = search_solutions(stored.graph, rows, expected + 1)
    return count_recoveries(FaultyJob(domain, request, solutions), faults, stored, certificate)
