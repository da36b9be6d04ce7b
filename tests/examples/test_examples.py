"""Every example runs offline, as its reader would run it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from crab_graph.agents.mock_service import open_mock_server

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
SAYS = {
    "chat_model": ["ChatOpenAI: pass", "tokens read"],
    "create_agent_middleware": ["pass: the middleware saw"],
    "openai_agents_sdk": ["pass after"],
    "own_server": ["pass: agent", "user", "played by no model: agent, user"],
    "plain_function": ["fail: no_booking"],
    "pydantic_ai_agent": ["pass after"],
    "provider_model": ["openai:mock?temperature=0: pass"],
    "runnable_chain": ["pass after"],
    "training_environment": ["fail, reward 0.0", "went on after 3 messages", "a batch: [0.0, 0.0"],
    "state_graph": ["plain: pass", "stopping: pass"],
}


def run(arguments, cwd, **variables):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI", "LANG", "CRAB"))}
    paths = os.pathsep.join([str(EXAMPLES.parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=kept | {"PYTHONPATH": paths} | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="session")
def example_bench(tmp_path_factory):
    return tmp_path_factory.mktemp("examples") / "bench"


def test_every_example_is_known_and_in_the_readme():
    assert {path.stem for path in SCRIPTS} == set(SAYS)
    readme = (EXAMPLES / "README.md").read_text()
    assert all(f"({path.name})" in readme for path in SCRIPTS)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_runs(script, example_bench):
    done = run([str(script), str(example_bench)], example_bench.parent)
    assert done.returncode == 0, done.stderr
    assert all(words in done.stdout for words in SAYS[script.stem]), done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["plain_function:careful", "state_graph:stopping"])
def test_what_stands_in_a_module_is_an_agent_for_the_command_line(agent, example_bench, tmp_path):
    crab = ["-m", "crab_graph"]
    if not example_bench.exists():
        made = ["generate", str(example_bench), "--tasks", "4", "--distractors", "300"]
        assert run([*crab, *made], tmp_path).returncode == 0
    with open_mock_server() as server:
        arguments = ["run", str(example_bench), "--agent", agent, "--user", "generic"]
        arguments += ["--tasks", "S1"]
        done = run(
            [*crab, *arguments, "--out", str(tmp_path / "run"), "--json"],
            EXAMPLES,
            EXAMPLE_MODEL_URL=server.address,
        )
    assert done.returncode == 0, done.stderr
    assert f'"agent": "{agent}"' in done.stdout
