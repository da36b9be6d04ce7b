"""Runs from somebody else: nothing they name is imported or contacted before the user says so."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.errors import NoticeWarning, ResumeMismatch, RunError, UntrustedRun, UsageError
from crab_graph.models.chat import build_chat_model, hosts_of
from crab_graph.models.hosts import keys_withheld
from crab_graph.runs.owner import OWNER, Authorship, authorship_of
from crab_graph.seals import open_line
from crab_graph.testing import ScriptedServer
from tests.editing import edit_document, edit_lines, write_lines

KEY = "canary-key-7d5e11aa"
AGENT = """
from pathlib import Path
Path({trace!r}).touch()

def make(tools):
    return lambda messages: "Hello."
"""
EPISODE = "S1-001.generic.0"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write an agent that leaves a trace when it is imported; yields the trace."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    trace = tmp_path / "imported"
    (tmp_path / "strangers_agent.py").write_text(AGENT.format(trace=str(trace)))
    yield trace
    sys.modules.pop("strangers_agent", None)


def forget(trace):
    sys.modules.pop("strangers_agent", None)
    trace.unlink()


def elsewhere(monkeypatch, tmp_path, name="elsewhere"):
    """Be somebody else, or at another machine, from here on."""
    monkeypatch.setenv("CRAB_STATE", str(tmp_path / name))


def torn(run):
    """Lose the last episode of a run, so that there is something to go on with."""
    shard = run.directory / "shards" / "part-0.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join(lines[:-1]))
    return run.directory


WAYS = {
    "resume": lambda run, out: ["resume", str(run)],
    "fork": lambda run, out: ["fork", str(run), EPISODE, "--turn", "1", "--out", str(out)],
    "pivot": lambda run, out: ["pivot", str(run), EPISODE, "--trials", "1"],
    "regrade": lambda run, out: ["regrade", str(run)],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_run_of_somebody_else_waits_for_the_users_word(
    way, bench, module, tmp_path, monkeypatch, capsys
):
    run = cg.run(
        bench, "strangers_agent:make", "generic", 1, tmp_path / "run", tasks=["S1-001", "S2-001"]
    )
    own = torn(run)
    forget(module)
    elsewhere(monkeypatch, tmp_path)
    command = WAYS[way](own, tmp_path / "forks")
    capsys.readouterr()
    assert main(command) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{own}: you did not write this run" in line and line.endswith("give --trust")
    assert "imports the module 'strangers_agent'" in line or way == "regrade"
    assert not module.exists()
    assert main([*command, "--trust"]) < 2
    assert module.exists() or way == "regrade"
    assert main(command) < 2  # it is remembered
    assert authorship_of(own / "run.json") is Authorship.TRUSTED


def test_ones_own_run_goes_on_wherever_it_lies(bench, tmp_path, monkeypatch):
    run = cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1"])
    moved = tmp_path / "moved"
    shutil.copytree(torn(run), moved)
    assert cg.resume_run(moved).is_complete
    assert cg.regrade_run(moved).episodes == 1
    fork = cg.fork_episode(moved, EPISODE, 1, tmp_path / "fork")
    assert authorship_of(fork.directory / "run.json") is Authorship.WRITTEN
    elsewhere(monkeypatch, tmp_path)
    with pytest.raises(UntrustedRun, match="imports no module of its own and contacts nobody"):
        cg.resume_run(moved)
    assert cg.resume_run(moved, trust=True).is_complete
    monkeypatch.setenv("CRAB_STATE", str(tmp_path / "third"))
    with pytest.raises(UntrustedRun):
        cg.pivot_episode(moved, EPISODE, 1)


@pytest.mark.parametrize("said", ["y", "n"])
def test_who_sits_at_a_terminal_is_asked(said, bench, tmp_path, monkeypatch, capsys):
    run = torn(cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1"]))
    elsewhere(monkeypatch, tmp_path)
    asked = []

    def confirm(text, err):
        asked.append(text)
        return said == "y"

    terminal = type("Terminal", (), {"isatty": lambda self: True})()
    monkeypatch.setattr(sys, "stdin", terminal)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", confirm)
    assert main(["resume", str(run)]) == (0 if said == "y" else 2)
    assert "you did not write this run" in asked[0] and asked[0].endswith("Do you trust it?")


def test_a_configuration_or_a_record_that_was_changed_is_somebody_elses(bench, module, tmp_path):
    run = cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1"])
    shard = run.directory / "shards" / "part-0.jsonl"
    kept = shard.read_text()
    edit_lines(shard, lambda record: record | {"agent": "strangers_agent:make"})
    with pytest.raises(UntrustedRun, match="imports the module 'strangers_agent'"):
        cg.fork_episode(run.directory, EPISODE, 1, tmp_path / "fork")
    shard.write_text(kept)
    other = {"agent": "strangers_agent:make"}
    edit_document(run.directory / "run.json", lambda fields: fields.update(other))
    with pytest.raises(UntrustedRun, match="imports the module 'strangers_agent'"):
        cg.resume_run(run.directory)
    assert not module.exists()


@pytest.mark.parametrize("text", ["{", "[1]", '{"seals": [1]}', '{"seals": ["ü", "0"]}'])
def test_seals_that_are_none_make_no_run_ones_own(text, bench, tmp_path):
    run = cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1"])
    (run.directory / OWNER).write_text(text, encoding="utf-8")
    with pytest.raises(UntrustedRun):
        cg.regrade_run(run.directory)


def test_hashes_are_compared_before_an_agent_is_imported(bench, module, tmp_path):
    own = tmp_path / "bench"
    shutil.copytree(bench.directory, own)
    users = ["generic", "ruse"]
    run = cg.run(own, "strangers_agent:make", users, 1, tmp_path / "run", tasks=["S1"])
    torn(run)
    source = tmp_path / "strangers_agent.py"
    source.write_text(f"# another\n{source.read_text()}")
    forget(module)
    ways: dict[Callable[..., object], tuple[Any, ...]] = {
        cg.fork_episode: (run.directory, EPISODE, 1, tmp_path / "fork"),
        cg.pivot_episode: (run.directory, EPISODE, 1),
    }
    for way, given in ways.items():  # what is another is said, and here an error
        with pytest.raises(NoticeWarning, match="another now: source of the agent"):
            way(*given)
    with pytest.raises(ResumeMismatch, match="begun with source of the agent"):
        cg.resume_run(run.directory)
    edit_document(own / "manifest.json", lambda fields: fields["settings"].update(seed=4))
    for trust in (False, True):
        for way, given in {**ways, cg.resume_run: (run.directory,)}.items():
            with pytest.raises(ResumeMismatch, match="begun with benchmark"):
                way(*given, trust=trust)
        edit_document(run.directory / "run.json", lambda fields: fields.update(name="x"))
    assert not module.exists()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer(["Hello."] * 40) as server:
        yield server


def keys(server):
    """Return which keys came along, and forget them."""
    found = {one.removeprefix("Bearer ") for one in server.keys}
    server.keys.clear()
    return found


@pytest.mark.slow
def test_a_key_goes_to_hosts_that_the_user_named(bench, server, tmp_path, monkeypatch, capsys):
    host = server.address.split("/")[2]
    run = cg.run(
        bench,
        server.spec,
        "generic",
        1,
        tmp_path / "run",
        tasks=["S1"],
        limits=cg.Limits(max_turns=4),
    )
    assert keys(server) == {KEY}
    fork = ["fork", str(run.directory), EPISODE, "--turn", "1", "--out"]
    assert main([*fork, str(tmp_path / "own")]) == 0
    assert keys(server) == {KEY}
    elsewhere(monkeypatch, tmp_path)
    assert main([*fork, str(tmp_path / "f0")]) == 2
    assert f"contacts {host}" in capsys.readouterr().err
    assert keys(server) == set()
    assert main([*fork, str(tmp_path / "f1"), "--trust"]) == 0
    assert keys(server) == {"no-key"}
    assert main([*fork, str(tmp_path / "f2")]) == 0  # trusted by now, but still nobody's host
    assert keys(server) == {"no-key"}
    assert main([*fork, str(tmp_path / "f3"), "--key-hosts", host]) == 0
    assert keys(server) == {KEY}
    assert main([*fork, str(tmp_path / "f4"), "--agent", server.spec]) == 0
    assert keys(server) == {KEY}
    settings = tmp_path / "own-settings"
    settings.mkdir()
    monkeypatch.setenv("CRAB_CONFIG", str(settings))
    (settings / "settings.toml").write_text(f'key_hosts = ["{host.partition(":")[0]}"]')
    assert main([*fork, str(tmp_path / "f5")]) == 0
    assert keys(server) == {KEY}
    (settings / "settings.toml").write_text("key_host = 3")
    assert main([*fork, str(tmp_path / "f6")]) == 2
    assert f"{settings / 'settings.toml'}: field 'key_host'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spec", "hosts"),
    [
        ("openai:gpt-5", ()),
        ("openai:gpt-5?temperature=0.2&reasoning_effort=low&timeout=60", ()),
        ("https://api.openai.com/v1#gpt-5", ()),
        ("http://api.openai.com/v1#gpt-5", ("api.openai.com",)),
        ("http://api.openai.com.evil.example/v1#m", ("api.openai.com.evil.example",)),
        ("https://api.openai.com@evil.example/v1#m", ("evil.example",)),
        ("openai:gpt-5?base_url=http://evil.example/v1", ("evil.example",)),
        ("openai:gpt-5?openai_proxy=http://evil.example:3128", ("evil.example:3128",)),
        ("bedrock:m?region_name=evil.example/", ("evil.example/",)),
        ("https://api.openai.com/v1#m?base_url=http://evil.example", ("evil.example",)),
        ("http://Good.example:8000/v1#m", ("good.example:8000",)),
    ],
)
def test_a_spec_names_all_hosts_that_it_may_send_to(spec, hosts, monkeypatch):
    assert hosts_of(spec) == hosts
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    if not hosts or not spec.startswith("openai:"):
        return
    with keys_withheld(hosts), pytest.raises(UsageError, match=r"`key_hosts=evil\.example"):
        build_chat_model(spec)


def test_what_an_agent_kept_for_itself_is_read_by_who_wrote_it(bench, tmp_path, monkeypatch):
    spec = "tests.agents.agent_kinds:swarm"
    run = cg.run(bench, spec, "generic", 1, tmp_path / "run", tasks=["S1"])
    assert run[0].hidden["agent_states"]
    shard = run.directory / "shards" / "part-0.jsonl"
    record = json.loads(open_line(shard.read_bytes()).body)
    kind, packed = next(iter(record["hidden"]["agent_states"][0]["memory"]["blobs"].values()))
    assert kind and packed
    whole = shard.read_bytes()
    write_lines(shard, [json.dumps(record).replace(packed, packed[::-1])])
    with pytest.raises(RunError, match=r"written by somebody else.*`trust=True`"):
        cg.fork_episode(run.directory, EPISODE, 3, tmp_path / "fork")
    shard.write_bytes(whole)
    elsewhere(monkeypatch, tmp_path)
    fork = cg.fork_episode(run.directory, EPISODE, 3, tmp_path / "trusted", trust=True)
    assert fork[0].hidden["agent_states"][0] == record["hidden"]["agent_states"][0]


def test_the_key_is_for_this_user_alone(bench, tmp_path, monkeypatch):
    elsewhere(monkeypatch, tmp_path, "own")
    cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1"])
    file = tmp_path / "own" / "key"
    assert file.stat().st_mode & 0o077 == 0
    assert [one.name for one in file.parent.iterdir()] == ["key"]
    secret = file.read_bytes()
    assert not any(secret in one.read_bytes() for one in Path(tmp_path / "run").rglob("*.json*"))


def test_a_user_without_a_place_to_keep_a_key_runs_all_the_same(bench, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    elsewhere(monkeypatch, tmp_path, "file/below")
    run = cg.run(bench, "silent", "generic", 1, tmp_path / "run", tasks=["S1"])
    assert cg.resume_run(run.directory).is_complete
