"""Why an episode failed, on the page."""

from crab_graph.analysis.report.page import render_page
from crab_graph.analysis.viewer.episode_view import view_episode


def test_the_page_counts_parts_and_tells_each_episodes_differences(records):
    assert "never found in a search" in render_page(records, "run")
    lines = ["".join(piece["text"] for piece in line) for line in view_episode(records[2])["why"]]
    assert lines[1] == "return: nothing, not FL-50001 (never found in a search)"
    assert view_episode(records[0])["why"] == []
