"""Kinds of bookings, and what one of each costs: stated here once, for everybody who asks.

Tools that price and book, readers of final tables, budgets, certified costs, reference agents and
checks all call the same rule, which is made of operators only: it takes Python numbers, NumPy
arrays and SQL terms alike, as the predicates of constraints do (design §3).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import mul
from typing import Any

from crab_graph.generation.constraints import Constraint, bounded_sum


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of booking.

    Attributes:
        name: As the bookings table stores it, such as `hotel`.
        unit: What one unit is called, such as `night`.
        count: The field of a request that says how many units it needs.
        price: The cents of a number of units of one offer, from `(price of a unit, units)`; linear
            in the former.
    """

    name: str
    unit: str
    count: str
    price: Callable[[Any, Any], Any] = mul

    def cost(self, unit_price: Any, request: object) -> Any:
        """Return the cents of as many units of an offer as a request needs."""
        return self.price(unit_price, getattr(request, self.count))

    def slope(self, units: int) -> int:
        """Return by how much a booking gets dearer with each cent on the price of a unit.

        Raises:
            ValueError: that is not the same at every price.
        """
        first, second, third = (int(self.price(cents, units)) for cents in range(3))
        if third - second != second - first:
            raise ValueError(f"the price of kind '{self.name}' is not linear in that of a unit")
        return second - first


def bounded_cost(
    name: str, kinds: Mapping[str, Kind], request: object, bound: int, sentence: str
) -> Constraint:
    """Return the constraint that the offers of some nodes together cost no more than `bound`.

    Args:
        name: Name of the constraint.
        kinds: The kind of each node's offer, whose property `price` is that of one unit.
        request: What is wanted.
        bound: The largest cost allowed, in cents.
        sentence: The requirement as the user would put it.
    """
    weights = {
        (node, "price"): kind.slope(getattr(request, kind.count)) for node, kind in kinds.items()
    }
    free_of_price = sum(int(kind.cost(0, request)) for kind in kinds.values())
    return bounded_sum(name, weights, bound - free_of_price, sentence)
