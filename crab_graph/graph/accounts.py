"""What the steps of an episode take: model calls, tokens, money, time.

A step that fails has taken something too; so a step is tried here, and comes back as what it
returned or why it failed, with what it took either way.
"""

import time
from collections.abc import Callable, Mapping
from contextvars import Context
from typing import Any, Generic, NamedTuple, TypeVar

from typing_extensions import TypedDict

from crab_graph.interrupts import told_of_interrupts
from crab_graph.models.failures import CallTimeout
from crab_graph.models.meter import Meter
from crab_graph.models.prices import Cost, Prices
from crab_graph.models.retrying import within
from crab_graph.models.usage import PARTIES, TOKENS, ModelUsage, Usage, add_usage, reading_of

Result = TypeVar("Result")


class Spent(TypedDict, total=False):
    """What an episode took so far; time where it is limited.

    `lost` is the usage by party of the step that failed. An episode that is tried again goes on
    before that step, so whoever tries it has to remember.
    """

    agent: dict[str, ModelUsage]
    user: dict[str, ModelUsage]
    seconds: float
    lost: dict[str, dict[str, ModelUsage]]


class OutOfTime(Exception):
    """An episode took longer than it may."""


class Tried(NamedTuple, Generic[Result]):
    """A step that was tried: what it returned, or why it failed; and what it took.

    One that is known from before takes no seconds now; it `took` some then.
    """

    value: Result | None
    error: BaseException | None
    usage: Usage
    seconds: float
    took: float


class Taken(TypedDict):
    """What one step took that asked a model: time on the clock, tokens by model, dollars if known.

    `read_dollars` are those of them that went into reading. It lies beside the message that the
    step ended in.
    """

    seconds: float
    models: dict[str, dict[str, Any]]
    dollars: float | None
    read_dollars: float | None


_COUNTED = ("calls", "uncounted", *TOKENS)

_DIGITS = 6
"""Of the seconds of tools, which take less than a thousandth of one."""


def beside(
    line: Mapping[str, Any], tried: Tried[Any], prices: Prices, spec: str | None
) -> dict[str, Any]:
    """Return a message with what its step took beside it, where that asked a model."""
    if not tried.usage:
        return dict(line)
    cost, reading = prices.cost(tried.usage, spec), prices.cost(reading_of(tried.usage), spec)
    models = {
        model: {name: count for name in _COUNTED if (count := used.get(name)) is not None}
        for model, used in tried.usage.items()
    }
    taken = Taken(
        seconds=round(tried.took, 3),
        models=models,
        dollars=cost.dollars if cost.is_known else None,
        read_dollars=reading.dollars if cost.is_known else None,
    )
    return {**line, "took": taken}


def without_took(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message without what it took; so an episode that asks no model holds no clock."""
    return {key: value for key, value in line.items() if key != "took"}


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Run a tool; return what came of it, and the seconds it took on the clock."""
    begun = time.perf_counter()
    found = work()
    return found, round(time.perf_counter() - begun, _DIGITS)


def try_step(
    context: Context, step: Callable[[], Result], seconds_left: float | None
) -> Tried[Result]:
    """Run a step in a context, and count what it takes; one that takes longer is given up.

    Whatever the code of others raises is why it failed, `SystemExit` and the like included.

    Raises:
        KeyboardInterrupt: somebody pressed Ctrl-C meanwhile, whatever the step made of it.
    """
    meter = Meter()
    begun = time.monotonic()
    value: Result | None = None
    failure: BaseException | None = None
    with told_of_interrupts() as is_interrupted:
        try:
            value = meter.run(context, lambda: within(seconds_left, step))
        except BaseException as error:
            failure = error
        if is_interrupted():
            raise KeyboardInterrupt from failure
    taken = time.monotonic() - begun
    if isinstance(failure, CallTimeout) and seconds_left is not None and taken >= seconds_left:
        failure = OutOfTime("the episode took longer than its limit, max_seconds")
    return Tried(value, failure, meter.usage, taken, taken)


def usage_by_party(spent: Mapping[str, Any]) -> dict[str, dict[str, ModelUsage]]:
    """Return what the models of each party took."""
    return {party: dict(spent[party]) for party in PARTIES if spent.get(party)}


def lost_usage(
    spent: Mapping[str, Any], earlier: Mapping[str, Usage]
) -> dict[str, dict[str, ModelUsage]]:
    """Return the usage by party of all steps that failed, this time and in earlier attempts."""
    parts = (earlier, spent.get("lost", {}))
    found = {party: add_usage(*(part.get(party, {}) for part in parts)) for party in PARTIES}
    return {party: usage for party, usage in found.items() if usage}


def costs_of(
    spent: Mapping[str, Any], prices: Prices, specs: Mapping[str, str | None]
) -> dict[str, Cost]:
    """Return what the models of each party cost; `specs` say how each was named, if one did."""
    used = usage_by_party(spent)
    return {party: prices.cost(usage, specs.get(party)) for party, usage in used.items()}
