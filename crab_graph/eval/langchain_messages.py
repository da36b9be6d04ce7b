"""Episodes as LangChain messages."""

from typing import Any, Literal

from langchain_core.messages import BaseMessage

from crab_graph.eval.gradable import read_gradable
from crab_graph.eval.transcript import TranscriptMessage
from crab_graph.graph.spoken import spoken
from crab_graph.tools.registry import Owner


def messages(played: Any, *, seen_by: Literal["agent"] | None = None) -> list[BaseMessage]:
    """Return what was said and done as LangChain messages, in order; `grade` takes them back.

    What the user says is a `HumanMessage`. Where it calls its own tools, which the agent never
    sees, that is an `AIMessage` named `user`, since no other kind of message calls any.

    Args:
        played: The state of a graph or its `get_state(…)`, an `Episode`, or messages of any kind
            that `grade` takes.
        seen_by: `agent` for what the agent saw and did alone, such as to train it on.

    Raises:
        TranscriptError: it is none of these, or a message is malformed.
    """
    lines = [
        _line(one, place)
        for place, one in enumerate(read_gradable(played).messages)
        if seen_by is None or one.owner is Owner.AGENT or not (one.tool_calls or one.tool_call_id)
    ]
    return spoken(lines)


def _line(message: TranscriptMessage, place: int) -> dict[str, Any]:
    return {
        "seq": place,
        "role": str(message.role),
        "owner": str(message.owner),
        "content": message.content,
        "tool_calls": [call._asdict() for call in message.tool_calls],
        "tool_call_id": message.tool_call_id,
    }
