"""Building one certified task: draft, objects, tables, certificate (paper section 3.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from crab_graph.domains.domain import Domain, Draft, Offers
from crab_graph.domains.registry import find_domain
from crab_graph.domains.scout import Scouted, populate_draft
from crab_graph.domains.task import TaskSpec
from crab_graph.errors import CertificationError
from crab_graph.generation.certify import Certificate, certify_tables
from crab_graph.generation.materialize import create_tables, hash_rows, load_rows
from crab_graph.generation.paper_population import PaperParameters
from crab_graph.generation.population import Population
from crab_graph.generation.search import Solution
from crab_graph.schema import canonical_json
from crab_graph.tools.tables import Row

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A chosen candidate and the id it gets."""

    id: str
    domain: str
    distractors: int
    scouted: Scouted
    paper: PaperParameters | None = None


@dataclass(frozen=True, slots=True)
class BuiltTask:
    """A certified task with all its rows.

    Attributes:
        spec: What the benchmark stores.
        rows: Rows by table.
        provenance: For each offer `(entity id, node, origin, broken constraint)`, ordered by id.
    """

    spec: TaskSpec
    rows: Mapping[str, list[Row]]
    provenance: Sequence[tuple[str, str, str, str]]


@dataclass(frozen=True, slots=True)
class DrawnTask:
    """A task whose objects exist.

    Attributes:
        stratum: Number of seed solutions.
        seed: Seed it was drawn from.
        draft: The task.
        population: Its objects.
        offers: The same as tables.
        booked: The offers of which earlier customers booked some.
        repaired: Whether its number of solutions is ensured; otherwise it is only reported.
    """

    stratum: int
    seed: int
    draft: Draft
    population: Population
    offers: Offers
    booked: Offers
    repaired: bool = True


def build_task(plan: TaskPlan) -> BuiltTask:
    """Draw a chosen candidate again, turn it into tables, and certify these.

    Raises:
        CertificationError: the counts do not agree, which no seed should bring about.
    """
    domain, scouted = find_domain(plan.domain), plan.scouted
    draft = domain.draft(scouted.seed, scouted.flexible, scouted.party_size)
    population = populate_draft(draft, scouted.stratum, plan.distractors, scouted.seed, plan.paper)
    offers = domain.materialize(population, scouted.seed)
    repaired = plan.paper is None or plan.paper.repair
    drawn = DrawnTask(scouted.stratum, scouted.seed, draft, population, offers, offers, repaired)
    return certify_drawn(plan.id, domain, drawn)


def certify_drawn(task_id: str, domain: Domain, drawn: DrawnTask) -> BuiltTask:
    """Certify a drawn task on its tables, and complete it.

    Of a task without repair the first solutions found are stored, `SEARCH_MARGIN` more than its
    seeds combine to at most.

    Raises:
        CertificationError: the counts do not agree.
    """
    draft, population, offers = drawn.draft, drawn.population, drawn.offers
    certificate, solutions = _certify(domain, draft, offers, task_id, population.closure)
    if drawn.repaired and not certificate.ok:
        raise CertificationError(
            f"task '{task_id}' (seed {drawn.seed}) is not certified: {certificate.as_json()}"
        )
    totals = [domain.cost_of_solution(solution, draft.request) for solution in solutions]
    rows = {**offers.tables, **domain.people(draft, drawn.booked, totals, drawn.seed)}
    spec = TaskSpec(
        id=task_id,
        domain=domain.name,
        stratum=drawn.stratum,
        seed=drawn.seed,
        today=draft.today,
        request=draft.request.model_dump(),
        profile=draft.profile.model_dump(mode="json"),
        solutions=tuple(sorted(map(domain.describe_solution, solutions), key=canonical_json)),
        node_distractors=population.distractor_count("node"),
        edge_distractors=population.distractor_count("edge"),
        active_edges=draft.folded.active_edges,
        certificate=certificate,
        rows_sha256=hash_rows(domain.tables, rows),
    )
    return BuiltTask(spec, rows, _provenance(population, offers))


def _certify(
    domain: Domain, draft: Draft, offers: Offers, task_id: str, expected: int
) -> tuple[Certificate, list[Solution]]:
    connection = _workshop(domain.name)
    # What is rolled back is gone, and the tables stay for the next task.
    connection.execute("BEGIN")
    try:
        load_rows(connection, domain.tables, task_id, offers.tables)
        return certify_spec(connection, domain, draft.request, task_id, expected)
    finally:
        connection.execute("ROLLBACK")


@cache
def _workshop(domain: str) -> "duckdb.DuckDBPyConnection":
    """Return this process's database in memory, with a domain's tables, which stay empty.

    Opening one takes as long as certifying a task.
    """
    import duckdb  # noqa: PLC0415

    connection = duckdb.connect(":memory:", config={"threads": 1})
    create_tables(connection, find_domain(domain).tables)
    return connection


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
