"""The application: its commands, its global options, and its exit codes.

0 = done, 1 = a check found something, 2 = unusable input (one line on stderr), 130 = interrupted.
Command modules import nothing heavy at their top, so that `--help` stays quick.
"""

import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from io import TextIOWrapper
from types import SimpleNamespace
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperGroup

from crab_graph.cli.options import NewBenchArgument, flag, with_settings
from crab_graph.cli.output import CleanStream
from crab_graph.errors import (
    CrabGraphError,
    DamageWarning,
    DeclarationError,
    MendedWarning,
    NoticeWarning,
    ResumeMismatch,
)
from crab_graph.markup import visible

_KEYWORD = re.compile(r"`(?P<name>[a-z]\w*)=(?P<value>[^`]*)`")
"""A keyword of a Python function in a message, such as `force=True`: here it is an option."""

_OF_FILES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What comes up where a file says something that it never says."""

UNUSABLE_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141


class Commands(TyperGroup):
    """All commands; an interrupt that none of them explains becomes a line of its own."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options before the command, none of which is `None` when it is not given.

        To read a `None` typer loads pydantic, which doubles the time that a command's help takes.
        """
        parameters: list[Any] = super().get_params(ctx)
        for parameter in parameters:
            if parameter.default is None:
                parameter.default = False
        return parameters

    def invoke(self, ctx: Any) -> Any:
        """Run the command of a context."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(_report("interrupted", INTERRUPTED)) from None


