"""The domains that are installed: travel, and those third parties register by entry point."""

from functools import cache

from crab_graph.domains.domain import Domain
from crab_graph.plugins import Seam

DOMAINS = Seam(
    "crab_graph.domains", "domain", {"travel": "crab_graph.domains.travel.domain:TRAVEL"}
)


@cache
def find_domain(name: str) -> Domain:
    """Return a domain by name.

    Raises:
        UnknownName: no installed package registers it.
        UsageError: the package that does cannot be imported.
    """
    domain: Domain = DOMAINS.find(name)
    return domain
