"""`crab-graph disputes`: the verdicts that notes dispute, as a report on verifiers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.options import RunArguments
from crab_graph.cli.output import JsonOption, console, print_json

if TYPE_CHECKING:
    from crab_graph.analysis.disputes import Dispute


def disputes(
    runs: RunArguments,
    markdown: Annotated[
        Path | None, typer.Option(help="Also write them as Markdown, for a report on a verifier.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the verdicts that notes dispute, each with its evidence: a report on verifiers.

    For each the note, the check with its verdict and evidence, what separates the episode from the
    nearest solution, the messages in question with their calls, and versions and hashes. Notes are
    written by `serve --notes`.
    """
    from crab_graph.analysis.disputes import disputes as find_disputes

    found = find_disputes(*runs, markdown=markdown)
    if as_json:
        print_json(found.as_json())
        return
    for one in found:
        _print(one)
    count = f"{len(found)} verdict{' is' if len(found) == 1 else 's are'} disputed."
    print(count if found else "No verdict is disputed.")
    if markdown is not None:
        print(f"report: {markdown}")


def _print(one: "Dispute") -> None:
    from crab_graph.analysis.disputes import claim_line, lines_of
    from crab_graph.analysis.viewer.screen import print_indented

    screen = console()

    def say(text: str, indent: int = 2, style: str = "") -> None:
        print_indented(screen, text, indent, style)

    say(one.title, 0, "bold")
    say(f"{one.agent} with {one.user}, in {one.run}")
    say(f"note: {one.note.text or '(no words)'}", style="yellow")
    if one.note.tags:
        say(f"tags: {', '.join(one.note.tags)}")
    for check in one.checks:
        say(check.line)
        for line in check.evidence:
            say(line, 6)
    for line in one.explanation:
        say(f"beside the nearest solution: {line}")
    for message in one.messages:
        for call in message["calls"]:
            for line in lines_of(call):
                say(line, 6, "dim")
        say(f"{message['speaker']}, message {message['turn']}: {message['text'] or '(empty)'}", 4)
        for claim in message["claims"]:
            say(claim_line(claim), 6)
    made = ", ".join(f"{name} {value or 'unknown'}" for name, value in one.made_with.items())
    say(f"made with: {made}", style="dim")
    for command in one.commands:
        say(command, style="dim")
    screen.print()
