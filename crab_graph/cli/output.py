"""What commands print: results on stdout, for people or as JSON; progress on stderr."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of text for people.")
]
"""The option `--json`, worded alike in every command."""


def print_json(document: Any) -> None:
    """Print one JSON document on stdout."""
    json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def print_json_line(document: Any) -> None:
    """Print a JSON document on one line at once, for a program that waits for it."""
    print(json.dumps(document, ensure_ascii=False), flush=True)


def console() -> "Console":
    """Return a console on stdout that wraps at the terminal's width, and hardly ever in a pipe."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 160
    # What is printed comes from tasks, agents and files: none of it is markup.
    return Console(width=width, highlight=False, soft_wrap=False, markup=False)


def new_table(
    *headings: str, numbers: Sequence[str] = (), last: Sequence[str] = (), title: str | None = None
) -> "Table":
    """Return an empty table without lines; columns of numbers come before the last ones."""
    from rich.table import Table

    table = Table(*headings, box=None, pad_edge=False, title=title, title_justify="left")
    for heading in numbers:
        table.add_column(heading, justify="right")
    for heading in last:
        table.add_column(heading)
    return table


def agent_title(agent: str, is_reference: bool) -> str:
    """Return an agent as titles of tables name it, labelled where no model stands behind it."""
    return f"{agent} (reference agent, no LLM)" if is_reference else agent


def new_bar(*told: str) -> "Progress":
    """Return a bar on stderr that tells these things between the count and the time."""
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        *map(progress.TextColumn, told),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left:"),
        progress.TimeRemainingColumn(),
        console=Console(stderr=True),
    )


@contextmanager
def progress_bar(words: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while work goes on; yields a function that takes `(done, total)`.

    The bar appears with the first call, so that unusable input leaves one line and no bar.
    """
    bar = new_bar()
    task = bar.add_task(words)

    def advance(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)
        bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
