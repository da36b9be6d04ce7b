"""What a domain's tasks are spread and distributed over (paper A.3, Figure 8)."""

from collections.abc import Sequence
from functools import partial
from statistics import mean
from typing import Any

from crab_graph.domain.declaration import Declaration, Offer, TaskProperty
from crab_graph.domain.fields import Price
from crab_graph.domain.request_types import fixed_values, is_certain, task_axes

_FEW = 5
"""Most values of a want that is shown as a property, and bands of budgets."""

_ANY = "any"


def group_of(declaration: Declaration, request: Any) -> tuple[str | int | bool | None, ...]:
    """Return the values of a request that selection spreads tasks over, in the declared order.

    Keys are of axes, wants and optional rules; of `budget` it counts whether there is one.
    """
    spread = declaration.spread or tuple(axis.name for axis in task_axes(declaration))
    return tuple(
        request.budget_cents is not None if key == "budget" else getattr(request, key)
        for key in spread
    )


def task_properties(declaration: Declaration) -> tuple[TaskProperty, ...]:
    """Return what tasks are shown to be distributed over.

    By default its axes, the wants with few values, and the budget in bands; those that are declared
    come in the place of derived ones of the same name.
    """
    derived = [
        TaskProperty(axis.title, tuple(map(str, axis.values)), partial(_told, axis.name))
        for axis in task_axes(declaration)
    ]
    if declaration.budget is not None:
        derived.append(_budget_bands(declaration))
    for want in declaration.wants:
        values = tuple(map(str, dict.fromkeys(fixed_values(want))))
        if want.axis is None and 1 < len(values) <= _FEW:
            shown = values if is_certain(want.odds) else (*values, _ANY)
            derived.append(
                TaskProperty(want.key.replace("_", " "), shown, partial(_told, want.key))
            )
    named = {one.name: one for one in (*derived, *declaration.properties)}
    return tuple(named.values())


def _told(key: str, request: Any) -> str:
    value = getattr(request, key)
    return _ANY if value is None else str(value)


def _budget_bands(declaration: Declaration) -> TaskProperty:
    """Return budgets in bands of a round width, of which the middle one has what is usual."""
    width = _round(sum(_usual_cost(declaration, slot.offer) for slot in declaration.slots) / 3)
    edges = [f"${width * number:,}" for number in range(1, _FEW)]
    tops = [f"{width * number - 1:,}" for number in range(2, _FEW)]
    between = [f"{low}-{top}" for low, top in zip(edges, tops, strict=False)]
    bands = (f"under {edges[0]}", *between, f"{edges[-1]} and more", _ANY)
    return TaskProperty("budget", bands, partial(_band, bands, width * 100))


def _usual_cost(declaration: Declaration, offer: Offer) -> float:
    """Return the dollars of as much of an offer as jobs need, by the means of what is declared."""
    prices = [field for field in offer.fields.values() if isinstance(field, Price)]
    counts = [fixed_values(want) for want in declaration.wants if want.key == offer.units]
    units = mean(map(int, counts[0])) if counts and counts[0] else 1
    return sum(mean(price.base.values()) for price in prices) * units


def _round(dollars: float) -> int:
    """Return the largest of 1, 2, 5, 10, 20, 50, … that is not above an amount."""
    size: int = 10 ** (len(str(int(dollars))) - 1)
    return max(step * size for step in (1, 2, 5) if step * size <= max(dollars, 1))


def _band(bands: Sequence[str], cents: int, request: Any) -> str:
    budget = request.budget_cents
    return bands[-1] if budget is None else bands[min(budget // cents, len(bands) - 2)]
