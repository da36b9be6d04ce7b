"""A run goes on with what it was begun with, or says line by line what is another now."""

import signal
import sys

import pytest

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.errors import ResumeMismatch
from crab_graph.runs import sitting
from tests.editing import edit_document

AGENT = """
def make(tools):
    return lambda messages: "{text}"
"""


@pytest.fixture
def run(bench, tmp_path):
    return cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1"])


def rewrite(run, **changes):
    edit_document(run.directory / "run.json", lambda fields: fields.update(changes))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"benchmark_sha256": "0" * 64}, "begun with benchmark 000000000000, not "),
        ({"code_sha256": "0" * 64}, "begun with code of crab-graph 000000000000, not "),
        ({"personas_sha256": "0" * 64}, "begun with prompt fragments 000000000000, not "),
        ({"versions": {"crab-graph": "0.0.1", "langgraph": "1.2"}}, "begun with crab-graph 0.0.1"),
        ({"versions": {"langgraph": "1.0.3"}}, r"begun with langgraph 1.0, not "),
    ],
)
def test_resume_refuses_what_is_another_now(run, changes, line):
    rewrite(run, **changes)
    with pytest.raises(ResumeMismatch) as raised:
        cg.resume_run(run.directory, trust=True)  # a configuration that was changed is nobody's
    assert any(one.startswith(line) for one in raised.value.differences)
    assert "`allow_mismatch=True`" in str(raised.value)
    assert cg.resume_run(run.directory, allow_mismatch=True).is_complete
    assert cg.resume_run(run.directory).is_complete  # it is that run from now on


def test_the_command_prints_a_line_for_each_difference(bench, run, capsys):
    arguments = ["run", str(bench.directory), "--out", str(run.directory), "--tasks", "S1"]
    assert main([*arguments, "--agent", "hasty", "--user", "ruse", "--seed", "7"]) == 2
    first, *lines = capsys.readouterr().err.splitlines()
    assert first.startswith(f"crab-graph: {run.directory}: holds a run with other settings; ")
    assert lines == [
        "  begun with agent silent, not hasty",
        "  begun with users generic, not ruse",
        "  begun with seed 0, not 7",
    ]


def test_an_agent_whose_source_changed_is_another_agent(bench, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    source = tmp_path / "changing_agent.py"
    source.write_text(AGENT.format(text="Hello"))
    spec = "changing_agent:make"
    cg.run(bench, spec, "generic", 1, "run", tasks=["S1"])
    source.write_text(AGENT.format(text="Good day"))
    assert main(["resume", "run"]) == 2
    assert "  begun with source of the agent " in capsys.readouterr().err
    sys.modules.pop("changing_agent")


def test_what_is_finished_stays_when_a_run_goes_on_otherwise(bench, run):
    before = run[0]
    with pytest.raises(ResumeMismatch, match="begun with trials 1, not 2"):
        cg.run(bench, "hasty", "generic", 2, run.directory, tasks=["S1"])
    after = cg.run(bench, "hasty", "generic", 2, run.directory, tasks=["S1"], allow_mismatch=True)
    assert [episode.agent for episode in after] == ["silent", "hasty"]
    assert after[0] == before
    assert after.is_complete
    differing = {one["name"]: (one["before"], one["now"]) for one in after.config.mismatches}
    assert differing == {"agent": ("silent", "hasty"), "trials": ("1", "2")}


def test_an_episode_under_way_is_not_finished_by_another_agent(bench, tmp_path):
    def stopping(messages, tools):
        if len(messages) > 3:
            signal.raise_signal(signal.SIGINT)
        return "Hello"

    settings = {"user": "generic", "trials": 1, "out": tmp_path, "tasks": ["S1"]}
    with pytest.raises(KeyboardInterrupt):
        cg.run(bench, stopping, **settings)
    run = cg.run(bench, lambda messages, tools: "Good day", allow_mismatch=True, **settings)
    said = {line["content"] for line in run[0].messages if line["role"] == "assistant"}
    assert said == {"Good day"}


def test_a_run_without_hashes_of_sources_goes_on(run, monkeypatch):
    rewrite(run, code_sha256=None)
    monkeypatch.setattr(sitting, "code_sha256", lambda: "1" * 64)
    assert cg.resume_run(run.directory, trust=True).is_complete
