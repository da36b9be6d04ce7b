"""A domain by its name, or by where it is declared: `module:attribute`."""

from crab_graph.domain.compiler import build
from crab_graph.domain.contract import Domain, find_domain, register
from crab_graph.domain.declaration import Declaration
from crab_graph.errors import UsageError
from crab_graph.plugins import import_attribute


def load_domain(spec: str) -> Domain:
    """Return the domain of a name, or the one that `module:attribute` is or declares.

    The latter is imported, and found by its own name in this process from then on.

    Raises:
        UnknownName: no installed package registers the name.
        UsageError: it cannot be imported, is refused, or is no domain.
    """
    if ":" not in spec:
        return find_domain(spec)
    found = import_attribute("domain", spec)
    if isinstance(found, Declaration):
        found = build(found)
    if not isinstance(found, Domain):
        raise UsageError(f"'{spec}' is neither a Declaration nor what `build` makes of one")
    return register(found)
