"""A benchmark of an earlier version of its domain is read and graded on, but not played.

`travel_version_2.zip` holds what version 2 of travel wrote: four tasks (`generate --tasks 4
--distractors 200 --seed 3`), two runs on them, and the transcript of an episode.
"""

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.domain.contract import find_domain
from crab_graph.domains.clinic import domain as clinic_domain
from crab_graph.errors import BenchmarkError
from crab_graph.tools.tables import Table

_STORED = Path(__file__).parent / "travel_version_2.zip"
_PASSED = "S1-001.ruse.0"


def _become(monkeypatch, module, name, **changes):
    """Let a domain be of another version from now on."""
    domain = getattr(module, name)
    tables = changes.pop("tables", domain.tables)
    later = replace(domain, tables=tables, declaration=replace(domain.declaration, **changes))
    monkeypatch.setattr(module, name, later)
    find_domain.cache_clear()


@pytest.fixture(autouse=True)
def _as_installed():
    yield
    find_domain.cache_clear()


@pytest.fixture
def home(tmp_path, monkeypatch):
    """What version 2 of travel wrote."""
    with zipfile.ZipFile(_STORED) as stored:
        stored.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _json(capsys, *arguments, code=0):
    capsys.readouterr()
    assert main([*arguments, "--json"]) == code, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_an_earlier_benchmark_is_listed_and_shown(home, capsys):
    listed = _json(capsys, "tasks", "bench")
    assert [one["id"] for one in listed] == ["S1-001", "S2-001", "S3-001", "S4-001"]
    assert listed[0]["solutions"] == 1
    stats = _json(capsys, "tasks", "bench", "--stats")
    assert stats["table"][-1]["tasks"] == 4
    shown = _json(capsys, "task", "bench", "S4-001", "--solutions")
    assert len(shown["solutions"]) == listed[3]["solutions"]
    assert main(["task", "bench", "S4-001"]) == 0
    assert main(["prompt", "ruse", "--task", "bench:S1-001"]) == 0


def test_an_earlier_benchmark_is_certified_on_its_own_rows(home, capsys):
    certified = _json(capsys, "certify", "bench", "--jobs", "1")
    assert certified["ok"] is True
    assert [one["ok"] for one in certified["tasks"]] == [True] * 4


def test_an_episode_of_an_earlier_benchmark_is_graded_as_it_was(home, capsys):
    verdict = _json(capsys, "grade", "bench", "S1-001", "transcript.jsonl")
    assert verdict["outcome"] == "pass"
    assert set(verdict["checks"].values()) <= {"pass", "not_evaluated", "not_triggered"}


@pytest.mark.parametrize("run", ["solver", "silent"])
def test_a_run_on_an_earlier_benchmark_is_graded_again_and_nothing_changes(home, capsys, run):
    again = _json(capsys, "regrade", run, "--trust")
    assert again["ok"] is True and again["episodes"] > 0


@pytest.mark.slow
def test_a_run_on_an_earlier_benchmark_is_shown_reported_and_exported(home, capsys):
    assert _json(capsys, "show", "solver", _PASSED)["outcome"] == "pass"
    assert main(["show", "solver", _PASSED, "--why"]) == 0
    ids = [one["id"] for one in _json(capsys, "report", "solver", "silent")["exhibits"]]
    assert "table-1" in ids
    assert main(["sql", "solver", "SELECT count(*) FROM episodes"]) == 0
    for source in ("bench", "solver"):
        assert main(["export", source, "--format", "parquet", "--out", f"{source}-data"]) == 0


@pytest.mark.parametrize(
    "command",
    [
        "run bench --agent solver --out new",
        "run bench --agent solver --out new --dry-run",
        "ablate bench --agent solver --out new",
        "resume solver --trust",
        "resume solver --trust --allow-mismatch",
        "play bench S1-001 --as user --out new",
        f"fork solver {_PASSED} --turn 2 --out new --trust",
        f"pivot solver {_PASSED} --trust",
        "audit bench",
        "sweep bench --vary distractors --out new",
        "generate bench --tasks 4 --seed 3 --distractors 200",
    ],
)
def test_an_earlier_benchmark_is_not_played_and_says_so_in_one_line(home, capsys, command):
    assert main(command.split()) == 2
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 1 and not said.out
    assert "bench: made by version 2 of the domain 'travel', " in said.err
    assert not (home / "new").exists()


def test_a_task_of_an_earlier_benchmark_is_not_played_from_python(home):
    task = cg.load_benchmark("bench")["S1-001"].with_toolset("extended")
    for play in (cg.run_episode, cg.build_graph):
        with pytest.raises(BenchmarkError, match="task 'S1-001': made by version 2 of the domain"):
            play(task, "solver")


MADE_BY = clinic_domain.CLINIC.card.version
"""Version of the clinic as it is installed."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    path = tmp_path_factory.mktemp("earlier") / "visits"
    cg.generate_benchmark(path, domain="clinic", tasks=1, distractors=60, seed=3, strata=(1,))
    return path


@pytest.fixture
def visits(generated, tmp_path):
    return shutil.copytree(generated, tmp_path / "visits")


def _with_another_column(table):
    return table._replace(columns={**table.columns, "added": "INTEGER"})


def test_columns_and_tables_made_since_are_empty(visits, monkeypatch):
    tables = clinic_domain.CLINIC.tables
    added = Table("additions", "addition_id", {"addition_id": "VARCHAR"})
    later = (*map(_with_another_column, tables), added)
    before = dict(cg.load_benchmark(visits)[0].world.tables)
    _become(
        monkeypatch, clinic_domain, "CLINIC", version=MADE_BY + 1, reads=(MADE_BY,), tables=later
    )
    bench = cg.load_benchmark(visits)
    found = bench[0].world.tables
    assert found.pop("additions") == {}
    assert found == {
        name: {key: {**row, "added": None} for key, row in rows.items()}
        for name, rows in before.items()
    }
    assert main(["certify", str(visits)]) == 0


def test_a_version_that_is_not_read_any_more_is_one_line(visits, monkeypatch, capsys):
    _become(monkeypatch, clinic_domain, "CLINIC", version=MADE_BY + 2, reads=(MADE_BY + 1,))
    for command in (["tasks"], ["certify"], ["run", "--agent", "solver", "--out", "new"]):
        capsys.readouterr()
        assert main([command[0], str(visits), *command[1:]]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        now = f"reads version {MADE_BY + 2} and {MADE_BY + 1};"
        assert f"made by version {MADE_BY} of the domain 'clinic', which {now}" in said


def test_what_an_earlier_version_began_is_not_gone_on_with(visits, monkeypatch, capsys):
    (visits / "manifest.json").unlink()
    _become(monkeypatch, clinic_domain, "CLINIC", version=MADE_BY + 1)
    made = ["--domain", "clinic", "--tasks", "1", "--distractors", "60", "--seed", "3"]
    assert main(["generate", str(visits), *made, "--strata", "1"]) == 2
    assert "begun by another version" in capsys.readouterr().err
