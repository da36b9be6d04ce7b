"""Calls, tokens and money of a run, in lines for people and as JSON for programs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crab_graph.runs.budget import party_totals

if TYPE_CHECKING:
    from crab_graph.models.prices import Cost
    from crab_graph.models.usage import Totals
    from crab_graph.runs.record import EpisodeRecord


def spending_json(episodes: Sequence["EpisodeRecord"]) -> dict[str, Any]:
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


def spending_lines(episodes: Sequence["EpisodeRecord"]) -> list[str]:
    """Return one line for each seat that a model took, and one for both together."""
    found = party_totals(episodes)
    lines = [f"{party}: {_words(*one)}" for party, one in found.items()]
    if len(found) > 1:
        costs = [cost for _, cost in found.values()]
        known = sum(cost.dollars for cost in costs)
        tokens = sum(one.tokens for one, _ in found.values())
        whole = all(cost.is_known for cost in costs)
        lines.append(f"together: {tokens:,} tokens, {_dollars(known, whole)}")
    return lines


def mock_line(episodes: Sequence["EpisodeRecord"]) -> str | None:
    """Return which seats `mock-llm` took, if it took any."""
    seats = sorted({seat for one in episodes for seat in one.mock_seats})
    if not seats:
        return None
    return (
        f"No language model spoke for the {' and the '.join(seats)}: crab-graph mock-llm did, "
        "which plays a reference agent and a user that follows fixed rules."
    )


def _words(found: "Totals", cost: "Cost") -> str:
    failed = f" ({found.failed} attempts failed)" if found.failed else ""
    uncounted = f", {found.uncounted} answers told no tokens" if found.uncounted else ""
    return (
        f"{found.calls:,} model calls{failed}, {found.input_tokens:,} tokens read, "
        f"{found.output_tokens:,} written{uncounted}, {_dollars(cost.dollars, cost.is_known)}"
    )


def _dollars(dollars: float, is_known: bool) -> str:
    if is_known:
        return f"${dollars:,.4f}"
    return f"cost unknown (${dollars:,.4f} of it is)" if dollars else "cost unknown (--prices FILE)"
