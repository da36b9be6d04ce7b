"""The report and a dialogue in a terminal."""

import io
from typing import Any

import pytest
from rich.console import Console

from crab_graph.analysis.report.summary import summarise
from crab_graph.analysis.report.terminal import print_episode, print_overview


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=160, highlight=False)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_summary_labels_reference_agents_and_counts_outcomes(console, records):
    print_overview(console, summarise(records))
    text = printed(console)
    assert "hasty (reference)" in text
    assert "payment 2" in text
    assert "0/2/0/0/0" in text


def test_a_dialogue_shows_what_was_done_before_each_message(console, records):
    print_episode(console, records[2])
    lines = [line.strip() for line in printed(console).splitlines()]
    order = [
        "1 user",
        "2 agent",
        "user's own: get_my_payment_cards {}",
        "3 user",
        "~ fares FA-90177 available −1",
        "4 agent",
    ]
    assert [line for line in lines if line in order] == order
    assert 'refused: {"error": "unknown_id", "message": "no booking \'BK-1\'"}' in lines
    assert "✗ D19    every booking paid in full: is pending" in lines


def test_what_was_said_neither_styles_nor_steers_the_terminal(console, records):
    said = "[red]no[/red] \x1b[2J\ud800 done"
    message = {"role": "assistant", "content": said}
    print_episode(console, records[0].model_copy(update={"messages": [message]}))
    text = printed(console)
    assert "[red]no[/red] �[2J� done" in text
    assert "\x1b" not in text


def test_many_lookups_are_one_line_unless_asked(records):
    messages: list[dict[str, Any]] = []
    for number in ("1", "2", "3"):
        calls: list[dict[str, Any]] = [{"id": number, "name": "look", "arguments": {}}]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages.append({"role": "tool", "tool_call_id": number, "content": "{}"})
    record = records[0].model_copy(update={"messages": messages, "trace": ()})
    brief, whole = (Console(file=io.StringIO(), width=160) for _ in range(2))
    print_episode(brief, record)
    print_episode(whole, record, every_call=True)
    assert "3 lookups: look ×3" in printed(brief)
    assert printed(whole).count("look {}") == 3
