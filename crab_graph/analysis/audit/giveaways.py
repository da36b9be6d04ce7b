"""The generation half of the validity evidence: leakage, shortcuts, near misses (design §5)."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import duckdb
import numpy as np

from crab_graph.analysis.audit.gates import Gate
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.domains.substance import read_offers, solved_by
from crab_graph.domains.task import Task
from crab_graph.errors import BenchmarkError, MissingExtra
from crab_graph.eval.statistics import wilson_rate
from crab_graph.generation.constraints import Value
from crab_graph.generation.difficulty import MINIMUM, count_near_misses
from crab_graph.generation.features import FloatArray, area_under_curve, derive_features
from crab_graph.generation.shortcuts import Shortcut
from crab_graph.randomness import derive_array_rng
from crab_graph.workers import run_parallel

FEWEST = 20
"""With fewer cases a gate says so and does not fail."""

ALLOWED = (0.25, 0.75)
"""Where the AUC of a public feature may lie."""

ERRORS = 3
"""Standard errors by which what means nothing may stray from 0.5."""

ROUNDING = 1e-9
"""Slack for means that are exact and have no error."""

MANY_EDGES = 4
"""From so many active edges in the mean on, tasks are ones in which much depends on much."""

MODEL_ROWS = 60
"""Distractors of each node and task that the small model looks at."""

MODEL_TASKS = 400
"""Tasks the model learns from at most."""

FOLDS = 5

SCOPES = {"all": ("node", "edge"), "valid": ("edge",)}
"""Origins of the distractors that solutions are compared with: all rows made for the node, or those
that meet the user's wishes, which is what an agent that filters sees."""

Key = tuple[str, str, str]
"""Scope, node, feature."""


class Sample(NamedTuple):
    """Features of one task's rows of a node: ranks within the task, and how far from its middle.

    The latter lets a linear model see solutions that stand in the midst of the others, or apart.
    """

    solutions: FloatArray
    distractors: FloatArray


@dataclass(frozen=True)
class TaskEvidence:
    """What the audit finds on one task."""

    id: str
    stratum: int
    axes: tuple[Value, ...] = ()
    """Its value on the domain's first axis, if it has one."""
    areas: Mapping[Key, float] = field(default_factory=dict)
    """AUC of each feature."""
    arbitrary: frozenset[Key] = frozenset()
    """Features that mean nothing."""
    samples: Mapping[tuple[str, str], Sample] = field(default_factory=dict)
    """What the model looks at, by scope and node."""
    shortcuts: tuple[str, ...] = ()
    """Which solve the task."""
    near_misses: Mapping[str, int] = field(default_factory=dict)
    """For each active edge, at least how many combinations break it alone."""
    fault: str = ""
    """Why its certificate does not hold."""


def generation_gates(
    benchmark: Benchmark,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Gate]:
    """Return the evidence that a benchmark's tables do not give its solutions away.

    `progress` is told of every task that is examined.
    """
    evidence: dict[str, TaskEvidence] = {}
    ids = [entry.id for entry in benchmark.manifest.tasks]
    examined = run_parallel(ids, partial(_examiner, benchmark.directory), jobs=jobs)
    for done, one in enumerate(examined, start=1):
        evidence[one.id] = one
        progress(done, len(ids))
    ordered = [evidence[task_id] for task_id in ids]
    faults = [one.fault for one in ordered if one.fault]
    total, sound = len(ordered), len(ordered) - len(faults)
    note = f"{sound} of {total} tasks" + (f"; {faults[0]}" if faults else "")
    interval = wilson_rate(sound, total).interval
    return [
        Gate("certified", sound / total, interval, "= 1", not faults, note),
        *leakage_gates(ordered),
        *model_gates(ordered),
        *shortcut_gates(ordered),
        near_miss_gate(ordered),
    ]


@contextmanager
def _examiner(directory: Path, slot: int) -> Iterator[Callable[[str], TaskEvidence]]:
    del slot
    benchmark = load_benchmark(directory)
    with benchmark.connect() as connection:
        yield partial(examine_task, benchmark, connection)


