"""No reply of a sampled model is paid twice, and a resumed dialogue is the one that was begun."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import crab_graph as cg
from crab_graph.testing import ScriptedServer

ROOT = Path(__file__).resolve().parents[2]


class Sampled:
    """Answers every request differently, and plays both parties: the user has the longer prompt."""

    def __init__(self):
        self.answered = []

    def __call__(self, messages):
        said = sum(message["role"] == "assistant" for message in messages)
        is_user = "You play a customer" in messages[0]["content"]
        number = len(self.answered)
        text = f"Reply {number} of the {'user' if is_user else 'agent'}."
        text += "" if is_user else " I cannot find anything that fits."
        if is_user and said >= 3:
            text += " ###STOP###"
        self.answered.append((is_user, text))
        return text


@pytest.mark.slow
def test_kills_between_reply_and_checkpoint_cost_no_second_call(bench, tmp_path):
    sampled = Sampled()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    with ScriptedServer(sampled) as server:
        program = [sys.executable, "-m", "tests.runs.paying", str(bench.directory)]
        done = subprocess.run(
            [*program, str(tmp_path / "run"), server.spec],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    (episode,) = cg.open_run(tmp_path / "run")
    said = [line["content"] for line in episode.messages]
    assert int(done.stdout) == len(said) >= 5  # one kill for each reply
    assert Counter(said) == Counter(text for _, text in sampled.answered)
    assert len(server.requests) == len(said)
    assert sum(one["calls"] for party in episode.usage.values() for one in party.values()) == len(
        said
    )
