"""Agents that need no model; results label them as reference agents wherever they appear."""

from crab_graph.agents.reference.roster import (
    REFERENCE_AGENTS,
    AgentFunction,
    ReferenceAgent,
    informed_agent,
    reference_agent,
)

__all__ = [
    "REFERENCE_AGENTS",
    "AgentFunction",
    "ReferenceAgent",
    "informed_agent",
    "reference_agent",
]
