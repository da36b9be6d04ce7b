"""All tools of a declared domain, and how agents find and book with them (paper table 6)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

from crab_graph.domain.agent_policy import agent_policy
from crab_graph.domain.blueprint import Blueprint
from crab_graph.domain.booking_tools import KindDesk
from crab_graph.domain.contract import AgentKit
from crab_graph.domain.declaration import Count, Declaration, Directory, Each, Offer, Stay
from crab_graph.domain.derived_arguments import arguments_model
from crab_graph.domain.english import spoken
from crab_graph.domain.holdings import Orders, PersonOrders, Shop, UnitOrders
from crab_graph.domain.kind import Kind
from crab_graph.domain.layout import people_column
from crab_graph.domain.offer_lists import as_table
from crab_graph.domain.search_tools import Finder
from crab_graph.domain.showing import OfferView
from crab_graph.domain.stay_orders import StayOrders
from crab_graph.domain.stays import Calendar
from crab_graph.settings import Toolset
from crab_graph.tools.platform import PAYMENT_TOOLS, PLATFORM_TOOLS, charge_booking
from crab_graph.tools.registry import Owner, Result, Tool, ToolCall, ToolRegistry, ToolType
from crab_graph.tools.user_tools import user_tools
from crab_graph.tools.world_faults import ToolDeed, ToolDuty


def desks_of(declaration: Declaration, kinds: Mapping[str, Kind]) -> dict[str, KindDesk]:
    """Return the tools of each kind of booking."""
    offers = {offer.booked_as: offer for offer in declaration.offers}
    return {name: _desk(declaration, offer, kinds[name]) for name, offer in offers.items()}


def with_tools(declaration: Declaration, kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    """Return the kinds of bookings with how agents find and book them."""
    desks = desks_of(declaration, kinds)
    return {name: replace(kinds[name], tools=desk.kind_tools()) for name, desk in desks.items()}


def agent_kits(blueprint: Blueprint) -> dict[Toolset, AgentKit]:
    """Return what an agent is given under each toolset."""
    declaration, kinds = blueprint.declaration, blueprint.kinds
    desks = desks_of(declaration, kinds)
    return {
        one: AgentKit(
            cache(partial(registry_of, declaration, kinds, one)),
            partial(agent_policy, declaration, desks, one),
        )
        for one in Toolset
    }


def registry_of(
    declaration: Declaration, kinds: Mapping[str, Kind], toolset: Toolset
) -> ToolRegistry:
    """Return all tools of a toolset, the agent's and the user's."""
    desks = tuple(desks_of(declaration, kinds).values())
    derived = {tool.name: tool for desk in desks for tool in desk.tools(toolset)}
    own = {tool.name: tool for tool in own_tools(declaration)}
    is_free = all(kind.is_free for kind in kinds.values())
    tools = (
        *PLATFORM_TOOLS,
        # The author's own come first, but for those that stand in the place of derived ones.
        *(tool for name, tool in own.items() if name not in derived),
        *(own.get(name, tool) for name, tool in derived.items()),
        *(() if is_free else PAYMENT_TOOLS),
        *user_tools(declaration.job, is_free=is_free),
    )
    entities = {name: kind.named for name, kind in kinds.items()}
    return ToolRegistry(tools, entities, dict(_duties(desks)))


def _duties(desks: Iterable[KindDesk]) -> Iterator[tuple[str, ToolDuty]]:
    """Yield what tools do that a fault of the world can strike or mend, by their names."""
    for desk in desks:
        kind, tools = desk.view.kind, desk.kind_tools()
        about = ToolDuty(
            ToolDeed.FIND,
            kind.name,
            kind.items,
            kind.offer.key,
            kind.offer.name,
            tools.search.tool,
            tools.details or "",
            desk.view.noun,
            kind.people,
            tools.price.tool if tools.price is not None else "",
        )
        yield tools.search.tool, about
        yield desk.finder.look_name, about
        yield tools.book, about._replace(deed=ToolDeed.BOOK)
        if desk.price_name is not None:
            yield desk.price_name, about._replace(deed=ToolDeed.QUOTE)
        if tools.details is not None:
            yield tools.details, about._replace(deed=ToolDeed.LOOK_UP)
    yield charge_booking.name, ToolDuty(ToolDeed.CHARGE)


def own_tools(declaration: Declaration) -> tuple[Tool, ...]:
    """Return what a declaration gives itself: the lists of its directories, and its own tools."""
    listing = [_listing(one) for one in declaration.directories if one.tool is not None]
    return (*listing, *declaration.tools)


def _listing(directory: Directory) -> Tool:
    name, said = directory.tool or f"list_{directory.name}", spoken(directory.name)

    columns = list(directory.table.columns)

    def run(call: ToolCall) -> Result:
        rows = [[row[name] for name in columns] for row in call.tables.rows(directory.name)]
        return {directory.name: as_table(columns, rows)}

    return Tool(
        name=name,
        owner=Owner.AGENT,
        type=ToolType.R,
        category=directory.category or said.capitalize(),
        description=f"List all {said}: {', '.join(map(spoken, columns))}.",
        arguments=arguments_model(name, (), {}),
        run=run,
        mutates=False,
    )


def _desk(declaration: Declaration, offer: Offer, kind: Kind) -> KindDesk:
    finder = Finder(OfferView(offer, kind, people_column(declaration, offer)))
    people = declaration.people
    is_for_each = people is not None and offer.units == people.size
    shop = Shop(finder.view, finder.search_name, finder.look_name)
    person = people.noun if people is not None and is_for_each else None
    return KindDesk(finder, _orders(shop, finder.calendar, person))


def _orders(shop: Shop, calendar: Calendar | None, person: str | None) -> Orders:
    """Return how bookings hold the offers of a shop; `person` is what one is called, if many."""
    held = shop.view.offer.holds
    if isinstance(held, Each):
        return PersonOrders(shop, held, person or "person")
    if isinstance(held, Stay) and calendar is not None:
        return StayOrders(shop, calendar)
    return UnitOrders(shop, held if isinstance(held, Count) else None, person)
