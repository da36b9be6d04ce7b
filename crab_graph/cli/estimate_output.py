"""What `run --dry-run` prints."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from crab_graph.cli.output import print_json

if TYPE_CHECKING:
    from crab_graph.runs.estimate import RunEstimate


def print_estimate(estimate: "RunEstimate", *, priced: bool, as_json: bool) -> None:
    """Print what a run would take.

    Args:
        estimate: What it would take.
        priced: Whether there are prices at all.
        as_json: Print one JSON document.
    """
    costs = [seat.cost for seat in estimate.seats.values()]
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if len(known) == len(costs) else None
    if as_json:
        print_json(
            {
                "dry_run": True,
                "planned": estimate.planned,
                "finished": estimate.finished,
                "to_do": estimate.to_do,
                "sampled": estimate.sampled,
                "seats": {party: asdict(seat) for party, seat in estimate.seats.items()},
                "cost": total,
            }
        )
        return
    print(
        f"Dry run: {estimate.planned} episodes, {estimate.finished} of them finished, "
        f"{estimate.to_do} to do. Nothing was run or written."
    )
    if not estimate.to_do:
        return
    if not estimate.seats:
        print("No language model would be asked.")
        return
    for party, seat in estimate.seats.items():
        cost = f", about ${seat.cost:,.2f}" if seat.cost is not None else ", cost unknown"
        print(
            f"{party + ':':6} {seat.spec}: about {seat.calls:,} calls, "
            f"{seat.input_tokens:,} tokens read and {seat.output_tokens:,} written{cost}"
        )
    if total is None:
        print("The price of a model is not known" + (": add it to --prices." if priced else "."))
        if not priced:
            print("With --prices FILE (see examples/prices.toml) it is counted in dollars too.")
    elif len(costs) > 1:
        print(f"Together about ${total:,.2f}.")
    print(
        f"Told from {estimate.sampled} of them, played by the reference agent with the rule-based "
        "user, at four characters a token. A model that takes more turns takes more; hidden "
        "reasoning, and what a provider caches, are not in it."
    )
