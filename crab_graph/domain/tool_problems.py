"""What is wrong with the tools of a domain: what they are called, take, and do not show."""

from collections.abc import Iterator, Mapping

from crab_graph.domain.booking_tools import KindDesk
from crab_graph.domain.declaration import Declaration, Offer
from crab_graph.domain.field_problems import listed, repeated
from crab_graph.domain.fields import Choice, Day, Price, Several
from crab_graph.domain.key_problems import key_problems
from crab_graph.domain.layout import field_of, kinds_of, shared_fields
from crab_graph.domain.requirements import trace_rule
from crab_graph.domain.toolkit import desks_of, own_tools
from crab_graph.settings import Toolset
from crab_graph.tools.platform import PAYMENT_TOOLS, PLATFORM_TOOLS
from crab_graph.tools.user_tools import user_tools

_ASKED = (Choice, Several, Day)


def tool_problems(declaration: Declaration) -> Iterator[str]:
    """Yield what is wrong with tools of a declaration whose offers, wants and rules are right."""
    found = []
    for offer in declaration.offers:
        where = f"offer '{offer.name}', tools"
        found += [f"{where}: {line}" for line in _of_search(offer)]
    yield from found
    if found:
        return
    desks = desks_of(declaration, kinds_of(declaration))
    yield from _of_names(declaration, desks)
    yield from _of_texts(desks)
    for desk in desks.values():
        yield from key_problems(desk)
    yield from _unseen(declaration, desks)


def _of_search(offer: Offer) -> Iterator[str]:
    """Yield what a search cannot be asked for."""
    shared, all_ = shared_fields(offer), tuple(offer.fields)
    noun = offer.name if offer.provider is None else offer.provider.name
    for what, names, there, of, types in (
        ("needs", offer.tools.needs, shared, noun, _ASKED),
        ("filters", offer.tools.filters or (), all_, offer.name, (*_ASKED, Price)),
    ):
        for name in names:
            if name not in there:
                asked = [one for one in there if isinstance(offer.fields[one], types)]
                yield f"{what} '{name}' is no field of a {of}; it has {listed(asked)}"
            elif not isinstance(offer.fields[name], types):
                yield f"{what} '{name}': a search takes choices and days; leave it out"


def _of_names(declaration: Declaration, desks: Mapping[str, KindDesk]) -> Iterator[str]:
    """Yield the tools that would take each other's place; an author's own replace derived ones."""
    is_free = declaration.is_free
    engine = (*PLATFORM_TOOLS, *PAYMENT_TOOLS, *user_tools(declaration.job, is_free=is_free))
    derived = [tool.name for desk in desks.values() for tool in desk.tools(Toolset.EXTENDED)]
    own = [tool.name for tool in own_tools(declaration) if tool.name not in derived]
    for name in repeated((*(tool.name for tool in engine), *derived, *own)):
        yield f"two tools are called '{name}'; name one of them in its offer's `tools`"


def _of_texts(desks: Mapping[str, KindDesk]) -> Iterator[str]:
    """Yield the texts that no tool has."""
    for desk in desks.values():
        offer = desk.view.offer
        tools = {tool.name: tool.arguments.model_fields for tool in desk.tools(Toolset.EXTENDED)}
        for key in offer.tools.texts:
            name, _, argument = key.partition(".")
            where = f"offer '{offer.name}', tools, texts '{key}'"
            if name not in tools:
                yield f"{where}: there is no such tool; there are {listed(tools)}"
            elif argument and argument not in tools[name]:
                yield f"{where}: the tool has no such argument; it has {listed(tools[name])}"


def _unseen(declaration: Declaration, desks: Mapping[str, KindDesk]) -> Iterator[str]:
    """Yield the fields that decide which offers are right, and that no tool shows an agent."""
    offers = {slot.id: slot.offer for slot in declaration.slots}
    told = dict.fromkeys(
        (offers[slot].booked_as, name, who) for slot, name, who in _read(declaration)
    )
    for kind, name, who in told:
        desk = desks[kind]
        if name in desk.view.columns and name not in desk.finder.told:
            yield (
                f"offer '{desk.view.offer.name}': its '{name}' decides ({who}) and no tool shows"
                " it; add it to what its tools `shows`"
            )


def _read(declaration: Declaration) -> Iterator[tuple[str, str, str]]:
    """Yield slots, fields and who reads them."""
    for slot in declaration.slots:
        yield from ((slot.id, name, f"role of slot '{slot.id}'") for name in slot.role)
        price = field_of(slot.offer, Price)
        if declaration.budget is not None and price is not None:
            yield slot.id, price, "the budget"
    for want in declaration.wants:
        for ref in want.on:
            slot_id, _, name = ref.partition(".")
            yield slot_id, name, f"want '{want.key}'"
    if declaration.window is not None:
        slot_id, _, name = declaration.window.on.partition(".")
        yield slot_id, name, "the window"
    for rule in declaration.rules:
        refs = trace_rule(declaration, rule).refs
        yield from ((slot_id, name, f"rule '{rule.name}'") for slot_id, name in refs)
