"""A domain in a hundred lines: all that its author imports (design §14).

    import crab_graph.domain as cd

A `Declaration` says what exists (providers and offers with typed fields), what a job needs (slots),
what users can want, and the rules between parts. `build` derives everything else from it. See
`docs/domains.md`.
"""

from crab_graph.domain.compiler import build
from crab_graph.domain.contract import register
from crab_graph.domain.declaration import (
    Axis,
    Budget,
    Count,
    Declaration,
    Directory,
    Each,
    Names,
    Offer,
    People,
    Provider,
    Rule,
    Single,
    Slot,
    Stay,
    TaskProperty,
    Tools,
    Want,
    Window,
    Wording,
)
from crab_graph.domain.fields import (
    LEVEL,
    Capacity,
    Choice,
    Clock,
    Day,
    Given,
    Later,
    Price,
    Several,
    Span,
    Stock,
)
from crab_graph.domain.publication import Publication, PublishedFigure

__all__ = [
    "LEVEL",
    "Axis",
    "Budget",
    "Capacity",
    "Choice",
    "Clock",
    "Count",
    "Day",
    "Declaration",
    "Directory",
    "Each",
    "Given",
    "Later",
    "Names",
    "Offer",
    "People",
    "Price",
    "Provider",
    "Publication",
    "PublishedFigure",
    "Rule",
    "Several",
    "Single",
    "Slot",
    "Span",
    "Stay",
    "Stock",
    "TaskProperty",
    "Tools",
    "Want",
    "Window",
    "Wording",
    "build",
    "register",
]
