"""Families of tasks that differ in one thing: distractors, optional edges, or seed solutions.

All members of a family share request, people and seed solutions, and an object that several of them
hold is the same row, with the same id, in each. Every member is certified on its own tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from crab_graph.domains.construction import BuiltTask, DrawnTask, certify_drawn
from crab_graph.domains.domain import Domain, Draft, Inventory, find_domain
from crab_graph.errors import BenchmarkError, UnsatisfiableTask
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

_ANY_CLOSURE = range(1, MAX_SEEDS**4 + 1)


class Vary(StrEnum):
    """What the members of a family differ in."""

    DISTRACTORS = "distractors"
    EDGES = "edges"
    SOLUTIONS = "solutions"


@dataclass(frozen=True, slots=True)
class FamilyPlan:
    """A family to be built.

    Attributes:
        vary: What its members differ in.
        values: The values, in increasing order.
        ids: The id of the member of each value.
        source: Id of the task it is made from.
        domain: Name of the domain.
        seed: The source's seed.
        request: The source's request.
        stratum: Its number of seed solutions.
        flexible: Whether its departure date is a window.
        party_size: Its number of people.
        distractors: Its number of distractors.
    """

    vary: Vary
    values: tuple[int, ...]
    ids: tuple[str, ...]
    source: str
    domain: str
    seed: int
    request: Mapping[str, Any]
    stratum: int
    flexible: bool
    party_size: int
    distractors: int


@dataclass(frozen=True, slots=True)
class Family:
    """What became of a plan: a task for each value, or why there are none."""

    source: str
    members: tuple[BuiltTask, ...]
    reason: str | None = None


class _Member(NamedTuple):
    """A task of a family before it is tables."""

    draft: Draft
    population: Population


def build_family(plan: FamilyPlan) -> Family:
    """Build and certify the tasks of a family.

    Raises:
        BenchmarkError: the source was drawn by another version, so its world cannot be drawn again.
    """
    domain = find_domain(plan.domain)
    try:
        draft = domain.draft(plan.seed, plan.flexible, plan.party_size)
        if draft.request.model_dump() != plan.request:
            raise BenchmarkError(
                f"task '{plan.source}': this version draws another request from its seed; "
                "generate the benchmark again"
            )
        members = list(_MEMBERS[plan.vary](domain, draft, plan))
    except UnsatisfiableTask as error:
        return Family(plan.source, (), str(error))
    merged = _merged([one.population for one in members])
    everything = domain.materialize(merged, plan.seed)
    id_of = {
        name: dict(zip(_contents(merged.objects[name]), ids, strict=True))
        for name, ids in everything.ids.items()
    }
    own = [_own_ids(one.population, id_of) for one in members]
    common = set.intersection(*({one for ids in each.values() for one in ids} for each in own))
    booked = _kept(
        domain.tables, everything, {name: sorted(common & set(ids)) for name, ids in own[0].items()}
    )
    return Family(
        plan.source,
        tuple(
            certify_drawn(
                task_id,
                domain,
                DrawnTask(
                    seed=plan.seed,
                    draft=member.draft,
                    population=member.population,
                    offers=_kept(domain.tables, everything, ids),
                    booked=booked,
                ),
            )
            for task_id, member, ids in zip(plan.ids, members, own, strict=True)
        ),
    )


def _by_distractors(domain: Domain, draft: Draft, plan: FamilyPlan) -> Iterator[_Member]:
    """Yield nested worlds: taking distractors away never adds a solution."""
    del domain
    full = populate(
        draft.folded,
        seed_count=plan.stratum,
        closure=_ANY_CLOSURE,
        distractors=max(plan.values),
        seed=plan.seed,
    )
    for value in plan.values:
        yield _Member(draft, _with_distractors(draft.folded.graph.node_ids, full, value))


def _by_solutions(domain: Domain, draft: Draft, plan: FamilyPlan) -> Iterator[_Member]:
    """Yield the same distractors around more and more seed solutions.

    What completes no solution beside all seeds completes none beside some of them.
    """
    del domain
    most = max(plan.values)
    full = populate(
        draft.folded,
        seed_count=most,
        closure=_ANY_CLOSURE,
        distractors=plan.distractors,
        seed=plan.seed,
    )
    for value in plan.values:
        yield _Member(draft, _with_seeds(draft, full, value))


def _by_edges(domain: Domain, draft: Draft, plan: FamilyPlan) -> Iterator[_Member]:
    """Yield worlds around the same seeds, which meet all the edges, with more and more of these.

    The number of distractors stays: those that a missing edge would turn into solutions give way to
    others. In the very same tables either the number of solutions would change as well, or the
    added edges would decide nothing.
    """
    if domain.with_edges is None:
        raise UnsatisfiableTask(f"domain '{domain.name}' has no optional edges")
    names = sorted(domain.optional_edges)
    derive_rng(plan.seed, "order of edges").shuffle(names)
    strict = domain.with_edges(draft, names[: max(plan.values)], plan.seed)
    seeds = draw_seeds(strict.folded, plan.stratum, plan.seed)
    for value in plan.values:
        # The strict draft is the base, so that what was drawn for it, such as a budget, stays.
        varied = domain.with_edges(strict, names[:value], plan.seed)
        yield _Member(
            varied,
            populate(
                varied.folded,
                seed_count=plan.stratum,
                closure=_ANY_CLOSURE,
                distractors=plan.distractors,
                seed=plan.seed,
                seeds=seeds,
            ),
        )


_MEMBERS = {
    Vary.DISTRACTORS: _by_distractors,
    Vary.SOLUTIONS: _by_solutions,
    Vary.EDGES: _by_edges,
}


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
    masks = {
        name: np.array(
            [
                origin != "seed" or number in kept[node]
                for origin, node, number in zip(
                    full.origins[name],
                    full.nodes[name],
                    full.objects[name][IDENTITY].tolist(),
                    strict=True,
                )
            ],
            dtype=bool,
        )
        for name in full.objects
    }
    thinned = _masked(full, masks)
    return replace(thinned, seeds=seeds, closure=count_closure(draft.folded, seeds))


def _masked(full: Population, masks: Mapping[str, Mask]) -> Population:
    def chosen(values: Sequence[Any], mask: Mask) -> list[Any]:
        return [value for value, keep in zip(values, mask.tolist(), strict=True) if keep]

    return replace(
        full,
        objects={name: take(own, masks[name]) for name, own in full.objects.items()},
        nodes={name: chosen(own, masks[name]) for name, own in full.nodes.items()},
        origins={name: chosen(own, masks[name]) for name, own in full.origins.items()},
        broken={name: chosen(own, masks[name]) for name, own in full.broken.items()},
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


def _own_ids(
    population: Population, id_of: Mapping[str, Mapping[_Content, str]]
) -> dict[str, list[str]]:
    return {
        name: [of_type[content] for content in _contents(population.objects[name])]
        for name, of_type in id_of.items()
    }


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
