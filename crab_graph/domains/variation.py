"""Families of tasks that differ in one thing: distractors, optional edges, or seed solutions.

All members of a family share request, people and seed solutions, and an object that several of them
hold is the same row, with the same id, in each. Every member is certified on its own tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from crab_graph.domain.contract import Domain, Draft, Inventory, find_domain
from crab_graph.domains.construction import draw_draft
from crab_graph.domains.task import TaskSpec
from crab_graph.domains.task_certification import BuiltTask, DrawnTask, certify_drawn
from crab_graph.errors import BenchmarkError, UnsatisfiableTask
from crab_graph.generation.constraints import Value
from crab_graph.generation.objects import IDENTITY, Columns, Mask, concatenate, take
from crab_graph.generation.population import (
    Population,
    count_closure,
    draw_seeds,
    populate,
    split_evenly,
)
from crab_graph.randomness import derive_rng
from crab_graph.tools.tables import Row, Table

MAX_SEEDS = 4

_Content = tuple[Any, ...]


class Vary(StrEnum):
    """What the members of a family differ in."""

    DISTRACTORS = "distractors"
    EDGES = "edges"
    SOLUTIONS = "solutions"


class FamilyPlan(NamedTuple):
    """A family to be built of a task: a member of each value, in increasing order, with its id."""

    vary: Vary
    values: tuple[int, ...]
    ids: tuple[str, ...]
    source: TaskSpec
    axes: Mapping[str, Value]

    @property
    def distractors(self) -> int:
        """Number of distractors of the source."""
        return self.source.node_distractors + self.source.edge_distractors


class Family(NamedTuple):
    """What became of a plan: a task for each value, or why there are none."""

    source: str
    members: tuple[BuiltTask, ...]
    reason: str | None = None


def build_family(plan: FamilyPlan) -> Family:
    """Build and certify the tasks of a family.

    Raises:
        BenchmarkError: the source was drawn by another version, so its world cannot be drawn again.
    """
    domain = find_domain(plan.source.domain)
    try:
        draft = draw_draft(domain, plan.source.seed, plan.axes, plan.source.level)
        if draft.request.model_dump() != plan.source.request:
            raise BenchmarkError(
                f"task '{plan.source.id}': this version draws another request from its seed; "
                "generate the benchmark again"
            )
        members = list(_members(domain, draft, plan))
    except UnsatisfiableTask as error:
        return Family(plan.source.id, (), str(error))
    merged = _merged([population for _, population in members])
    everything = domain.materialize(merged, plan.source.seed)
    id_of = {
        name: dict(zip(_contents(merged.objects[name]), ids, strict=True))
        for name, ids in everything.ids.items()
    }
    own = [
        {
            name: [of_type[content] for content in _contents(population.objects[name])]
            for name, of_type in id_of.items()
        }
        for _, population in members
    ]
    common = set.intersection(*({one for ids in each.values() for one in ids} for each in own))
    shared = {name: sorted(common & set(ids)) for name, ids in own[0].items()}
    booked = _kept(domain.tables, everything, shared)
    built = []
    for task_id, (varied, population), ids in zip(plan.ids, members, own, strict=True):
        offers = _kept(domain.tables, everything, ids)
        drawn = DrawnTask(
            *(plan.source.seed, varied, population, offers, booked),
            level=plan.source.level,
            difficulty=plan.source.difficulty,
            # The same goes wrong in all of them, as far as it can where solutions differ.
            fault_kinds=tuple(fault.kind for fault in plan.source.faults),
        )
        built.append(certify_drawn(task_id, domain, drawn, by_csp=True))
    return Family(plan.source.id, tuple(built))


def _members(domain: Domain, draft: Draft, plan: FamilyPlan) -> Iterator[tuple[Draft, Population]]:
    """Yield a world for each value.

    With the edges the number of distractors stays: those that a missing edge would turn into
    solutions give way to others. In the very same tables either the number of solutions would
    change as well, or the added edges would decide nothing.
    """
    if plan.vary == Vary.DISTRACTORS:
        # Nested worlds: taking distractors away never adds a solution.
        full = _populated(draft, plan, distractors=max(plan.values))
        for value in plan.values:
            yield draft, _with_distractors(draft.folded.graph.node_ids, full, value)
        return
    if plan.vary == Vary.SOLUTIONS:
        # What completes no solution beside all seeds completes none beside some of them.
        full = _populated(draft, plan, seed_count=max(plan.values))
        for value in plan.values:
            yield draft, _with_seeds(draft, full, value)
        return
    if domain.with_edges is None:
        raise UnsatisfiableTask(f"domain '{domain.name}' has no optional edges")
    seed = plan.source.seed
    names = sorted(domain.optional_edges)
    derive_rng(seed, "order of edges").shuffle(names)
    strict = domain.with_edges(draft, names[: max(plan.values)], seed)
    drawn = draw_seeds(strict.folded, plan.source.stratum, seed)
    for value in plan.values:
        # The strict draft is the base, so that what was drawn for it, such as a budget, stays.
        varied = domain.with_edges(strict, names[:value], seed)
        yield varied, _populated(varied, plan, drawn=drawn)


def _populated(draft: Draft, plan: FamilyPlan, **other: Any) -> Population:
    source = {"seed_count": plan.source.stratum, "distractors": plan.distractors}
    slots = len(draft.folded.graph.node_ids)
    closure = range(1, MAX_SEEDS**slots + 1)  # however many there can be
    return populate(draft.folded, closure=closure, seed=plan.source.seed, **{**source, **other})


def _with_distractors(nodes: Sequence[str], full: Population, wanted: int) -> Population:
    """Return the seeds and so many distractors, of every kind in proportion.

    The order in which distractors are taken does not depend on their number, so a smaller
    population is part of a larger one.
    """
    quota = split_evenly(nodes, wanted)
    masks: dict[str, Mask] = {}
    for name, of_nodes in full.nodes.items():
        mask = np.array([origin == "seed" for origin in full.origins[name]], dtype=bool)
        for node in dict.fromkeys(of_nodes):
            kinds: dict[tuple[str, str], list[int]] = {}
            for row, (owner, origin, broken) in enumerate(
                zip(of_nodes, full.origins[name], full.broken[name], strict=True)
            ):
                if owner == node and origin != "seed":
                    kinds.setdefault((origin, broken), []).append(row)
            order = sorted(
                ((place + 0.5) / len(rows), kind, row)
                for kind, rows in kinds.items()
                for place, row in enumerate(rows)
            )
            mask[[row for _, _, row in order[: quota[node]]]] = True
        masks[name] = mask
    return _masked(full, masks)


def _with_seeds(draft: Draft, full: Population, wanted: int) -> Population:
    """Return the distractors and the first seed solutions."""
    seeds = full.seeds[:wanted]
    kept = {node: {one[node][IDENTITY] for one in seeds} for node in draft.folded.graph.node_ids}
    masks: dict[str, Mask] = {}
    for name, objects in full.objects.items():
        made_for = zip(
            full.origins[name], full.nodes[name], objects[IDENTITY].tolist(), strict=True
        )
        own = [origin != "seed" or number in kept[node] for origin, node, number in made_for]
        masks[name] = np.array(own, dtype=bool)
    thinned = _masked(full, masks)
    return replace(thinned, seeds=seeds, closure=count_closure(draft.folded, seeds))


def _masked(full: Population, masks: Mapping[str, Mask]) -> Population:
    def chosen(values: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        return {name: list(compress(own, masks[name])) for name, own in values.items()}

    return replace(
        full,
        objects={name: take(own, masks[name]) for name, own in full.objects.items()},
        nodes=chosen(full.nodes),
        origins=chosen(full.origins),
        broken=chosen(full.broken),
    )


def _merged(populations: Sequence[Population]) -> Population:
    """Return the objects of all populations, each once; what they are made for does not matter."""
    objects = {}
    for name in populations[0].objects:
        everything = concatenate([one.objects[name] for one in populations])
        first: dict[_Content, int] = {}
        for position, content in enumerate(_contents(everything)):
            first.setdefault(content, position)
        objects[name] = take(everything, np.array(list(first.values()), dtype=np.int64))
    return replace(populations[0], objects=objects)


def _contents(objects: Columns) -> list[_Content]:
    """Return all of each object: what tells offers apart leaves out how many are left."""
    return list(zip(*(objects[name].tolist() for name in sorted(objects)), strict=True))


def _kept(
    schema: Sequence[Table], offers: Inventory, ids: Mapping[str, Sequence[str]]
) -> Inventory:
    """Return these offers alone, with the entities that some of them belong to."""
    wanted = {one for own in ids.values() for one in own}
    dropped = {one for own in offers.ids.values() for one in own} - wanted
    keys = {table.name: table.key for table in schema}
    tables: dict[str, list[Row]] = {
        name: [row for row in rows if row[keys[name]] not in dropped]
        for name, rows in offers.tables.items()
    }
    for name, rows in tables.items():
        before = _references(keys[name], name, offers.tables)
        after = _references(keys[name], name, tables)
        gone = before - after
        tables[name] = [row for row in rows if row[keys[name]] not in gone]
    return Inventory(tables, ids)


def _references(key: str, owner: str, tables: Mapping[str, Sequence[Row]]) -> set[str]:
    """Return the keys of a table's rows that rows of other tables name."""
    return {
        row[key]
        for name, rows in tables.items()
        if name != owner and rows and key in rows[0]
        for row in rows
    }