def examine_task(
    benchmark: Benchmark, connection: duckdb.DuckDBPyConnection, task_id: str
) -> TaskEvidence:
    """Return what the tables of one task give away, and whether its certificate holds."""
    task = benchmark[task_id]
    try:
        certificate = next(benchmark.certify_tasks([task], connection))
        fault = "" if certificate.ok else f"task '{task_id}': {certificate.as_json()}"
    except BenchmarkError as error:
        fault = str(error)
    offers = read_offers(connection, task.domain, task.graph, task.id)
    rng = derive_array_rng("audit", task.id)
    return replace(
        _leaks(task, connection, rng),
        shortcuts=solved_by(task.spec.seed, offers),
        near_misses=count_near_misses(*offers, task.spec.active_edges, enough=MINIMUM),
        fault=fault,
    )


def _leaks(
    task: Task, connection: duckdb.DuckDBPyConnection, rng: np.random.RandomState
) -> TaskEvidence:
    """Return what each public feature tells of where a row comes from."""
    provenance = "SELECT entity_id, node, origin FROM sealed.provenance WHERE task_id = ?"
    rows = connection.execute(provenance, [task.id]).fetchall()
    origins = {(str(entity), str(node)): str(origin) for entity, node, origin in rows}
    features = {}
    for name in {node.type for node in task.graph.nodes}:
        surface = task.domain.surfaces[name]
        cursor = connection.execute(surface.sql, {"task": task.id})
        columns = [column[0] for column in cursor.description or []]
        features[name] = derive_features(surface, columns, cursor.fetchall())
    areas: dict[Key, float] = {}
    arbitrary: set[Key] = set()
    samples: dict[tuple[str, str], Sample] = {}
    for node in task.graph.nodes:
        own = features[node.type]
        made_for = np.array([origins.get((offer, node.id), "") for offer in own.offers])
        chosen = np.flatnonzero(made_for == "seed")
        for scope, kinds in SCOPES.items():
            others = np.flatnonzero(np.isin(made_for, kinds))
            if len(chosen) == 0 or len(others) < FEWEST:
                continue
            found = area_under_curve(own.values[chosen], own.values[others])
            keys = [(scope, node.id, name) for name in own.names]
            areas |= zip(keys, found.tolist(), strict=True)
            arbitrary |= {key for key, kind in zip(keys, own.is_arbitrary, strict=True) if kind}
            some = rng.permutation(others)[:MODEL_ROWS]
            samples[(scope, node.id)] = _ranked(own.values[chosen], own.values[some])
    first = tuple(task.axes.values())[:1]
    return TaskEvidence(task.id, task.stratum, first, areas, frozenset(arbitrary), samples)


def _ranked(solutions: FloatArray, distractors: FloatArray) -> Sample:
    """Return a sample whose features are ranks among the task's rows, in [0, 1], ties alike."""
    both = np.concatenate([solutions, distractors])
    below = (both[None, :, :] < both[:, None, :]).mean(axis=1)
    above = (both[None, :, :] > both[:, None, :]).mean(axis=1)
    balance = below - above
    ranks: FloatArray = np.concatenate([(1 + balance) / 2, np.abs(balance)], axis=1)
    return Sample(ranks[: len(solutions)], ranks[len(solutions) :])


def leakage_gates(evidence: Sequence[TaskEvidence]) -> list[Gate]:
    """Return a gate for every single feature of every node."""
    arbitrary = frozenset[Key]().union(*(one.arbitrary for one in evidence))
    areas: dict[Key, list[float]] = defaultdict(list)
    for key, area in (pair for one in evidence for pair in one.areas.items()):
        areas[key].append(area)
    gates = []
    for key, values in areas.items():
        scope, node, feature = key
        if key not in arbitrary:
            gates.append(area_gate(f"leak.{scope}.{node}.{feature}", values, ALLOWED))
        elif scope == "all":  # drawn for all rows alike: one test is enough
            gates.append(arbitrary_gate(f"leak.{scope}.{node}.{feature}", values))
    return gates


def area_gate(name: str, values: Sequence[float], allowed: tuple[float, float]) -> Gate:
    """Return the gate of a mean AUC: it fails where its interval lies wholly outside."""
    mean, error = _mean(values)
    low, high = mean - 1.96 * error, mean + 1.96 * error
    is_inside = high >= allowed[0] - ROUNDING and low <= allowed[1] + ROUNDING
    few = len(values) < FEWEST
    note = f"{len(values)} tasks" + (", too few" if few else "")
    words = f"{allowed[0]:g} to {allowed[1]:g}"
    return Gate(name, mean, (low, high), words, is_inside or few, note)


