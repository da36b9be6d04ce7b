"""Ray actors as workers, on a cluster of this machine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the scenarios saw."""
    folder = tmp_path_factory.mktemp("ray")
    script = [sys.executable, "-m", "tests.runs.ray_scenarios", str(folder)]
    subprocess.run(script, cwd=ROOT, check=True, timeout=300, capture_output=True)
    return json.loads((folder / "found.json").read_text(encoding="utf-8"))


def test_work_of_actors_that_are_killed_is_done_all_the_same(found):
    assert sorted(number for _, number in found["results"]) == list(range(1, 24))
    assert {slot for slot, _ in found["results"]} == {0, 1}
    assert found["deaths"] == 4


def test_work_that_kills_every_actor_is_given_up_with_one_line(found):
    assert "died one after the other with the same work" in found["deadly"]


def test_what_keeps_actors_from_starting_reaches_the_caller(found):
    assert found["refused"] == "worker 0 finds no benchmark"
