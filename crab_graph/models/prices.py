"""What models cost: a file that the user keeps, in US dollars per million tokens.

    as_of = 2026-11-01

    [models."gpt-5-mini"]
    input = 0.25
    cached_input = 0.025
    output = 2.00

None are built in: they change by the month, and a wrong price is worse than none. A model is looked
for under the name it was asked for, under the whole spec, under the name it answered as, and then
among names with `*`. One that is not found has an unknown cost, which is said wherever costs are.
"""

import os
from collections.abc import Iterable, Mapping
from datetime import date
from fnmatch import fnmatchcase
from itertools import chain, product
from typing import NamedTuple

from pydantic import Field

from crab_graph.errors import UsageError
from crab_graph.given_values import a_path
from crab_graph.models.chat import is_address, is_provider, model_of, without_settings
from crab_graph.models.usage import Usage
from crab_graph.schema import FileModel
from crab_graph.seals import DamagedFile, read_toml

PER_TOKENS = 1_000_000
_DIGITS = 8


class TokenPrice(FileModel):
    """What one model costs, in US dollars per million tokens.

    Hidden tokens are among the output; cached input costs by default as much as the other.
    """

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class Cost(NamedTuple):
    """What usage cost: the sum over the models whose price is known, in dollars.

    Unknown are models with tokens that have no price, or that did not say what they took.
    """

    dollars: float = 0.0
    unknown: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the sum is the whole cost."""
        return not self.unknown


class Prices(FileModel):
    """Prices of models, by name: as in a spec, with or without its provider or address.

    In a name `*` stands for any characters. `as_of` is the day on which they were looked up.
    """

    as_of: date | None = None
    models: dict[str, TokenPrice] = Field(default_factory=dict)

    def of(
        self, model: str, spec: str | None = None, answered_by: str | None = None
    ) -> TokenPrice | None:
        """Return the price of a model, if it is known."""
        bare = None if spec is None else without_settings(spec)
        names = [name for name in (model, spec, bare, answered_by) if name]
        exact = (self.models[name] for name in names if name in self.models)
        patterns = {name: price for name, price in self.models.items() if "*" in name}
        pairs = product(names, patterns)
        alike = (patterns[pattern] for name, pattern in pairs if fnmatchcase(name, pattern))
        return next(chain(exact, alike), None)

    def cost(self, usage: Usage, spec: str | None = None) -> Cost:
        """Return what usage cost, of models that were named by a spec, if they were."""
        dollars = 0.0
        unknown = []
        for model, one in usage.items():
            price = self.of(model, spec, one.get("answered_by"))
            if price is not None:
                cached = one.get("cached_tokens", 0)
                cached_price = price.input if price.cached_input is None else price.cached_input
                read = (one.get("input_tokens", 0) - cached) * price.input + cached * cached_price
                dollars += (read + one.get("output_tokens", 0) * price.output) / PER_TOKENS
            has_tokens = one.get("input_tokens") or one.get("output_tokens")
            if one.get("uncounted") or (price is None and has_tokens):
                unknown.append(model)
        return Cost(round(dollars, _DIGITS), tuple(unknown))


NO_PRICES = Prices()


def load_prices(path: str | os.PathLike[str]) -> Prices:
    """Read a file of prices.

    Raises:
        UsageError: it is missing or malformed; the message names the field.
    """
    try:
        return read_toml(a_path("the file of prices", path), Prices)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file of prices") from None
    except DamagedFile as error:
        raise UsageError(f"{path}: {error}; examples/prices.toml shows what stands there") from None


def check_priced(prices: Prices | None, specs: Iterable[str | None]) -> None:
    """Raise `UsageError` for a limit on cost where a spec names a model without a price.

    The models of other specs are known when they have answered.
    """
    named = [spec for spec in specs if spec is not None and ":" in spec]
    if not named:
        return  # a reference agent and the rule-based user cost nothing
    if prices is None or not prices.models:
        raise UsageError("a limit on cost needs the prices of the models: `prices=FILE`")
    for spec in named:
        is_model = is_address(spec) or is_provider(spec.partition(":")[0])
        if is_model and prices.of(model_of(spec), spec) is None:
            raise UsageError(f"a limit on cost needs the price of '{spec}': add it to `prices=`")


def add_costs(costs: Mapping[str, Cost]) -> Cost:
    """Return the sum of several costs."""
    unknown = dict.fromkeys(name for cost in costs.values() for name in cost.unknown)
    return Cost(round(sum(cost.dollars for cost in costs.values()), _DIGITS), tuple(unknown))
