"""Whoever reads a folder from somebody else runs nothing of it, asks nobody, and shows only it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crab_graph.analysis.viewer.library import Library
from crab_graph.cli import application, main
from crab_graph.runs.owner import OWNER
from tests.editing import edit_document, edit_lines

EPISODE = "S1-001.generic.0"
ESCAPES = "\x1b[2J\x1b]0;owned\x07\u202eexe \x9b31m <script>alert(1)</script>"
SECRET = "canary-outside-4e1f"

READING = {
    "report": ["report", "run"],
    "report as a page": ["report", "run", "--html", "page.html"],
    "report as JSON": ["report", "run", "--json"],
    "show": ["show", "run", EPISODE],
    "show why": ["show", "run", EPISODE, "--why", "--private"],
    "show a turn": ["show", "run", EPISODE, "--turn", "1"],
    "show as JSON": ["show", "run", EPISODE, "--json"],
    "sql": ["sql", "run", "SELECT * FROM episodes JOIN messages USING (episode_id)", "--json"],
    "compact": ["compact", "run"],
    "compare": ["compare", "run", "run"],
    "fidelity": ["fidelity", "run"],
    "export": ["export", "run", "--format", "parquet", "--out", "data"],
    "export of dialogues": ["export", "run", "--format", "openai", "--out", "data.jsonl"],
    "certify": ["certify", "bench"],
    "tasks": ["tasks", "bench", "--stats"],
    "task": ["task", "bench", "S1-001", "--solutions"],
    "grade": ["grade", "bench", "S1-001", "talk.jsonl"],
    "prompt": ["prompt", "ruse", "--task", "bench:S1-001"],
}

_SEEN: list[tuple[str, str]] = []
_watching = False


def _watch(event, arguments):
    if _watching and event in _TOLD:
        _SEEN.append((event, str(arguments[:2])))


_TOLD = {"open", "import", "exec", "os.system", "subprocess.Popen", "pickle.find_class"}
_TOLD |= {"socket.connect", "socket.getaddrinfo", "socket.sendto"}
sys.addaudithook(_watch)


@pytest.fixture
def watched():
    """Note what Python opens, imports, starts and contacts."""
    global _watching
    _SEEN.clear()
    _watching = True
    yield _SEEN
    _watching = False


@pytest.fixture
def folder(bench, run_directory, tmp_path, monkeypatch):
    """A benchmark and a run of somebody else, hostile wherever it can be."""
    home = tmp_path / "received"
    shutil.copytree(bench.directory, home / "bench")
    shutil.copytree(run_directory, home / "run")
    outside = tmp_path / "outside"
    shutil.copytree(bench.directory, outside / "bench")
    (outside / "terse.md").write_text(SECRET)
    _make_hostile(home / "run", outside)
    (home / "strangers_agent.py").write_text("raise SystemExit('imported')")
    talk = [{"role": "user", "content": ESCAPES}, {"role": "assistant", "content": ESCAPES}]
    (home / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in talk))
    monkeypatch.chdir(home)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return home


def _with_escapes(record):
    record["messages"][0]["content"] = ESCAPES
    return record | {"agent": ESCAPES, "error": ESCAPES, "primary_failure": ESCAPES}


def _make_hostile(run, outside):
    (run / OWNER).unlink()
    shutil.rmtree(run / "warehouse", ignore_errors=True)
    hostile = {
        "agent": "strangers_agent:make",
        "user_model": "http://127.0.0.1:9/v1#m",
        "checkpoint": "postgresql://127.0.0.1:9/x",
        "benchmark": str(outside / "bench"),
        "personas": str(outside),
        "name": None,
    }
    edit_document(run / "run.json", lambda fields: fields.update(hostile))
    edit_lines(run / "shards" / "part-0.jsonl", _with_escapes)
    (run / "checkpoints").mkdir(exist_ok=True)
    (run / "checkpoints" / "part-0.sqlite").write_bytes(b"\0" * 100)


NEEDS_ITS_BENCHMARK = {"export of dialogues"}


@pytest.mark.parametrize("command", READING)
def test_reading_runs_nothing_contacts_nobody_and_stays_inside(command, folder, watched, capsys):
    status = main(READING[command])
    said = capsys.readouterr()
    assert status == 2 if command in NEEDS_ITS_BENCHMARK else status in (0, 1), said.err
    assert len(said.err.splitlines()) <= 2 and "Traceback" not in said.err
    outside = str(folder.parent / "outside")
    acted = [
        one
        for one in watched
        if (one[0] == "open" and outside in one[1])
        or (one[0] in ("import", "exec") and "strangers_agent" in one[1])
        or one[0].startswith(("socket.", "os.system", "subprocess.", "pickle."))
    ]
    assert acted == []
    assert not set("\x1b\x07\x9b\u202e") & set(said.out + said.err)
    assert SECRET not in said.out + said.err
    page = folder / "page.html"
    if page.exists():
        assert "<script>alert" not in page.read_text(encoding="utf-8")


def test_the_viewer_reads_as_strictly(folder, watched):
    library = Library([folder / "run"])
    library.refresh()
    assert library.page({})["rows"]
    assert library.episode(0, EPISODE, {})
    outside = str(folder.parent / "outside")
    assert not [one for one in watched if outside in one[1] or one[0].startswith("socket.")]


@pytest.mark.slow
def test_no_process_of_a_command_takes_modules_from_the_working_directory(folder):
    (folder / "multiprocessing").mkdir()
    for name in ("multiprocessing/__init__.py", "duckdb.py", "json.py"):
        (folder / name).write_text("open('ran', 'w')")
    command = "from crab_graph.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    words = ["run", "bench", "--agent", "silent", "--jobs", "2", "--out", "own"]
    subprocess.run(
        [sys.executable, "-P", "-c", command, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
    )
    assert not (folder / "ran").exists()


def test_every_command_stands_in_the_table_of_the_docs():
    page = Path(__file__).parents[2] / "docs" / "trust.md"
    named = set(re.findall(r"`([a-z][a-z-]+)`", page.read_text(encoding="utf-8")))
    assert {name.replace("_", "-") for name in application.COMMANDS} <= named


@pytest.mark.parametrize(
    ("place", "command"),
    [
        ("run/shards/part-0.jsonl", ["show", "run", EPISODE]),
        ("run/run.json", ["report", "run"]),
        ("run/warehouse", ["report", "run"]),
        ("run/shards", ["verify", "run"]),
        ("run/pivots", ["verify", "run"]),
        ("run/notes.jsonl", ["disputes", "run"]),
        ("bench/manifest.json", ["verify", "bench"]),
        ("run/writer.lock", ["resume", "run", "--trust"]),
        ("run/checkpoints", ["resume", "run", "--trust"]),
        ("bench/manifest.json", ["tasks", "bench"]),
        ("bench/benchmark.duckdb", ["certify", "bench"]),
        ("fragments/persona_terse.md", ["prompt", "terse", "--personas", "fragments"]),
    ],
)
def test_a_link_out_of_the_folder_is_refused_in_one_line(place, command, folder, capsys):
    outside = folder.parent / "outside" / "terse.md"
    (folder / place).parent.mkdir(exist_ok=True)
    if (folder / place).is_dir():
        shutil.rmtree(folder / place)
    (folder / place).unlink(missing_ok=True)
    (folder / place).symlink_to(outside)
    before = outside.read_bytes()
    assert main(command) == 2
    said = capsys.readouterr()
    (line,) = said.err.splitlines()
    assert f"{place}: leads out of the folder" in line and SECRET not in line + said.out
    assert outside.read_bytes() == before


@pytest.mark.parametrize("name", ["../../../../outside/terse.md", "/dev/zero"])
def test_a_part_of_the_warehouse_names_no_file_elsewhere(name, folder, watched, capsys):
    assert main(["compact", "run"]) == 0
    (about,) = (folder / "run" / "warehouse").glob("*/part.json")
    edit_document(about, lambda fields: fields["files"].update({name: "0" * 64}))
    assert main(["verify", "run"]) == 1
    assert "part.json: damaged: field" in capsys.readouterr().out
    assert main(["report", "run"]) == 0  # the part is made again
    assert "part.json: damaged: field" in capsys.readouterr().err
    assert not [one for one in watched if "outside" in one[1] or "/dev/zero" in one[1]]


@pytest.mark.parametrize(
    ("field", "value", "command"),
    [
        ("episode_id", "../../../escaped", ["pivot", "run", "../../../escaped", "--trust"]),
        ("episode_id", "..", ["pivot", "run", "..", "--trust"]),
        ("episode_id", "a\nb", ["show", "run", "a\nb"]),
    ],
)
def test_a_name_that_leads_elsewhere_is_none(field, value, command, folder, capsys):
    shard = folder / "run" / "shards" / "part-0.jsonl"
    edit_lines(shard, lambda record: record | {field: value})
    assert main(command) == 2
    assert "part-0.jsonl, line 1: damaged" in capsys.readouterr().err
    assert not list(folder.parent.rglob("escaped*"))
