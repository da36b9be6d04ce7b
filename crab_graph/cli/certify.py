"""`certify`: count every task's solutions again."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption, console, print_json


def certify(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="Directory of the benchmark.")],
    task: Annotated[str | None, typer.Option(help="One task only, such as S1-001.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Count each task's solutions again on its tables, by SQL, by arrays and by plain search.

    Exits with 1 where a count differs from the number the task must have.
    """
    from crab_graph.cli.progress import progress_bar
    from crab_graph.domains.benchmark import load_benchmark

    benchmark = load_benchmark(bench)
    chosen = [benchmark[task]] if task else list(benchmark)
    results = []
    with (
        benchmark.connect() as connection,
        progress_bar("Counting solutions") as progress,
    ):
        for done, one in enumerate(chosen, start=1):
            certificate = benchmark.certify(one, connection)
            results.append({"id": one.id, **certificate.as_json()})
            progress(done, len(chosen))
    ok = all(result["ok"] for result in results)
    if as_json:
        print_json({"ok": ok, "tasks": results})
    else:
        _print_table(results, ok)
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
