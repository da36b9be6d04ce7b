"""Which tools an agent is given: those of the paper's table 6, or more (rulebook §1).

What an episode was made with, it is run again with: the benchmark, or the task, is opened with the
toolset, and its domain has the tools and the policy of it.
"""

from enum import StrEnum


class Toolset(StrEnum):
    """A choice of tools."""

    PARITY = "parity"
    """Exactly the paper's: of all bookings only those of flights can be cancelled."""

    EXTENDED = "extended"
    """Also what cancels and changes any booking; its results are reported apart."""


def agent_label(agent: str, toolset: str) -> str:
    """Return an agent as reports name it; results of two toolsets never stand under one name."""
    return agent if toolset == Toolset.PARITY else f"{agent} ({toolset} tools)"
