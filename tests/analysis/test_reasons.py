"""Why an episode failed, in the terminal and on the page."""

import io

import pytest
from rich.console import Console

from crab_graph.analysis.report.page import render_page
from crab_graph.analysis.report.terminal import print_episode
from crab_graph.analysis.viewer.episode_view import view_episode


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=160, highlight=False)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_show_tells_why_in_plain_text(console, records):
    print_episode(console, records[2], why=True)
    text = printed(console)
    assert "outbound: FL-48213 FA-90177, not FL-48220 FA-90200: seen and passed over" in text
    assert "return: nothing, not FL-50001: never found in a search" in text
    assert "booked [b]BK-20931177[/b]" in text and "together: one carrier" in text


def test_show_says_where_there_is_nothing_to_explain(console, records):
    print_episode(console, records[0], why=True)
    print_episode(console, records[2].model_copy(update={"explanation": None}), why=True)
    text = printed(console)
    assert "Why: it passed" in text and "`crab-graph regrade` does that" in text


def test_the_page_counts_parts_and_tells_each_episodes_differences(records):
    assert "never found in a search" in render_page(records, "run")
    lines = ["".join(piece["text"] for piece in line) for line in view_episode(records[2])["why"]]
    assert lines[1] == "return: nothing, not FL-50001 (never found in a search)"
    assert view_episode(records[0])["why"] == []
