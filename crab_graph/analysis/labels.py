"""Words for people: outcomes, metrics, failure modes, checks, what models took; and names in rich.

Nothing that an agent is called or says steers the terminal.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from crab_graph.domain.card import DomainCard
from crab_graph.eval.verifiers import shared_verifiers
from crab_graph.markup import visible
from crab_graph.runs.record import EpisodeRecord, party_totals
from crab_graph.settings import OVERLONG_REPLY, Toolset
from crab_graph.terms import NOTES, USERS, label

_ANY_WIDTH = 10_000
_HARD_TO_READ = 1_000_000
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def notes_on(records: Iterable[EpisodeRecord]) -> list[str]:
    """Return what a reader must know before the figures: which of them no model stands behind.

    What the models took that did stand behind them comes last.
    """
    records = tuple(records)
    notes = (
        NOTES["reference"] if any(record.agent_is_reference for record in records) else None,
        _users_line(records),
        NOTES["rules_user"] if any(record.user_engine == "rules" for record in records) else None,
        NOTES["toolset"] if any(record.toolset != Toolset.PARITY for record in records) else None,
        mock_line(records),
        _overlong_line(records),
        f"Models: {'; '.join(spent)}." if (spent := spending_lines(records)) else None,
    )
    return [note for note in notes if note is not None]


def _users_line(records: Iterable[EpisodeRecord]) -> str | None:
    """Return what the kinds of user are that have a name."""
    met = {part for one in records for part in one.condition.split("+")}
    told = ", ".join(f"{name} ({words})" for name, words in USERS.items() if name in met)
    return f"Users: {told}." if told else None


def _overlong_line(records: Iterable[EpisodeRecord]) -> str | None:
    """Return how many episodes a reply ended that was too long, by agent; `None` for none."""
    ended = Counter(one.agent_label for one in records if one.termination == OVERLONG_REPLY)
    told = ", ".join(f"{count:,} of {agent}" for agent, count in sorted(ended.items()))
    return f"{NOTES['overlong']} {told}." if told else None


def plain(text: str) -> Text:
    """Return what somebody said as text that can neither style nor steer the terminal."""
    return Text(visible(text))


def agent_name(agent: str, is_reference: bool) -> Text:
    """Return an agent's name, labelled where no model stands behind it."""
    name = plain(agent)
    return name.append(" (reference)", style="dim") if is_reference else name


def titled_table(title: str, *columns: str) -> Table:
    """Return an empty table; its columns are called as the vocabulary does."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in columns:
        table.add_column(label(name))
    return table


def tables_that_fit(
    console: Console, build: Callable[[Sequence[int]], Table], columns: Sequence[int]
) -> Iterator[Table]:
    """Yield tables of some columns each, as few as fit the screen; what builds one is handed them.

    A column that is too wide alone has a table of its own.
    """

    def is_too_wide(places: Sequence[int]) -> bool:
        options = console.options.update(max_width=_ANY_WIDTH)
        return Measurement.get(console, options, build(places)).maximum > console.width

    begun: list[int] = []
    for place in columns:
        if begun and is_too_wide([*begun, place]):
            yield build(begun)
            begun = []
        begun.append(place)
    yield build(begun)


def told_roughly(number: float) -> str:
    """Return a number as people write it: `1,234`, and from a million on `1.2 × 10⁶`."""
    if number < _HARD_TO_READ:
        return f"{number:,.0f}"
    digits, _, power = f"{number:.1e}".partition("e")
    return f"{digits} × 10{str(int(power)).translate(_RAISED)}"


def has_drawn_persona(record: EpisodeRecord) -> bool:
    """Whether the user had a persona that its condition alone does not tell."""
    return record.persona not in (None, "none") and str(record.persona) not in record.condition


def check_titles(card: DomainCard) -> Mapping[str, str]:
    """Return the titles of the checks that tasks of a domain are judged by, by id."""
    return {**{one.id: one.title for one in shared_verifiers()}, **card.titles}


def spending_json(episodes: Sequence[EpisodeRecord]) -> dict[str, Any]:
    """Return calls, tokens and cost of each seat that a model took."""
    return {
        party: {
            "calls": found.calls,
            "failed_calls": found.failed,
            "uncounted_calls": found.uncounted,
            "input_tokens": found.input_tokens,
            "output_tokens": found.output_tokens,
            "cost": cost.dollars if cost.is_known else None,
            "known_cost": cost.dollars,
        }
        for party, (found, cost) in party_totals(episodes).items()
    }


def spending_lines(episodes: Sequence[EpisodeRecord]) -> list[str]:
    """Return one line for each seat that a model took, and one for both together."""
    found = party_totals(episodes)
    lines = []
    for party, (one, cost) in found.items():
        failed = f" ({one.failed} attempts failed)" if one.failed else ""
        uncounted = f", {one.uncounted} answers told no tokens" if one.uncounted else ""
        lines.append(
            f"{party}: {one.calls:,} model calls{failed}, {one.input_tokens:,} tokens read, "
            f"{one.output_tokens:,} written{uncounted}, {_dollars(cost.dollars, cost.is_known)}"
        )
    if len(found) > 1:
        tokens = sum(one.tokens for one, _ in found.values())
        known = sum(cost.dollars for _, cost in found.values())
        is_known = all(cost.is_known for _, cost in found.values())
        lines.append(f"together: {tokens:,} tokens, {_dollars(known, is_known)}")
    return lines


def mock_line(episodes: Sequence[EpisodeRecord]) -> str | None:
    """Return which seats `mock-llm` took, if it took any."""
    seats = sorted({seat for one in episodes for seat in one.mock_seats})
    if not seats:
        return None
    return (
        f"No language model spoke for the {' and the '.join(seats)}: crab-graph mock-llm did, "
        "which plays a reference agent and a user that follows fixed rules."
    )


def _dollars(dollars: float, is_known: bool) -> str:
    if is_known:
        return f"${dollars:,.4f}"
    return f"cost unknown (${dollars:,.4f} of it is)" if dollars else "cost unknown (--prices FILE)"
