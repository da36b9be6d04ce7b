"""`grade`: replay a transcript made anywhere and grade it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.options import BenchArgument
from crab_graph.cli.output import JsonOption, console, new_table, print_json
from crab_graph.settings import MAX_REPLY_CHARACTERS, Toolset
from crab_graph.terms import FAULTS, OUTCOMES, label, verdict_word, words

if TYPE_CHECKING:
    from crab_graph.eval.verdict import Verdict

_NAMED = 8
_PIECES = 50
"""How many pieces of evidence of one check are printed."""


def grade(
    bench: BenchArgument,
    task: Annotated[
        str,
        typer.Argument(metavar="TASK", help="Task the transcript was made for, such as S1-001."),
    ],
    transcript: Annotated[
        Path,
        typer.Argument(
            metavar="TRANSCRIPT",
            help="JSON Lines or a JSON list of messages, in OpenAI's or LangChain's form too.",
        ),
    ],
    toolset: Annotated[
        Toolset,
        typer.Option(
            help="The agent's tools: parity for the paper's, extended to cancel and change any "
            "booking."
        ),
    ] = Toolset.PARITY,
    max_reply_characters: Annotated[
        int,
        typer.Option(
            min=1,
            help="Characters of one reply of the agent; a longer one ends the episode, by its "
            "fault, as it ends a run.",
        ),
    ] = MAX_REPLY_CHARACTERS,
    as_json: JsonOption = False,
) -> None:
    """Run a transcript's calls on the task's initial tables, and grade what was done and said.

    Exits with 1 where the episode does not pass, with 2 where the transcript is malformed.
    """
    from crab_graph.domains.benchmark import load_benchmark
    from crab_graph.eval.transcript import load_transcript
    from crab_graph.eval.verdict import grade as grade_messages

    chosen = load_benchmark(bench)[task]
    verdict = grade_messages(
        chosen,
        load_transcript(transcript),
        toolset=toolset,
        max_reply_characters=max_reply_characters,
    )
    if as_json:
        print_json(verdict.as_json())
    else:
        _print_verdict(verdict, is_current=chosen.is_current)
    if not verdict.passed:
        raise typer.Exit(1)


def _print_verdict(verdict: "Verdict", *, is_current: bool) -> None:
    from rich.text import Text

    from crab_graph.analysis.labels import plain
    from crab_graph.analysis.viewer.changed_minds import last_word

    fault = "" if verdict.fault is None else f", fault: {FAULTS[verdict.fault]}"
    strict = "passes" if verdict.strict["passed"] else "does not pass"
    also = f" (strict grading: {strict})" if verdict.checks else ""
    print(f"{verdict.task_id}: {OUTCOMES[verdict.outcome]}{fault}{also}")
    if (counted := last_word(verdict.metrics)) is not None:
        print(counted)
    if verdict.error is not None:
        print(f"error: {verdict.error}")
    if verdict.failures:
        modes = ", ".join(words(one) for one in verdict.failures)
        print(f"{label('mode')}{'' if len(verdict.failures) == 1 else 's'}: {modes}")
    count = len(verdict.unconfirmed)
    if count:  # the verdict rests on what the tools answer
        named = ", ".join(f"{one.name} (step {one.seq})" for one in verdict.unconfirmed[:_NAMED])
        more = f" and {count - _NAMED} more" if count > _NAMED else ""
        calls = "call has" if count == 1 else "calls have"
        why = "" if is_current else " (the task is of an earlier version than they)"
        print(f"{count} {calls} another recorded result than the tools give{why}: {named}{more}")
    if not verdict.checks:
        return
    table = new_table("check", "verdict", "strict", "evidence")
    for check, word in verdict.checks.items():
        evidence = verdict.evidence.get(check, [])
        told = [
            f"message {one['message']}: {one['text']}" if "message" in one else str(one["text"])
            for one in evidence[:_PIECES]
        ]
        if len(evidence) > _PIECES:
            told.append(f"and {len(evidence) - _PIECES:,} more pieces, all of them with --json")
        style = "bold red" if word == "fail" else "dim" if word.startswith("not_") else ""
        own = verdict.strict["checks"][check]
        table.add_row(
            check,
            Text(verdict_word(word), style=style),
            verdict_word(own) if own != word else "",
            plain("\n".join(told)),
        )
    console().print(table)