def arbitrary_gate(name: str, values: Sequence[float]) -> Gate:
    """Return the gate of what means nothing: 0.5 within three standard errors.

    Like every gate it fails where the interval lies wholly outside; with some fifty such features
    one of them strays by three errors alone in every seventh honest benchmark.
    """
    error = ERRORS * _mean(values)[1]
    gate = area_gate(name, values, (0.5 - error, 0.5 + error))
    return gate._replace(gate=f"0.5 ± {error:.3f}")


def model_gates(evidence: Sequence[TaskEvidence]) -> list[Gate]:
    """Return how well a small model tells solutions from distractors, node by node."""
    samples: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for key, sample in (pair for one in evidence for pair in one.samples.items()):
        samples[key].append(sample)
    gates = []
    for (scope, node), own in samples.items():
        name = f"model.{scope}.{node}"
        if len(own) < FEWEST:
            gates.append(Gate(name, 0.5, None, "reported", True, f"too few ({len(own)} tasks)"))
            continue
        try:
            mean, error = _mean(cross_validate(own))
        except MissingExtra:
            note = "not run: pip install 'crab-graph[audit]'"
            return [Gate("model", 0.5, None, "reported", True, note)]
        interval = (mean - 1.96 * error, mean + 1.96 * error)
        gates.append(Gate(name, mean, interval, "reported", True, f"{len(own)} tasks"))
    return gates


def cross_validate(samples: Sequence[Sample]) -> list[float]:
    """Return each task's AUC of a small model that learned from other tasks.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("the leakage model", "audit") from None
    chosen = samples[:MODEL_TASKS]
    areas: list[float] = []
    for fold in range(FOLDS):
        training = [one for number, one in enumerate(chosen) if number % FOLDS != fold]
        features = np.concatenate([part for one in training for part in one])
        labels = np.concatenate(
            [[1] * len(one.solutions) + [0] * len(one.distractors) for one in training]
        )
        # Many rows and few features: Newton's method takes a tenth of the default's time.
        model = LogisticRegression(class_weight="balanced", solver="newton-cholesky")
        model.fit(features, labels)
        for one in chosen[fold::FOLDS]:
            scores = [model.decision_function(part)[:, None] for part in one]
            areas.append(float(area_under_curve(*scores)[0]))
    return areas


def shortcut_gates(evidence: Sequence[TaskEvidence]) -> list[Gate]:
    """Return how often each shortcut solves the tasks of a stratum and value of the first axis."""
    groups: dict[tuple[str, ...], list[TaskEvidence]] = defaultdict(list)
    for one in evidence:
        groups[(f"S{one.stratum}", *map(str, one.axes))].append(one)
    return [
        rate_below(
            ".".join(("shortcut", *group, solver)),
            sum(solver in one.shortcuts for one in own),
            len(own),
            shortcut_limit(own) if group[0] == "S1" else None,
        )
        for group, own in sorted(groups.items())
        for solver in Shortcut
    ]


def shortcut_limit(evidence: Sequence[TaskEvidence]) -> float:
    """Return the share of tasks that a shortcut may solve: less where much depends on much."""
    return 0.10 if fmean(len(one.near_misses) for one in evidence) >= MANY_EDGES else 0.20


def rate_below(name: str, solved: int, total: int, limit: float | None) -> Gate:
    """Return the gate of a rate with an upper limit, or the rate alone."""
    interval = wilson_rate(solved, total).interval
    words = "reported" if limit is None else f"≤ {limit:g}"
    ok = limit is None or interval is None or interval[0] <= limit
    few = total < FEWEST and limit is not None
    note = f"{solved} of {total} tasks" + (", too few" if few else "")
    return Gate(name, solved / total if total else 0.0, interval, words, ok or few, note)


def near_miss_gate(evidence: Sequence[TaskEvidence]) -> Gate:
    """Return the gate of near misses: every active edge of every task has enough."""
    counts = [
        (number, one.id, edge) for one in evidence for edge, number in one.near_misses.items()
    ]
    gate = f"≥ {MINIMUM} for every active edge"
    if not counts:
        return Gate("near_misses", 0.0, None, gate, True, "no active edge")
    least, task_id, edge = min(counts)
    short = sum(number < MINIMUM for number, _, _ in counts)
    note = f"{len(counts)} edges, {short} with fewer; closest: {edge} of {task_id}"
    return Gate("near_misses", float(least), None, gate, short == 0, note)


def _mean(values: Sequence[float]) -> tuple[float, float]:
    array = np.array(values)
    error = float(array.std(ddof=1)) / sqrt(len(array)) if len(array) > 1 else 0.0
    return float(array.mean()), error
