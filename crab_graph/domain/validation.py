"""A declaration that cannot be right is refused when its domain is built (design §14)."""

from collections.abc import Iterator, Sequence
from typing import Any

from crab_graph.domain.declaration import Declaration, Offer, Rule, Slot, Want
from crab_graph.domain.demand_problems import (
    alike_problems,
    demand_problems,
    identity_problems,
    ref_problems,
)
from crab_graph.domain.fields import Choice, Clock, Several
from crab_graph.domain.offer_problems import offer_problems
from crab_graph.domain.rule_problems import rule_problems
from crab_graph.domain.tool_problems import tool_problems
from crab_graph.domain.word_checks import word_problems
from crab_graph.errors import DeclarationError

_TOOL_LISTS = ("needs", "filters", "shows", "extended")


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
    """Yield what is of another type than it is read as, which a checker would see as well."""
    parts = (("slots", Slot), ("wants", Want), ("rules", Rule))
    found = [
        f"{name}: is no list; write several, such as {name}=(…,)"
        for name, _ in parts
        if isinstance(getattr(declaration, name), str | Slot | Want | Rule)
    ]
    found = found or [
        f"{name}: has {one!r}, which is no {type_.__name__}"
        for name, type_ in parts
        for one in getattr(declaration, name)
        if not isinstance(one, type_)
    ]
    yield from found
    if found:
        return
    for slot in declaration.slots:
        if not isinstance(slot.offer, Offer):
            yield f"slot '{slot.id}': its offer is {slot.offer!r}, which is no Offer"
    for rule in declaration.rules:
        if not callable(rule.holds):
            yield f"rule '{rule.name}': holds is {rule.holds!r}; give a function of slots"
    for where, one, names in _sequences(declaration):
        for name in names:
            if isinstance(text := getattr(one, name), str):
                place = f"{where}, {name}" if where else name
                yield f"{place}: '{text}' is one text; write several, such as ('{text}',)"


def _sequences(declaration: Declaration) -> Iterator[tuple[str, Any, Sequence[str]]]:
    """Yield where several texts are held, by what, and as what; one text holds letters."""
    yield "", declaration, ("whole", "duties", "spread", "sources")
    if declaration.people is not None:
        yield "people", declaration.people, ("words",)
    for want in declaration.wants:
        yield f"want '{want.key}'", want, ("on", "values")
    for rule in declaration.rules:
        yield f"rule '{rule.name}'", rule, ("values", "instead", "least")
    offers = [slot.offer for slot in declaration.slots if isinstance(slot.offer, Offer)]
    for slot in declaration.slots:
        yield f"slot '{slot.id}'", slot, ("words",)
    for offer in dict.fromkeys(offers):
        yield f"offer '{offer.name}'", offer, ("words", "incidental", "adds")
        yield f"offer '{offer.name}', tools", offer.tools, _TOOL_LISTS
        if offer.provider is not None:
            yield f"provider '{offer.provider.name}'", offer.provider, ("shares",)
        for name, field in offer.fields.items():
            where = f"offer '{offer.name}', field '{name}'"
            if isinstance(field, Choice | Several):
                yield where, field, ("values",)
            if isinstance(field, Clock):
                yield where, field, ("per",)
