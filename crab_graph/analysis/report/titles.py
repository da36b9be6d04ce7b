"""What each check says, in a few words: those every domain shares, and each domain's own."""

from collections.abc import Mapping
from functools import cache

from crab_graph.domains.domain import DOMAINS, find_domain
from crab_graph.eval.verifiers import shared_verifiers


@cache
def check_titles() -> Mapping[str, str]:
    """Return the titles of all checks that are known here, by id."""
    titles = {one.id: one.title for one in shared_verifiers()}
    for name in DOMAINS.names():
        titles |= find_domain(name).grading.titles
    return titles
