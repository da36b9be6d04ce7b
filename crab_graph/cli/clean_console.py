"""A console on which only we style: what it prints comes from agents, files and strangers."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from typing_extensions import override

from crab_graph.markup import visible


class CleanConsole(Console):
    """Shows control characters of any text, wherever it stands, as `�`."""

    @override
    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yield what is printed; what steers the terminal is ours, or it is shown as `�`."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)
