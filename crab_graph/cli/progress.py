"""Progress on stderr, so that stdout holds results alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(words: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while work goes on; yields a function that takes `(done, total)`.

    The bar appears with the first call, so that unusable input leaves one line and no bar.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    task = bar.add_task(words)

    def advance(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)
        bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
