"""What an agent's own graph keeps, apart from all that is the episode's.

Its state, its subgraphs and its stores hold values of any kind, which only the agent's own types
can hold again. They lie in a part of the state of their own, packed, each with this user's seal:
unpacked is what this user's agent kept, or what somebody wrote whom the user trusts.
"""

from collections.abc import Mapping
from typing import Any

from crab_graph.errors import RunError
from crab_graph.ownership import is_sealed, sealed

_PURPOSE = "memory of an agent"
_SEAL = "seal"


def memory_kept(seq: int, agent: str | None, memory: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an agent remembers after a message, as the state keeps it."""
    kept = {"seq": seq, "agent": agent, "memory": memory}
    return {**kept, _SEAL: sealed(_PURPOSE, kept)}


def memory_of(
    state: Mapping[str, Any], agent: str | None, *, trusts: bool
) -> tuple[dict[str, Any] | None, int]:
    """Return what an agent remembers, and the number of the first message after that.

    Raises:
        RunError: somebody else wrote it, and is not trusted; nothing of it was unpacked.
    """
    own = [one for one in state.get("agent_states", ()) if one["agent"] == agent]
    if not own:
        return None, 0
    if not trusts and not all(map(_is_own, own)):
        raise RunError(
            "what the agent kept for itself was written by somebody else, or on another machine, "
            "and is not read; if you know where it comes from, go on with `trust=True`"
        )
    blobs = {name: blob for one in own for name, blob in one["memory"]["blobs"].items()}
    return {**own[-1]["memory"], "blobs": blobs}, own[-1]["seq"]


def _is_own(kept: Mapping[str, Any]) -> bool:
    value = {name: one for name, one in kept.items() if name != _SEAL}
    return is_sealed(_PURPOSE, value, kept.get(_SEAL))
