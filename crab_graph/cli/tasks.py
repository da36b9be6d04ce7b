"""`tasks` and `task`: look at what a benchmark holds."""

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crab_graph.cli.options import BenchArgument
from crab_graph.cli.output import JsonOption, console, new_table, own_heads, print_json
from crab_graph.tools.fees import MOST_PERCENT

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from crab_graph.domains.benchmark import Benchmark
    from crab_graph.domains.task import Task

_LONGEST_BAR = 30


def tasks(
    bench: BenchArgument,
    stats: Annotated[
        bool,
        typer.Option(
            "--stats",
            help="Show the paper's Table 1 and Figure 8 of them, and what the paper states.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the tasks of a benchmark, or show its statistics."""
    from crab_graph.domains.benchmark import load_benchmark

    if stats:
        _show_stats(load_benchmark(bench), as_json)
        return
    benchmark = load_benchmark(bench)
    summaries = [task.summary() for task in benchmark]
    if as_json:
        print_json(summaries)
        return
    axes = benchmark.card.axes
    # Numbers stand beside numbers.
    said = [axis for axis in axes if not axis.holds_numbers]
    counted = [axis for axis in axes if axis.holds_numbers]
    named = ("solutions", "node_distractors", "edge_distractors")
    numbers = [*(one.name for one in counted), *named]
    heads: list[str | Text] = [*own_heads(one.title for one in counted), *named]
    titles = own_heads(one.title for one in said)
    # What the ladder adds is a column where it adds anything.
    has_levels = any(item["level"] > 1 for item in summaries)
    beside = {"world_faults": "faults", "change_of_mind": "changes"}
    more = {head: name for head, name in beside.items() if any(item[name] for item in summaries)}
    numbers = [*(["level"] if has_levels else []), *numbers]
    heads = [*(["level"] if has_levels else []), *heads]
    table = new_table("task", *titles, numbers=heads, last=("solved_by", *more, "active_edges"))
    for item in summaries:
        counts = (str(item[name]) for name in numbers)
        values = (str(item[axis.name]) for axis in said)
        added = (", ".join(item[name]) or "-" for name in more.values())
        last = (_shortcuts(item["shortcuts"]), *added, ", ".join(item["active_edges"]))
        table.add_row(item["id"], *values, *counts, *last)
    console().print(table)


def _show_stats(benchmark: "Benchmark", as_json: bool) -> None:
    """Print Table 1 with a column for each stratum, what the domain's paper says, and Figure 8.

    That is a bar for each value of each property.
    """
    from crab_graph.analysis.benchmark_stats import describe_benchmark, paper_cells, table_cells

    stats = describe_benchmark(benchmark)
    if as_json:
        print_json(stats.as_json())
        return
    table = new_table("", numbers=own_heads(column.stratum for column in stats.table))
    axis = benchmark.card.first_axis
    columns = [table_cells(column, axis) for column in stats.table]
    for row in zip(*columns, strict=True):
        table.add_row(row[0][0], *(text for _, text in row))
    console().print(table)
    print(
        "Numbers are means over tasks (and the least to the greatest); "
        "the distractor ratio is that of valid solutions to distractors."
    )
    if stats.paper:
        beside = new_table("stated", numbers=("paper", "here"), last=("where",))
        for figure in stats.paper:
            beside.add_row(*paper_cells(figure, axis))
        console().print("", beside, sep="\n")
    for one in stats.distributions:
        bars = new_table(*own_heads([one.property]), "", numbers=("tasks", "share"))
        most, total = max(one.counts.values(), default=0) or 1, stats.table[-1].tasks
        for value, count in one.counts.items():
            bar = "█" * round(_LONGEST_BAR * count / most)
            bars.add_row(value, bar, str(count), f"{count / total:.0%}")
        console().print("", bars, sep="\n")


def task(
    bench: BenchArgument,
    id: Annotated[str, typer.Argument(metavar="ID", help="Id of the task, such as S1-001.")],
    solutions: Annotated[
        bool,
        typer.Option(
            "--solutions", help="Also list the solutions, or those kept of a task without repair."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show one task: what the user knows, and what must hold."""
    from crab_graph.domains.benchmark import load_benchmark
    from crab_graph.domains.fault_words import fault_rows_of

    shown = load_benchmark(bench)[id]
    if not as_json:
        _print(shown, solutions)
        return
    document = {
        **shown.summary(),
        "today": shown.today,
        "customer_id": shown.customer_id,
        "facts": [fact.as_json() for fact in shown.facts],
        "constraints": [
            {"name": item.name, "nodes": list(item.nodes), "sentence": item.sentence}
            for item in shown.graph.constraints
        ],
        "faults": fault_rows_of(shown.spec.faults, shown.spec.certificate.recoveries),
        "rows_sha256": shown.spec.rows_sha256,
    }
    if shown.changed is not None:
        kinds = [str(change.kind) for change in shown.spec.changes]
        last = shown.requests[-1]
        document["changed"] = {"kinds": kinds, "facts": _facts_after(last, shown)}
    if solutions:
        # The count keeps its place in `tasks`; here the list itself takes it.
        kept = shown.kept_solutions
        document |= {"solutions_in_all": len(shown.solutions), "solutions_shown": len(kept)}
        document["solutions"] = kept
    print_json(document)


def _print(task: "Task", solutions: bool) -> None:
    summary = task.summary()
    print(
        f"{task.id}: {''.join(f'{phrase}, ' for phrase in task.phrases)}{summary['solutions']:,} "
        f"valid solution{'s' if summary['solutions'] != 1 else ''} among "
        f"{summary['node_distractors']} node and {summary['edge_distractors']} edge distractors; "
        f"the conversation takes place on {task.today}"
    )
    if task.spec.fitting is not None and task.spec.shortcuts is not None:
        fitting = ", ".join(f"{number} {node}" for node, number in task.spec.fitting.items())
        print(
            f"what fits each part's own wishes: {fitting}; "
            f"shortcuts that solve it: {_shortcuts(summary['shortcuts'])}"
        )
    if task.spec.fees:
        print(f"lists leave out taxes and fees, which are up to {MOST_PERCENT} % of a price")
    for change, both in zip(task.spec.changes, pairwise(task.requests), strict=True):
        print(f"then the user changes its mind: {_changed(*both)}; ", end="")
        others = change.certificate.sql
        print(f"after that {others:,} other solution{'s are' if others != 1 else ' is'} valid")
    facts = new_table("knows", "", "said")
    for fact in task.facts:
        said = "upfront" if fact.level == "basic" else "when asked"
        facts.add_row(fact.key, _plain(fact.value), said)
    constraints = new_table("constraint", "of", "says")
    for item in task.graph.constraints:
        mark = " (active)" if item.name in summary["active_edges"] else ""
        constraints.add_row(item.name + mark, ", ".join(item.nodes), item.sentence)
    tables = [facts, constraints]
    if task.spec.faults:
        tables.append(_fault_table(task))
    if solutions:
        tables.append(new_table(*own_heads(slot.id for slot in task.domain.slots)))
        for solution in task.kept_solutions:
            row = (" ".join(solution[slot.id].values()) for slot in task.domain.slots)
            tables[-1].add_row(*row)
    for table in tables:
        console().print("", table, sep="\n")
    if solutions:
        shown = len(task.kept_solutions)
        print(f"{shown:,} of {len(task.solutions):,} solutions are shown.")


def _facts_after(last: "Task", first: "Task") -> list[dict[str, Any]]:
    return [fact.as_json() for fact in last.facts if fact not in first.facts]


def _changed(before: "Task", after: "Task") -> str:
    """Return what a user wants otherwise after a change of mind, each fact with both values."""
    known = {fact.key: fact.value for fact in before.facts}
    return ", ".join(
        f"{fact.key} {_plain(known.get(fact.key))} → {_plain(fact.value)}"
        for fact in after.facts
        if known.get(fact.key) != fact.value
    )


def _fault_table(task: "Task") -> "Table":
    from crab_graph.domains.fault_words import fault_rows_of

    table = new_table("world_faults", "says", numbers=("solutions_left",))
    for row in fault_rows_of(task.spec.faults, task.spec.certificate.recoveries):
        table.add_row(str(row["kind"]), str(row["says"]), str(row["solutions_left"]))
    return table


def _shortcuts(names: list[str] | None) -> str:
    return "-" if names is None else ", ".join(names) or "none"


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return " ".join(map(str, value.values()))
    return str(value)
