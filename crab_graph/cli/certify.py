"""`certify`: count every task's solutions again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.output import JsonOption, console, print_json

if TYPE_CHECKING:
    from crab_graph.domains.spoilage import Spoilage


def certify(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="Directory of the benchmark.")],
    task: Annotated[str | None, typer.Option(help="One task only, such as S1-001.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Count each task's solutions again on its tables, by SQL, by arrays and by plain search.

    Exits with 1 where a count differs from the number the task must have. For a benchmark made by
    the paper's algorithms it says how many tasks of each stratum and date mode have extra
    solutions.
    """
    from crab_graph.cli.progress import progress_bar
    from crab_graph.domains.benchmark import load_benchmark
    from crab_graph.domains.spoilage import summarise_spoilage

    benchmark = load_benchmark(bench)
    chosen = [benchmark[task]] if task else list(benchmark)
    results = []
    certified = []
    with (
        benchmark.connect() as connection,
        progress_bar("Counting solutions") as progress,
    ):
        for done, one in enumerate(chosen, start=1):
            certificate = benchmark.certify(one, connection)
            results.append({"id": one.id, **certificate.as_json()})
            certified.append((one, certificate))
            progress(done, len(chosen))
    ok = all(result["ok"] for result in results)
    by_paper = benchmark.manifest.settings.paper is not None
    summary = summarise_spoilage(certified) if by_paper else []
    if as_json:
        added = {"summary": [one.as_json() for one in summary]} if by_paper else {}
        print_json({"ok": ok, "tasks": results, **added})
    else:
        _print_table(results, ok)
        if by_paper:
            _print_summary(summary)
    if not ok:
        raise typer.Exit(1)


def _print_table(results: list[dict[str, object]], ok: bool) -> None:
    from rich.table import Table

    table = Table("task", box=None, pad_edge=False)
    for heading in ("expected", "SQL", "arrays", "search"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for result in results:
        counts = [str(result[name]) for name in ("expected", "sql", "arrays", "search")]
        table.add_row(str(result["id"]), *counts, "ok" if result["ok"] else "MISMATCH")
    console().print(table)
    wrong = sum(not result["ok"] for result in results)
    print(
        f"{len(results)} tasks: every count agrees."
        if ok
        else f"{len(results)} tasks, {wrong} with counts that do not agree."
    )


def _print_summary(summary: list["Spoilage"]) -> None:
    from rich.table import Table

    table = Table("stratum", "dates", box=None, pad_edge=False)
    for heading in ("tasks", "spoiled", "extra solutions, median", "max", "edge distractors"):
        table.add_column(heading, justify="right")
    for one in summary:
        numbers = (
            one.tasks,
            one.spoiled,
            one.median_extra,
            one.max_extra,
            one.median_edge_distractors,
        )
        table.add_row(f"S{one.stratum}", one.date_mode, *(f"{number:,}" for number in numbers))
    console().print(table)
