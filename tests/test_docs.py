"""The README shows every command, its snippets run, and no page points nowhere."""

import importlib
import re
from pathlib import Path

import pytest
from typer.main import get_group

from crab_graph.cli import app, main
from crab_graph.domain.word_checks import word_weaknesses
from crab_graph.runs.relations import document

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")

SNIPPETS = re.findall(r"^```python( no-run)?\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
COMMANDS = sorted(name for name, one in get_group(app).commands.items() if not one.hidden)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_shown_in_the_readme(name):
    assert re.search(rf"\bcrab-graph {name}\b", README)


def test_the_readme_shows_no_command_or_option_that_does_not_exist():
    commands = get_group(app).commands
    for line in re.findall(r"^    crab-graph ([^#\n]*)", README, flags=re.MULTILINE):
        name, *rest = line.split()
        if name.startswith("--"):
            continue
        known = {option for one in commands[name].params for option in one.opts}
        assert {word for word in rest if word.startswith("--")} <= known, line


def test_the_snippets_run_and_print_what_the_readme_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    runnable = [code for marker, code in SNIPPETS if not marker]
    assert runnable
    for code in runnable:
        exec(compile(code, "README.md", "exec"), names)
    assert f"it prints `{capsys.readouterr().out.strip()}`" in README


def test_snippets_that_need_a_model_are_at_least_python():
    for _, code in SNIPPETS:
        compile(code, "README.md", "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_tables_are_documented_as_they_are():
    page = (ROOT / "docs" / "analytics.md").read_text(encoding="utf-8")
    assert page.endswith(document())


@pytest.fixture
def tutorial(tmp_path, monkeypatch):
    """The commands of the tutorial on domains behind the first, and its code, imported."""
    page = (ROOT / "docs" / "domains.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^    crab-graph ([^#\n]*)", page, flags=re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    made, *commands = (line.split() for line in lines)
    assert main(made) == 0
    module = tmp_path / "conference" / "conference_domain.py"
    assert module.exists()
    module.write_text("\n".join(blocks), encoding="utf-8")
    # Stands for `pip install -e conference`.
    monkeypatch.syspath_prepend(str(module.parent))
    return commands, importlib.import_module("conference_domain")


def test_the_code_of_the_tutorial_on_domains_declares_one(tutorial):
    commands, module = tutorial
    assert commands and [slot.id for slot in module.CONFERENCE.slots] == ["talk", "lunch", "room"]
    assert not word_weaknesses(module.DECLARATION)


@pytest.mark.slow
def test_the_commands_of_the_tutorial_on_domains_find_nothing_to_mend(tutorial, capsys):
    for command in tutorial[0]:
        assert main(command) == 0, (command, capsys.readouterr())
