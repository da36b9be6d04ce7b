"""`crab-graph export`: take a run or a benchmark to other tools."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption, print_json


def _formats() -> list[str]:
    from crab_graph.analysis.export.exporters import EXPORTERS

    return list(EXPORTERS.names())


def export(
    source: Annotated[
        Path, typer.Argument(metavar="RUN|BENCH", help="Directory of a run, or of a benchmark.")
    ],
    format: Annotated[
        str, typer.Option(help="openai, parquet, inspect or langsmith.", autocompletion=_formats)
    ],
    out: Annotated[Path, typer.Option(help="File to write; a folder for parquet.")],
    rewards: Annotated[
        bool,
        typer.Option(
            "--rewards", help="openai: keep failed episodes too, and attach rewards to all."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write episodes for training or for other tools, or a benchmark as a dataset.

    openai: fine-tuning examples, one a line, of the episodes that passed; only the agent's turns
    carry a weight. parquet: a folder with one Parquet file a table and a data card; of a benchmark
    too. inspect: a log that Inspect opens. langsmith: a list of runs.
    """
    from crab_graph.analysis.export.exporters import export as export_source

    counts = export_source(source, format, out, rewards=rewards, force=force)
    if as_json:
        print_json({"format": format, "out": str(out), "counts": counts})
        return
    listed = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    print(f"{out}: {listed}")
