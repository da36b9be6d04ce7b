"""Arguments of tools (paper table 6): their types, their models, and the schemas agents read."""

import inspect
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from pydantic_core import ErrorDetails

from crab_graph.money import parse_cents

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ARGUMENT = re.compile(r"(\w+): (.+)")
_MAX_CENTS = 10**12
_MAX_AMOUNT_LENGTH = 32
_MAX_SHOWN = 60
_MAX_PROBLEMS = 5
_NOISE = ("title", "minLength", "maxLength")


class ToolArguments(BaseModel):
    """Base of all argument models: nothing unknown, no value silently turned into another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _checked_date(text: str) -> str:
    if not _DATE.fullmatch(text):
        raise ValueError("write dates as YYYY-MM-DD")
    date.fromisoformat(text)
    return text


def _checked_amount(value: Any) -> int:
    if isinstance(value, str) and len(value) > _MAX_AMOUNT_LENGTH:
        raise ValueError('not an amount of money; write it like "300.00"')
    cents = parse_cents(value)
    if not 0 < cents <= _MAX_CENTS:
        raise ValueError("the amount must be positive")
    return cents


IsoDate = Annotated[str, AfterValidator(_checked_date), Field(json_schema_extra={"format": "date"})]
"""A date as `YYYY-MM-DD`."""

Amount = Annotated[
    int,
    BeforeValidator(_checked_amount),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}]}),
]
"""An amount of money in any of its written forms; the tool receives cents."""

Text = Annotated[str, Field(min_length=1, max_length=2000)]
"""Free text that must not be empty."""


def shown(value: object) -> str:
    """Return a caller's value in quotes for an error message, shortened where it is long."""
    try:
        # Lone surrogates, which JSON can smuggle in, can be neither written nor stored.
        text = str(value).encode(errors="backslashreplace").decode()
    except ValueError:  # Python refuses to write integers of thousands of digits
        text = "a very long number"
    return f"'{text}'" if len(text) <= _MAX_SHOWN else f"'{text[:_MAX_SHOWN]}…'"


def read_docstring(body: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return the description of a tool, and of each of its arguments, from its Google docstring."""
    prose, _, section = (inspect.getdoc(body) or "").partition("\n\nArgs:\n")
    arguments: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(section).splitlines():
        if match := _ARGUMENT.fullmatch(line):
            name, arguments[match[1]] = match[1], match[2]
        elif line.strip():
            arguments[name] += " " + line.strip()
    return " ".join(prose.split()), arguments


def build_arguments(body: Callable[..., Any], texts: Mapping[str, str]) -> type[ToolArguments]:
    """Return the model of a tool's arguments: the parameters of its function after the first.

    Raises:
        TypeError: a parameter is not described in the docstring.
    """
    hints = get_type_hints(body, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in list(inspect.signature(body).parameters.values())[1:]:
        if parameter.name not in texts:
            raise TypeError(f"tool '{body.__name__}' does not describe '{parameter.name}'")
        default = ... if parameter.default is parameter.empty else parameter.default
        field = Field(default, description=texts[parameter.name])
        fields[parameter.name] = (hints[parameter.name], field)
    model: type[ToolArguments] = create_model(body.__name__, __base__=ToolArguments, **fields)
    return model


def build_schema(model: type[ToolArguments]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments, without references, titles and nulls.

    Optional arguments may also be given as null; the schema does not say so, to stay short.
    """
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    schema.pop("description", None)
    compact: dict[str, Any] = _compact(schema, definitions)
    compact.setdefault("properties", {})
    return compact


def _compact(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_compact(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _compact(definitions[node["$ref"].rpartition("/")[2]], definitions)
    kept = {
        key: value
        for key, value in node.items()
        if key not in _NOISE and (key, value) != ("default", None)
    }
    choices = [choice for choice in kept.pop("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        kept = choices[0] | kept
    elif choices:
        kept["anyOf"] = choices
    properties = kept.get("properties", {})  # their names are the tool's, whatever they are
    compact = {key: _compact(value, definitions) for key, value in kept.items()}
    if properties:
        named = {name: _compact(value, definitions) for name, value in properties.items()}
        compact["properties"] = named
    return compact


def describe_problems(error: ValidationError, model: type[BaseModel]) -> str:
    """Return what is wrong with a call's arguments, field by field, and what to do about it."""
    problems = [_describe(detail, model) for detail in error.errors()[:_MAX_PROBLEMS]]
    return "; ".join(dict.fromkeys(problems))


def _describe(detail: ErrorDetails, model: type[BaseModel]) -> str:
    place = [part for part in detail["loc"] if part != "[key]"]
    name = ".".join(str(part) for part in place)
    match detail["type"]:
        case "missing":
            return f"argument '{name}' is missing"
        case "extra_forbidden" if len(place) == 1:
            known = ", ".join(model.model_fields) or "no arguments"
            return f"there is no argument {shown(name)}; the tool takes {known}"
        case "extra_forbidden":
            return f"there is no field {shown(name)}"
    reason = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if detail["msg"].startswith("Input should be "):
        reason = f"must be {reason}"
    return f"argument {shown(name)}: {reason}, got {shown(detail['input'])}"
