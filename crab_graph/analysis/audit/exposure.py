"""What the tables of one task give away: features, shortcuts, near misses, its certificate."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import duckdb
import numpy as np

from crab_graph.analysis.audit.learners import Sample, rank_within
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.substance import TaskOffers, read_offers, solved_by
from crab_graph.domains.task import Task
from crab_graph.errors import BenchmarkError
from crab_graph.generation.constraints import Value
from crab_graph.generation.difficulty import MINIMUM, count_near_misses
from crab_graph.generation.features import (
    Features,
    Meaning,
    Surface,
    area_under_curve,
    derive_features,
    derive_standings,
)
from crab_graph.randomness import derive_array_rng

COMPARED = 5
"""Distractors of a node with which its solutions are compared, at least."""

MODEL_ROWS = 60
"""Distractors of each node and task that the small model looks at."""

SCOPES = {"all": ("node", "edge"), "valid": ("edge",)}
"""Origins of the distractors that solutions are compared with: all rows made for the node, or those
that meet the user's wishes, which is what an agent that filters sees."""

AS_WISHED = ", as wished"
"""Said of how offers stand among those that meet the wishes, all others left out of account."""

Key = tuple[str, str, str]
"""Scope, node, feature."""


@dataclass(frozen=True)
class TaskEvidence:
    """What the audit finds on one task."""

    id: str
    stratum: int
    axes: tuple[Value, ...] = ()
    """Its value on the domain's first axis, if it has one."""
    areas: Mapping[Key, float] = field(default_factory=dict)
    """AUC of each feature."""
    meanings: Mapping[Key, Meaning] = field(default_factory=dict)
    """What each of these speaks of."""
    samples: Mapping[tuple[str, str], Sample] = field(default_factory=dict)
    """What the model looks at, by scope and node."""
    shortcuts: tuple[str, ...] = ()
    """Which solve the task."""
    near_misses: Mapping[str, int] = field(default_factory=dict)
    """For each active edge, at least how many combinations break it alone."""
    fault: str = ""
    """Why its certificate does not hold."""


def examine_task(
    benchmark: Benchmark, connection: duckdb.DuckDBPyConnection, task_id: str
) -> TaskEvidence:
    """Return what the tables of one task give away, and whether its certificate holds."""
    task = benchmark[task_id]
    try:
        benchmark.check_provenance(connection, [task.id])
        certificate = next(benchmark.certify_tasks([task], connection))
        fault = "" if certificate.ok else f"task '{task_id}': {certificate.as_json()}"
    except BenchmarkError as error:
        fault = str(error)
    offers = read_offers(connection, task.domain, task.graph, task.id)
    rng = derive_array_rng("audit", task.id)
    return replace(
        _leaks(task, connection, offers, rng),
        shortcuts=solved_by(task.spec.seed, offers),
        near_misses=count_near_misses(*offers, task.spec.active_edges, enough=MINIMUM),
        fault=fault,
    )


def _leaks(
    task: Task,
    connection: duckdb.DuckDBPyConnection,
    offers: TaskOffers,
    rng: np.random.RandomState,
) -> TaskEvidence:
    """Return what each public feature tells of where a row comes from."""
    provenance = "SELECT entity_id, node, origin FROM sealed.provenance WHERE task_id = ?"
    rows = connection.execute(provenance, [task.id]).fetchall()
    origins = {(str(entity), str(node)): str(origin) for entity, node, origin in rows}
    seen = {name: _seen(task, connection, name) for name in task.domain.surfaces}
    areas: dict[Key, float] = {}
    meanings: dict[Key, Meaning] = {}
    samples: dict[tuple[str, str], Sample] = {}
    for node in task.graph.nodes:
        own = seen[node.type]
        key = task.domain.kinds[node.type].offer.key
        wished = set(offers.objects[node.id][key][offers.valid[node.id]].tolist())
        for scope, found in (("all", own.features), ("valid", own.among(wished))):
            made_for = np.array([origins.get((offer, node.id), "") for offer in found.offers])
            chosen = np.flatnonzero(made_for == "seed")
            others = np.flatnonzero(np.isin(made_for, SCOPES[scope]))
            if len(chosen) == 0 or len(others) < COMPARED:
                continue
            keys = [(scope, node.id, name) for name in found.names]
            told = area_under_curve(found.values[chosen], found.values[others])
            areas |= zip(keys, told.tolist(), strict=True)
            meanings |= zip(keys, found.meanings, strict=True)
            some = rng.permutation(others)[:MODEL_ROWS]
            samples[(scope, node.id)] = rank_within(found, chosen, some)
    first = tuple(task.axes.values())[:1]
    return TaskEvidence(task.id, task.stratum, first, areas, meanings, samples)


class _Seen(NamedTuple):
    """What the tables of one node type show in a task, with the features of all its offers."""

    surface: Surface
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    features: Features

    def among(self, wished: Set[str]) -> Features:
        """Return the features of some offers, and how these stand among themselves besides."""
        places = [place for place, offer in enumerate(self.features.offers) if offer in wished]
        near = derive_standings(self.surface, self.columns, [self.rows[place] for place in places])
        names = [f"{name}{AS_WISHED}" for name in near.names]
        return self.features.at(places).joined(near._replace(names=names))


def _seen(task: Task, connection: duckdb.DuckDBPyConnection, name: str) -> _Seen:
    surface = task.domain.surfaces[name]
    cursor = connection.execute(surface.sql, {"task": task.id})
    columns = [column[0] for column in cursor.description or []]
    rows = cursor.fetchall()
    return _Seen(surface, columns, rows, derive_features(surface, columns, rows))
