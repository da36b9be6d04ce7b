"""Options that limit what is spent, worded alike in every command that spends."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from crab_graph.graph.limits import RunLimits
    from crab_graph.models.prices import Prices

PricesOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        envvar="CRAB_PRICES",
        help="TOML file with prices of models, as examples/prices.toml.",
    ),
]
MaxMessages = Annotated[
    int, typer.Option(help="Messages of all kinds, tool results included.", min=1)
]
MaxTurns = Annotated[
    int, typer.Option(help="Turns either side sees, after which an episode is stopped.", min=1)
]
MaxToolErrors = Annotated[int, typer.Option(help="Calls of the agent that may be refused.", min=1)]
MaxTokens = Annotated[
    int | None,
    typer.Option(help="Tokens that models read and write in an episode, agent and user.", min=1),
]
MaxCost = Annotated[
    float | None, typer.Option(metavar="DOLLARS", help="Dollars that an episode may cost.")
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(help="Seconds that agent and user may take; over it, infra_error."),
]


RunMaxMessages = Annotated[int | None, typer.Option(help="Messages in the whole run.")]
RunMaxTurns = Annotated[int | None, typer.Option(help="Visible turns in the whole run.")]
RunMaxToolErrors = Annotated[
    int | None, typer.Option(help="Refused calls of the agent in the whole run.")
]
RunMaxTokens = Annotated[
    int | None, typer.Option(help="Tokens that models read and write in the whole run.")
]
RunMaxCost = Annotated[
    float | None, typer.Option(metavar="DOLLARS", help="Dollars that the whole run may cost.")
]
RunMaxSeconds = Annotated[
    float | None, typer.Option(help="Seconds of this sitting, after which no episode is begun.")
]


DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Say what it would take in episodes, calls and tokens; do nothing."
    ),
]


def checked(build: Callable[..., Any], **given: Any) -> Any:
    """Return limits built from options.

    Raises:
        UsageError: a value is out of range; the message names its option.
    """
    from pydantic import ValidationError

    from crab_graph.errors import UsageError

    try:
        return build(**given)
    except ValidationError as error:
        first = error.errors()[0]
        prefix = "run-" if build.__name__ == "RunLimits" else ""
        option = f"--{prefix}{str(first['loc'][0]).replace('_', '-')}"
        raise UsageError(f"{option}: {first['msg'].lower()}") from None


def run_limits(**given: float | None) -> "RunLimits | None":
    """Return the caps of a run; `None` where none is given."""
    from crab_graph.graph.limits import RunLimits

    limits: RunLimits = checked(RunLimits, **given)
    return None if limits.is_empty else limits


def read_prices(path: Path | None) -> "Prices | None":
    """Return the prices in a file, if one is given."""
    from crab_graph.models.prices import load_prices

    return None if path is None else load_prices(path)
