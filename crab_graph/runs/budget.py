"""What a whole run may take, and what it has taken (design section 9)."""

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from crab_graph.errors import UsageError
from crab_graph.models.prices import Cost
from crab_graph.models.usage import PARTIES, Totals, add_usage, totals
from crab_graph.runs.record import EpisodeRecord
from crab_graph.settings import RunLimits

Item = TypeVar("Item")

Amounts = Mapping[str, float]
"""Messages, turns, tool errors, tokens and dollars."""


class Budget:
    """What is left of a run's caps during one sitting."""

    def __init__(self, limits: RunLimits | None, spent: Mapping[str, Amounts]) -> None:
        """Begin a sitting.

        Args:
            limits: The caps.
            spent: What each episode took in earlier sittings.
        """
        self._limits = limits or RunLimits()
        self._spent = dict(spent)
        self._begun = time.monotonic()

    def spend(self, episode_id: str, amounts: Amounts) -> None:
        """Count an episode; one that is tried again holds what its earlier attempts took.

        Raises:
            UsageError: its cost is unknown, so that a limit on cost could not be kept.
        """
        self._spent[episode_id] = amounts
        if self._limits.max_cost is not None and amounts.get("unpriced"):
            raise UsageError(
                f"a limit on cost needs the price and the token counts of every model, and "
                f"'{episode_id}' used one without: see --prices"
            )

    def reached(self) -> str | None:
        """Return the name of a cap that is reached, if there is one."""
        for name, cap in vars(self._limits).items():
            if cap is not None and self._amount(name.removeprefix("max_")) >= cap:
                return str(name)
        return None

    def while_open(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield what there is to do until a cap is reached."""
        for item in items:
            if self.reached() is not None:
                return
            yield item

    def total(self, name: str) -> float:
        """Return what all episodes took of one thing."""
        return sum(amounts.get(name, 0) for amounts in self._spent.values())

    def _amount(self, name: str) -> float:
        return time.monotonic() - self._begun if name == "seconds" else self.total(name)


def party_totals(records: Iterable[EpisodeRecord]) -> dict[str, tuple[Totals, Cost]]:
    """Return calls, tokens and cost of the models of each party that asked any."""
    listed = list(records)
    found = {}
    for party in PARTIES:
        usage = add_usage(*(one.usage.get(party, {}) for one in listed))
        if not usage:
            continue
        known = [one.cost.get(party) for one in listed if one.usage.get(party)]
        unknown = tuple(usage) if None in known else ()
        found[party] = (totals(usage), Cost(round(sum(c or 0.0 for c in known), 8), unknown))
    return found
