"""Without a model nothing leaves the machine, whatever the environment asks dependencies for."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import langsmith.utils
import pytest
from langchain_core.callbacks import CallbackManager

import crab_graph as cg
from crab_graph import ray_workers
from crab_graph.cli.application import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
ASKED_FOR = {
    **dict.fromkeys(("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2"), "true"),
    **dict.fromkeys(("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY", "OPENAI_API_KEY"), "lsv2_canary"),
}
"""What somebody may have set for other work."""

WITHOUT_ROUTES = ("unshare", "--map-root-user", "--net", "--")

WATCHING = """
import json, subprocess, sys
def tried():
    # What the kernel could not send for want of a route, of whatever program and language.
    lines = open("/proc/net/snmp").read().splitlines()
    names, values = ([*line.split()] for line in lines if line.startswith("Ip:"))
    return int(dict(zip(names, values))["OutNoRoutes"])
found = []
for command in json.loads(sys.argv[1]):
    before = tried()
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    found.append([command[:3], done.returncode, tried() - before, done.stderr[-2000:]])
print(json.dumps(found))
"""
PROBE = [
    "-c",
    "import socket\ntry: socket.create_connection(('192.0.2.1', 9), 1)\nexcept OSError: 0",
]


def watched(commands, folder):
    """Run commands where no route leads anywhere; return the exit code, and what each tried."""
    if subprocess.run([*WITHOUT_ROUTES, "true"], capture_output=True).returncode != 0:
        pytest.skip("this system lets nobody make a network of their own (unshare --net)")
    program = [*WITHOUT_ROUTES, sys.executable, "-c", WATCHING]
    done = subprocess.run(
        [*program, json.dumps([*commands, PROBE])],
        env={**os.environ, **ASKED_FOR, "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    *found, (_, _, of_probe, _) = json.loads(done.stdout)
    assert of_probe > 0  # it would be seen
    return found


def commands_on(bench):
    run, solver = ["run", bench, "--out", "run"], ["--agent", "solver", "--tasks", "S1"]
    episode = "S1-001.ruse.0"
    exports = [
        ["export", "run", "--format", format, "--out", out]
        for format, out in {
            "openai": "openai",
            "parquet": "parquet",
            "inspect": "inspect.json",
            "langsmith": "langsmith",
        }.items()
    ]
    briefly = ["--conditions", "ruse,d1", "--tasks", "S1"]
    return [
        ["generate", "new", "--tasks", "1", "--strata", "1", "--distractors", "20"],
        [*run, *solver, "--jobs", "2"],
        ["resume", "run"],
        ["fork", "run", episode, "--turn", "2", "--out", "fork"],
        ["pivot", "run", episode, "--trials", "1"],
        ["ablate", bench, "--agent", "silent", *briefly, "--out", "ablation"],
        ["play", bench, "S1-001", "--as", "user", "--out", "seat"],
        ["regrade", "run"],
        *exports,
        ["certify", bench, "--task", "S1-001"],
        ["report", "run", "--html", "report.html"],
        ["sql", "run", "SELECT count(*) FROM messages"],
        ["show", "run", episode],
        ["compare", "run", "ablation"],
        ["disputes", "run"],
        ["compact", "run"],
        ["verify", "run"],
        ["fidelity", "run"],
        ["tasks", bench, "--stats"],
        ["task", bench, "S1-001", "--solutions"],
        ["prompt", "ruse", "--task", f"{bench}:S1-001"],
        ["grade", bench, "S1-001", "transcript.jsonl"],
        ["audit", bench, "--only", "generation", "--quick"],
        ["demo", "--out", "demo"],
        ["new-domain", "a_domain", "--out", "a_domain"],
        ["check-domain", "clinic", "--tasks", "4"],
        [
            "sweep",
            bench,
            "--vary",
            "distractors",
            "--values",
            "20,40",
            "--tasks",
            "1",
            "--out",
            "s",
        ],
    ]


LISTENING = {"serve", "mock-llm"}
"""They contact nobody, and wait for whoever comes."""


def test_every_command_is_tried_without_routes():
    """A new command stands in the list above."""
    tried = {line[0] for line in commands_on("bench")}
    assert tried | LISTENING == {name.replace("_", "-") for name in COMMANDS}


@pytest.mark.slow
def test_no_command_without_a_model_sends_anything_anywhere(bench, tmp_path):
    said = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "I cannot."}]
    (tmp_path / "transcript.jsonl").write_text("\n".join(map(json.dumps, said)))
    words = commands_on(str(bench.directory))
    found = watched([["-m", "crab_graph", *one] for one in words], tmp_path)
    assert [one for one in found if one[1] not in (0, 1) or one[2]] == []


def test_ray_is_told_to_tell_its_makers_nothing_unless_somebody_wants_it(monkeypatch):
    told = []
    ray = SimpleNamespace(
        is_initialized=lambda: False,
        init=lambda **settings: told.append(os.environ["RAY_USAGE_STATS_ENABLED"]),
        shutdown=lambda: None,
    )
    for asked, expected in (("", "0"), ("1", "1")):
        with monkeypatch.context() as patched:
            patched.setattr(os, "environ", {"RAY_USAGE_STATS_ENABLED": asked} if asked else {})
            with ray_workers._cluster(ray, 1):
                assert told.pop() == expected


def test_no_tracer_hears_of_an_episode_without_a_model(bench, monkeypatch):
    for name, value in ASKED_FOR.items():
        monkeypatch.setenv(name, value)
    forget = vars(langsmith.utils)["get_env_var"].cache_clear
    heard = []
    configure = CallbackManager.configure

    def watching(*given, **more):
        manager = configure(*given, **more)
        heard.append(manager.handlers)
        return manager

    forget()
    monkeypatch.setattr(CallbackManager, "configure", watching)
    assert cg.run_episode(bench[0], "solver", "generic").passed
    monkeypatch.undo()
    forget()
    assert heard and not any(heard)
