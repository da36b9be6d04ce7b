"""What a command does, a function of `crab_graph` does too: one mechanism, the same results."""

import json
import re
from pathlib import Path

import pytest

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.cli.application import COMMANDS
from crab_graph.errors import UnknownName, UsageError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


@pytest.fixture(scope="module")
def run(run_directory):
    return cg.open_run(run_directory)


@pytest.fixture(scope="module")
def other(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("ways") / "other"
    return cg.run(bench, "hasty", ["generic", "ruse"], out=out, tasks=["S1"])


def told(capsys, *arguments):
    status = main([*map(str, arguments), "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_every_command_has_its_python_way_or_a_reason():
    rows = re.findall(r"^\| `([\w-]+)` \| (.+?) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    ways = dict(rows)
    assert ways.keys() == {name.replace("_", "-") for name in COMMANDS}
    for name, way in ways.items():
        named = re.findall(r"`cg\.(\w+)", way)
        assert named or way.startswith("the command alone: "), name
        assert all(one in cg.__all__ for one in named)


def test_a_report_is_that_of_the_command(run, tmp_path, capsys):
    tables = tmp_path / "tables.md"
    made = cg.report(run, markdown=tables)
    status, printed = told(capsys, "report", run.directory)
    assert status == 0
    assert json.loads(json.dumps(made.as_json())) == printed
    assert tables.read_text(encoding="utf-8").startswith("# run")


@pytest.mark.slow
def test_a_page_is_that_of_the_command(run, tmp_path, capsys):
    page, again = tmp_path / "page.html", tmp_path / "again.html"
    cg.report(run, html=page)
    told(capsys, "report", run.directory, "--html", again)
    assert page.read_bytes() == again.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a run, or several"),
        ((3,), "a run is a Run or its directory, not int"),
        (("nowhere",), "no such directory"),
    ],
)
def test_a_report_of_no_run_is_refused(arguments, words):
    with pytest.raises(cg.CrabGraphError, match=words):
        cg.report(*arguments)


def test_a_report_is_refused_before_anything_is_read(run, tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        cg.report(run, html=tmp_path / "no" / "page.html")
    with pytest.raises(UnknownName, match="known: all, png, svg"):
        cg.report(run, figures=tmp_path, format="jpeg")  # type: ignore[arg-type]


def test_an_export_is_that_of_the_command(other, tmp_path, capsys):
    own, theirs = tmp_path / "own.jsonl", tmp_path / "theirs.jsonl"
    counts = cg.export(other, "openai", own, rewards=True)
    options = ["--format", "openai", "--rewards", "--out", theirs]
    _, printed = told(capsys, "export", other.directory, *options)
    assert counts == printed["counts"]
    assert own.read_bytes() == theirs.read_bytes()
    with pytest.raises(UsageError, match="is there already"):
        cg.export(other, "openai", own, rewards=True)


def test_a_benchmark_is_exported_as_itself(bench, tmp_path):
    assert cg.export(bench, "parquet", tmp_path / "a")["tasks"] == len(bench)
    with pytest.raises(UsageError, match="a benchmark or a directory, not list"):
        cg.export([bench], "parquet", tmp_path / "c")  # type: ignore[arg-type]


def test_users_are_studied_as_by_the_command(run, other, capsys):
    found = cg.study_users(run, other)
    status, printed = told(capsys, "fidelity", run.directory, other.directory)
    assert found.as_json() == printed
    assert found.ok == (status == 0)


def test_certificates_and_evidence_are_those_of_the_commands(bench, capsys):
    counted = cg.certify_benchmark(bench, ["S2-001"])
    _, printed = told(capsys, "certify", bench.directory, "--task", "S2-001")
    assert [{"id": name, **one.as_json()} for name, one in counted.items()] == printed["tasks"]
    with pytest.raises(UnknownName, match="did you mean S1-001"):
        cg.certify_benchmark(bench, ["S1-01"])


@pytest.mark.slow
def test_evidence_is_that_of_the_command(bench, capsys):
    gates = cg.audit_benchmark(bench, "generation")
    _, printed = told(capsys, "audit", bench.directory, "--only", "generation")
    assert json.loads(json.dumps([gate._asdict() for gate in gates])) == printed["gates"]
    with pytest.raises(UnknownName, match="unknown only 'grades'"):
        cg.audit_benchmark(bench, "grades")  # type: ignore[arg-type]


def test_a_prompt_and_its_difference_are_those_of_the_command(bench, capsys):
    first = cg.user_prompt("terse+d2", bench[0])
    second = cg.user_prompt("terse+d2+d4", bench[0])
    task = f"{bench.directory}:S1-001"
    _, printed = told(capsys, "prompt", "terse+d2", "--task", task, "--diff", "terse+d2+d4")
    assert printed.pop("diff") == {
        **second.as_json(),
        "changed": first.changed(second),
        "unified": first.diff(second),
    }
    assert printed == first.as_json()
    assert first.changed(second) == ["d4"]


def test_what_a_run_would_take_is_what_a_dry_run_says(bench, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    out = tmp_path / "out"
    found = cg.estimate_run(bench, "openai:m", "generic", trials=2, out=out, tasks=["S1"])
    options = ["--user", "generic", "--trials", "2", "--tasks", "S1", "--out", out, "--dry-run"]
    _, printed = told(capsys, "run", bench.directory, "--agent", "openai:m", *options)
    assert found.as_json() == printed
    assert (found.to_do, found.cost) == (2, None)
    assert not out.exists()


@pytest.mark.slow
def test_the_papers_algorithms_are_asked_for_by_keywords(tmp_path):
    asked = cg.generate_benchmark(
        tmp_path / "b", 1, strata=[1], distractors=60, method="paper", no_repair=True, rho=0.1
    )
    paper = asked.manifest.settings.paper
    assert paper is not None and not paper.repair and paper.ratio == 0.1


def test_what_belongs_to_the_papers_algorithms_is_refused_without_them(tmp_path):
    with pytest.raises(UsageError, match="rho and no_repair: only with method paper"):
        cg.generate_benchmark(tmp_path / "c", tasks=1, rho=0.1, no_repair=True)


def test_a_run_stands_wherever_its_directory_does(bench, other, tmp_path):
    assert cg.resume_run(other).is_complete
    assert cg.open_run(other).config == other.config
    assert cg.regrade_run(other).is_same
    assert cg.compact_run(other).episodes == len(other)
    forked = cg.fork_episode(other, "S1-001.generic.0", 1, tmp_path / "fork")
    assert forked.config.fork is not None and forked.config.fork.run == str(other.directory)
    assert cg.load_benchmark(bench).sha256 == bench.sha256


def test_an_ablation_brings_its_run(bench, tmp_path):
    found = cg.ablate(bench, "silent", ["generic", "d1"], out=tmp_path / "a", tasks=["S1"])
    assert found.run is not None and len(found.run) == 2
    assert cg.report(found.run).exhibits


def test_relations_of_several_runs_can_be_joined(run, other):
    tables = cg.open_tables(run, other)
    assert set(tables) >= {"runs", "episodes", "checks", "messages"}
    episodes, runs = tables["episodes"], tables["runs"]
    joined = episodes.join(runs, "run").aggregate("name, count(*)", "name").order("name")
    assert joined.fetchall() == [("other", 2), ("run", 2)]
    failed = tables.sql("SELECT run, episode_id FROM checks WHERE verdict = 'fail'").distinct()
    both = failed.join(episodes.filter("passed"), "run, episode_id")
    assert both.fetchall() == []
    moved = tables.sql(
        "SELECT task_id, condition, a.outcome, b.outcome FROM episodes a JOIN episodes b "
        "USING (task_id, condition, trial) WHERE a.run = 1 AND b.run = 2 ORDER BY ALL"
    )
    assert len(moved.fetchall()) == 2
    assert cg.open_tables([run, other])["episodes"].fetchall() == episodes.fetchall()


def test_tables_are_only_read(run):
    tables = cg.open_tables(run)
    for query in (
        "DROP TABLE runs",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT 1; SELECT 2",
    ):
        with pytest.raises(UsageError, match="sql: "):
            tables.sql(query).fetchall()
    with pytest.raises(UnknownName, match="unknown table 'episode'; did you mean episodes"):
        _ = tables["episode"]
    assert "episode" not in tables


@pytest.mark.slow
def test_the_page_tells_a_path_that_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "python.md", "exec"), names)
    assert {"report.html", "train.jsonl", "bench"} <= {path.name for path in tmp_path.iterdir()}


def test_what_begins_like_an_unknown_id_is_meant_before_what_ends_like_it():
    known = [f"S{s}-00{n}.{user}.0" for s in (1, 2) for n in (1, 2) for user in ("d1", "ruse")]
    error = UnknownName("episode", "S2-002.ruse.1", known)
    assert str(error).startswith("unknown episode 'S2-002.ruse.1'; did you mean S2-002.ruse.0, S2-")
    assert "S1-" not in str(error)
