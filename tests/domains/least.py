"""Travel whose harder tasks all ask for the two flights that cost least together."""

from dataclasses import replace

from crab_graph.domain.compiler import build
from crab_graph.domains.travel.domain import TRAVEL

_RULES = TRAVEL.declaration.rules
LEAST = build(
    replace(
        TRAVEL.declaration,
        name="least",
        rules=tuple(one for one in _RULES if not one.joint or one.least),
    )
)
