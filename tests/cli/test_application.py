"""The application as a whole: exit codes, one-line errors, complete and light help."""

import os
import subprocess
import sys

import pytest
import typer

from crab_graph.cli import app, main
from crab_graph.errors import RunError

COMMANDS = sorted(typer.main.get_group(app).commands)

HEAVY = (
    "langgraph",
    "langchain_core",
    "langchain",
    "openai",
    "duckdb",
    "numpy",
    "constraint",
    "pydantic",
    "rich",
)


@app.command(hidden=True)
def fail_as_asked(how: str) -> None:
    """Raise what a test asks for; registered in tests alone."""
    errors = {
        "input": RunError("run 'x' was\nnot finished"),
        "interrupt": KeyboardInterrupt(),
        "missing": FileNotFoundError(2, "No such file or directory", "no/such/file"),
        "bug": ZeroDivisionError("a bug"),
        "check": typer.Exit(1),
    }
    raise errors[how]


@pytest.mark.parametrize(
    ("arguments", "status", "line"),
    [
        (["fail-as-asked", "input"], 2, "crab-graph: run 'x' was not finished"),
        (["fail-as-asked", "missing"], 2, "crab-graph: no/such/file: No such file or directory"),
        (["fail-as-asked", "interrupt"], 130, "crab-graph: interrupted"),
        (["fail-as-asked"], 2, "crab-graph: Missing argument 'how' (see crab-graph fail-as-asked"),
        (["no-such-command"], 2, "crab-graph: No such command 'no-such-command'"),
        (["--no-such-option"], 2, "crab-graph: No such option: --no-such-option"),
        (
            ["generate", "--domain", "tour", "--out", "bench"],
            2,
            "crab-graph: No such option: --out; BENCH is the first argument: "
            "crab-graph generate BENCH (see crab-graph generate --help)\n",
        ),
    ],
)
def test_unusable_input_is_one_line_and_its_exit_code(arguments, status, line, capsys):
    assert main(arguments) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(line)
    assert captured.err.count("\n") == 1


def test_an_unknown_choice_is_told_the_known_ones(capsys):
    assert main(["generate", "bench", "--method", "fats"]) == 2
    line = capsys.readouterr().err
    assert "Invalid value for '--method': 'fats' is not one of 'fast', 'paper'" in line


def test_a_check_that_found_something_exits_with_one_and_adds_no_line(capsys):
    assert main(["fail-as-asked", "check"]) == 1
    assert capsys.readouterr().err == ""


def test_a_bug_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        main(["fail-as-asked", "bug"])


def test_debug_shows_the_traceback_of_an_error():
    with pytest.raises(RunError):
        main(["--debug", "fail-as-asked", "input"])


def test_no_arguments_show_the_help(capsys):
    assert main([]) == 2
    assert "Usage: crab-graph" in capsys.readouterr().out


def test_the_version_is_printed(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("crab-graph ")


def test_a_closed_pipe_is_left_without_a_word():
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "crab_graph", "--help"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_no_help_imports_anything_heavy():
    """In one process, since what is imported stays: no help may bring anything heavy."""
    script = (
        "import sys\n"
        "from crab_graph.cli import main\n"
        f"codes = {{main([*name.split(), '--help']) for name in {['', *COMMANDS]!r}}}\n"
        f"print(codes, [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stderr.strip() == "{0} []"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_each_of_its_parameters_has_a_help_text(name):
    command = typer.main.get_group(app).commands[name]
    assert command.help
    assert [
        parameter.name for parameter in command.params if not getattr(parameter, "help", None)
    ] == []
