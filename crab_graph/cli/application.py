"""The application: its commands, its global options, and its exit codes.

0 = done, 1 = a check found something, 2 = unusable input (one line on stderr), 130 = interrupted.
Command modules import nothing heavy at their top, so that `--help` stays quick.
"""

import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from types import SimpleNamespace
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from crab_graph.cli.options import flag, with_settings
from crab_graph.errors import CrabGraphError, DeclarationError, ResumeMismatch

_KEYWORD = re.compile(r"`(?P<name>[a-z]\w*)=(?P<value>[^`]*)`")
"""A keyword of a Python function in a message, such as `force=True`: here it is an option."""

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
    "report compare show serve sql compact export prompt fidelity mock_llm new_domain "
    "check_domain".split()
)
"""In the order of the help; each is a function of its name in a module of its name."""

for name in COMMANDS:
    module = import_module(f"crab_graph.cli.{'tasks' if name == 'task' else name}")
    command = getattr(module, name)
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
    """Run one command line and return its exit code."""
    _allow_any_character()
    invocation = SimpleNamespace(debug=False)
    command = typer.main.get_command(app)
    try:
        status = command.main(
            list(sys.argv[1:] if arguments is None else arguments),
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
        return _report(str(error), details=differences)
    except BrokenPipeError:
        return _leave_pipe()
    except OSError as error:
        if invocation.debug or error.filename is None:
            raise
        return _report(f"{error.filename}: {error.strerror}")
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


def _report(message: str, status: int = UNUSABLE_INPUT, details: Sequence[str] = ()) -> int:
    """Print one line on stderr, whatever the message holds, and one for each detail it ends in."""
    message = message.removesuffix("".join(f"\n  {line}" for line in details))
    print(f"crab-graph: {_KEYWORD.sub(_as_option, ' '.join(message.split()))}", file=sys.stderr)
    for line in details:
        print(f"  {' '.join(line.split())}", file=sys.stderr)
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
    return _report(f"{said} (see {path} --help)")


def _leave_pipe() -> int:
    """Whoever read our output is gone, as in `| head`: say nothing, as other tools do."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED
