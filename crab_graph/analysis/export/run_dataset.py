"""A run as a dataset folder: one Parquet file for each table that `sql` shows, and a data card."""

import json
from pathlib import Path

from crab_graph.analysis.export.dataset import CARD, card_head, markdown_table, write_parquet
from crab_graph.analysis.export.folder import whole_folder
from crab_graph.analysis.export.provenance import run_stamp
from crab_graph.runs.parts import connect
from crab_graph.runs.run import Run
from crab_graph.runs.sql import load_runs
from crab_graph.runs.tables import TABLES

_STAMP = "run.json"


def export_tables(run: Run, out: Path, *, force: bool = False) -> dict[str, int]:
    """Write a run's tables as a dataset folder, and return the number of rows of each file.

    `OUT/data/NAME.parquet` holds a table, `OUT/run.json` what the run depends on, and
    `OUT/README.md` the data card.

    Raises:
        UsageError: something is there already, and `force` is not given.
        RunError: the run is damaged.
    """
    with whole_folder(out, force=force) as folder:
        data = folder / "data"
        data.mkdir()
        with connect() as connection:
            load_runs(connection, [run.directory], TABLES)
            rows = {
                table.name: write_parquet(
                    connection,
                    f'SELECT * FROM "{table.name}" ORDER BY ALL',  # noqa: S608
                    data / f"{table.name}.parquet",
                )
                for table in TABLES
            }
        stamp = json.dumps(run_stamp(run), indent=1) + "\n"
        (folder / _STAMP).write_text(stamp, encoding="utf-8")
        (folder / CARD).write_text(_card(run, rows, out.name), encoding="utf-8")
    return rows


def _card(run: Run, rows: dict[str, int], name: str) -> str:
    stamp = run_stamp(run)
    agent = (
        f"{run.config.agent_label}{' (a reference agent)' if stamp['agent_is_reference'] else ''}"
    )
    user = (
        "follows rules, without a model" if stamp["user_is_rule_based"] else "is played by a model"
    )
    outcomes = markdown_table(
        ["user", "episodes", "passed", "infra_error"],
        (
            (
                condition,
                str(len(own)),
                str(sum(one.passed for one in own)),
                str(sum(one.outcome == "infra_error" for one in own)),
            )
            for condition in run.config.users
            if (own := [one for one in run if one.condition == condition])
        ),
    )
    files = markdown_table(["file", "rows"], ((one, f"{n:,}") for one, n in rows.items()))
    return f"""{card_head(name, ("agents", "user-simulation", "trajectories"), rows)}
# {name}

{len(run)} of {run.planned} episodes of crab-graph: {agent} in dialogue with a simulated user that
{user}. Graded on the final database and on whether the agent's words match its deeds.

{outcomes}

An episode without a verdict (`infra_error`) is never scored.

## Files

{files}

`episode_id` ties the files together. `messages` and `tool_calls` hold the user's private calls too
(`owner = 'user'`), which the agent never saw. `{_STAMP}` says what the results depend on: seed,
limits, versions, and the hash of the tasks (`{run.config.benchmark_sha256}`).
"""
