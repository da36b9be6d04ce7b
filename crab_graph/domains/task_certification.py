"""Certifying a drawn task on its tables: its solutions, change of mind and faults (section 3.2)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import duckdb

from crab_graph.domain.contract import Domain, Draft, Inventory
from crab_graph.domains.fault_drawing import (
    FaultyJob,
    count_recoveries,
    draw_faults,
    lift_spare_card,
    steady,
)
from crab_graph.domains.ladder import LADDER, Difficulty
from crab_graph.domains.later_requests import Successor, moved_slots
from crab_graph.domains.left_out_fees import draw_fees
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
from crab_graph.generation.search import search_solutions
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
    later: tuple[Successor, ...] = ()
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
        lead = _lead(stored.graph, offered)
        job = FaultyJob(domain, draft.request, solutions, lead=lead)
        changes, jobs = _certified_changes(job, drawn, stored, offered, by_csp=by_csp)
        certificates = [certificate, *(one.certificate for one in changes)]
        faults, (certificate, *counted) = _certified_faults(drawn, jobs, stored, certificates)
        fees = draw_fees(jobs, offered) if drawn.difficulty.fees else 0
    totals = [total for job in jobs for total in job.totals]
    # The user's card covers what it may cost after a change, too.
    totals += [getattr(job.request, "budget_cents", None) or 0 for job in jobs[1:]]
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
        changes=tuple(map(_recounted, changes, counted)),
        fees=fees,
    )
    return BuiltTask(spec, rows, _provenance(population, offers))


def _recounted(change: Change, certificate: Certificate) -> Change:
    return change.model_copy(update={"certificate": certificate})


def _provenance(population: Population, offers: Inventory) -> list[tuple[str, str, str, str]]:
    """Return of each offer what it was made for, ordered by id."""
    made_for = (population.nodes, population.origins, population.broken)
    return sorted(
        chain.from_iterable(
            zip(ids, *(column[name] for column in made_for), strict=True)
            for name, ids in offers.ids.items()
        )
    )


def _certified_changes(
    job: FaultyJob,
    drawn: DrawnTask,
    stored: StoredTask,
    offered: Mapping[str, Columns],
    *,
    by_csp: bool,
) -> tuple[list[Change], list[FaultyJob]]:
    """Certify the requests after each change of mind; return these, and the jobs, the first too.

    Raises:
        CertificationError: the counts do not agree.
    """
    changes, jobs = list[Change](), [job]
    for successor in drawn.later:
        change, after = _certified_change(
            jobs[-1], drawn, successor, stored, offered, by_csp=by_csp
        )
        changes.append(change)
        jobs.append(after)
    return changes, jobs


def _certified_change(
    before: FaultyJob,
    drawn: DrawnTask,
    successor: Successor,
    stored: StoredTask,
    offered: Mapping[str, Columns],
    *,
    by_csp: bool,
) -> tuple[Change, FaultyJob]:
    """Certify the request after a change of mind on the same tables; return it, and that job.

    Raises:
        CertificationError: the counts do not agree.
    """
    domain, request, wanted = before.domain, successor.draft.request, successor.change
    stored = stored._replace(graph=domain.build_graph(request))
    certificate, solutions = certify_tables(stored, offered, successor.solutions)
    if by_csp:
        certificate = recount(stored, offered, certificate)
    _check(certificate, stored.task_id, drawn)
    earlier, later = (
        sorted(map(domain.describe_solution, found), key=canonical_json)
        for found in (before.solutions, solutions)
    )
    fields = before.request.model_dump()
    change = Change(
        kind=wanted.kind,
        keys=wanted.keys,
        old={name: fields[name] for name in wanted.fields},
        new=dict(wanted.fields),
        people=wanted.people,
        moves=moved_slots(earlier, later),
        solutions=tuple(later),
        certificate=certificate,
    )
    return change, FaultyJob(domain, request, solutions, lead=_lead(stored.graph, offered))


def _lead(graph: ConstraintGraph, offered: Mapping[str, Columns]) -> int | None:
    """Return by how much what a graph takes for the cheaper is, where it has rivals."""
    return Contest.of_types(graph, offered).lead if graph.rivals else None


def _certified_faults(
    drawn: DrawnTask,
    jobs: Sequence[FaultyJob],
    stored: StoredTask,
    certificates: Sequence[Certificate],
) -> tuple[tuple[WorldFault, ...], list[Certificate]]:
    """Return faults that leave solutions of every request, and what was counted of each.

    A price that cannot rise without taking a solution of some request away expires, and stays what
    it was.

    Raises:
        CertificationError: the counts do not agree.
    """
    job = jobs[-1]
    for one in reversed(jobs[:-1]):
        job = one._replace(after=job)
    faults = draw_faults(job, drawn.difficulty.faults, drawn.seed, drawn.fault_kinds)
    if not faults:
        return (), [*certificates]
    counted = _counted(jobs, faults, stored, certificates)
    if not all(left.ok for one in counted for left in one.recoveries):
        faults = steady(faults)
        counted = _counted(jobs, faults, stored, certificates)
    for one in counted:
        _check(one, stored.task_id, drawn)
    return faults, counted


def _counted(
    jobs: Sequence[FaultyJob],
    faults: Sequence[WorldFault],
    stored: StoredTask,
    certificates: Sequence[Certificate],
) -> list[Certificate]:
    """Return the certificates of some requests with what each fault leaves of them."""
    return [
        count_recoveries(
            job, faults, stored._replace(graph=job.domain.build_graph(job.request)), own
        )
        for job, own in zip(jobs, certificates, strict=True)
    ]


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
