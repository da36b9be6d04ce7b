"""A declaration that cannot be right is refused when its domain is built (design §14)."""

from collections.abc import Iterator

from crab_graph.domain.declaration import Declaration, Rule, Slot, Want
from crab_graph.domain.demand_problems import (
    alike_problems,
    demand_problems,
    identity_problems,
    ref_problems,
)
from crab_graph.domain.offer_problems import offer_problems
from crab_graph.domain.rule_problems import rule_problems
from crab_graph.domain.tool_problems import tool_problems
from crab_graph.domain.word_checks import word_problems
from crab_graph.errors import DeclarationError


def require_sound(declaration: Declaration) -> None:
    """See that a declaration can be right.

    Raises:
        DeclarationError: it cannot; there is one line for each problem, with how to mend it.
    """
    problems = [*problems_of(declaration)]
    if problems:
        raise DeclarationError(declaration.name, problems)


def problems_of(declaration: Declaration) -> Iterator[str]:
    """Yield what is wrong with a declaration.

    What speaks of something that is wrong itself is looked at once that is mended.
    """
    found = [*_type_problems(declaration)]
    found = found or [
        *identity_problems(declaration),
        *offer_problems(declaration),
        *ref_problems(declaration),
    ]
    found = found or [*demand_problems(declaration)]
    yield from found or alike_problems(declaration)
    if not found:
        yield from [*rule_problems(declaration)] or tool_problems(declaration)
        yield from word_problems(declaration)


def _type_problems(declaration: Declaration) -> Iterator[str]:
    for name, type_ in (("slots", Slot), ("wants", Want), ("rules", Rule)):
        for one in getattr(declaration, name):
            if not isinstance(one, type_):
                yield f"{name}: has {one!r}, which is no {type_.__name__}"
