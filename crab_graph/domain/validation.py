"""A declaration that cannot be right is refused when its domain is built (design §14)."""

from collections.abc import Iterator

from crab_graph.domain.declaration import Declaration, Rule, Slot, Want
from crab_graph.domain.demand_problems import (
    alike_problems,
    demand_problems,
    identity_problems,
    ref_problems,
)
from crab_graph.domain.layout import kinds_of
from crab_graph.domain.offer_problems import offer_problems, repeated
from crab_graph.domain.rule_problems import rule_problems
from crab_graph.domain.toolkit import desks_of
from crab_graph.domain.word_checks import word_problems
from crab_graph.errors import DeclarationError
from crab_graph.settings import Toolset
from crab_graph.tools.platform import PAYMENT_TOOLS, PLATFORM_TOOLS
from crab_graph.tools.user_tools import user_tools


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
        yield from rule_problems(declaration)
        yield from _tool_problems(declaration)
        yield from word_problems(declaration)


def _tool_problems(declaration: Declaration) -> Iterator[str]:
    """Yield the tools that would take each other's place; an author's own replace derived ones."""
    is_free = declaration.is_free
    engine = (*PLATFORM_TOOLS, *PAYMENT_TOOLS, *user_tools(declaration.job, is_free=is_free))
    desks = desks_of(declaration, kinds_of(declaration)).values()
    derived = [tool.name for desk in desks for tool in desk.tools(Toolset.EXTENDED)]
    own = [tool.name for tool in declaration.tools if tool.name not in derived]
    for name in repeated((*(tool.name for tool in engine), *derived, *own)):
        yield f"two tools are called '{name}'; name one of them in its offer's `tools`"


def _type_problems(declaration: Declaration) -> Iterator[str]:
    for name, type_ in (("slots", Slot), ("wants", Want), ("rules", Rule)):
        for one in getattr(declaration, name):
            if not isinstance(one, type_):
                yield f"{name}: has {one!r}, which is no {type_.__name__}"
