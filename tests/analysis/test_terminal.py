"""The overview in a terminal."""

import io

import pytest
from rich.console import Console

from crab_graph.analysis.report.overview import print_overview, summarise


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
