"""Travel whose harder tasks all ask for the cheaper of two districts."""

from dataclasses import replace

from crab_graph.domain.compiler import build
from crab_graph.domains.travel.domain import TRAVEL

_RULES = TRAVEL.declaration.rules
CHEAPER = build(
    replace(
        TRAVEL.declaration,
        name="cheaper",
        rules=tuple(one for one in _RULES if not one.joint or one.whichever),
    )
)
