"""Tools: functions of the platform or of the user's wallet, declared once (paper table 6).

A tool is pure. It reads tables through its `ToolCall`, returns a JSON object, and leaves what it
writes in the call as events. It refuses by raising `ToolCallError`, upon which they are dropped.
A domain's tools are called by name through its registry, which shows them in the forms agents know.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, count
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pydantic import ValidationError
from pydantic_core import to_json

from crab_graph.errors import ToolCallError, UnknownName
from crab_graph.randomness import Part, derive_id
from crab_graph.tools.arguments import (
    ToolArguments,
    build_arguments,
    build_schema,
    describe_problems,
    read_docstring,
    shown,
)
from crab_graph.tools.ledger import BookingTables, Event, Ledger, is_by_world
from crab_graph.tools.tables import EntityTable, Row, World
from crab_graph.tools.world_faults import Ran, ToolDuty, mended_before, struck

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from crab_graph.tools.environment_tools import Invoked

Result = dict[str, Any]
ArgumentModel = type[ToolArguments]

ID_DIGITS = 8


class Owner(StrEnum):
    """Who may call a tool."""

    AGENT = "agent"
    USER = "user"


class ToolType(StrEnum):
    """The paper's kinds of tools: read, write, generic."""

    R = "R"
    W = "W"
    G = "G"


class ErrorCode(StrEnum):
    """Why a call was refused, as the engine's tools say it; a domain's own may say more."""

    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    CONVERSATION_TRANSFERRED = "conversation_transferred"
    UNKNOWN_ID = "unknown_id"
    AMBIGUOUS = "ambiguous"
    SOLD_OUT = "sold_out"
    WRONG_DATES = "wrong_dates"
    WRONG_PARTY = "wrong_party"
    MIXED_OFFERS = "mixed_offers"
    WRONG_CARD = "wrong_card"
    DECLINED = "declined"
    ALREADY_CHARGED = "already_charged"
    ALREADY_CANCELLED = "already_cancelled"


@dataclass(slots=True)
class ToolCall:
    """One call being run: the tables it reads and the events it leaves, which take effect after it.

    `entities` says where the entities of each booking kind are stored.
    """

    tables: BookingTables
    entities: Mapping[str, EntityTable] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    @property
    def world(self) -> World:
        """The task's initial tables."""
        return self.tables.world

    def require(self, table: str, key: str, noun: str, hint: str) -> Row:
        """Return the row with that key.

        Raises:
            ToolCallError: there is none; it names the row by the noun, and ends with the hint.
        """
        row = self.tables.get(table, key)
        if row is None:
            raise ToolCallError(ErrorCode.UNKNOWN_ID, f"there is no {noun} {shown(key)}; {hint}")
        return row

    def insert(self, table: str, key: str, row: Row) -> None:
        """Write a new row."""
        self.events.append({"op": "insert", "table": table, "key": key, "row": row})

    def update(self, table: str, key: str, values: Row) -> None:
        """Write new values into some columns of a row."""
        self.events.append({"op": "update", "table": table, "key": key, "set": values})

    def add(self, table: str, key: str, column: str, delta: int) -> None:
        """Add to a counter."""
        event = {"op": "add", "table": table, "key": key, "column": column, "delta": delta}
        self.events.append(event)

    def remove(self, table: str, key: str, row: Row) -> None:
        """Take back a row that an earlier call of the episode wrote."""
        self.events.append({"op": "remove", "table": table, "key": key, "row": row})

    def next_id(self, prefix: str, table: str) -> str:
        """Return the id of the episode's next row of a table, derived from task and number."""
        return self.derived_id(prefix, table, len(self.tables.inserted(table)) + 1)

    def derived_id(self, prefix: str, table: str, *parts: Part) -> str:
        """Return an id that depends on the task and the given parts, and that no row has yet."""
        tries = chain([parts], ((*parts, again) for again in count(1)))
        names = (derive_id(prefix, ID_DIGITS, self.world.task_id, *one) for one in tries)
        return next(name for name in names if self.tables.get(table, name) is None)


@dataclass(frozen=True, slots=True)
class Tool:
    """A declared tool.

    Type and category are those of the paper's table. Whether it writes to the tables is said apart:
    the generic transfer tool does.
    """

    name: str
    owner: Owner
    type: ToolType
    category: str
    description: str
    arguments: ArgumentModel
    run: Callable[..., Result]
    mutates: bool


