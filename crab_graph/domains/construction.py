"""Making one task: drafts are scouted, and a chosen one built (section 3.2, A.3)."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from crab_graph.domain.contract import Domain, Draft, find_domain
from crab_graph.domains.ladder import LADDER, difficulty_of
from crab_graph.domains.later_requests import with_later_requests
from crab_graph.domains.least_pairs import check_least
from crab_graph.domains.rival_offers import with_dearer_rivals
from crab_graph.domains.substance import (
    ENOUGH_DISTRACTORS,
    check_given_up,
    check_ties,
    lacking,
)
from crab_graph.domains.task_certification import BuiltTask, DrawnTask, certify_drawn
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraints import Value
from crab_graph.generation.counting import Rows
from crab_graph.generation.difficulty import Candidate, lacks_near_misses
from crab_graph.generation.folding import FoldedGraph
from crab_graph.generation.objects import Columns, valid_rows
from crab_graph.generation.paper import PaperParameters, populate_by_paper
from crab_graph.generation.population import Population, populate
from crab_graph.generation.shortcuts import find_shortcuts
from crab_graph.randomness import derive_array_rng, derive_seed
from crab_graph.schema import FileModel, digest
from crab_graph.tools.fault_schedule import FaultKind

OVERSAMPLE = 3
"""Candidates scouted for each task wanted, by stratum."""

MOST_SOLUTIONS = 4**5
"""No task has more solutions: all are stored, and each is counted three ways."""

ATTEMPTS = 240
"""Drafts tried for one candidate before generation gives up."""

_OF_WISH = re.compile(r"wish")
_FIX = "use other strata, another seed or more distractors, or loosen the rules of the domain"
_FIX_WISH = (
    "use other strata, another seed or more distractors, or give the domain another joint wish "
    "(`whichever` or `least` where the tables are to settle it)"
)

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


class GivenUp(NamedTuple):
    """A candidate that could not be drawn, and why."""

    stratum: int
    number: int
    why: str


def try_scout(plan: CandidatePlan) -> Scouted | GivenUp:
    """Draw a candidate as `scout` does, or say why there is none."""
    try:
        return scout(plan)
    except UnsatisfiableTask as error:
        return GivenUp(plan.stratum, plan.number, str(error))


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
            changes = difficulty_of(plan.level, changes=plan.changes).changes
            if changes:
                # What is given up for want of them is given up before the dear part.
                _check_near_misses(draft, population, plan)
                later = with_later_requests(domain, draft, population, seed, changes)
                population = later[-1].population
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
    raise UnsatisfiableTask(_why_not(plan, rejected))


def _why_not(plan: CandidatePlan, rejected: Sequence[str]) -> str:
    """Say in one line what could not be drawn, why most often, and what to do about it."""
    kinds = [without_numbers(reason) for reason in rejected]
    ((kind, times),) = Counter(kinds).most_common(1)
    values = "".join(f", {name} {value}" for name, value in plan.axes.items())
    is_of_wish = _OF_WISH.search(kind) is not None
    return (
        f"domain '{plan.domain}': S{plan.stratum} candidate {plan.number} (level {plan.level}"
        f"{values}) could not be drawn in {len(rejected)} attempts; most often ({times} times): "
        f"{rejected[kinds.index(kind)]}; {_FIX_WISH if is_of_wish else _FIX}"
    )


def without_numbers(reason: str) -> str:
    """Return a reason without its numbers, so that equal ones add up."""
    return re.sub(r"\d[\d,]*", "N", reason)


def _check_near_misses(draft: Draft, population: Population, plan: CandidatePlan) -> None:
    """Refuse a population in which an edge has too few near misses, where tasks are chosen.

    Raises:
        UnsatisfiableTask: there is such an edge.
    """
    if not plan.is_chosen or plan.distractors < ENOUGH_DISTRACTORS or plan.paper is not None:
        return
    folded = draft.folded
    objects, valid = _fitting(folded, population)
    check_least(folded, objects, valid)
    edge = lacks_near_misses(folded, objects, valid, population.seeds)
    if edge is not None:
        raise UnsatisfiableTask(f"edge '{edge}' has too few near misses")


def _fitting(folded: FoldedGraph, population: Population) -> tuple[dict[str, Columns], Rows]:
    """Return all objects by node, and the positions of those that fit it."""
    objects = {node.id: population.objects[node.type] for node in folded.graph.nodes}
    asked = folded.node_constraints
    return objects, {node: valid_rows(own, asked[node]) for node, own in objects.items()}


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
    if draft.pinned and paper is not None:
        raise UnsatisfiableTask("the algorithms of the paper pin nothing")
    make: Callable[..., Population] = (
        partial(populate, pinned=draft.pinned)
        if paper is None
        else partial(populate_by_paper, parameters=paper)
    )
    band = closure_band(stratum, len(draft.folded.graph.node_ids), len(draft.pinned))
    made = make(draft.folded, seed_count=stratum, closure=band, distractors=distractors, seed=seed)
    is_repaired = paper is None or paper.repair
    return with_dearer_rivals((draft.folded,), made, seed) if is_repaired else made


def closure_band(stratum: int, slots: int, pinned: int = 0) -> range:
    """Return the numbers of solutions that a stratum admits.

    The parts of k seeds combine to at most k^slots solutions. Where a job has parts enough, those
    of a few seeds must combine to more than the seeds themselves, so that no stratum is trivial.
    Slots that are pinned have one part in every solution.
    """
    low = min(2 ** (stratum - 1), stratum ** (slots - 1), stratum ** (slots - pinned))
    return range(low, min(stratum**slots, MOST_SOLUTIONS) + 1)


def _candidate(
    domain: Domain, draft: Draft, population: Population, plan: CandidatePlan, seed: int
) -> tuple[Candidate, str | None]:
    """Return a candidate, and what of substance it lacks.

    Raises:
        UnsatisfiableTask: an edge has too few near misses, or a wish gives way for nothing.
    """
    folded = draft.folded
    objects, valid = _fitting(folded, population)
    check_given_up(domain, folded, objects, population.seeds)
    check_least(folded, objects, valid)
    lack: str | None = None
    if plan.is_chosen and plan.distractors >= ENOUGH_DISTRACTORS:
        _check_near_misses(draft, population, plan)
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
    fees: bool = False


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
    difficulty = difficulty_of(
        scouted.level, faults=plan.faults, changes=plan.changes, fees=plan.fees
    )
    if not domain.may_leave_fees_out:
        difficulty = difficulty.model_copy(update={"fees": 0})
    later = with_later_requests(domain, draft, population, scouted.seed, difficulty.changes)
    population = later[-1].population if later else population
    offers = domain.materialize(population, scouted.seed)
    repaired = plan.paper is None or plan.paper.repair
    drawn = DrawnTask(
        *(scouted.seed, draft, population, offers, offers, repaired),
        level=scouted.level,
        difficulty=difficulty,
        later=later,
        fault_kinds=plan.fault_kinds,
    )
    return certify_drawn(plan.id, domain, drawn, by_csp=by_csp)
