"""The demonstration, as `make demo` runs it but with fewer tasks."""

import json
from pathlib import Path

import pytest

from crab_graph.cli import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    directory = tmp_path_factory.mktemp("demo") / "demo"
    assert main(["demo", "--out", str(directory), "--tasks", "4"]) == 0
    return directory


@pytest.mark.slow
def test_the_demonstration_shows_every_agent_with_every_user(demo, capsys):
    assert main(["demo", "--out", str(demo), "--tasks", "4", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["was_complete"]
    rates = {
        (group["agent"], group["user"]): group["rates"]["pass_at_1"]["value"]
        for group in document["groups"]
    }
    assert rates["solver", "generic"] == rates["solver", "ruse"] == 1
    lacking = {"literal": "d1", "hasty": "d2", "credulous": "d3", "stubborn": "d4"}
    users = ("generic", "d1", "d2", "d3", "d4", "ruse")
    assert set(rates) == {(agent, user) for agent in ("solver", *lacking) for user in users}
    for agent, dimension in lacking.items():
        assert rates[agent, dimension] <= 0.3
        assert rates[agent, "generic"] == 1


@pytest.mark.slow
def test_its_page_holds_every_episode(demo):
    page = (demo / "report.html").read_text(encoding="utf-8")
    assert page.count('class="episode-data"') == 5 * 6 * 4


@pytest.mark.slow
def test_doing_it_again_says_that_nothing_was_left_to_do(demo, capsys):
    assert main(["demo", "--out", str(demo), "--tasks", "4"]) == 0
    assert "nothing was done" in capsys.readouterr().out


@pytest.mark.slow
def test_other_settings_on_the_same_directory_are_refused(demo, capsys):
    assert main(["demo", "--out", str(demo), "--tasks", "5"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_directory_with_other_things_in_it_is_refused(tmp_path, capsys):
    (tmp_path / "thesis.tex").touch()
    assert main(["demo", "--out", str(tmp_path)]) == 2
    assert "thesis.tex" in capsys.readouterr().err


@pytest.mark.slow
def test_the_readme_shows_what_the_demonstration_prints(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("<!-- output: demo -->\n```text\n")[2].partition("```")[0]
    assert printed == shown.splitlines()
