"""What is wrong with a domain's words, or weak: one line each, naming the part and the fix."""

from crab_graph.domain.declaration import Declaration


def word_problems(declaration: Declaration) -> list[str]:
    """Return what keeps a domain's users from being understood, for which it is refused."""
    del declaration
    return []


def word_weaknesses(declaration: Declaration) -> list[str]:
    """Return what of a domain's words works, and could be better."""
    del declaration
    return []