app = typer.Typer(
    name="crab-graph",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,  # rich help costs 0.3 s of CPU
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS = tuple(
    "demo generate certify audit tasks task sweep run ablate resume fork pivot play grade regrade "
    "report compare show serve disputes sql compact export verify prompt fidelity mock_llm "
    "new_domain check_domain".split()
)
"""In the order of the help; each is a function of its name in a module of its name."""

_WRITTEN: dict[str, str] = {}
"""The argument that says where a command writes to, of those that have no `--out` for it."""

for name in COMMANDS:
    module = import_module(f"crab_graph.cli.{'tasks' if name == 'task' else name}")
    command = getattr(module, name)
    if NewBenchArgument in command.__annotations__.values():
        _WRITTEN[name.replace("_", "-")] = get_args(NewBenchArgument)[1].metavar
    # The first paragraph, which would be cut off at the width of a line otherwise.
    app.command(short_help=(command.__doc__ or "").partition("\n\n")[0])(with_settings(command))


def _print_version(asked: bool) -> None:
    if not asked:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        typer.echo(f"crab-graph {version('crab-graph')}")
    except PackageNotFoundError:
        typer.echo("crab-graph (a checkout that is not installed)")
    raise typer.Exit()


@app.callback()
def crab_graph(
    context: typer.Context,
    debug: Annotated[
        bool,
        typer.Option("--debug", envvar="CRAB_DEBUG", help="Show the traceback of an error."),
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Does an agent still get the job done when the job has real dependencies and real users?

    Generates booking tasks whose number of solutions is proven, lets an agent work on them in
    conversation with a simulated user, and grades what was booked and what was said.
    """
    context.obj.debug = debug


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    What one should know beside the result is said when it is done. Damage that was read around is
    unusable input.
    """
    _allow_any_character()
    if arguments is None:  # this process is the command line's own
        sys.excepthook = _print_traceback
    given = list(sys.argv[1:] if arguments is None else arguments)
    for one in given:
        if _readable(one) != one:
            return _report(f"'{_readable(one)}': is not UTF-8; rename it, or give another path")
    with _notices() as told:
        status = _invoke(given, told)
    for text in told:
        _report(text)
    is_damaged = any(map(_is_left, told.values()))
    return UNUSABLE_INPUT if is_damaged and status in (0, 1) else status


def _is_left(category: type[Warning]) -> bool:
    return issubclass(category, DamageWarning) and not issubclass(category, MendedWarning)


def _is_damaged(given: str) -> bool:
    """Tell whether an argument is a benchmark or a run that is not as it was written.

    Or it is of a version without checksums. In one that is intact an error is our own.
    """
    if not any(os.path.isfile(os.path.join(given, one)) for one in ("run.json", "manifest.json")):
        return False
    from crab_graph.analysis.seal_check import verify

    try:
        return not verify(given).ok
    except Exception:  # it cannot even be checked
        return True


def _readable(text: str) -> str:
    """Return a text in which bytes that are no UTF-8 are written out."""
    return text.encode("utf-8", "backslashreplace").decode()


@contextmanager
def _notices() -> Iterator[dict[str, type[Warning]]]:
    """Yield what is gathered of notices, each once; other warnings go their way."""
    told: dict[str, type[Warning]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", NoticeWarning)
        show = warnings.showwarning

        def gather(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, NoticeWarning):
                told.setdefault(str(message), category)
            else:
                show(message, category, *place, **more)

        warnings.showwarning = gather
        yield told


def _invoke(given: list[str], notices: dict[str, type[Warning]]) -> int:
    """Run a command line; where it fails, what is damaged stands in the one line that says so."""
    invocation = SimpleNamespace(debug=False)
    command = typer.main.get_command(app)
    try:
        with redirect_stdout(CleanStream(sys.stdout)):
            status = command.main(
                given,
                prog_name="crab-graph",
                standalone_mode=False,
                obj=invocation,
            )
        sys.stdout.flush()
    except typer.TyperException as error:
        return _report_usage(error)
    except CrabGraphError as error:
        if invocation.debug:
            raise
        if isinstance(error, DeclarationError):
            return max(map(_report, str(error).splitlines()))
        differences = error.differences if isinstance(error, ResumeMismatch) else ()
        damaged = [text for text, category in notices.items() if _is_left(category)]
        for text in damaged:
            del notices[text]
        return _report("; ".join([*damaged, str(error)]), details=differences)
    except BrokenPipeError:
        return _leave_pipe()
    except OSError as error:
        if invocation.debug:
            raise
        place = f"{_readable(str(error.filename))}: " if error.filename is not None else ""
        return _report(f"{place}{error.strerror or error}")
    except _OF_FILES as error:
        folder = None if invocation.debug else next(filter(_is_damaged, given), None)
        if folder is None:
            raise
        reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        return _report(
            f"{folder}: holds what cannot be read ({reason}); `crab-graph verify {folder}` says "
            "what was changed in it, --debug where it was read"
        )
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):
            return _leave_pipe()
        raise
    return status if isinstance(status, int) else 0


def _allow_any_character() -> None:
    """See that printing never fails: Windows writes to pipes in a code page of 256 characters."""
    if not isinstance(sys.stdout, TextIOWrapper):
        return
    is_asked_for = sys.platform != "win32" or "PYTHONIOENCODING" in os.environ
    encoding = None if is_asked_for or sys.stdout.isatty() else "utf-8"
    sys.stdout.reconfigure(encoding=encoding, errors="replace")


def _print_traceback(kind: type[BaseException], error: BaseException, place: Any) -> None:
    """Print a traceback in which no key stands, though one may have been said by a server."""
    import traceback

    from crab_graph.models.secrets import without_secrets

    written = without_secrets("".join(traceback.format_exception(kind, error, place)))
    print(visible(written), file=sys.stderr, end="")


def _report(message: str, status: int = UNUSABLE_INPUT, details: Sequence[str] = ()) -> int:
    """Print one line on stderr, whatever the message holds, and one for each detail it ends in."""
    message = message.removesuffix("".join(f"\n  {line}" for line in details))
    said = visible(_KEYWORD.sub(_as_option, " ".join(message.split())))
    print(f"crab-graph: {said}", file=sys.stderr)
    for line in details:
        print(visible(f"  {' '.join(line.split())}"), file=sys.stderr)
    return status


def _as_option(found: "re.Match[str]") -> str:
    value = "" if found["value"] in ("", "True") else f" {found['value']}"
    return f"{flag(found['name'])}{value}"


def _report_usage(error: typer.TyperException) -> int:
    context: typer.Context | None = getattr(error, "ctx", None)
    if context is not None and error.format_message() == context.get_help():
        # A bare `crab-graph` is a request for help, which typer raises as a usage error.
        typer.echo(error.format_message())
        return UNUSABLE_INPUT
    path = "crab-graph" if context is None else context.command_path
    # Pydantic, with which typer reads arguments, says so before what was wrong with a choice.
    said = error.format_message().replace(": Value error, ", ": ").rstrip(".")
    written = _WRITTEN.get(path.rpartition(" ")[2])
    if written and getattr(error, "option_name", "") == flag("out"):
        said = f"No such option: --out; {written} is the first argument: {path} {written}"
    return _report(f"{said} (see {path} --help)")


def _leave_pipe() -> int:
    """Whoever read our output is gone, as in `| head`: say nothing, as other tools do."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED
