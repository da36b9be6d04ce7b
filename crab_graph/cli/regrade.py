"""`crab-graph regrade`: grade a run again, and say what changed."""

from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.options import RunArgument, TrustOption, ask_to_trust
from crab_graph.cli.output import JsonOption, console, new_table, print_json, progress_bar
from crab_graph.settings import TrustSettings
from crab_graph.terms import TURNS_INTO, verdict_word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crab_graph.runs.grading import Regrading


def regrade(
    run: RunArgument,
    allow_mismatch: Annotated[
        bool,
        typer.Option(
            "--allow-mismatch",
            help="Grade even where benchmark or tools are not those the run was made with.",
        ),
    ] = False,
    trust: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Grade the stored episodes of a run again, without playing them, and say what changed.

    Verdicts of before stay in each episode's history. Exits with 1 where a verdict changed or the
    grading of an episode crashed, with 2 on another benchmark than the run was made with.
    """
    from crab_graph.analysis.labels import check_titles
    from crab_graph.runs.grading import regrade_run
    from crab_graph.runs.run import card_of
    from crab_graph.runs.store import load_index

    total = len(load_index(run))
    with progress_bar(f"grading {run}") as advance:
        found = ask_to_trust(
            TrustSettings(trust=trust),
            lambda given: regrade_run(
                run,
                allow_mismatch=allow_mismatch,
                trust=given.trust,
                progress=lambda done: advance(done, max(done, total)),
            ),
        )
    if as_json:
        print_json(found.as_json())
    else:
        _print_regrading(found, check_titles(card_of(run)))
    if not found.is_same:
        raise typer.Exit(1)


def _turn_in_words(before: str | None, after: str | None) -> str:
    return TURNS_INTO.join(verdict_word(one or "none") for one in (before, after))


def _print_regrading(found: "Regrading", titles: "Mapping[str, str]") -> None:
    from rich.text import Text

    changed = len(found.changes)
    print(f"{found.episodes} episodes graded again, {changed or 'no'} verdicts changed")
    for part, count in found.reasons.items():
        print(f"{part}: another one than {count} episodes were graded with")
    if found.unstamped:
        print(f"{found.unstamped} episodes did not say what they were graded with")
    if found.changes:
        table = new_table("episode", "outcome", "check")
        for change in found.changes:
            is_same = change.before == change.after
            was, now = change.before, change.after
            outcome = verdict_word(was) if is_same else _turn_in_words(was, now)
            lines = [f"{check}: {_turn_in_words(*turn)}" for check, turn in change.rules.items()]
            table.add_row(change.episode_id, outcome, Text("\n".join(lines)))
        console().print(table)
    if found.changes and found.rules:
        table = new_table("changed_by", "rule", "episodes")
        for check, counts in found.rules.items():
            told = ", ".join(
                f"{_turn_in_words(*turn.split(TURNS_INTO))}: {count}"
                for turn, count in counts.items()
            )
            table.add_row(check, titles.get(check.split()[0], ""), told)
        console().print("", table, sep="\n")
    for episode_id, error in found.ungraded.items():
        print(f"{episode_id}: {' '.join(error.split())}")
