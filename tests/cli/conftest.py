"""A small benchmark, and a run on it to look at."""

import pytest

from crab_graph.cli import main
from crab_graph.domains.generate import generate_benchmark


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """A task of each stratum."""
    return generate_benchmark(tmp_path_factory.mktemp("cli") / "bench", tasks=4, distractors=200)


@pytest.fixture(scope="session")
def run_directory(bench):
    """One task, the agent that says nothing, both kinds of user."""
    run = str(bench.directory.parent / "run")
    options = ["--agent", "silent", "--user", "generic,ruse", "--tasks", "S1", "--out", run]
    assert main(["run", str(bench.directory), *options]) == 0
    return run
