"""What commands print: results on stdout, for people or as JSON; progress on stderr."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crab_graph.markup import escaped, visible
from crab_graph.terms import label

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table
    from rich.text import Text

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of text for people.")
]
"""The option `--json`, worded alike in every command."""


class CleanStream:
    """A stream on which no text steers the terminal; `exact` is the stream behind it.

    What is printed comes from tasks, agents and files of anybody.
    """

    def __init__(self, exact: Any) -> None:
        """Stand before a stream."""
        self.exact = exact

    def __getattr__(self, name: str) -> Any:
        """Return what else the stream has."""
        return getattr(self.exact, name)

    def write(self, text: str) -> int:
        """Write a text, its control characters shown."""
        written: int = self.exact.write(visible(text))
        return written

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts."""
        for line in lines:
            self.write(line)


def exact_stdout() -> Any:
    """Return stdout for what is clean already, or is data for a program."""
    return getattr(sys.stdout, "exact", sys.stdout)


def print_json(document: Any) -> None:
    """Print one JSON document on stdout."""
    exact_stdout().write(_json_text(document, indent=2) + "\n")


def print_json_line(document: Any) -> None:
    """Print a JSON document on one line at once, for a program that waits for it."""
    print(_json_text(document), flush=True)


def _json_text(document: Any, indent: int | None = None) -> str:
    """Return JSON in which every character that could steer a terminal is written as its number."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    return escaped(text)


def console() -> "Console":
    """Return a console on stdout that wraps at the terminal's width, and hardly ever in a pipe."""
    from crab_graph.cli.clean_console import CleanConsole

    width = None if sys.stdout.isatty() else 160
    # None of what is printed is markup.
    return CleanConsole(
        file=exact_stdout(), width=width, highlight=False, soft_wrap=False, markup=False
    )


def new_table(
    *headings: "str | Text",
    numbers: "Iterable[str | Text]" = (),
    last: "Iterable[str | Text]" = (),
    title: str | None = None,
) -> "Table":
    """Return an empty table without lines; columns of numbers come before the last ones.

    A string names a word of the vocabulary; a text stands as it is, for what has names of its own.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False, title=title, title_justify="left")
    for some, are_numbers in ((headings, False), (numbers, True), (last, False)):
        for one in some:
            named = label(one) if isinstance(one, str) else one
            table.add_column(named, justify="right" if are_numbers else "left")
    return table


def own_heads(names: Iterable[str]) -> "list[Text]":
    """Return heads of columns that the vocabulary does not name, for a table."""
    from rich.text import Text

    return list(map(Text, names))


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
