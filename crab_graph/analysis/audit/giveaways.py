"""The generation half of the validity evidence: leakage, shortcuts, near misses (design §5)."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from crab_graph.analysis.audit.exposure import AS_WISHED, Key, TaskEvidence, examine_task
from crab_graph.analysis.audit.gates import Gate
from crab_graph.analysis.audit.learners import Learner, Sample, cross_validate
from crab_graph.analysis.audit.worth import substance_gate
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.errors import MissingExtra
from crab_graph.eval.intervals import exact_interval, mean_intervals
from crab_graph.generation.difficulty import MINIMUM
from crab_graph.generation.features import Meaning
from crab_graph.generation.shortcuts import Shortcut
from crab_graph.workers import run_parallel

FEWEST = 20
"""With fewer cases a gate says so and does not fail."""

ALLOWED = (0.25, 0.75)
"""Where the AUC of a public feature may lie."""

ERRORS = 3
"""Standard errors by which what means nothing may stray from 0.5."""

ROUNDING = 1e-9
"""Slack for means that are exact and have no error."""

MOST_SOLVED = 0.30
"""Share of the tasks with several seeds that some shortcut may solve."""

MANY_EDGES = 4
"""From so many active edges in the mean on, tasks are ones in which much depends on much."""


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
    interval = exact_interval(sound, total).ends
    return [
        Gate("certified", sound / total, interval, "= 1", not faults, note),
        *leakage_gates(ordered),
        *model_gates(ordered),
        *shortcut_gates(ordered),
        *any_shortcut_gates(ordered),
        near_miss_gate(ordered),
        substance_gate(benchmark),
    ]


@contextmanager
def _examiner(directory: Path, slot: int) -> Iterator[Callable[[str], TaskEvidence]]:
    del slot
    benchmark = load_benchmark(directory)
    with benchmark.reading() as connection:
        yield partial(examine_task, benchmark, connection)


def leakage_gates(evidence: Sequence[TaskEvidence]) -> list[Gate]:
    """Return a gate for every single feature of every node.

    Of offers that meet the wishes one is reported, the furthest from the middle: how many agree in
    several columns. The exact test keeps away what could stand in a solution's place, so that these
    are few wherever a solution is.
    """
    meanings = {key: own for one in evidence for key, own in one.meanings.items()}
    areas: dict[Key, list[float]] = defaultdict(list)
    for key, area in (pair for one in evidence for pair in one.areas.items()):
        areas[key].append(area)
    gates: list[Gate] = []
    alike: dict[str, list[Gate]] = defaultdict(list)
    for key, values in areas.items():
        scope, node, feature = key
        meaning, name = meanings[key], f"leak.{scope}.{node}.{feature}"
        if meaning is Meaning.NOTHING:
            if scope == "all":  # drawn for all rows alike: one test is enough
                gates.append(arbitrary_gate(name, values))
        elif meaning is Meaning.ALIKE and feature.endswith(AS_WISHED):
            gate = area_gate(f"alike.{scope}.{node}", values, ALLOWED)
            note = f"{gate.note}; {feature.removesuffix(AS_WISHED)}"
            alike[node].append(gate._replace(gate="reported", ok=True, note=note))
        else:
            gates.append(area_gate(name, values, ALLOWED))
    return gates + [max(own, key=lambda gate: abs(gate.value - 0.5)) for own in alike.values()]


def area_gate(name: str, values: Sequence[float], allowed: tuple[float, float]) -> Gate:
    """Return the gate of a mean AUC: it fails where its interval lies wholly outside.

    Without an interval the mean itself decides.
    """
    mean, interval = fmean(values), _interval(values)
    low, high = interval or (mean, mean)
    is_inside = high >= allowed[0] - ROUNDING and low <= allowed[1] + ROUNDING
    few = len(values) < FEWEST
    note = f"{len(values)} tasks" + (", too few" if few else "")
    words = f"{allowed[0]:g} to {allowed[1]:g}"
    return Gate(name, mean, interval, words, is_inside or few, note)


def arbitrary_gate(name: str, values: Sequence[float]) -> Gate:
    """Return the gate of what means nothing: 0.5 within three standard errors.

    Like every gate it fails where the interval lies wholly outside; with some fifty such features
    one of them strays by three errors alone in every seventh honest benchmark.
    """
    error = ERRORS * _error(values)
    gate = area_gate(name, values, (0.5 - error, 0.5 + error))
    return gate._replace(gate=f"0.5 ± {error:.3f}")


def model_gates(evidence: Sequence[TaskEvidence]) -> list[Gate]:
    """Return how well small models tell solutions from distractors, node by node.

    What the linear one looks at most is told as well.
    """
    samples: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for key, sample in (pair for one in evidence for pair in one.samples.items()):
        samples[key].append(sample)
    gates = []
    for (scope, node), own in samples.items():
        for learner in Learner:
            name = f"{learner}.{scope}.{node}"
            if len(own) < FEWEST:
                gates.append(Gate(name, 0.5, None, "reported", True, f"too few ({len(own)} tasks)"))
                continue
            try:
                found = cross_validate(learner, own)
            except MissingExtra:
                note = "not run: pip install 'crab-graph[audit]'"
                return [Gate("model", 0.5, None, "reported", True, note)]
            note = f"{len(own)} tasks" + "".join(f"; {one}" for one in found.looked_at)
            mean, interval = fmean(found.areas), _interval(found.areas)
            gates.append(Gate(name, mean, interval, "reported", True, note))
    return gates


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


def any_shortcut_gates(evidence: Sequence[TaskEvidence]) -> list[Gate]:
    """Return how many tasks with several seeds are solved by some shortcut, by the first axis."""
    groups: dict[tuple[str, ...], list[TaskEvidence]] = defaultdict(list)
    for one in evidence:
        if one.stratum > 1:
            groups[tuple(map(str, one.axes))].append(one)
    return [
        rate_below(
            ".".join(("shortcut", "S2-S4", *group, "any")),
            sum(bool(one.shortcuts) for one in own),
            len(own),
            MOST_SOLVED,
        )
        for group, own in sorted(groups.items())
    ]


def shortcut_limit(evidence: Sequence[TaskEvidence]) -> float:
    """Return the share of tasks that a shortcut may solve: less where much depends on much."""
    return 0.10 if fmean(len(one.near_misses) for one in evidence) >= MANY_EDGES else 0.20


def rate_below(name: str, solved: int, total: int, limit: float | None) -> Gate:
    """Return the gate of a rate with an upper limit, or the rate alone."""
    interval = exact_interval(solved, total).ends
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


def _interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the interval of a mean over tasks, of which there may be none."""
    return mean_intervals([values], [1] * len(values), bounds=(0, 1))[0].ends


def _error(values: Sequence[float]) -> float:
    """Return the standard error of a mean over tasks."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
