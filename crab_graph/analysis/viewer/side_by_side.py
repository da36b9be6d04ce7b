"""Two dialogues of a task beside each other in a terminal, aligned where they part."""

from collections.abc import Sequence
from itertools import takewhile, zip_longest

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crab_graph.analysis.labels import check_titles
from crab_graph.analysis.viewer.exchanges import Exchange, read_exchanges
from crab_graph.analysis.viewer.screen import head_of, print_exchange
from crab_graph.domain.card import DomainCard
from crab_graph.runs.record import EpisodeRecord

_GAP = 3


def print_side_by_side(
    console: Console,
    left: EpisodeRecord,
    right: EpisodeRecord,
    card: DomainCard,
    *,
    private: bool = False,
) -> None:
    """Print two dialogues: what they share is one line, then message stands beside message."""
    both = [read_exchanges(one.messages, one.trace) for one in (left, right)]
    shared = shared_exchanges(*both)
    half = Console(
        width=(console.width - _GAP) // 2,
        force_terminal=console.is_terminal,
        color_system=console.color_system,  # type: ignore[arg-type]
        highlight=False,
        markup=False,
    )

    def column(exchange: Exchange | None) -> Text:
        if exchange is None:
            return Text("    over by then", style="dim")
        with half.capture() as printed:
            print_exchange(half, exchange, private=private)
        return Text.from_ansi(printed.get())

    table = Table.grid(padding=(0, _GAP, 1, 0))
    table.add_column(width=half.width)
    table.add_column(width=half.width)
    table.add_row(head_of(left), head_of(right))
    for row in _differing_checks(left, right, card):
        table.add_row(*row)
    for pair in list(zip_longest(*both))[shared:]:
        table.add_row(*map(column, pair))
    length = max(map(len, both))
    same = f"The first {shared} messages are the same." if shared > 1 else ""
    says = f"{same} They part at message {shared + 1}." if shared < length else "They are the same."
    console.print(says.strip(), table, sep="\n\n")


def shared_exchanges(left: Sequence[Exchange], right: Sequence[Exchange]) -> int:
    """Return with how many exchanges alike two dialogues begin: the same words and calls."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    )


def _differing_checks(
    left: EpisodeRecord, right: EpisodeRecord, card: DomainCard
) -> list[tuple[str, str]]:
    titles = check_titles(card)
    names = dict.fromkeys((*left.checks, *right.checks))
    told = {
        name: [
            f"{one.checks.get(name, '–')}: {name} {titles.get(name, '')}" for one in (left, right)
        ]
        for name in names
    }
    return [(one, other) for one, other in told.values() if one != other]
