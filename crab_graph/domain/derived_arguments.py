"""Derived tools: their arguments, with types and texts, and values as callers write them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field, WithJsonSchema, create_model

from crab_graph.domain.declaration import Offer
from crab_graph.domain.english import joined, spoken
from crab_graph.domain.fields import Choice, Several
from crab_graph.errors import ToolCallError
from crab_graph.generation.constraints import Value
from crab_graph.tools.arguments import ToolArguments, shown
from crab_graph.tools.registry import ArgumentModel, ErrorCode, Owner, Result, Tool, ToolType

MOST_LISTED = 12
"""How many values a schema or an error lists; of more it says where they are found."""


class Argument(NamedTuple):
    """An argument of a tool; one that is not needed is `None` by default."""

    name: str
    type: Any
    text: str
    is_needed: bool = True


def arguments_model(
    tool: str, arguments: Iterable[Argument], texts: Mapping[str, str]
) -> ArgumentModel:
    """Return the model of a tool's arguments; `texts` has other texts, by `tool.argument`."""
    fields: dict[str, Any] = {}
    for one in arguments:
        text = texts.get(f"{tool}.{one.name}", one.text)
        declared = Field(... if one.is_needed else None, description=text)
        fields[one.name] = (one.type if one.is_needed else one.type | None, declared)
    model: ArgumentModel = create_model(tool, __base__=ToolArguments, **fields)
    return model


def derived_tool(
    offer: Offer,
    name: str,
    type: ToolType,
    text: str,
    arguments: Iterable[Argument],
    run: Callable[..., Result],
) -> Tool:
    """Return a tool of an offer, with the texts that its author has for it."""
    category = offer.tools.category or spoken((offer.provider or offer).table).capitalize()
    texts = offer.tools.texts
    model = arguments_model(name, arguments, texts)
    text = texts.get(name, text)
    return Tool(name, Owner.AGENT, type, category, text, model, run, type is ToolType.W)


def is_listed(field: Choice | Several) -> bool:
    """Tell whether the values of a field are few, and the same in every task."""
    return len(field.values) <= MOST_LISTED and not (isinstance(field, Choice) and field.sample)


def type_of_choice(field: Choice | Several) -> Any:
    """Return the type of an argument that takes a value of a field, in any case and by its code.

    Values that are many, or others in every task, are read by `value_of` when the tool runs.
    """
    if isinstance(field.values[0], int):
        return Annotated[int, BeforeValidator(_known(field)), WithJsonSchema(_schema(field))]
    if not is_listed(field):
        return str
    return Annotated[str, BeforeValidator(_known(field)), WithJsonSchema(_schema(field))]


def _schema(field: Choice | Several) -> dict[str, Any]:
    if isinstance(field.values[0], int):
        return {"type": "integer"} | ({"enum": list(field.values)} if is_listed(field) else {})
    return {"type": "string", "enum": list(field.values)}


def _known(field: Choice | Several) -> Any:
    meant = _meanings(field)
    listed = joined([f"'{value}'" for value in field.values[:MOST_LISTED]], "or")
    if len(field.values) > MOST_LISTED:
        listed = f"an integer from {min(field.values)} to {max(field.values)}"

    def read(value: Any) -> Any:
        key = value.casefold() if isinstance(value, str) else value
        if isinstance(key, bool) or not isinstance(key, str | int):
            return value
        found = meant.get(key, ())
        if len(found) != 1:
            raise ValueError(f"must be {listed}")
        return found[0]

    return read


def _meanings(field: Choice | Several) -> dict[Value, tuple[Value, ...]]:
    """Return what each word may mean; a value itself comes before a code."""
    found: dict[Value, tuple[Value, ...]] = {}
    for value, code in (field.codes if isinstance(field, Choice) else {}).items():
        key = code.casefold()
        found[key] = (*found.get(key, ()), value)
    own = {
        value.casefold() if isinstance(value, str) else value: (value,) for value in field.values
    }
    return found | own


class Values:
    """Reads the values of a field as callers write them."""

    def __init__(self, name: str, field: Choice | Several) -> None:
        """Read the values of the field of that name."""
        self._name = spoken(name)
        self._field = field
        self._meant = _meanings(field)

    def read(self, text: str, present: Callable[[], Sequence[Value]]) -> Value:
        """Return the value that is meant; `present` returns those that there are.

        Raises:
            ToolCallError: no value is called so, or several are.
        """
        found = self._meant.get(text.casefold(), ())
        if len(found) == 1:
            return found[0]
        if found:
            choices = ", ".join(str(one) for one in found)
            message = f"{shown(text)} may mean several; give one of {choices}"
            raise ToolCallError(ErrorCode.AMBIGUOUS, message)
        raise ToolCallError(
            ErrorCode.UNKNOWN_ID, f"there is no {self._name} {shown(text)}; {self._hint(present())}"
        )

    def _hint(self, present: Sequence[Value]) -> str:
        tool = self._field.listed_by if isinstance(self._field, Choice) else ""
        if tool:
            return f"list them with {tool}"
        listed = ", ".join(str(one) for one in present[:MOST_LISTED])
        more = " and others" if len(present) > MOST_LISTED else ""
        return f"there are {listed}{more}" if listed else "leave it out"
