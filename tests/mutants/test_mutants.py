"""What mutates and tries: each operator's own changes, and a sample of real mutants."""

import subprocess
import sys
import tomllib

import pytest

pytest.importorskip("cosmic_ray")

from tests.mutants import mutations, run
from tests.mutants.mutations import ROOT, mutants_of

SOURCE = """
def judge(charge, approvals):
    for one in approvals:
        if one.seq < charge.seq and one.terms == charge.terms:
            approvals.remove(one)
            return one.card, one.cents
    return -1 if not approvals else charge.kind in ("a", "b")
"""


@pytest.fixture
def changes(tmp_path, monkeypatch):
    (tmp_path / "judge.py").write_text(SOURCE)
    monkeypatch.setattr(mutations, "ROOT", tmp_path)
    return [(one.before, one.after) for one in mutants_of("judge.py")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("one.seq < charge.seq and", "True and"),
        ("one.terms == charge.terms:", "True:"),
        ("if one.seq < charge.seq and one.terms == charge.terms:", "if False:"),
        ("<", "<="),
        ("approvals.remove(one)", "pass"),
        ("one.card, one.cents", "one.card,"),
        ("one.card, one.cents", "one.cents,"),
        ("not approvals", "True"),
        ("not approvals", "False"),
        ("-1", "1"),
        ('charge.kind in ("a", "b")', '(not (charge.kind in ("a", "b")))'),
        ('("a", "b")', '("a",)'),
        ("in approvals:", "in []:"),
    ],
)
def test_every_conjunct_bound_and_comparison_has_its_mutants(changes, old, new):
    found = {after for before, after in changes if before.replace(old, new) == after}
    assert found, [after for _, after in changes]


def test_no_change_is_tried_twice_or_changes_nothing(changes):
    assert len(set(changes)) == len(changes)
    assert all(before != after for before, after in changes)


def test_what_is_listed_as_surviving_has_a_reason_and_names_a_target():
    rooms = run.load_rooms()
    paths = [path for room in rooms for path in room.paths]
    assert len(set(paths)) == len(paths)
    assert all((ROOT / test).exists() for room in rooms for test in room.tests)
    listed = run.load_survivors()
    assert all(one.path in paths and one.reason for one in listed)
    assert len({one.key for one in listed}) == len(listed)
    raw = tomllib.loads((run.HERE / "survivors.toml").read_text("utf-8"))
    assert len(raw.get("survivor", ())) == len(listed)


@pytest.mark.slow
def test_the_tests_notice_a_sample_of_mutants(tmp_path):
    kept = tmp_path / "mutants.jsonl"
    chosen = [
        "--modules",
        "payments,wallet,counting,episode",
        "--sample",
        "60",
        "--kept",
        str(kept),
    ]
    command = [sys.executable, "-m", "tests.mutants.run", *chosen]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
