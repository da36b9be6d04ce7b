"""`crab-graph sql`: a query over the tables of runs."""

import csv
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from crab_graph.cli.output import JsonOption, exact_stdout, print_json


def sql(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN... QUERY",
            help="Directories that `run` wrote, and one query over their tables.",
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Query runs with SQL (DuckDB) and print CSV, or a list of objects with --json.

    The tables: runs, episodes, checks, turns, messages, tool_calls, facts, user_breaches, costs,
    steps, slots, events, and the final tables, such as final_bookings, final_transactions and those
    of the domain. SHOW TABLES lists them, DESCRIBE TABLE shows the columns of one. Several runs are
    told apart by the column `run`, their number from 1.

    Example: crab-graph sql RUN "SELECT check_id, count(*) FROM checks WHERE verdict = 'fail' GROUP
    BY ALL". The query sees these runs and nothing else: no files, no network, no settings.
    """
    from crab_graph.errors import UsageError
    from crab_graph.runs.sql import query_runs

    *runs, query = arguments
    if not runs:
        raise UsageError('sql: name a run and a query: crab-graph sql RUN "SELECT …"')
    table = query_runs([Path(run) for run in runs], query)
    if as_json:
        print_json([{name: _plain(cell) for name, cell in row.items()} for row in table.objects()])
        return
    # On a terminal what anybody said may not steer it; a file or a program gets it as it is.
    stream = sys.stdout if sys.stdout.isatty() else exact_stdout()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)


def _plain(value: Any) -> Any:
    """Return a value of SQL as one of JSON: exact numbers as numbers, dates as text."""
    from decimal import Decimal

    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)
