"""What a notebook shows of a `Benchmark` and of a `Task`; no solution is among it.

Both import this module, so it does not import them.
"""

from typing import Any

from crab_graph import markup
from crab_graph.terms import label

MOST_TASKS = 20
_COUNTS = tuple(map(label, ("solutions", "node_distractors", "edge_distractors")))


def benchmark_html(bench: Any) -> str:
    """Return the first tasks of a benchmark as a table."""
    axes = bench.card.axes
    heads = (label("task"), *(axis.title for axis in axes), *_COUNTS, label("active_edges"))
    rows = []
    for task in bench[:MOST_TASKS]:
        about = task.summary()
        values = (about[axis.name] for axis in axes)
        counts = (f"{about[name.replace(' ', '_')]:,}" for name in _COUNTS)
        rows.append((task.id, *values, *counts, ", ".join(about["active_edges"])))
    numbers = {*_COUNTS, *(axis.title for axis in axes if axis.holds_numbers)}
    return markup.shown(
        f"{bench.directory}: {len(bench):,} {bench.card.name} tasks",
        markup.table(heads, rows, numbers=numbers),
        *markup.first_few(bench, MOST_TASKS, "tasks"),
    )


def task_html(task: Any) -> str:
    """Return what the user of a task knows, and what must hold."""
    about = task.summary()
    active = set(about["active_edges"])
    facts = [
        (fact.key, _plain(fact.value), "upfront" if fact.level == "basic" else "when asked")
        for fact in task.facts
    ]
    rules = [
        (one.name, ", ".join(one.nodes), one.sentence, "active" if one.name in active else "")
        for one in task.graph.constraints
    ]
    number = about["solutions"]
    return markup.shown(
        f"{task.id}: {', '.join(task.phrases)}",
        markup.paragraph(
            f"{number:,} valid solution{'' if number == 1 else 's'} among "
            f"{about['node_distractors']:,} node and {about['edge_distractors']:,} edge "
            f"distractors; the conversation takes place on {task.today}"
        ),
        markup.table((label("knows"), "", label("said")), facts),
        markup.folded(
            "What must hold", markup.table((*map(label, ("constraint", "of", "says")), ""), rules)
        ),
    )


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, dict):
        return " ".join(map(str, value.values()))
    return str(value)
