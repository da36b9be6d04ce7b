"""Options that say who does the work, worded alike in every command that shares it out."""

from typing import Annotated

import typer

JobsOption = Annotated[int, typer.Option(help="Number of processes.", min=1)]
CoresOption = Annotated[
    int | None,
    typer.Option(help="Number of processes.", min=1, show_default="one a core"),
]
ConcurrencyOption = Annotated[int, typer.Option(help="Episodes at once in each process.", min=1)]
ExecutorOption = Annotated[
    str, typer.Option(help="processes, or ray for the machines of a cluster.")
]
CheckpointOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="CRAB_CHECKPOINT",
        help="Keep checkpoints in PostgreSQL: postgresql://USER@HOST/DATABASE.",
    ),
]
