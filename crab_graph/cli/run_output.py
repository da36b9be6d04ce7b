"""What `run`, `resume` and the like read and show: users, a bar, a table, what a run would take."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from crab_graph.cli.output import agent_title, console, new_bar, new_table, own_heads, print_json
from crab_graph.settings import Engine, EpisodeSettings
from crab_graph.terms import OUTCOMES

if TYPE_CHECKING:
    from rich.text import Text

    from crab_graph.personas.condition import Condition
    from crab_graph.runs.record import EpisodeRecord
    from crab_graph.runs.run import Run
    from crab_graph.runs.sitting import Progress, Sitting

INTERRUPTED = 130
GRADINGS = ("parity", "strict")


def read_conditions(
    text: str, settings: EpisodeSettings, persona: str | None = None
) -> "list[Condition]":
    """Return the conditions of a list with commas; say on stderr what its user cannot follow.

    The persona is that of them all; by default each has its own.

    Raises:
        UsageError: a condition or a fragment is not known.
    """
    from crab_graph.graph.users import read_users
    from crab_graph.personas.condition import Condition
    from crab_graph.personas.fragment_set import load_fragments

    fragments = load_fragments(None if settings.personas is None else Path(settings.personas))
    conditions = [one for one in read_users(text, fragments) if isinstance(one, Condition)]
    if persona is not None:
        conditions = [one.with_persona(persona, fragments.added) for one in conditions]
    for name in fragments.text_only if settings.engine == Engine.RULES else ():
        if any(name in condition.dimensions for condition in conditions):
            typer.echo(
                f"note: the rule-based user cannot read '{name}', whose files are text alone: give "
                "them fields, or use --engine llm or hybrid",
                err=True,
            )
    return conditions


class EpisodeBar:
    """How far a run is, on stderr; called with each `Progress`."""

    def __init__(self) -> None:
        """Show nothing yet: unusable input leaves one line and no bar."""
        self.seen: list[Progress] = []
        self._bar = new_bar(
            "{task.fields[passed]} passed", "{task.fields[rate]}", "{task.fields[spent]}"
        )
        self._task = self._bar.add_task("Episodes", total=None, passed=0, rate="", spent="")

    def __call__(self, progress: "Progress") -> None:
        """Show how far it is now."""
        self.seen.append(progress)
        spent = self._bar.tasks[0].elapsed or 0.0
        done = progress.done - self.seen[0].done
        money = f" ${progress.dollars:,.2f}" if progress.dollars else ""
        self._bar.update(
            self._task,
            completed=progress.done,
            total=progress.total,
            passed=progress.passed,
            rate=f"{done / spent:.1f}/s" if done and spent else "",
            spent=f"{progress.tokens:,} tokens{money}" if progress.tokens else "",
        )
        if self.seen[0].done < self.seen[0].total:
            self._bar.start()

    def close(self) -> None:
        """Leave the last line as it is; there is none where no bar was shown."""
        if self._bar.live.is_started:
            self._bar.stop()

    @property
    def started(self) -> bool:
        """Whether there was anything left to do."""
        first = self.seen[0]
        return first.done < first.total and first.stopped is None

    @property
    def stopped(self) -> str | None:
        """The cap of the whole run that was reached, if one was."""
        return self.seen[-1].stopped


@contextmanager
def episode_bar(directory: Path) -> Iterator[EpisodeBar]:
    """Show a bar on stderr; an interrupt becomes a line that says how to go on.

    What agents print meanwhile is no result: it goes to stderr, too.
    """
    bar = EpisodeBar()
    try:
        with redirect_stdout(sys.stderr):
            yield bar
    except KeyboardInterrupt:
        bar.close()
        done, total = (bar.seen[-1].done, bar.seen[-1].total) if bar.seen else (0, 0)
        typer.echo(
            f"{done} of {total} episodes are finished and kept; "
            f"go on with: crab-graph resume {directory}",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    finally:
        bar.close()


def print_run(run: "Run", bar: EpisodeBar, *, as_json: bool, grading: str = GRADINGS[0]) -> None:
    """Print who passed by a grading, of the two that are kept; leave with 1 while one has none."""
    from crab_graph.analysis.labels import mock_line, spending_json, spending_lines

    groups = _groups(run, grading)
    if as_json:
        print_json(
            {
                "run": str(run.directory),
                "agent": run.config.agent_name,
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
            changed = ("{name} {before}, then {now}".format(**one) for one in run.config.mismatches)
            print(f"Gone on with under other settings: {'; '.join(changed)}")
        if bar.stopped is not None:
            option = f"--run-{bar.stopped.replace('_', '-')}"
            print(
                f"The run's cap {option} is reached: no further episode was begun. "
                f"Go on under a higher one: crab-graph resume {run.directory} {option} N"
            )
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


def _groups(run: "Run", grading: str) -> list[dict[str, Any]]:
    """Return the rates of each user, over all strata and by stratum."""
    from crab_graph.analysis.report.measures import PASS, STRICT, estimate, scored

    measure = PASS if grading == GRADINGS[0] else STRICT
    groups = []
    for user in run.config.users:
        episodes = [one for one in run.episodes if one.condition == user]
        strata = sorted({one.stratum for one in episodes})
        for stratum in (None, *strata):
            chosen = [one for one in episodes if stratum in (None, one.stratum)]
            (rate,) = estimate(chosen, [measure])
            groups.append(
                {
                    "user": user,
                    "stratum": stratum,
                    "tasks": rate.tasks,
                    "episodes": rate.episodes,
                    "passed": sum(measure.read(one) > 0 for one in scored(chosen)),
                    "pass_at_1": rate.value,
                    **{name: getattr(rate, name) or None for name in ("method", "note")},
                    "low": rate.low,
                    "high": rate.high,
                    "outcomes": _counts(chosen),
                }
            )
    return groups


def _counts(episodes: "Sequence[EpisodeRecord]") -> dict[str, int]:
    outcomes = [one.outcome for one in episodes]
    return {outcome: outcomes.count(outcome) for outcome in OUTCOMES}


def _print_table(run: "Run", groups: list[dict[str, Any]], grading: str) -> None:
    from crab_graph.analysis.report.exhibit import interval_text

    reference = any(one.agent_is_reference for one in run.episodes)
    label = agent_title(run.config.agent_label, reference)
    rate_name = "rate" if grading == GRADINGS[0] else "strict_rate"
    counts = ("tasks", "episodes")
    numbers: tuple[str | Text, ...] = (rate_name, *counts, *own_heads(OUTCOMES.values()))
    table = new_table("user", "stratum", numbers=numbers, title=f"{label} in {run.directory}")
    for group in groups:
        rate = "-"
        if group["pass_at_1"] is not None:
            ends = None if group["low"] is None else (group["low"], group["high"])
            rate = f"{100 * group['pass_at_1']:.1f} % ({interval_text(ends)})"
        outcomes = [str(group["outcomes"][name]) for name in OUTCOMES]
        stratum = "all" if group["stratum"] is None else f"S{group['stratum']}"
        table.add_row(
            group["user"], stratum, rate, *(str(group[name]) for name in counts), *outcomes
        )
    console().print(table)
    for note in dict.fromkeys(group["note"] for group in groups if group["note"]):
        print(f"(–): {note}.")


def print_estimate(
    sitting: "Sitting", *, as_json: bool, force: bool, allow_mismatch: bool = False
) -> None:
    """Print what a run would take."""
    from crab_graph.runs.estimate import estimate_sitting

    estimate = estimate_sitting(sitting, force=force, allow_mismatch=allow_mismatch)
    priced = sitting.config.prices is not None
    if as_json:
        print_json(estimate.as_json())
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
    if estimate.cost is None:
        print("The price of a model is not known" + (": add it to --prices." if priced else "."))
        if not priced:
            print("With --prices FILE (see examples/prices.toml) it is counted in dollars too.")
    elif len(estimate.seats) > 1:
        print(f"Together about ${estimate.cost:,.2f}.")
    print(
        f"Told from {estimate.sampled} of them, played by the reference agent with the rule-based "
        "user, at four characters a token. A model that takes more turns takes more; hidden "
        "reasoning, and what a provider caches, are not in it."
    )
