"""Scouting: more drafts than tasks are populated, and the best of them are chosen (paper A.3)."""

from dataclasses import dataclass

from crab_graph.domains.domain import Domain, Draft
from crab_graph.domains.registry import find_domain
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.difficulty import (
    Candidate,
    lacks_near_misses,
    solve_cheapest,
    solve_rarest,
)
from crab_graph.generation.objects import valid_rows
from crab_graph.generation.paper_population import PaperParameters, populate_by_paper
from crab_graph.generation.population import Population, populate
from crab_graph.randomness import derive_seed
from crab_graph.schema import FileModel, digest

OVERSAMPLE = {1: 5, 2: 3, 3: 3, 4: 3}
"""Candidates scouted for each task wanted, by stratum; most where fewest may be solved by a
shortcut."""

CLOSURE_BANDS = {1: range(1, 2), 2: range(2, 17), 3: range(4, 82), 4: range(8, 257)}
"""Numbers of solutions a stratum admits; up to k^4 combinations of the parts of k seeds."""

NEAR_MISS_DISTRACTORS = 400
"""From this many distractors on a task must have near misses of every edge."""

ATTEMPTS = 60
"""Drafts tried for one candidate before generation gives up."""


@dataclass(frozen=True, slots=True)
class CandidatePlan:
    """What is decided of a candidate before anything is drawn."""

    domain: str
    stratum: int
    number: int
    flexible: bool
    party_size: int
    distractors: int
    benchmark_seed: int
    paper: PaperParameters | None = None


class Scouted(FileModel):
    """A candidate that can be built, as a half-written benchmark keeps it.

    Attributes:
        stratum: Its stratum.
        seed: Seed that draws it again.
        flexible: Whether its departure date is a window.
        party_size: Number of people.
        candidate: What selection knows of it.
        rejected: Why earlier drafts were given up.
    """

    stratum: int
    seed: int
    flexible: bool
    party_size: int
    candidate: Candidate
    rejected: tuple[str, ...]


def scout(plan: CandidatePlan) -> Scouted:
    """Draw a candidate, again and again until its constraints can be met.

    Raises:
        UnsatisfiableTask: no draft of `ATTEMPTS` could be populated.
    """
    domain = find_domain(plan.domain)
    name = f"S{plan.stratum} candidate {plan.number}"
    rejected: list[str] = []
    for attempt in range(ATTEMPTS):
        seed = candidate_seed(plan, attempt)
        try:
            draft = domain.draft(seed, plan.flexible, plan.party_size)
            population = populate_draft(draft, plan.stratum, plan.distractors, seed, plan.paper)
            candidate = _candidate(domain, draft, population, plan)
        except UnsatisfiableTask as error:
            rejected.append(str(error))
            continue
        return Scouted(
            stratum=plan.stratum,
            seed=seed,
            flexible=plan.flexible,
            party_size=plan.party_size,
            candidate=candidate,
            rejected=tuple(rejected),
        )
    raise UnsatisfiableTask(
        f"{name} could not be drawn in {ATTEMPTS} attempts; the last one: {rejected[-1]}"
    )


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
    if paper is not None:
        return populate_by_paper(
            draft.folded,
            paper,
            seed_count=stratum,
            closure=CLOSURE_BANDS[stratum],
            distractors=distractors,
            seed=seed,
        )
    return populate(
        draft.folded,
        seed_count=stratum,
        closure=CLOSURE_BANDS[stratum],
        distractors=distractors,
        seed=seed,
    )


def _candidate(
    domain: Domain, draft: Draft, population: Population, plan: CandidatePlan
) -> Candidate:
    folded = draft.folded
    if not folded.edges:
        raise UnsatisfiableTask("no edge constraint is active")
    objects = {node.id: population.objects[node.type] for node in folded.graph.nodes}
    valid = {
        node: valid_rows(columns, folded.node_constraints[node])
        for node, columns in objects.items()
    }
    if plan.paper is None and plan.distractors >= NEAR_MISS_DISTRACTORS:
        lacking = lacks_near_misses(folded, objects, valid, population.seeds)
        if lacking is not None:
            raise UnsatisfiableTask(f"edge '{lacking}' has too few near misses")
    return Candidate(
        number=plan.number,
        solutions=population.closure,
        node_distractors=population.distractor_count("node"),
        edge_distractors=population.distractor_count("edge"),
        active_edges=len(folded.edges),
        group=domain.group(draft.request),
        content=digest(population.seeds),
        solved_by_shortcut=solve_cheapest(folded, objects, valid)
        or solve_rarest(folded, objects, valid),
    )
