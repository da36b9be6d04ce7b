"""`crab-graph play`: a person in either seat."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crab_graph.cli.options import BenchArgument, ForceOption
from crab_graph.cli.output import JsonOption, console, print_json
from crab_graph.settings import EpisodeSettings

if TYPE_CHECKING:
    from crab_graph.runs.play import SeatedEpisode

_HELP = """\
What you type is said. Lines that begin with a slash are for the program:
  /call TOOL name=value …   use a tool of yours; values are JSON or plain words
  /tools [TOOL]             your tools, or what one of them takes
  /brief                    what you were told at the beginning
  /quit                     leave; the same command goes on here"""
_USER_HELP = """\
  /stop, /transfer, /out-of-scope   end the talk (done or no way on; handed over; nothing to add)"""
_TOKENS = {
    "/stop": "###STOP###",
    "/transfer": "###TRANSFER###",
    "/out-of-scope": "###OUT-OF-SCOPE###",
}


def play(
    bench: BenchArgument,
    task: Annotated[str, typer.Argument(metavar="TASK", help="Its id, such as S1-001.")],
    seat: Annotated[str, typer.Option("--as", help="Where you sit: user or agent.")],
    settings: EpisodeSettings,
    out: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Directory it is kept in; by default play/TASK-SEAT."),
    ] = None,
    agent: Annotated[
        str, typer.Option(metavar="SPEC", help="Who is the agent, if that is not you.")
    ] = "solver",
    user: Annotated[
        str, typer.Option(metavar="COND", help="Who the user is, or who you are to be.")
    ] = "ruse",
    force: ForceOption = False,
    allow_mismatch: Annotated[
        bool, typer.Option("--allow-mismatch", help="Go on although it was begun otherwise.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Take the user's or the agent's seat, and see how it is graded.

    Everything typed is kept at once: the same command goes on where it was left or killed. Exit
    code 1 when the talk was left before its end.
    """
    from crab_graph.runs.play import play_with_person, seat_person

    seated = seat_person(bench, task, seat, agent=agent, user=user, **vars(settings))
    out = out or Path("play") / f"{seated.task_id}-{seated.seat}"
    person = _Person(seated)
    try:
        record = play_with_person(
            seated, out, person.ask, allow_mismatch=allow_mismatch, force=force
        )
    except (EOFError, KeyboardInterrupt):
        typer.echo(f"\nLeft; what was said is kept in {out}. The same command goes on.", err=True)
        raise typer.Exit(1) from None
    if as_json:
        print_json(record.model_dump(mode="json"))
        return
    print(f"\nThe talk is over ({record.termination}). Verdict: {record.outcome}.")
    failed = [name for name, verdict in record.checks.items() if verdict == "fail"]
    if failed:
        print(f"Failed checks: {', '.join(failed)}")
    print(f"Look closer: crab-graph show {out} {record.episode_id} --why")


class _Person:
    """Shows a person what is new, and reads what it does."""

    def __init__(self, seated: "SeatedEpisode") -> None:
        self._seated = seated
        self._is_user = str(seated.seat) == "user"
        self._briefed = False

    def ask(self, request: Mapping[str, Any]) -> Any:
        """Return the person's answer.

        Raises:
            EOFError: the person leaves.
        """
        if "question" in request:
            return _answer_to(request["question"])
        if not self._briefed:
            self._briefed = True
            print(self._brief(), file=sys.stderr)
            print(f"\n{self._help()}\n", file=sys.stderr)
        for line in request["messages"]:
            text = line["content"] or "(says nothing)"
            if line["role"] == "tool":
                console().print_json(text)
            else:
                print(f"{'agent' if line['role'] == 'assistant' else line['role']}> {text}")
        sys.stdout.flush()
        while True:
            answer = self._answer(_typed("you> "), request["tools"])
            if answer is not None:
                return answer

    def _answer(self, typed: str, tools: list[str]) -> str | dict[str, Any] | None:
        """Return what a typed line means; `None` where it was a question to the program."""
        if not typed.startswith("/"):
            return typed or None
        command, _, rest = typed.partition(" ")
        if command == "/quit":
            raise EOFError
        if command in _TOKENS and self._is_user:
            return f"{rest} {_TOKENS[command]}".strip()
        if command == "/call":
            return _call(rest, tools)
        if command == "/tools":
            self._print_tools(rest.strip(), tools)
        elif command == "/brief":
            print(self._brief(), file=sys.stderr)
        else:
            print(self._help(), file=sys.stderr)
        return None

    def _help(self) -> str:
        return f"{_HELP}\n{_USER_HELP}" if self._is_user else _HELP

    def _brief(self) -> str:
        """Return the prompt that a model in this seat would be given."""
        task = self._seated.bench[self._seated.task_id]
        if not self._is_user:
            return task.policy
        from crab_graph.graph.user_prompt import user_prompt
        from crab_graph.graph.users import minds_of

        settings, minds = self._seated.settings, minds_of(task)
        prompt = user_prompt(
            self._seated.user, task, personas=settings.personas, seed=settings.seed
        ).text
        return "".join([prompt, *(f"\n{mind.due}\n" for mind in minds)])

    def _print_tools(self, wanted: str, tools: list[str]) -> None:
        from crab_graph.tools.registry import Owner

        registry = self._seated.bench.domain.registry()
        for schema in registry.openai_schemas(Owner.USER if self._is_user else Owner.AGENT):
            about = schema["function"]
            if about["name"] == wanted:
                print(f"{about['name']}: {about['description']}", file=sys.stderr)
                print(json.dumps(about["parameters"], indent=2), file=sys.stderr)
                return
        print("\n".join(tools), file=sys.stderr)


def _answer_to(question: Any) -> Any:
    """Return what a person answers where the agent stops with `interrupt()`; JSON is read."""
    shown = question if isinstance(question, str) else json.dumps(question, default=str)
    print(f"the agent waits for a decision (a text, or JSON)> {shown}")
    sys.stdout.flush()
    while not (typed := _typed("decision> ")):
        pass
    try:
        return json.loads(typed)
    except ValueError:
        return typed


def _typed(prompt: str) -> str:
    """Return a line that the person typed.

    Raises:
        EOFError: the person left.
    """
    typed = input(prompt) if sys.stdin.isatty() else sys.stdin.readline()
    if not typed and not sys.stdin.isatty():
        raise EOFError
    return typed.strip()


def _call(text: str, tools: list[str]) -> dict[str, Any] | None:
    """Return a call as it was typed; a line on stderr says what is wrong with it."""
    name, _, rest = text.strip().partition(" ")
    if name not in tools:
        print(f"no tool '{name}' in this seat; /tools lists them", file=sys.stderr)
        return None
    try:
        return {"calls": [{"name": name, "arguments": _arguments(rest.strip())}]}
    except ValueError as error:
        print(f"{error}; write /call {name} name=value … or a JSON object", file=sys.stderr)
        return None


def _arguments(text: str) -> dict[str, Any]:
    if text.startswith("{"):
        found = json.loads(text)
        if isinstance(found, dict):
            return found
    arguments: dict[str, Any] = {}
    for part in shlex.split(text):
        name, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"'{part}' has no '='")
        try:
            arguments[name] = json.loads(value)
        except ValueError:  # plain words
            arguments[name] = value
    return arguments
