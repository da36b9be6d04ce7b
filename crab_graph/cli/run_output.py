"""What `run`, `resume` and the like show: a bar, a table, or what a run would take."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from crab_graph.cli.output import console, new_table, print_json
from crab_graph.errors import UnknownName

if TYPE_CHECKING:
    from crab_graph.runs.estimate import RunEstimate
    from crab_graph.runs.record import EpisodeRecord
    from crab_graph.runs.run import Run
    from crab_graph.runs.sitting import Progress

INTERRUPTED = 130
GRADINGS = ("parity", "strict")
OUTCOMES = ("pass", "fail", "budget_exhausted", "user_fault", "infra_error")


class EpisodeBar:
    """How far a run is, on stderr; called with each `Progress`."""

    def __init__(self) -> None:
        """Show nothing yet: unusable input leaves one line and no bar."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bar

        self._seen: list[Progress] = []
        self._bar = Bar(
            TextColumn("Episodes"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[passed]} passed"),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[spent]}"),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task("", total=None, passed=0, rate="", spent="")

    def __call__(self, progress: "Progress") -> None:
        """Show how far it is now."""
        self._seen.append(progress)
        spent = self._bar.tasks[0].elapsed or 0.0
        done = progress.done - self._seen[0].done
        money = f" ${progress.dollars:,.2f}" if progress.dollars else ""
        self._bar.update(
            self._task,
            completed=progress.done,
            total=progress.total,
            passed=progress.passed,
            rate=f"{done / spent:.1f}/s" if done and spent else "",
            spent=f"{progress.tokens:,} tokens{money}" if progress.tokens else "",
        )
        if self._seen[0].done < self._seen[0].total:
            self._bar.start()

    def close(self) -> None:
        """Leave the last line as it is; there is none where no bar was shown."""
        if self._bar.live.is_started:
            self._bar.stop()

    @property
    def counts(self) -> tuple[int, int]:
        """Episodes that are finished, and all of them."""
        return (self._seen[-1].done, self._seen[-1].total) if self._seen else (0, 0)

    @property
    def started(self) -> bool:
        """Whether there was anything left to do."""
        first = self._seen[0]
        return first.done < first.total and first.stopped is None

    @property
    def stopped(self) -> str | None:
        """The cap of the whole run that was reached, if one was."""
        return self._seen[-1].stopped


