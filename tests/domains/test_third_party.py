"""Domains of other packages: imported when they are asked for; a broken one is one line."""

import json
import re
import sys
from dataclasses import replace

import pytest
import typer

from crab_graph.cli import app, main
from crab_graph.domain.contract import DOMAINS, find_domain
from crab_graph.domains.candidate_turns import plan_candidates
from crab_graph.domains.generate import generate_benchmark
from crab_graph.errors import UsageError
from crab_graph.tools.tables import Table

pytestmark = pytest.mark.slow

PLAIN = """
from dataclasses import replace

from crab_graph.domain.contract import find_domain

MODEL = find_domain("travel")


def draft(seed, axes):
    assert not axes
    return MODEL.draft(seed, {"date_mode": "fixed", "party": 2})


PLAIN = replace(MODEL, name="plain", axes=(), draft=draft)
NUMBER = 3
TWICE = replace(PLAIN, axes=MODEL.axes[:1] * 2)
ODD = replace(PLAIN, axes=(MODEL.axes[0]._replace(name="date mode"),))
"""
REFUSED = """
from crab_graph.errors import DeclarationError

raise DeclarationError("refused", ["two slots are called 'gp'", "slot 'lab' names no offer"])
"""
ENTRIES = """
[crab_graph.domains]
plain = plain_domain:PLAIN
number = plain_domain:NUMBER
twice = plain_domain:TWICE
odd = plain_domain:ODD
missing = plain_domain:MISSING
broken = missing_domain:DOMAIN
refused = refused_domain:DOMAIN
"""


@pytest.fixture
def installed(tmp_path_factory, monkeypatch):
    """Install a package that registers one domain that works and four things that do not."""
    site = tmp_path_factory.mktemp("site")
    (site / "plain_domain.py").write_text(PLAIN)
    (site / "refused_domain.py").write_text(REFUSED)
    about = site / "other_domains-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other-domains\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(str(site))
    yield
    find_domain.cache_clear()
    for name in ("plain_domain", "refused_domain"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "cannot be loaded: ModuleNotFoundError: No module named 'missing_domain'"),
        ("missing", "cannot be loaded: AttributeError: module 'plain_domain' has no attribute"),
        ("number", "is a int, and should be the `Domain` that `build` returns"),
        ("twice", "is refused: Value error, two axes are called 'date_mode'"),
        ("odd", "is refused: field 'name': String should match pattern"),
        ("refused", "cannot be loaded: two slots are called 'gp'; slot 'lab' names no offer"),
    ],
)
def test_what_is_no_domain_is_one_line_that_names_the_package(
    installed, tmp_path, capsys, name, reason
):
    assert main(["generate", str(tmp_path / "b"), "--domain", name]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"crab-graph: domain '{name}' of the package 'other-domains' ")
    assert reason in said
    assert said.endswith("; mend or uninstall that package\n")
    assert said.count("\n") == 1
    assert not (tmp_path / "b").exists()


@pytest.mark.slow
def test_nothing_else_is_imported_for_work_on_one_domain(installed, tmp_path, capsys):
    bench, run = str(tmp_path / "b"), str(tmp_path / "r")
    assert main(["generate", bench, "--tasks", "4", "--distractors", "100"]) == 0
    assert main(["run", bench, "--agent", "silent", "--tasks", "S1-001", "--out", run]) == 0
    assert main(["report", run]) == 0
    assert main(["show", run, "S1-001.ruse.0"]) == 0
    assert "nothing is booked for" in capsys.readouterr().out
    assert main(["prompt", "terse"]) == 0
    assert not {"plain_domain", "refused_domain"} & sys.modules.keys()


def test_a_shell_completes_the_names_of_domains_without_importing_any(installed):
    (option,) = [
        one for one in typer.main.get_group(app).commands["generate"].params if one.name == "domain"
    ]
    context = typer.Context(typer.main.get_command(app))
    completed = option.shell_complete(context, "")
    assert [one.value for one in completed] == list(DOMAINS.names())
    assert [one.value for one in option.shell_complete(context, "pl")] == ["plain"]
    assert "plain_domain" not in sys.modules


def test_a_domain_of_another_package_is_found(installed):
    assert find_domain("plain").name == "plain"
    with pytest.raises(UsageError, match="other-domains"):
        find_domain("broken")


