"""The agent's policy, derived: it states every duty that is graded (verification rulebook)."""

from collections.abc import Mapping

from crab_graph.domain.declaration import Declaration
from crab_graph.domain.kind import Kind
from crab_graph.settings import Toolset


def agent_policy(
    declaration: Declaration, kinds: Mapping[str, Kind], toolset: Toolset, today: str
) -> str:
    """Return the agent's instructions under a toolset, given today's date."""
    raise NotImplementedError
