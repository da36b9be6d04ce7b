"""`crab-graph run`: an agent on the tasks of a benchmark, every episode graded."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.options import BenchArgument, DryRunOption, ForceOption
from crab_graph.cli.output import JsonOption
from crab_graph.settings import About, RunSettings, SittingSettings


def run(
    bench: BenchArgument,
    agent: Annotated[
        str,
        typer.Option(
            metavar="SPEC",
            envvar="CRAB_AGENT",
            help="solver, literal, hasty, credulous, stubborn, silent; provider:model; "
            "package.module:attribute (with one required parameter: a factory make(tools)); "
            "http(s)://host/v1#model.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="RUN", help="Directory of the run.")],
    settings: RunSettings,
    terms: SittingSettings,
    user: Annotated[
        str,
        typer.Option(
            metavar="COND",
            help="generic, persona, ruse, d1 to d4, or a mix such as terse+d2+d4; "
            "several with commas.",
        ),
    ] = "ruse",
    persona: Annotated[
        str | None,
        typer.Option(help="The same persona for every user: terse, neutral, impatient or none."),
    ] = None,
    grading: Annotated[
        str, typer.Option(help="Which verdict the table counts: parity, or strict. Both are kept.")
    ] = "parity",
    dry_run: DryRunOption = False,
    force: ForceOption = False,
    allow_mismatch: Annotated[
        bool,
        typer.Option(
            "--allow-mismatch",
            help="Go on with a run of other settings in RUN: what is finished stays as it is.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run an agent on tasks, with simulated users, and grade every episode.

    Exit code 0 when every episode has a verdict, 1 while one ended in an infra error. The
    same command goes on where an interrupted one stopped, at the very message; so does `resume`.

    --max-… limits each episode, --run-max-… the whole run: then no further episode is begun, and
    the run can be gone on with under a higher cap.
    """
    from crab_graph.cli import run_output
    from crab_graph.runs.runner import sit
    from crab_graph.runs.sitting import prepare_sitting

    About(choices=run_output.GRADINGS).check("grading", grading)
    users = run_output.read_conditions(user, settings, persona)
    sitting = prepare_sitting(out, bench, agent, users, settings, terms)
    if dry_run:
        run_output.print_estimate(
            sitting, as_json=as_json, force=force, allow_mismatch=allow_mismatch
        )
        return
    with run_output.episode_bar(out) as bar:
        result = sit(sitting, bar, force=force, allow_mismatch=allow_mismatch)
    run_output.print_run(result, bar, as_json=as_json, grading=grading)
