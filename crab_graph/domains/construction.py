"""Making one task: drafts are scouted, and a chosen one built and certified (section 3.2, A.3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple

import duckdb

from crab_graph.domain.contract import Domain, Draft, Inventory, find_domain
from crab_graph.domains.fault_drawing import (
    FaultWish,
    FaultyJob,
    count_recoveries,
    draw_certified,
    lift_spare_card,
    steady,
)
from crab_graph.domains.ladder import LADDER, Difficulty, difficulty_of
from crab_graph.domains.second_requests import Twin, moved_slots, with_second_request
from crab_graph.domains.substance import (
    ENOUGH_DISTRACTORS,
    TaskOffers,
    check_given_up,
    check_ties,
    count_fitting,
    lacking,
    solved_by,
)
from crab_graph.domains.task import Change, TaskSpec
from crab_graph.errors import CertificationError, UnsatisfiableTask
from crab_graph.generation.certify import (
    Certificate,
    StoredTask,
    certify_again,
    certify_tables,
    recount,
)
from crab_graph.generation.constraints import Value
from crab_graph.generation.difficulty import Candidate, lacks_near_misses
from crab_graph.generation.materialize import create_tables, hash_rows, load_rows
from crab_graph.generation.objects import Columns, valid_rows
from crab_graph.generation.paper import PaperParameters, populate_by_paper
from crab_graph.generation.population import Population, populate
from crab_graph.generation.search import Solution, search_solutions
from crab_graph.generation.shortcuts import find_shortcuts
from crab_graph.randomness import derive_array_rng, derive_seed
from crab_graph.schema import FileModel, canonical_json, digest
from crab_graph.tools.fault_schedule import FaultKind, WorldFault
from crab_graph.tools.tables import Row

OVERSAMPLE = 3
"""Candidates scouted for each task wanted, by stratum."""

MOST_SOLUTIONS = 4**5
"""No task has more solutions: all are stored, and each is counted three ways."""

ATTEMPTS = 60
"""Drafts tried for one candidate before generation gives up."""

RESERVES = 6
"""Drafts that are passed over for want of substance before the first of them is taken after all:
the domain admits no more."""


@dataclass(frozen=True, slots=True)
class CandidatePlan:
    """What is decided of a candidate before anything is drawn."""

    domain: str
    stratum: int
    number: int
    axes: Mapping[str, Value]
    distractors: int
    benchmark_seed: int
    paper: PaperParameters | None = None
    level: int = 1
    changes: bool = False

    @property
    def is_chosen(self) -> bool:
        """Whether tasks are chosen: without repair they show what the algorithms make."""
        return self.paper is None or self.paper.repair


class Scouted(FileModel):
    """A candidate that can be built, as a half-written benchmark keeps it.

    Its seed draws it again; `rejected` says why earlier drafts were given up.
    """

    stratum: int
    level: int = 1
    seed: int
    axes: dict[str, Value]
    candidate: Candidate
    rejected: tuple[str, ...]


def scout(plan: CandidatePlan) -> Scouted:
    """Draw a candidate, again and again until its constraints can be met and it has substance.

    Raises:
        UnsatisfiableTask: no draft of `ATTEMPTS` could be populated.
    """
    domain = find_domain(plan.domain)
    rejected: list[str] = []
    reserves: list[Scouted] = []
    for attempt in range(ATTEMPTS):
        seed = candidate_seed(plan, attempt)
        try:
            draft = draw_draft(domain, seed, plan.axes, plan.level)
            check_ties(domain, plan.axes, draft.folded)
            population = populate_draft(draft, plan.stratum, plan.distractors, seed, plan.paper)
            if difficulty_of(plan.level, changes=plan.changes).changes:
                population = with_second_request(domain, draft, population, seed).population
            candidate, lack = _candidate(domain, draft, population, plan, seed)
        except UnsatisfiableTask as error:
            rejected.append(str(error))
            continue
        found = Scouted(
            stratum=plan.stratum,
            level=plan.level,
            seed=seed,
            axes=dict(plan.axes),
            candidate=candidate,
            rejected=tuple(rejected),
        )
        if lack is None:
            return found
        reserves.append(found)
        if len(reserves) == RESERVES:
            break
        rejected.append(lack)
    if reserves:
        return reserves[0]
    raise UnsatisfiableTask(
        f"S{plan.stratum} candidate {plan.number} could not be drawn in {ATTEMPTS} attempts; "
        f"the last one: {rejected[-1]}"
    )


def draw_draft(domain: Domain, seed: int, axes: Mapping[str, Value], level: int) -> Draft:
    """Draw a draft with what its level adds to it.

    Raises:
        UnsatisfiableTask: its wishes cannot be met.
    """
    joint = LADDER[level].joint
    return domain.draft(seed, axes, joint) if joint else domain.draft(seed, axes)


def candidate_seed(plan: CandidatePlan, attempt: int) -> int:
    """Return the seed of one attempt to draw a candidate."""
    name = f"S{plan.stratum} candidate {plan.number}"
    return derive_seed(plan.benchmark_seed, plan.domain, name, attempt)


def populate_draft(
    draft: Draft, stratum: int, distractors: int, seed: int, paper: PaperParameters | None = None
) -> Population:
    """Generate the objects of a draft, by the paper's algorithms where their parameters are given.

    Raises:
        UnsatisfiableTask: its constraints or its number of solutions cannot be met.
    """
    make: Callable[..., Population] = (
        populate if paper is None else partial(populate_by_paper, parameters=paper)
    )
    band = closure_band(stratum, len(draft.folded.graph.node_ids))
    return make(draft.folded, seed_count=stratum, closure=band, distractors=distractors, seed=seed)


def closure_band(stratum: int, slots: int) -> range:
    """Return the numbers of solutions that a stratum admits.

    The parts of k seeds combine to at most k^slots solutions. Where a job has parts enough, those
    of a few seeds must combine to more than the seeds themselves, so that no stratum is trivial.
    """
    low = min(2 ** (stratum - 1), stratum ** (slots - 1))
    return range(low, min(stratum**slots, MOST_SOLUTIONS) + 1)


def _candidate(
    domain: Domain, draft: Draft, population: Population, plan: CandidatePlan, seed: int
) -> tuple[Candidate, str | None]:
    """Return a candidate, and what of substance it lacks.

    Raises:
        UnsatisfiableTask: an edge has too few near misses, or a wish gives way for nothing.
    """
    folded = draft.folded
    objects = {node.id: population.objects[node.type] for node in folded.graph.nodes}
    valid = {
        node: valid_rows(columns, folded.node_constraints[node])
        for node, columns in objects.items()
    }
    check_given_up(domain, folded, objects, population.seeds)
    lack: str | None = None
    if plan.is_chosen and plan.distractors >= ENOUGH_DISTRACTORS:
        if plan.paper is None:
            edge = lacks_near_misses(folded, objects, valid, population.seeds)
            if edge is not None:
                raise UnsatisfiableTask(f"edge '{edge}' has too few near misses")
        fitting = {node: len(rows) for node, rows in valid.items()}
        lack = lacking(folded, fitting, population.distractor_count("edge"), plan.distractors)
    candidate = Candidate(
        number=plan.number,
        solutions=population.closure,
        node_distractors=population.distractor_count("node"),
        edge_distractors=population.distractor_count("edge"),
        active_edges=folded.active_edges,
        group=domain.group(draft.request),
        content=digest(population.seeds),
        shortcuts=find_shortcuts(folded, objects, valid, derive_array_rng(seed, "any first")),
    )
    return candidate, lack


class TaskPlan(NamedTuple):
    """A chosen candidate and the id it gets."""

    id: str
    domain: str
    distractors: int
    scouted: Scouted
    paper: PaperParameters | None = None
    faults: bool = False
    fault_kinds: tuple[FaultKind, ...] = tuple(FaultKind)
    changes: bool = False


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


def finish_task(plan: TaskPlan) -> BuiltTask:
    """Build a chosen candidate, and have the third count done by python-constraint.

    Raises:
        CertificationError: the counts do not agree, which no seed should bring about.
    """
    return build_task(plan, by_csp=True)


def build_task(plan: TaskPlan, *, by_csp: bool = False) -> BuiltTask:
    """Draw a chosen candidate again, turn it into tables, and certify these.

    Raises:
        CertificationError: the counts do not agree, which no seed should bring about.
    """
    domain, scouted = find_domain(plan.domain), plan.scouted
    draft = draw_draft(domain, scouted.seed, scouted.axes, scouted.level)
    population = populate_draft(draft, scouted.stratum, plan.distractors, scouted.seed, plan.paper)
    difficulty = difficulty_of(scouted.level, faults=plan.faults, changes=plan.changes)
    twin = None
    if difficulty.changes:
        twin = with_second_request(domain, draft, population, scouted.seed)
        population = twin.population
    offers = domain.materialize(population, scouted.seed)
    repaired = plan.paper is None or plan.paper.repair
    drawn = DrawnTask(
        *(scouted.seed, draft, population, offers, offers, repaired),
        level=scouted.level,
        difficulty=difficulty,
        twin=twin,
        fault_kinds=plan.fault_kinds,
    )
    return certify_drawn(plan.id, domain, drawn, by_csp=by_csp)


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
        job = FaultyJob(domain, draft.request, solutions, changes.job)
        faults, certificate, changes = _certified_faults(
            task_id, drawn, job, changes, stored, certificate
        )
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
    return _Changes((change,), [*totals, budget], FaultyJob(domain, request, solutions))


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
