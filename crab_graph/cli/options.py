"""Options made from settings: a command names the value it wants, and gets it read and checked.

A parameter of a command whose type is a class of settings stands for one option a field, with the
field's name, default, range and help; the command is called with the value itself.
"""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, fields, replace
from functools import wraps
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import typer

from crab_graph.errors import UntrustedRun
from crab_graph.settings import About, Settings, TrustSettings, about


def completing(listed_by: str) -> Callable[[str], list[str]]:
    """Return what completes a value for a shell; who lists the values is imported when asked."""

    def complete(incomplete: str) -> list[str]:
        module, _, name = listed_by.partition(":")
        listed: Iterable[str] = attrgetter(name)(import_module(module))()
        return [one for one in listed if one.startswith(incomplete)]

    return complete


BenchArgument = Annotated[Path, typer.Argument(metavar="BENCH", help="Directory of the benchmark.")]
NewBenchArgument = Annotated[
    Path, typer.Argument(metavar="BENCH", help="Directory to write the benchmark to.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Directory that `run` wrote.")]
RunArguments = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Directories that `run` wrote.")
]
EpisodeArgument = Annotated[
    str, typer.Argument(metavar="EPISODE", help="Its id: TASK.COND.TRIAL, as S1-001.ruse.0.")
]
HtmlBudgetOption = Annotated[
    float,
    typer.Option(
        min=0.0,
        metavar="MB",
        help="What the page may weigh; over it dialogues are left out, passed ones first, and the "
        "page says so.",
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Throw away what was made with other settings there.")
]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="Go on with a run that you did not write.")
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Say what it would take in episodes, calls and tokens; do nothing."
    ),
]
DomainOption = Annotated[
    str,
    typer.Option(
        help="Name of the domain.",
        autocompletion=completing("crab_graph.domain.contract:DOMAINS.names"),
    ),
]
JobsOption = Annotated[int, typer.Option(help="Number of processes.", min=1)]
CoresOption = Annotated[
    int | None,
    typer.Option(help="Number of processes.", min=1, show_default="one a core"),
]

Result = TypeVar("Result")


def ask_to_trust(trust: TrustSettings, work: Callable[[TrustSettings], Result]) -> Result:
    """Do work that goes on with a run; whoever sits at a terminal is asked whether to trust it.

    Raises:
        UntrustedRun: somebody else wrote it, and nobody is there to ask, or says no.
    """
    try:
        return work(trust)
    except UntrustedRun as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        if not typer.confirm(f"{error.found}. Do you trust it?", err=True):
            raise
    return work(replace(trust, trust=True))


_READ_TYPES = (bool, int, float, Path, str)


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters of settings are spread into options."""
    signature = inspect.signature(command)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if _is_settings(parameter.annotation):
            parameters += _parameters(parameter.annotation)
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


def _parameters(kind: type[Settings], prefix: str = "") -> Iterator[inspect.Parameter]:
    """Yield the fields of settings, and those of their groups, as parameters that typer reads."""
    for one in fields(kind):
        said = about(one) or About()
        if said.group is not None:
            yield from _parameters(said.group, said.prefix)
            continue
        name, read_as = prefix + one.name, _read_as(one, said)
        default: Any = one.default
        if _is_list(one) and default is not None:
            default = ",".join(map(str, default))
        made = typer.Option(
            flag(name),
            help=said.help,
            metavar=said.metavar,
            envvar=said.envvar,
            min=said.low,
            autocompletion=None if said.completed_by is None else completing(said.completed_by),
        )
        hint = read_as if default is not None else read_as | None
        kept = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, kept, default=default, annotation=Annotated[hint, made])


def flag(name: str) -> str:
    """Return the option that a setting is given by."""
    return f"--{name.replace('_', '-')}"


def _types(one: "Field[Any]") -> tuple[Any, ...]:
    return get_args(one.type) if isinstance(one.type, UnionType) else (one.type,)


def _is_list(one: "Field[Any]") -> bool:
    """Return whether a field holds several values, which its option takes with commas."""
    return any(get_origin(kind) is Sequence for kind in _types(one))


def _read_as(one: "Field[Any]", said: About) -> Any:
    """Return the type with which typer reads an option; what a function loads is a path."""
    if said.choices:
        return Literal[tuple(map(str, said.choices))]
    if _is_list(one):
        return str
    if said.loaded_by is not None:
        return Path
    return next((kind for kind in _READ_TYPES if kind in _types(one)), str)


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
        said.check(flag(prefix + one.name), value)
        if value is not None and _is_list(one):
            value = value.split(",") if value else []
        if value is not None and said.loaded_by is not None:
            module, _, function = said.loaded_by.partition(":")
            value = getattr(import_module(module), function)(value)
        values[one.name] = value
    return kind(**values)
