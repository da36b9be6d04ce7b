"""Words and calls that somebody puts into an episode from outside, by LangGraph's `update_state`.

What is said goes in as LangChain, OpenAI or a transcript writes it, under `messages`; the rest of
the state follows from it as if the party had said it. What cannot be put in is refused in one line.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages
from langgraph.types import StateUpdate

from crab_graph.agents.reply import Reply, read_reply
from crab_graph.errors import UsageError
from crab_graph.graph.state import HISTORIES, Batch, EpisodeState, is_finished, joined
from crab_graph.text.transcript_marks import USER_NAME

PutIn = Callable[[Any, str, Reply], dict[str, Any]]
"""Returns what follows in a state when a party, `user` or `agent`, is made to answer so."""

_PARTIES = ("user", "agent")
_BEGIN = "__start__"


def translated(
    state: Mapping[str, Any], updates: Sequence[StateUpdate], put_in: PutIn
) -> list[StateUpdate]:
    """Return updates of a state as its channels take them.

    Raises:
        UsageError: one cannot be put in.
    """
    found = []
    for update in updates:
        one = _translated(state, update, put_in)
        state = joined(state, one.values or {})
        found.append(one)
    return found


def _translated(state: Mapping[str, Any], update: StateUpdate, put_in: PutIn) -> StateUpdate:
    values, party = update.values, update.as_node
    if not values:
        return update
    if not isinstance(values, Mapping):
        raise UsageError(f"an update is a dict such as {{'messages': […]}}, not {values!r:.60}")
    unknown = [name for name in values if name not in EpisodeState.__annotations__]
    if unknown:
        known = ", ".join(EpisodeState.__annotations__)
        raise UsageError(f"an episode's state has no '{unknown[0]}'; it has {known}")
    if not state and {"spec", "counts"} <= values.keys():  # the whole state of another thread
        whole = {name: Batch(lines=one) if name in HISTORIES else one for name, one in _of(values)}
        return update._replace(values=whole, as_node=_BEGIN)
    written = [name for name in values if name in HISTORIES and name != "messages"]
    if written:
        raise UsageError(f"'{written[0]}' follows from what is said and called; give 'messages'")
    plain = {name: one for name, one in _of(values) if name != "messages"}
    if "messages" not in values:
        return update
    given = values["messages"]
    said: dict[str, Any] = {}
    for message in given if isinstance(given, list) else [given]:
        party, reply = _read(message, update.as_node)
        _check_open(state)
        added = put_in(state, party, reply)
        state = joined(state, added)
        said = _both(said, added)
    return update._replace(values=said | plain, as_node=party)


def _read(message: Any, as_node: str | None) -> tuple[str, Reply]:
    """Return whose a message is, and what it says."""
    if as_node not in (None, *_PARTIES):
        raise UsageError(f"messages go in as_node 'user' or 'agent', not '{as_node}'")
    if isinstance(message, str) and as_node is None:
        raise UsageError("who says it? give as_node='user' or as_node='agent'")
    if isinstance(message, str):
        return str(as_node), read_reply(message)
    try:
        (read,) = convert_to_messages([_in_their_words(message)])
    except (ValueError, TypeError, KeyError, NotImplementedError):
        raise UsageError(f"{message!r:.80} is no message of LangChain or OpenAI") from None
    if not isinstance(read, HumanMessage | AIMessage):
        raise UsageError(
            f"a {type(read).__name__} cannot be put in: an episode takes what its user says and "
            "its agent says or calls; to change what was said, go on from an earlier checkpoint"
        )
    party = _party_of(read)
    if as_node not in (None, party) and isinstance(read, HumanMessage):
        raise UsageError(f"a HumanMessage is the user's: as_node='user', not '{as_node}'")
    return as_node or party, read_reply(_as_reply(read))


def _party_of(message: BaseMessage) -> str:
    is_users = isinstance(message, HumanMessage) or message.name == USER_NAME
    return "user" if is_users else "agent"


def _as_reply(message: BaseMessage) -> Any:
    return message if isinstance(message, AIMessage) else str(message.text)


def _in_their_words(message: Any) -> Any:
    """Return a message with its calls as LangChain writes them; transcripts name theirs others."""
    if not isinstance(message, Mapping) or not message.get("tool_calls"):
        return message
    calls = [
        {"name": call["name"], "args": call["arguments"], "id": call.get("id", "")}
        if isinstance(call, Mapping) and "arguments" in call
        else call
        for call in message["tool_calls"]
    ]
    if not any("args" in call for call in calls):
        return message
    name = USER_NAME if message.get("owner") == "user" else message.get("name")
    return AIMessage(content=message.get("content") or "", tool_calls=calls, name=name)


def _check_open(state: Mapping[str, Any]) -> None:
    if is_finished(state):
        raise UsageError(
            "the episode is over; go on from an earlier checkpoint of get_state_history(config)"
        )
    if state.get("turn") == "environment":
        raise UsageError("calls are waiting for their results: go on by invoke(None, config) first")


def _both(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return two updates as one."""
    grown = {
        name: Batch(lines=[*first[name]["lines"], *second[name]["lines"]])
        for name in first.keys() & second.keys() & HISTORIES
    }
    return {**first, **second, **grown}


def _of(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, one) for name, one in values.items() if one is not None]
