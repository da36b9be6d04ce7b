"""How users' statements are held against what they know, from a declaration (rulebook §10)."""

from crab_graph.domain.declaration import Declaration
from crab_graph.domain.verification import Claim


def claims(declaration: Declaration) -> tuple[Claim, ...]:
    """Return how statements of each fact are recognised; what is not seen stays unseen."""
    return tuple(one for one in declaration.claims if isinstance(one, Claim))
