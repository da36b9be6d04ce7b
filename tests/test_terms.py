"""Everybody calls one thing by one word: that of the vocabulary."""

import ast
import re
from pathlib import Path

import pytest

from crab_graph import terms
from crab_graph.eval.attribution import Fault
from crab_graph.eval.checks import CheckVerdict
from crab_graph.eval.verdict import Outcome

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "crab_graph"
READ = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *(
        path
        for kind in ("py", "js", "html", "toml", "md")
        for path in sorted(PACKAGE.rglob(f"*.{kind}"))
        if path.name != "terms.toml"
    ),
)
SCRIPTS = sorted(PACKAGE.rglob("*.js"))
TEMPLATES = sorted(PACKAGE.rglob("*.html"))
HEADED = "th|dt|h2|h3|legend|summary"
"""Elements whose text names something."""


@pytest.mark.parametrize(
    ("words", "kinds"),
    [(terms.OUTCOMES, Outcome), (terms.VERDICTS, CheckVerdict), (terms.FAULTS, Fault)],
)
def test_every_outcome_verdict_and_fault_has_its_word(words, kinds):
    assert list(words) == [str(one) for one in kinds]


def test_nothing_says_a_word_that_another_one_replaced():
    instead = (re.escape(one) for own in terms.INSTEAD.values() for one in own)
    others = re.compile(rf"\b(?:{'|'.join(instead)})", re.IGNORECASE)
    said = [(path.name, one) for path in READ for one in others.findall(path.read_text("utf-8"))]
    assert not said


def test_pages_take_their_words_from_the_vocabulary():
    asked: dict[str, set[str]] = {"labels": set(), "headings": set()}
    written = []
    for path in (*SCRIPTS, *TEMPLATES):
        text = path.read_text("utf-8")
        asked["labels"].update(re.findall(r'\b(?:called|titled|word)\("(\w+)"\)', text))
        asked["headings"].update(re.findall(r'\bheaded\("(\w+)"\)', text))
        written += re.findall(rf'make\("(?:{HEADED})", {{[^}}]*}}, "([^"]+)"', text)
        written += re.findall(r"<th\b[^>]*>([^<{]+)<", text)
    assert asked["labels"] <= terms.LABELS.keys()
    assert asked["headings"] <= terms.HEADINGS.keys()
    assert written == WRITTEN


WRITTEN = ["Arguments"]
"""What stands over parts of pages that nothing else shows."""


def heads_written():
    """Yield the names that tables of commands ask for, and heads that are written out instead."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            lists = [one.value for one in node.keywords if one.arg in ("numbers", "last")]
            if called in ("new_table", "titled_table", "named_heads", "label"):
                names = [*node.args, *lists][called == "titled_table" :]
                yield from ((path.name, one, "") for one in texts(names))
            elif called == "Head":
                yield from ((path.name, "", one) for one in texts(node.args[1:2]))
            elif ast.unparse(node.func) in ("markup.table", "table") and node.args:
                yield from ((path.name, "", one) for one in texts(node.args[:1]))


def texts(nodes):
    """Return the texts among expressions, in lists of them too, but for the empty ones."""
    listed = [
        one
        for node in nodes
        for one in (node.elts if isinstance(node, ast.Tuple | ast.List) else [node])
    ]
    return [
        one.value
        for one in listed
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value
    ]


def test_tables_of_commands_and_notebooks_take_their_heads_from_the_vocabulary():
    found = list(heads_written())
    assert {name for _, name, _ in found if name} <= terms.LABELS.keys()
    assert [one for one in found if one[2]] == []
