"""A tool: one function of the platform or of the user's wallet, declared once (paper table 6).

A tool is pure. It reads tables through its `ToolCall`, returns a JSON object, and leaves what it
writes in the call as events. It refuses by raising `ToolCallError`, upon which they are dropped.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any

from crab_graph.errors import ToolCallError
from crab_graph.randomness import Part, derive_id
from crab_graph.tools.arguments import ToolArguments, build_arguments, read_docstring, shown
from crab_graph.tools.ledger import BookingTables, Event
from crab_graph.tools.tables import EntityTable, Row, World

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
    """Why a call was refused."""

    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    CONVERSATION_TRANSFERRED = "conversation_transferred"
    UNKNOWN_ID = "unknown_id"
    AMBIGUOUS_CITY = "ambiguous_city"
    SOLD_OUT = "sold_out"
    WRONG_DATES = "wrong_dates"
    WRONG_PARTY = "wrong_party"
    MIXED_FARES = "mixed_fares"
    WRONG_CARD = "wrong_card"
    DECLINED = "declined"
    ALREADY_CHARGED = "already_charged"
    ALREADY_CANCELLED = "already_cancelled"


@dataclass(slots=True)
class ToolCall:
    """One call being run: the tables it reads and the events it leaves.

    What a call writes it does not read again; its events take effect after it.

    Attributes:
        tables: The tables as they are before the call.
        entities: Where the entities of each booking kind are stored.
        events: What the call has written so far.
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
        self.events.append(
            {"op": "add", "table": table, "key": key, "column": column, "delta": delta}
        )

    def remove(self, table: str, key: str, row: Row) -> None:
        """Take back a row that an earlier call of the episode wrote."""
        self.events.append({"op": "remove", "table": table, "key": key, "row": row})

    def next_id(self, prefix: str, table: str) -> str:
        """Return the id of the episode's next row of a table, derived from task and number."""
        return self.derived_id(prefix, table, len(self.tables.inserted(table)) + 1)

    def derived_id(self, prefix: str, table: str, *parts: Part) -> str:
        """Return an id that depends on the task and the given parts, and that no row has yet."""
        first = derive_id(prefix, ID_DIGITS, self.world.task_id, *parts)
        if self.tables.get(table, first) is None:
            return first
        others = (
            derive_id(prefix, ID_DIGITS, self.world.task_id, *parts, again) for again in count(1)
        )
        return next(name for name in others if self.tables.get(table, name) is None)


@dataclass(frozen=True, slots=True)
class Tool:
    """A declared tool.

    Attributes:
        owner: Who may call it.
        type: Its type in the paper's table.
        category: Its category there.
        description: What callers read about it.
        arguments: The model its arguments are validated by.
        run: The function itself.
        mutates: Whether it writes to the tables; the generic transfer tool does.
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
