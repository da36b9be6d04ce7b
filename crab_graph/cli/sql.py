"""`crab-graph sql`: a query over a run's tables."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption, print_json


def sql(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory that `run` wrote.")],
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY",
            help="One SELECT over episodes, checks, messages, tool_calls and facts.",
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Query a run with SQL (DuckDB) and print CSV, or a list of objects with --json.

    Example: crab-graph sql RUN "SELECT check_id, count(*) FROM checks WHERE verdict = 'fail' GROUP
    BY ALL". The query sees the run and nothing else: no files, no network.
    """
    import csv
    import sys

    from crab_graph.runs.sql import query_run

    table = query_run(run, query)
    if as_json:
        print_json([dict(zip(table.columns, row, strict=True)) for row in table.rows])
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
