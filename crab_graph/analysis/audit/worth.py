"""Whether every task of a benchmark has the substance that generation asks of it."""

from collections.abc import Iterator

from crab_graph.analysis.audit.gates import Gate
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.construction import draw_draft
from crab_graph.domains.substance import ENOUGH_DISTRACTORS, check_ties, lacking
from crab_graph.domains.task import Task
from crab_graph.errors import UnsatisfiableTask
from crab_graph.eval.intervals import exact_interval


def substance_gate(benchmark: Benchmark) -> Gate:
    """Return the gate of active edges, of what fits each part's wishes, and of edge distractors.

    With few distractors, without repair, and of an earlier version it is only reported.
    """
    recipe, tasks = benchmark.manifest.settings, list(benchmark)
    lacks = {task.id: reason for task in tasks for reason in _lacks(task)}
    share = 1 - len(lacks) / len(tasks)
    is_asked = (
        recipe.distractors >= ENOUGH_DISTRACTORS
        and recipe.sweep is None
        and (recipe.paper is None or recipe.paper.repair)
        and all(task.spec.fitting is not None for task in tasks)
    )
    told = [f"{task_id}: {reason}" for task_id, reason in lacks.items()][:1] or [_least(tasks)]
    interval = exact_interval(len(tasks) - len(lacks), len(tasks)).ends
    words = "= 1" if is_asked else "reported"
    return Gate("substance", share, interval, words, not lacks or not is_asked, told[0])


def _lacks(task: Task) -> Iterator[str]:
    """Yield what a task lacks first, if anything; one that is drawn otherwise by now tells none."""
    spec = task.spec
    try:
        draft = draw_draft(task.domain, spec.seed, task.axes, spec.level)
        if draft.request.model_dump() != spec.request or spec.fitting is None:
            return
        check_ties(task.domain, task.axes, draft.folded)
    except UnsatisfiableTask as error:
        yield str(error)
        return
    distractors = spec.node_distractors + spec.edge_distractors
    lack = lacking(draft.folded, spec.fitting, spec.edge_distractors, distractors)
    if lack is not None:
        yield lack


def _least(tasks: list[Task]) -> str:
    edges = min(len(task.spec.active_edges) for task in tasks)
    fitting = [number for task in tasks for number in (task.spec.fitting or {}).values()]
    distractors = min(task.spec.edge_distractors for task in tasks)
    return (
        f"fewest: {edges} active edges, {distractors} edge distractors"
        f"{f', {min(fitting)} that fit a part' if fitting else ''}"
    )
