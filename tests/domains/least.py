"""Travel with flexible dates whose harder tasks all ask for one least sum."""

from dataclasses import replace
from typing import Any

import crab_graph.domain as cd
from crab_graph.domain.compiler import build
from crab_graph.domains.travel.domain import TRAVEL

_TRAVEL = TRAVEL.declaration
_WINDOW: Any = _TRAVEL.window
_FLEXIBLE = cd.Axis("date_mode", "dates", ("flexible",))


def _flexible(odds):
    return {"flexible": odds["flexible"]} if isinstance(odds, dict) else odds


def _asking_for(name: str, wish: str) -> Any:
    return build(
        replace(
            _TRAVEL,
            name=name,
            window=replace(_WINDOW, widths=_WINDOW.widths[-1:], axis=_FLEXIBLE),
            optional_odds={"flexible": _TRAVEL.optional_odds["flexible"]},
            wants=tuple(replace(one, odds=_flexible(one.odds)) for one in _TRAVEL.wants),
            rules=tuple(one for one in _TRAVEL.rules if not one.joint or one.name == wish),
        )
    )


LEAST = _asking_for("least", "cheapest_flights")
OUTING = _asking_for("outing", "cheapest_outing")
