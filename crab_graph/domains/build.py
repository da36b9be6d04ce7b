"""Building one certified task: draft, objects, tables, certificate (paper section 3.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from crab_graph.domains.domain import Domain, Draft, Offers
from crab_graph.domains.registry import find_domain
from crab_graph.domains.task import CertificateRecord, TaskSpec
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.certify import Certificate, certify_tables
from crab_graph.generation.materialize import create_tables, drop_tables, hash_rows, load_rows
from crab_graph.generation.population import Population, populate
from crab_graph.generation.search import Solution
from crab_graph.randomness import derive_seed
from crab_graph.schema import canonical_json
from crab_graph.tools.tables import Row

if TYPE_CHECKING:
    import duckdb

CLOSURE_BANDS = {1: range(1, 2), 2: range(2, 17), 3: range(4, 82), 4: range(8, 257)}
"""Numbers of solutions a stratum admits; up to k^4 combinations of the parts of k seeds."""

ATTEMPTS = 60
"""Drafts tried for one task before generation gives up."""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """What is decided of a task before anything is drawn."""

    id: str
    domain: str
    stratum: int
    flexible: bool
    party_size: int
    distractors: int
    benchmark_seed: int


@dataclass(frozen=True, slots=True)
class BuiltTask:
    """A certified task with all its rows.

    Attributes:
        spec: What the benchmark stores.
        rows: Rows by table.
        provenance: For each offer `(entity id, node, origin, broken constraint)`, ordered by id.
        rejected: Why earlier drafts were given up.
    """

    spec: TaskSpec
    rows: Mapping[str, list[Row]]
    provenance: Sequence[tuple[str, str, str, str]]
    rejected: tuple[str, ...]


def build_task(plan: TaskPlan) -> BuiltTask:
    """Build a task, drawing again until a draft can be met and certified.

    Raises:
        UnsatisfiableTask: no draft of `ATTEMPTS` led to a task.
    """
    rejected: list[str] = []
    for attempt in range(ATTEMPTS):
        seed = derive_seed(plan.benchmark_seed, plan.domain, plan.id, attempt)
        try:
            return _build_draft(plan, seed, tuple(rejected))
        except UnsatisfiableTask as error:
            rejected.append(str(error))
    raise UnsatisfiableTask(
        f"task '{plan.id}' could not be built in {ATTEMPTS} attempts; the last one: {rejected[-1]}"
    )


def _build_draft(plan: TaskPlan, seed: int, rejected: tuple[str, ...]) -> BuiltTask:
    domain = find_domain(plan.domain)
    draft = domain.draft(seed, plan.flexible, plan.party_size)
    population = populate(
        draft.folded,
        seed_count=plan.stratum,
        closure=CLOSURE_BANDS[plan.stratum],
        distractors=plan.distractors,
        seed=seed,
    )
    offers = domain.materialize(population, seed)
    certificate, solutions = _certify(domain, draft, offers, plan.id, population.closure)
    if not certificate.ok:
        raise UnsatisfiableTask(f"the tables are not certified: {certificate.as_json()}")
    totals = [domain.cost_of_solution(solution, draft.request) for solution in solutions]
    rows = {**offers.tables, **domain.people(draft, offers, totals, seed)}
    spec = TaskSpec(
        id=plan.id,
        domain=plan.domain,
        stratum=plan.stratum,
        seed=seed,
        today=draft.today,
        request=draft.request.model_dump(),
        profile=draft.profile.model_dump(mode="json"),
        solutions=tuple(sorted(map(domain.describe_solution, solutions), key=canonical_json)),
        node_distractors=population.distractor_count("node"),
        edge_distractors=population.distractor_count("edge"),
        active_edges=draft.folded.active_edges,
        certificate=CertificateRecord(
            expected=certificate.expected,
            sql=certificate.sql,
            arrays=certificate.arrays,
            search=certificate.search,
        ),
        rows_sha256=hash_rows(domain.tables, rows),
    )
    return BuiltTask(spec, rows, _provenance(population, offers), rejected)


def _certify(
    domain: Domain, draft: Draft, offers: Offers, task_id: str, expected: int
) -> tuple[Certificate, list[Solution]]:
    tables = [table for table in domain.tables if table.name in offers.tables]
    connection = _workshop()
    create_tables(connection, tables)
    load_rows(connection, tables, task_id, offers.tables)
    try:
        return certify_spec(connection, domain, draft.request, task_id, expected)
    finally:
        drop_tables(connection, tables)


@cache
def _workshop() -> "duckdb.DuckDBPyConnection":
    """Return this process's database in memory; opening one takes as long as certifying a task."""
    import duckdb  # noqa: PLC0415

    return duckdb.connect(":memory:", config={"threads": 1})


def certify_spec(
    connection: "duckdb.DuckDBPyConnection",
    domain: Domain,
    request: object,
    task_id: str,
    expected: int,
) -> tuple[Certificate, list[Solution]]:
    """Certify a task on the tables a connection sees, from its request alone."""
    graph = domain.build_graph(request)
    return certify_tables(connection, graph, domain.sources, task_id, expected)


def _provenance(population: Population, offers: Offers) -> list[tuple[str, str, str, str]]:
    return sorted(
        entry
        for name, ids in offers.ids.items()
        for entry in zip(
            ids,
            population.nodes[name],
            population.origins[name],
            population.broken[name],
            strict=True,
        )
    )
