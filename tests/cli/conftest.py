"""A small run to look at."""

import pytest

from crab_graph.cli import main


@pytest.fixture(scope="session")
def run_directory(tmp_path_factory):
    """One task, the agent that says nothing, both kinds of user."""
    base = tmp_path_factory.mktemp("cli")
    bench, run = str(base / "bench"), str(base / "run")
    assert main(["generate", bench, "--tasks", "4", "--distractors", "200"]) == 0
    options = ["--agent", "silent", "--user", "generic,ruse", "--tasks", "S1", "--out", run]
    assert main(["run", bench, *options]) == 0
    return run
