"""`crab-graph compare`: runs side by side, task by task."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crab_graph.cli.options import HtmlBudgetOption, RunArguments
from crab_graph.cli.output import JsonOption, console, new_table, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from crab_graph.analysis.comparison.arm_pairs import ArmPair
    from crab_graph.analysis.comparison.run_comparison import RunComparison

_NAMED = 3


def compare(
    runs: RunArguments,
    only: Annotated[
        Literal["fixed", "broken", "flaky"] | None,
        typer.Option(help="Show these tasks alone: fixed, broken or flaky."),
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option(
            metavar="EPISODE",
            help="Show this episode alone, the dialogues of both runs side by side from where they "
            "part.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            help="Also write one self-contained HTML page, with any two dialogues of a task "
            "side by side."
        ),
    ] = None,
    html_budget: HtmlBudgetOption = 20.0,
    as_json: JsonOption = False,
) -> None:
    """Compare runs with the first one: what was fixed, broken or flaky, and which checks moved.

    A task is fixed that never passed and now always does, broken the other way round, flaky where
    some trials pass and some do not. Arms with the same kind of user are compared; differences are
    over pairs of the same task, trial and seed, with their 95 % interval and p adjusted by Holm.
    """
    from crab_graph.analysis.comparison.comparison_page import compare as compare_runs

    found = compare_runs(*runs, html=html, html_budget=html_budget)
    if as_json:
        print_json(found.as_json())
        return
    if episode is not None:
        _print_dialogues(found, runs, episode)
        return
    _print_grid(found, only)
    for pair in found.pairs:
        _print_pair(pair)
    if html is not None:
        print(f"page: {html}")


def _print_dialogues(found: "RunComparison", runs: list[Path], episode: str) -> None:
    from crab_graph.analysis.viewer.side_by_side import print_side_by_side
    from crab_graph.runs.store import load_record

    for pair, before, after in found.partners(episode):
        left = load_record(runs[pair.reference.run], before.episode_id)
        right = load_record(runs[pair.arm.run], after.episode_id)
        print_side_by_side(console(), left, right, found.study.runs[pair.arm.run].card)


def _print_grid(found: "RunComparison", only: str | None) -> None:
    from crab_graph.analysis.labels import plain, tables_that_fit

    heads = [plain("\n".join(filter(None, one))) for one in found.heads_in_lines]
    rows = found.grid(only)

    def build(places: Sequence[int]) -> "Table":
        table = new_table("task", last=["", *(heads[place] for place in places)])
        for task, standing, *marks in rows:
            table.add_row(task, standing, *(marks[place] for place in places))
        return table

    screen = console()
    screen.print("Every task in every arm, a mark a trial", style="italic")
    screen.print(*tables_that_fit(screen, build, range(len(heads))), found.legend, sep="\n\n")


def _print_pair(pair: "ArmPair") -> None:
    from crab_graph.analysis.labels import plain
    from crab_graph.analysis.report.exhibit import points_text

    counts = ", ".join(f"{count} {standing}" for standing, count in pair.counts.items() if count)
    screen = console()
    screen.print("", plain(pair.title), f"tasks: {counts}", sep="\n")
    for standing in ("fixed", "broken", "flaky"):
        if tasks := pair.having(standing):
            screen.print(f"{standing}: {', '.join(tasks)}")
    if pair.checks:
        moved = new_table("check", "", numbers=("fixed", "broken"), last=("such_as",))
        for one in pair.checks:
            episodes = ", ".join([*one.broken, *one.fixed][:_NAMED])
            moved.add_row(
                one.check_id, one.title, str(len(one.fixed)), str(len(one.broken)), episodes
            )
        screen.print(moved)
    if not pair.differences:
        screen.print("No episodes share task, trial and seed: nothing can be compared in pairs.")
        return
    heads = ("pairs", "first", "second", "difference", "p", "p_holm")
    table = new_table("measure", numbers=heads)
    named = [(found.measure.title, found) for found in pair.differences]
    parts = [(f"{found.measure.title}, {part}", found) for part, found in pair.parts]
    for title, found in (*named, *parts):
        if not found.measure.is_share and found.first == found.second == 0:
            continue  # it did not occur
        share, ends = found.measure.is_share, found.contrast.interval.ends
        told = "–" if ends is None else " to ".join(points_text(end, share) for end in ends)
        levels = (f"{one:.0%}" if share else f"{one:.2f}" for one in (found.first, found.second))
        table.add_row(
            title,
            str(found.pairs),
            *levels,
            f"{points_text(found.contrast.difference, share)} ({told})",
            f"{found.contrast.p:.4f}",
            f"{found.p_holm:.4f}",
        )
    screen.print(table)