def tool(
    *, owner: Owner, type: ToolType, category: str, mutates: bool | None = None
) -> Callable[[Callable[..., Result]], Tool]:
    """Declare a function as a tool; its signature and docstring become the argument model.

    Tools of the writing type mutate; of others `mutates` says so.
    """

    def declare(body: Callable[..., Result]) -> Tool:
        description, texts = read_docstring(body)
        return Tool(
            name=body.__name__,
            owner=owner,
            type=type,
            category=category,
            description=description,
            arguments=build_arguments(body, texts),
            run=body,
            mutates=type is ToolType.W if mutates is None else mutates,
        )

    return declare


class ToolOutcome(NamedTuple):
    """What a call gave: a result or an error, and the events it wrote.

    With an error there are none but those of the world, where that is why it was refused.

    `content` is the text of the tool message: either of them as compact JSON.
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

    @property
    def is_own_error(self) -> bool:
        """Whether it was refused for something that the caller did, and not the world."""
        return self.is_error and not is_by_world(self.events)


class ToolRegistry:
    """All tools of a domain, the agent's and the user's, in the order in which they are listed."""

    def __init__(
        self,
        tools: Iterable[Tool],
        entities: Mapping[str, EntityTable] | None = None,
        duties: Mapping[str, ToolDuty] | None = None,
    ) -> None:
        """Register tools; `duties` tell by name what they do that a fault of the world can strike.

        Raises:
            ValueError: two tools share a name.
        """
        listed = tuple(tools)
        self._tools = {tool.name: tool for tool in listed}
        if len(self._tools) < len(listed):
            raise ValueError("two tools share a name")
        self._entities = dict(entities or {})
        self._duties = dict(duties or {})
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

    def langchain_tools(self, owner: Owner, elsewhere: "Invoked | None" = None) -> "list[BaseTool]":
        """Return one party's tools for LangChain, which work during a turn of that party.

        `elsewhere` answers where a tool is invoked outside the context of a turn, as in a plain
        thread; without it the tools are built once, and refuse there.
        """
        from crab_graph.tools.environment_tools import build_tools  # noqa: PLC0415  (heavy)

        if elsewhere is not None:
            return build_tools(self.openai_schemas(owner), elsewhere)
        if owner not in self._langchain:
            self._langchain[owner] = build_tools(self.openai_schemas(owner))
        return list(self._langchain[owner])

    def call(self, tables: BookingTables, owner: Owner, name: str, arguments: Any) -> ToolOutcome:
        """Run a call, and return its result or the error that tells the caller how to mend it.

        Name and arguments are whatever the caller gave; nothing is changed.
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
            return _failed(ErrorCode.INVALID_ARGUMENTS, describe_problems(error, tool.arguments))
        if tool.mutates and owner == Owner.AGENT and tables.inserted("transfers"):
            text = (
                "the conversation was transferred to a human agent; nothing can be changed any more"
            )
            return _failed(ErrorCode.CONVERSATION_TRANSFERRED, text)
        duty = self._duties.get(tool.name) if tables.world.faults else None
        if duty is None:
            return self._run(tables, tool, values)
        before = mended_before(tables, duty, values)
        if before:
            tables = cast(Ledger, tables).extended(before)  # episodes with faults are played on it
        done = self._run(tables, tool, values)
        return done if done.is_error else _under_faults(tables, duty, values, done, before)

    def _run(self, tables: BookingTables, tool: Tool, values: dict[str, Any]) -> ToolOutcome:
        call = ToolCall(tables, self._entities)
        try:
            result = tool.run(call, **values)
        except ToolCallError as error:
            return _failed(error.code, str(error))
        return ToolOutcome(_written(result), events=tuple(call.events))


def _under_faults(
    tables: BookingTables,
    duty: ToolDuty,
    values: dict[str, Any],
    done: ToolOutcome,
    before: tuple[Event, ...],
) -> ToolOutcome:
    """Return what the world lets of a call that would go through."""
    hit = struck(tables, duty, Ran(values, done.content, done.events))
    if hit.error is not None:
        return _failed(*hit.error)._replace(events=(*before, *hit.events))
    content = done.content if hit.result is None else _written(hit.result)
    return ToolOutcome(content, events=(*before, *done.events, *hit.events))


def _failed(code: str, message: str) -> ToolOutcome:
    return ToolOutcome(_written({"error": str(code), "message": message}), is_error=True)


def _written(payload: Mapping[str, Any]) -> str:
    try:
        return to_json(payload).decode()
    except ValueError:  # half a character, which has no bytes
        return json.dumps(payload, separators=(",", ":"), ensure_ascii=False)
