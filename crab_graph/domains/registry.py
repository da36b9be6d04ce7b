"""The domains that are installed: travel, and those third parties register by entry point."""

from functools import cache
from importlib.metadata import entry_points

from crab_graph.domains.domain import Domain
from crab_graph.errors import UnknownName

ENTRY_POINT_GROUP = "crab_graph.domains"


def domain_names() -> tuple[str, ...]:
    """Return the names of all domains that can be found."""
    registered = {entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)}
    return tuple(sorted({*registered, "travel"}))


@cache
def find_domain(name: str) -> Domain:
    """Return a domain by name.

    Raises:
        UnknownName: no installed package registers it.
    """
    if name == "travel":  # found even where the package runs from a checkout that is not installed
        from crab_graph.domains.travel.domain import TRAVEL  # noqa: PLC0415

        return TRAVEL
    registered = {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in registered:
        raise UnknownName("domain", name, domain_names())
    domain: Domain = registered[name].load()
    return domain
