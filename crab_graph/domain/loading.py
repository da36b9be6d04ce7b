"""A domain by its name, or by where it is declared: `module:attribute`."""

from crab_graph.domain.compiler import build
from crab_graph.domain.contract import Domain, find_domain, register
from crab_graph.domain.declaration import Declaration
from crab_graph.errors import DeclarationError, UsageError
from crab_graph.plugins import import_attribute


def load_domain(spec: str) -> Domain:
    """Return the domain of a name, or the one that `module:attribute` is or declares.

    The latter is imported, and found by its own name in this process from then on.

    Raises:
        UnknownName: no installed package registers the name.
        DeclarationError: what is declared cannot be right.
        UsageError: it cannot be imported, or is no domain.
    """
    if ":" not in spec:
        try:
            return find_domain(spec)
        except UsageError as error:
            if isinstance(error.__cause__, DeclarationError):
                raise error.__cause__ from None
            raise
    found = import_attribute("domain", spec)
    if isinstance(found, Declaration):
        found = build(found)
    if isinstance(found, Domain):
        return register(found)
    raise UsageError(f"'{spec}' is neither a Declaration nor what `build` makes of one")
