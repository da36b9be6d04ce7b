"""The tools of a domain, called by name, and shown in the forms agents know (paper table 6)."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import to_json

from crab_graph.errors import ToolCallError, UnknownName
from crab_graph.tools.arguments import build_schema, describe_problems, shown
from crab_graph.tools.ledger import BookingTables, Event
from crab_graph.tools.tables import EntityTable
from crab_graph.tools.tool import ErrorCode, Owner, Result, Tool, ToolCall, ToolType, tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

__all__ = (
    "ErrorCode",
    "Owner",
    "Result",
    "Tool",
    "ToolCall",
    "ToolOutcome",
    "ToolRegistry",
    "ToolType",
    "tool",
)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call gave: a result or an error, and the events it wrote (none with an error).

    Attributes:
        content: The text of the tool message: the result, or the error, as compact JSON.
        is_error: Whether it was refused.
        events: What it wrote.
    """

    content: str
    is_error: bool = False
    events: tuple[Event, ...] = ()

    @property
    def result(self) -> Result | None:
        """What it returned, read anew and free to be changed, or `None`."""
        return None if self.is_error else json.loads(self.content)

    @property
    def error(self) -> dict[str, str] | None:
        """Why it was refused, or `None`."""
        return json.loads(self.content) if self.is_error else None


class ToolRegistry:
    """All tools of a domain, the agent's and the user's, in the order in which they are listed."""

    def __init__(
        self, tools: Iterable[Tool], entities: Mapping[str, EntityTable] | None = None
    ) -> None:
        """Register tools.

        Args:
            tools: The tools; names are unique.
            entities: Where the entities of each booking kind are stored.

        Raises:
            ValueError: two tools share a name.
        """
        listed = tuple(tools)
        self._tools = {tool.name: tool for tool in listed}
        if len(self._tools) < len(listed):
            raise ValueError("two tools share a name")
        self._entities = dict(entities or {})
        self._schemas: dict[Owner, list[dict[str, Any]]] = {}
        self._langchain: dict[Owner, list[BaseTool]] = {}

    def tools(self, owner: Owner) -> tuple[Tool, ...]:
        """Return the tools of one party."""
        return tuple(tool for tool in self._tools.values() if tool.owner == owner)

    def names(self, owner: Owner) -> tuple[str, ...]:
        """Return the names of one party's tools."""
        return tuple(tool.name for tool in self.tools(owner))

    def get(self, name: str) -> Tool:
        """Return a tool by name.

        Raises:
            UnknownName: there is none.
        """
        if name not in self._tools:
            raise UnknownName("tool", name, self._tools)
        return self._tools[name]

    def openai_schemas(self, owner: Owner) -> list[dict[str, Any]]:
        """Return one party's tools as OpenAI function schemas, built once."""
        if owner not in self._schemas:
            functions = (
                {"name": one.name, "description": one.description}
                | {"parameters": build_schema(one.arguments)}
                for one in self.tools(owner)
            )
            self._schemas[owner] = [{"type": "function", "function": one} for one in functions]
        return list(self._schemas[owner])

    def langchain_tools(
        self, owner: Owner, run: Callable[[str, dict[str, Any]], str] | None = None
    ) -> "list[BaseTool]":
        """Return one party's tools for LangChain.

        Args:
            owner: Whose tools.
            run: What a tool does when it is invoked: `run(name, arguments)` returns its message.
                Without it the tools, built once, only tell a model what there is.
        """
        if run is not None:
            return _langchain_tools(self.openai_schemas(owner), run)
        if owner not in self._langchain:
            self._langchain[owner] = _langchain_tools(self.openai_schemas(owner), _refuse)
        return list(self._langchain[owner])

    def call(self, tables: BookingTables, owner: Owner, name: str, arguments: Any) -> ToolOutcome:
        """Run a call, and return its result or the error that tells the caller how to mend it.

        Args:
            tables: The tables as they are before the call.
            owner: Who calls.
            name: The tool's name, whatever the caller gave.
            arguments: The arguments, likewise; they are not changed.
        """
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None or tool.owner != owner:
            known = ", ".join(self.names(owner))
            text = f"there is no tool {shown(name)}; the tools are {known}"
            return _failed(ErrorCode.UNKNOWN_TOOL, text)
        if not isinstance(arguments, Mapping):
            text = f"the arguments must be a JSON object, got {shown(arguments)}"
            return _failed(ErrorCode.INVALID_ARGUMENTS, text)
        try:
            values = tool.arguments.model_validate(dict(arguments)).__dict__
        except ValidationError as error:
            text = describe_problems(error, tool.arguments)
            return _failed(ErrorCode.INVALID_ARGUMENTS, text)
        if tool.mutates and owner == Owner.AGENT and tables.inserted("transfers"):
            text = (
                "the conversation was transferred to a human agent; nothing can be changed any more"
            )
            return _failed(ErrorCode.CONVERSATION_TRANSFERRED, text)
        call = ToolCall(tables, self._entities)
        try:
            result = tool.run(call, **values)
        except ToolCallError as error:
            return _failed(error.code, str(error))
        return ToolOutcome(_written(result), events=tuple(call.events))


def _failed(code: str, message: str) -> ToolOutcome:
    return ToolOutcome(_written({"error": str(code), "message": message}), is_error=True)


def _written(payload: Mapping[str, Any]) -> str:
    try:
        return to_json(payload).decode()
    except ValueError:  # half a character, which has no bytes
        return json.dumps(payload, separators=(",", ":"), ensure_ascii=False)


def _refuse(name: str, arguments: dict[str, Any]) -> str:
    del arguments
    raise RuntimeError(f"'{name}' cannot be run here: calls are executed by the environment")


def _langchain_tools(
    schemas: Iterable[Mapping[str, Any]], run: Callable[[str, dict[str, Any]], str]
) -> "list[BaseTool]":
    from langchain_core.tools import StructuredTool  # noqa: PLC0415  (heavy, and not always needed)

    def build(name: str, description: str, parameters: dict[str, Any]) -> "BaseTool":
        def invoke(**arguments: Any) -> str:
            return run(name, arguments)

        return StructuredTool.from_function(
            func=invoke,
            name=name,
            description=description,
            # Not a model: malformed arguments must reach the environment and be recorded.
            args_schema=parameters,
            infer_schema=False,
        )

    return [build(**schema["function"]) for schema in schemas]
