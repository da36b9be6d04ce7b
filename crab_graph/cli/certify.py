"""`certify`: count every task's solutions again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crab_graph.cli.options import BenchArgument, CoresOption
from crab_graph.cli.output import (
    JsonOption,
    console,
    new_table,
    own_heads,
    print_json,
    progress_bar,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crab_graph.domain.card import AxisCard
    from crab_graph.domains.proof import Proof, Spoilage


def certify(
    bench: BenchArgument,
    task: Annotated[str | None, typer.Option(help="One task only, such as S1-001.")] = None,
    opening: Annotated[
        Path | None,
        typer.Option(
            "--open", help="Opening of a private split: prove that it is the one announced."
        ),
    ] = None,
    jobs: CoresOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count each task's solutions again on its tables: by SQL, by arrays and by a search.

    The search is python-constraint's, or plain where that would be too much work; the table says
    which. Exits with 1 where a count differs from the number the task must have. For a benchmark
    made by the paper's algorithms it says how many tasks of each stratum and date mode have extra
    solutions. With `--open` the tasks are generated again from the secret, and must be the same.
    """
    from crab_graph.domains.benchmark import load_benchmark
    from crab_graph.domains.proof import certify_benchmark, prove, summarise_spoilage

    benchmark = load_benchmark(bench)
    chosen = [task] if task else [entry.id for entry in benchmark.manifest.tasks]
    proof = None
    if opening is not None:
        one = None if task is None else benchmark[task]
        with progress_bar("Generating again") as progress:
            proof = prove(benchmark, opening, task=one, jobs=jobs or 1, progress=progress)
    by_paper = benchmark.manifest.settings.paper is not None
    with progress_bar("Counting solutions") as progress:
        certified = certify_benchmark(benchmark, chosen, jobs=jobs, progress=progress)
    results = [{"id": task_id, **found.as_json()} for task_id, found in certified.items()]
    counted = all(one.ok for one in certified.values())
    ok = counted and (proof is None or proof.ok)
    own = (benchmark[task_id] for task_id in chosen)
    summary = summarise_spoilage(zip(own, certified.values(), strict=True)) if by_paper else []
    if as_json:
        added = {"summary": [one.as_json() for one in summary]} if by_paper else {}
        opened = {} if proof is None else {"opening": proof.as_json()}
        print_json({"ok": ok, "tasks": results, **added, **opened})
    else:
        _print_table(results, counted)
        if proof is not None:
            _print_proof(proof)
        if by_paper:
            _print_summary(summary, benchmark.card.axes[:1])
    if not ok:
        raise typer.Exit(1)


def _print_proof(proof: "Proof") -> None:
    if not proof.opens:
        print(f"The opening is not that of {proof.commitment}.")
        return
    different = [task_id for task_id, same in proof.same.items() if not same]
    if different:
        print(
            f"The opening fits {proof.commitment}, but {len(different)} of {len(proof.same)} tasks "
            f"are not those generated from it by this version: {', '.join(different[:8])}"
        )
    else:
        print(
            f"The opening fits {proof.commitment}, and the tasks generated from it are the same "
            f"({len(proof.same)} looked at)."
        )


def _print_table(results: list[dict[str, object]], ok: bool) -> None:
    numbers: tuple[str, ...] = ("expected", "sql", "arrays", "search")
    # What is left after the faults of tasks that have any: at least, three counts of each alike.
    left = {str(one["id"]): least for one in results if (least := _fewest_left(one)) is not None}
    heads = (*numbers, "after_faults") if left else numbers
    table = new_table("task", numbers=heads, last=("searched_by", ""))
    for result in results:
        for one in _requests(result):
            counts = [str(one[name]) for name in numbers]
            is_ok = result["ok"] or all(count == counts[0] for count in counts)
            counts += [str(left.get(str(one["id"]), "-"))] if left else []
            table.add_row(
                str(one["id"]), *counts, str(one["searched_by"]), "ok" if is_ok else "MISMATCH"
            )
    console().print(table)
    compared = [one for result in results for one in _comparisons(result)]
    if compared:
        held = sum(one["own"]["sql"] > 0 == one["others"]["sql"] for one in compared)
        print(f"{held} of {len(compared)} comparisons of what is the cheaper hold on the tables.")
    wrong = sum(not result["ok"] for result in results)
    print(
        f"{len(results)} tasks: every count agrees."
        if ok
        else f"{len(results)} tasks, {wrong} with counts that do not agree."
    )


def _requests(result: "Mapping[str, Any]") -> "Iterator[Mapping[str, Any]]":
    """Yield what was counted of a task, and of it after each change of mind; ids say so."""
    yield result
    after, times = result.get("changed"), 1
    while after:
        again = "" if times == 1 else f" {times} times"
        yield {**after, "id": f"{result['id']}, changed{again}"}
        after, times = after.get("changed"), times + 1


def _comparisons(result: "Mapping[str, Any]") -> "list[dict[str, Any]]":
    """Return what was compared of a task: as it is, after its faults, and after a change."""
    found = [*result.get("comparisons", ())]
    for one in result.get("recoveries", ()):
        found += one.get("comparisons", ())
    after = result.get("changed")
    return [*found, *_comparisons(after)] if after else found


def _fewest_left(result: "Mapping[str, Any]") -> int | None:
    """Return how few solutions are left after some fault of a task, at an offer it can strike."""
    left = (one["sql"] for one in result.get("recoveries", ()) if one["needed"])
    return min(left, default=None)


def _print_summary(summary: "list[Spoilage]", axes: "Sequence[AxisCard]") -> None:
    heads = ("tasks", "spoiled", "median_extra", "max_extra", "edge_distractors")
    table = new_table("stratum", *own_heads(axis.title for axis in axes), numbers=heads)
    for one in summary:
        extra = (one.median_extra, one.max_extra, one.median_edge_distractors)
        numbers = (one.tasks, one.spoiled, *extra)
        values = (str(one.axes[axis.name]) for axis in axes)
        table.add_row(f"S{one.stratum}", *values, *(f"{number:,}" for number in numbers))
    console().print(table)
