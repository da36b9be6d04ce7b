"""The README shows every command, its snippets run, and no page points nowhere."""

import importlib
import re
from functools import cache
from pathlib import Path

import pytest
from typer.main import get_group

import crab_graph as cg
import crab_graph.domain as cd
from crab_graph.analysis.audit.heard_denials import misheard_denials
from crab_graph.cli import app, main
from crab_graph.domain.declaration import TOTAL_BUDGET
from crab_graph.domain.field_problems import RESERVED
from crab_graph.domain.idle_bounds import idle_bounds
from crab_graph.domain.offer_problems import PREFIXES
from crab_graph.domain.word_checks import word_weaknesses
from crab_graph.runs.relations import document

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ROOT / "examples" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
README = (ROOT / "README.md").read_text(encoding="utf-8")

OPTIONS_OF_OTHERS = {"--strict", "--address", "--head"}
"""Of mypy and Ray."""
FILES_OF_READERS = {"conference/conference_domain.py"}
NAMES_OF_READERS = set("call_1 call_2 conference_domain d1_anxious d4_anxious my_module".split())
NAMES_OF_READERS |= {"find_talks", "get_my_visit_confirmations", "add_attraction"}
NAMES_OF_READERS |= {"NEG_PRE", "NEG_POST"}
"""Derived, made up for an example, or what a page itself defines."""

SNIPPETS = re.findall(r"^```python( no-run)?\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
COMMANDS = sorted(name for name, one in get_group(app).commands.items() if not one.hidden)


@cache
def words_of_the_code():
    """All words of the sources, and the names of files."""
    words = set()
    for folder in ("crab_graph", "tests", "benchmarks", "examples"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".toml"} and path != Path(__file__):
                words |= {path.stem, *re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    return words


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_shown_in_the_readme(name):
    assert re.search(rf"\bcrab-graph {name}\b", README)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_no_page_shows_a_command_or_an_option_that_does_not_exist(page):
    text = page.read_text(encoding="utf-8")
    commands = get_group(app).commands
    options = {name: {o for one in c.params for o in one.opts} for name, c in commands.items()}
    shown = re.findall(r"^    crab-graph ([^#\n]+)|`crab-graph ([^`]+)`", text, re.MULTILINE)
    for name, *rest in (words.split() for pair in shown for words in pair if words):
        is_printed = " ".join(rest).startswith("split")  # what `generate --private` says
        if not name.startswith("--") and name.islower() and not is_printed:
            assert {word for word in rest if word.startswith("--")} <= options[name], (name, rest)
    of_all = {o for one in get_group(app).params for o in one.opts}.union(*options.values())
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*\w(?![\w-])", text))
    assert mentioned <= of_all | OPTIONS_OF_OTHERS | {"--help", "--install-completion"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_no_page_names_in_code_what_is_not_in_the_code(page):
    text = page.read_text(encoding="utf-8")
    for module, name in re.findall(r"\b(cg|cd)\.([A-Za-z_]\w*)", text):
        assert hasattr({"cg": cg, "cd": cd}[module], name), f"{module}.{name}"
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    said = [code for code in re.findall(r"`([^`\n]+)`", prose)]
    names = {name for code in said for name in re.findall(r"[A-Za-z]\w*_\w*\w", code)}
    own = set(re.findall(r"\w+", "\n".join(re.findall(r"^```.*?^```", text, re.M | re.S))))
    assert names - words_of_the_code() - own <= NAMES_OF_READERS
    for path in (code for code in said if re.fullmatch(r"[\w/.-]+/[\w.-]+\.(py|toml|md)", code)):
        places = (ROOT, ROOT / "crab_graph", page.parent)
        assert any((place / path).exists() for place in places) or path in FILES_OF_READERS, path


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
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
    (words,) = re.findall(r"^```toml\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    module.with_name("words.toml").write_text(words, encoding="utf-8")
    # Stands for `pip install -e conference`.
    monkeypatch.syspath_prepend(str(module.parent))
    return commands, importlib.import_module("conference_domain")


def test_the_code_of_the_tutorial_on_domains_declares_one(tutorial):
    commands, module = tutorial
    assert commands and [slot.id for slot in module.CONFERENCE.slots] == ["talk", "lunch", "room"]
    for declaration in (module.DECLARATION, module.LONGER, module.ISLANDS):
        for find in (word_weaknesses, misheard_denials, idle_bounds):
            assert not [*find(declaration)]
    assert [axis.phrase("fixed") for axis in module.CONFERENCE.card.axes] == ["fixed dates"]


def test_the_page_on_domains_has_the_names_that_are_taken():
    page = (ROOT / "docs" / "domains.md").read_text(encoding="utf-8")
    taken = page.partition("A name that is taken is refused")[2].partition("\n##")[0]
    assert {*RESERVED, *PREFIXES, TOTAL_BUDGET} <= {*re.findall(r"`(\w+)`", taken)}


@pytest.mark.slow
def test_the_commands_of_the_tutorial_on_domains_find_nothing_to_mend(tutorial, capsys):
    for command in tutorial[0]:
        assert main(command) == 0, (command, capsys.readouterr())
