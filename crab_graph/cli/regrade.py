"""`crab-graph regrade`: grade a run again, and say what changed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.output import JsonOption, console, print_json

if TYPE_CHECKING:
    from crab_graph.runs.regrade import Change, Regrading


def regrade(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory that `run` wrote.")],
    allow_mismatch: Annotated[
        bool,
        typer.Option(
            "--allow-mismatch",
            help="Grade even where benchmark or tools are not those the run was made with.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Grade the stored episodes of a run again, without playing them, and say what changed.

    Verdicts of before stay in each episode's history. Exits with 1 where a verdict changed or the
    grading of an episode crashed, with 2 on another benchmark than the run was made with.
    """
    from crab_graph.cli.progress import progress_bar
    from crab_graph.runs.regrade import regrade_run
    from crab_graph.runs.store import load_index

    total = len(load_index(run))
    with progress_bar(f"grading {run}") as advance:
        found = regrade_run(
            run,
            allow_mismatch=allow_mismatch,
            progress=lambda done: advance(done, max(done, total)),
        )
    if as_json:
        print_json(found.as_json())
    else:
        _print_regrading(found)
    if not found.is_same:
        raise typer.Exit(1)


def _print_regrading(found: "Regrading") -> None:
    from rich.table import Table
    from rich.text import Text

    from crab_graph.analysis.report.titles import check_titles

    changed = len(found.changes)
    print(f"{found.episodes} episodes graded again, {changed or 'no'} verdicts changed")
    for part, count in found.reasons.items():
        print(f"{part}: another one than {count} episodes were graded with")
    if found.unstamped:
        print(f"{found.unstamped} episodes did not say what they were graded with")
    if found.changes:
        table = Table(box=None, pad_edge=False)
        for heading in ("episode", "outcome", "check", "rule"):
            table.add_column(heading)
        titles = check_titles()
        for change in found.changes:
            is_same = change.before == change.after
            outcome = change.before if is_same else f"{change.before} → {change.after}"
            rules = _changed_rules(change)
            lines = [f"{name}{pair}" for name, pair in rules]
            named = [titles.get(name.split()[0], "") for name, _ in rules]
            table.add_row(change.episode_id, outcome, Text("\n".join(lines)), "\n".join(named))
        console().print(table)
    for episode_id, error in found.ungraded.items():
        print(f"{episode_id}: {' '.join(error.split())}")


def _changed_rules(change: "Change") -> list[tuple[str, str]]:
    """Return the checks that changed, and those that changed under strict grading alone."""
    strict = {name: pair for name, pair in change.strict.items() if name not in change.checks}
    marked = [*change.checks.items(), *((f"{name} (strict)", p) for name, p in strict.items())]
    return [(name, f": {before or 'none'} → {after or 'none'}") for name, (before, after) in marked]