@contextmanager
def episode_bar(directory: Path) -> Iterator[EpisodeBar]:
    """Show a bar on stderr; an interrupt becomes a line that says how to go on."""
    bar = EpisodeBar()
    try:
        yield bar
    except KeyboardInterrupt:
        bar.close()
        done, total = bar.counts
        typer.echo(
            f"{done} of {total} episodes are finished and kept; "
            f"go on with: crab-graph resume {directory}",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    finally:
        bar.close()


def check_grading(name: str) -> str:
    """Return the name of a grading.

    Raises:
        UnknownName: there is no such grading.
    """
    if name not in GRADINGS:
        raise UnknownName("grading", name, GRADINGS)
    return name


def print_run(run: "Run", bar: EpisodeBar, *, as_json: bool, grading: str = GRADINGS[0]) -> None:
    """Print who passed, and leave with 1 while an episode has no verdict.

    Args:
        run: The run.
        bar: What was seen of the sitting.
        as_json: Print one JSON document.
        grading: Which of the two verdicts counts as passed here; both are kept.
    """
    from crab_graph.analysis.labels import mock_line, spending_json, spending_lines

    groups = _groups(run, grading)
    if as_json:
        print_json(
            {
                "run": str(run.directory),
                "agent": run.config.agent,
                "episodes": len(run),
                "planned": run.planned,
                "started": bar.started,
                "complete": run.is_complete,
                "toolset": run.config.toolset,
                "grading": grading,
                "outcomes": _counts(run.episodes),
                "stopped": bar.stopped,
                "mismatches": run.config.mismatches,
                "spending": spending_json(run.episodes),
                "mock": mock_line(run.episodes) is not None,
                "groups": groups,
            }
        )
    else:
        _print_table(run, groups, grading)
        for line in (*spending_lines(run.episodes), mock_line(run.episodes)):
            if line is not None:
                print(line)
        if run.config.mismatches:
            print(f"Gone on with under other settings: {_mismatches(run)}")
        if bar.stopped is not None:
            print(_stop_line(bar.stopped, run.directory))
        elif not bar.started:
            print("All episodes were finished before; nothing was done.")
        if run.failed:
            first = run.failed[0]
            print(
                f"{len(run.failed)} episodes have no verdict, as {first.episode_id}: {first.error}"
            )
            print(f"Try them again: crab-graph resume {run.directory}")
    if not run.is_complete:
        raise typer.Exit(1)


def _mismatches(run: "Run") -> str:
    found = (f"{one['name']} {one['before']}, then {one['now']}" for one in run.config.mismatches)
    return "; ".join(found)


def _groups(run: "Run", grading: str) -> list[dict[str, Any]]:
    """Return the rates of each user, over all strata and by stratum."""
    groups = []
    for user in run.config.users:
        episodes = [one for one in run.episodes if one.condition == user]
        strata = sorted({one.stratum for one in episodes})
        for stratum in (None, *strata):
            chosen = [one for one in episodes if stratum in (None, one.stratum)]
            scored = [one for one in chosen if one.outcome != "infra_error"]
            passed = sum(_passed(one, grading) for one in scored)
            groups.append(
                {
                    "user": user,
                    "stratum": stratum,
                    "n": len(scored),
                    "passed": passed,
                    "pass_at_1": passed / len(scored) if scored else None,
                    "outcomes": _counts(chosen),
                }
            )
    return groups


def _passed(episode: "EpisodeRecord", grading: str) -> bool:
    return episode.passed if grading == GRADINGS[0] else bool(episode.strict.get("passed"))


def _counts(episodes: "list[EpisodeRecord] | tuple[EpisodeRecord, ...]") -> dict[str, int]:
    outcomes = [one.outcome for one in episodes]
    return {outcome: outcomes.count(outcome) for outcome in OUTCOMES}


def _print_table(run: "Run", groups: list[dict[str, Any]], grading: str) -> None:
    reference = any(one.agent_is_reference for one in run.episodes)
    label = f"{run.config.agent_label}{' (reference agent, no LLM)' if reference else ''}"
    rate_name = "pass@1" if grading == GRADINGS[0] else f"pass@1 ({grading})"
    numbers = (rate_name, "n", *(name.replace("_", " ") for name in OUTCOMES))
    table = new_table("user", "tasks", numbers=numbers, title=f"{label} in {run.directory}")
    for group in groups:
        rate = "-" if group["pass_at_1"] is None else f"{100 * group['pass_at_1']:.1f} %"
        counts = [str(group["outcomes"][name]) for name in OUTCOMES]
        stratum = "all" if group["stratum"] is None else f"S{group['stratum']}"
        table.add_row(group["user"], stratum, rate, str(group["n"]), *counts)
    console().print(table)


def _stop_line(cap: str, directory: Path) -> str:
    """Return why a run was stopped before its end, and how to go on."""
    option = f"--run-{cap.replace('_', '-')}"
    return (
        f"The run's cap {option} is reached: no further episode was begun. "
        f"Go on under a higher one: crab-graph resume {directory} {option} N"
    )


def print_estimate(estimate: "RunEstimate", *, priced: bool, as_json: bool) -> None:
    """Print what a run would take.

    Args:
        estimate: What it would take.
        priced: Whether there are prices at all.
        as_json: Print one JSON document.
    """
    costs = [seat.cost for seat in estimate.seats.values()]
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if len(known) == len(costs) else None
    if as_json:
        print_json(
            {
                "dry_run": True,
                "planned": estimate.planned,
                "finished": estimate.finished,
                "to_do": estimate.to_do,
                "sampled": estimate.sampled,
                "seats": {party: asdict(seat) for party, seat in estimate.seats.items()},
                "cost": total,
            }
        )
        return
    print(
        f"Dry run: {estimate.planned} episodes, {estimate.finished} of them finished, "
        f"{estimate.to_do} to do. Nothing was run or written."
    )
    if not estimate.to_do:
        return
    if not estimate.seats:
        print("No language model would be asked.")
        return
    for party, seat in estimate.seats.items():
        cost = f", about ${seat.cost:,.2f}" if seat.cost is not None else ", cost unknown"
        print(
            f"{party + ':':6} {seat.spec}: about {seat.calls:,} calls, "
            f"{seat.input_tokens:,} tokens read and {seat.output_tokens:,} written{cost}"
        )
    if total is None:
        print("The price of a model is not known" + (": add it to --prices." if priced else "."))
        if not priced:
            print("With --prices FILE (see examples/prices.toml) it is counted in dollars too.")
    elif len(costs) > 1:
        print(f"Together about ${total:,.2f}.")
    print(
        f"Told from {estimate.sampled} of them, played by the reference agent with the rule-based "
        "user, at four characters a token. A model that takes more turns takes more; hidden "
        "reasoning, and what a provider caches, are not in it."
    )
