"""Options made from settings: a command names the value it wants, and gets it read and checked.

A parameter of a command whose type is a class of settings stands for one option a field, with the
field's name, default, range and help; the command is called with the value itself.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

import typer

from crab_graph.settings import About, Settings, Toolset, about

BenchArgument = Annotated[Path, typer.Argument(metavar="BENCH", help="Directory of the benchmark.")]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Directory that `run` wrote.")]
RunArguments = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Directories that `run` wrote.")
]
EpisodeArgument = Annotated[
    str, typer.Argument(metavar="EPISODE", help="Its id: TASK.COND.TRIAL, as S1-001.ruse.0.")
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Throw away what was made with other settings there.")
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Say what it would take in episodes, calls and tokens; do nothing."
    ),
]
JobsOption = Annotated[int, typer.Option(help="Number of processes.", min=1)]
ToolsetOption = Annotated[
    Toolset,
    typer.Option(
        help="The agent's tools: parity for the paper's, extended to cancel and change any booking."
    ),
]
CoresOption = Annotated[
    int | None,
    typer.Option(help="Number of processes.", min=1, show_default="one a core"),
]

_READ_TYPES = (bool, int, float, str, Path)


class _Option(NamedTuple):
    """One option: its name as a parameter, and the field it sets."""

    name: str
    field: "Field[Any]"
    said: About


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters of settings are spread into options."""
    signature = inspect.signature(command)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if _is_settings(parameter.annotation):
            parameters += [_parameter(one) for one in _options(parameter.annotation)]
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def call(**given: Any) -> None:
        own = {
            name: _value(one.annotation, given) if _is_settings(one.annotation) else given[name]
            for name, one in signature.parameters.items()
        }
        command(**own)

    call.__dict__["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call


def _is_settings(annotation: Any) -> bool:
    return inspect.isclass(annotation) and issubclass(annotation, Settings)


def _options(kind: type[Settings], prefix: str = "") -> Iterator[_Option]:
    for one in fields(kind):
        said = about(one) or About()
        if said.group is None:
            yield _Option(prefix + one.name, one, said)
        else:
            yield from _options(said.group, said.prefix)


def _parameter(option: _Option) -> inspect.Parameter:
    """Return an option as a parameter that typer reads."""
    name, one, said = option
    read_as = _read_as(one, said)
    default: Any = one.default
    if said.read_as is list and default is not None:
        default = ",".join(map(str, default))
    made = typer.Option(
        f"--{name.replace('_', '-')}",
        help=said.help,
        metavar=said.metavar,
        envvar=said.envvar,
        min=said.low,
    )
    hint = read_as if default is not None else read_as | None
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[hint, made],
    )


def _read_as(one: "Field[Any]", said: About) -> Any:
    """Return the type with which typer reads an option."""
    if said.choices:
        return Literal[tuple(map(str, said.choices))]
    if said.read_as is not None:
        return str if said.read_as is list else said.read_as
    parts = get_args(one.type) or (one.type,)
    return next(kind for kind in _READ_TYPES if kind in parts)


def _value(kind: type[Settings], given: Mapping[str, Any], prefix: str = "") -> Any:
    """Return the settings that options say.

    Raises:
        UsageError: one is out of range; the message names the option.
    """
    values: dict[str, Any] = {}
    for one in fields(kind):
        said = about(one) or About()
        if said.group is not None:
            made = _value(said.group, given, said.prefix)
            values[one.name] = one.default if made == said.group() else made
            continue
        value = given[prefix + one.name]
        said.check(f"--{(prefix + one.name).replace('_', '-')}", value)
        values[one.name] = _read(said, value)
    return kind(**values)


def _read(said: About, value: Any) -> Any:
    """Return what an option's text or path stands for."""
    if value is None:
        return None
    read = value.split(",") if said.read_as is list else value
    if said.loaded_by is None:
        return read
    module, _, function = said.loaded_by.partition(":")
    return getattr(import_module(module), function)(read)