@pytest.mark.slow
def test_a_domain_needs_no_axes(installed, tmp_path, capsys):
    bench = generate_benchmark(
        tmp_path / "b", tasks=3, strata=(1, 2), distractors=100, domain="plain"
    )
    assert [task.id for task in bench] == ["S1-001", "S1-002", "S2-001"]
    assert all(task.axes == {} for task in bench)
    assert all(plan.axes == {} for plan in plan_candidates(bench.manifest.settings, 0))
    path, run = str(bench.directory), str(tmp_path / "r")
    assert main(["tasks", path, "--json"]) == 0
    (first, *_) = json.loads(capsys.readouterr().out)
    assert "solutions" in first and list(first)[:3] == ["id", "stratum", "level"]
    assert main(["tasks", path, "--stats"]) == 0
    assert re.search(r"^active edges +\d", capsys.readouterr().out, re.MULTILINE)
    assert main(["task", path, "S1-001"]) == 0
    assert capsys.readouterr().out.startswith("S1-001: 1 valid solution among ")
    assert main(["run", path, "--agent", "silent", "--user", "generic", "--out", run]) == 0
    capsys.readouterr()
    assert main(["report", run, "--json"]) == 0
    ids = [one["id"] for one in json.loads(capsys.readouterr().out)["exhibits"]]
    assert "table-1" in ids and "figure-5" not in ids


def test_what_is_spoiled_without_repair_is_told_without_axes_too(installed, tmp_path, capsys):
    made = ["--domain", "plain", "--tasks", "1", "--strata", "1", "--distractors", "60"]
    path = str(tmp_path / "b")
    assert main(["generate", path, *made, "--method", "paper", "--no-repair"]) == 0
    capsys.readouterr()
    assert main(["certify", path, "--json"]) in (0, 1)
    (row,) = json.loads(capsys.readouterr().out)["summary"]
    assert list(row)[:2] == ["stratum", "tasks"]
    assert main(["certify", path]) in (0, 1)


def test_a_benchmark_of_another_version_of_its_domain_is_one_line(installed, tmp_path, capsys):
    bench, run = str(tmp_path / "b"), str(tmp_path / "r")
    made = ["--domain", "plain", "--tasks", "2", "--strata", "1", "--distractors", "100"]
    assert main(["generate", bench, *made]) == 0
    assert main(["run", bench, "--agent", "silent", "--user", "generic", "--out", run]) == 0
    plain = find_domain("plain")
    later = {
        "other requests": replace(plain, request_type=plain.profile_type),
        "other tables": replace(
            plain, tables=(*plain.tables[:-1], Table("others", "other_id", {}))
        ),
    }
    for name, domain in later.items():
        find_domain.cache_clear()
        sys.modules["plain_domain"].__dict__["PLAIN"] = domain
        capsys.readouterr()
        assert main(["certify", bench, "--task", "S1-001"]) == 2, name
        said = capsys.readouterr().err.splitlines()[-1]
        assert "task 'S1-001' was made by another version of the domain 'plain' (" in said
        # What was recorded is shown all the same, in the words of then.
        assert main(["report", run]) == 0
        shown = capsys.readouterr().out
        assert plain.grading.declared[0].title in shown
        assert ("made by another version of their domain" in shown) is (name == "other requests")
        assert main(["show", run, "S1-001.generic.0"]) == 0


def test_what_was_recorded_is_shown_without_the_domain(installed, tmp_path, capsys, monkeypatch):
    bench, run = str(tmp_path / "b"), str(tmp_path / "r")
    made = ["--domain", "plain", "--tasks", "2", "--strata", "1", "--distractors", "100"]
    assert main(["generate", bench, *made]) == 0
    assert main(["run", bench, "--agent", "silent", "--user", "generic", "--out", run]) == 0
    title = find_domain("plain").grading.declared[0].title
    monkeypatch.undo()
    find_domain.cache_clear()
    capsys.readouterr()
    assert main(["tasks", bench]) == 2
    assert capsys.readouterr().err.startswith("crab-graph: unknown domain 'plain'")
    for command in (["report", run], ["show", run, "S1-001.generic.0", "--why"]):
        assert main(command) == 0
        assert title in capsys.readouterr().out
    assert main(["sql", run, "SELECT task_id, axes FROM episodes"]) == 0
    assert main(["report", run, "--html", str(tmp_path / "page.html")]) == 0
    assert title in (tmp_path / "page.html").read_text()
    assert main(["export", run, "--format", "parquet", "--out", str(tmp_path / "tables")]) == 0
