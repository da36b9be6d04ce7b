"""What the author of a domain is given: a package to begin with, and what to mend in it."""

import json
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest

import crab_graph.domain as cd
from crab_graph.analysis.audit.review import AREAS, review_domain
from crab_graph.cli import main
from crab_graph.domains.starter import write_package
from crab_graph.domains.starter.starter_domain import DECLARATION
from crab_graph.errors import UsageError


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The package of the domain `music`, as the working directory."""
    monkeypatch.chdir(tmp_path)
    assert main(["new-domain", "music"]) == 0
    monkeypatch.chdir(tmp_path / "music")
    monkeypatch.syspath_prepend(tmp_path / "music")
    yield tmp_path / "music"
    sys.modules.pop("music_domain", None)


def test_a_new_domain_is_a_package_under_its_own_name(package):
    names = {path.name for path in package.iterdir()}
    assert names == {"pyproject.toml", "README.md", "music_domain.py", "test_music_domain.py"}
    texts = [path.read_text() for path in package.iterdir()]
    assert not any("starter" in text.lower() for text in texts)
    assert 'music = "music_domain:MUSIC"' in (package / "pyproject.toml").read_text()


@pytest.mark.parametrize("version", ["standard", "editable"])
def test_the_package_can_be_installed(package, tmp_path, version):
    wheel = pytest.importorskip("hatchling.builders.wheel")
    builder = wheel.WheelBuilder(str(package))
    (built,) = builder.build(directory=str(tmp_path / "dist"), versions=[version])
    with zipfile.ZipFile(built) as archive:
        texts = {name.split("/")[-1]: archive.read(name).decode() for name in archive.namelist()}
    assert texts["entry_points.txt"].split() == [
        "[crab_graph.domains]",
        *("music", "=", "music_domain:MUSIC"),
    ]
    if version == "standard":
        assert "music_domain.py" in texts and "test_music_domain.py" not in texts
    else:
        assert any(text.strip() == str(package) for text in texts.values())


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Music", "cannot be a domain's name"),
        ("my-music", "cannot be a domain's name"),
        ("class", "cannot be a domain's name"),
        ("travel", "there is a domain 'travel' already"),
    ],
)
def test_a_name_that_no_domain_can_have_is_refused_in_one_line(
    name, reason, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main(["new-domain", name]) == 2
    error = capsys.readouterr().err
    assert reason in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        write_package("music", tmp_path)


@pytest.mark.slow
def test_its_own_test_passes(package):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=package, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_a_new_domain_has_nothing_to_mend(package, capsys):
    assert main(["check-domain", "music_domain:MUSIC", "--tasks", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] and found["findings"] == [] and found["tasks"] == 4
    assert found["domain"] == "music"


def test_what_is_no_domain_is_refused_in_one_line(package, capsys):
    for name, reason in [
        ("musik", "unknown domain 'musik'"),
        ("music_domain:SLOTS", "'music_domain:SLOTS' is neither a Declaration nor"),
        ("music_domain:NOTHING", "'music_domain' has no attribute 'NOTHING'"),
        ("nowhere:MUSIC", "domain 'nowhere:MUSIC' names no module"),
    ]:
        assert main(["check-domain", name]) == 2
        error = capsys.readouterr().err
        assert reason in error and error.count("\n") == 1


def test_a_declaration_that_cannot_be_right_is_told_in_a_line_for_each_problem(package, capsys):
    text = (package / "music_domain.py").read_text()
    text = text.replace('cd.Clock("time_of_day"', 'cd.Clock("day_time"')
    (package / "music_domain.py").write_text(text)
    assert main(["check-domain", "music_domain:MUSIC"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("crab-graph: domain 'music': offer '") for line in lines)


def reviewed(**changes):
    """Return what is found of the starter's domain, declared otherwise, by its area."""
    domain = cd.register(cd.build(replace(DECLARATION, name="weak", **changes)))
    review = review_domain(domain, 4)
    areas = [one.area for one in review.findings]
    assert areas == sorted(areas, key=AREAS.index)
    return [(one.area, one.what) for one in review.findings]


@pytest.mark.slow
def test_rules_that_decide_nothing_are_named():
    loose = cd.Rule("loose", lambda room, lesson: room.starts + 900 > lesson.starts, "any time")
    unasked = cd.Rule(
        "unasked", lambda room, lesson: room.starts == lesson.starts, "at once", odds=0.0
    )
    found = reviewed(rules=(*DECLARATION.rules, loose, unasked))
    assert ("rules", "rule 'unasked': none of 100 requests asks for it") in found
    assert any(area == "rules" and what.startswith("rule 'loose': ") for area, what in found)
    assert not any("same_day" in what for _, what in found)


def test_rules_that_nothing_can_meet_are_told_as_drafts():
    never = cd.Rule("never", lambda room, lesson: room.starts > lesson.starts + 2000, "days later")
    found = reviewed(rules=(*DECLARATION.rules, never))
    assert [area for area, _ in found] == ["drafts"]
    assert "could not be drawn" in found[0][1]


def test_what_can_be_told_without_a_task_is_told_where_none_can_be_drawn():
    never = cd.Rule("never", lambda room, lesson: room.starts > lesson.starts + 2000, "days later")
    lesson, room = DECLARATION.slots
    offer = replace(room.offer, fields={**room.offer.fields, "seats": cd.Choice((2, 4, 6))})
    seats = cd.Want("room_seats", (2, 4), ("room.seats",), compare="at_least")
    small = cd.Wording("The room should be {value}.", none="I do not mind whether it is small.")
    wants = [
        replace(one, wording=small) if one.key == "room_size" else one for one in DECLARATION.wants
    ]
    found = reviewed(
        slots=(lesson, replace(room, offer=offer)),
        wants=(*wants, seats),
        rules=(*DECLARATION.rules, never),
    )
    assert [area for area, _ in found] == ["words", "drafts", "rules"]
    assert "is heard as the wish 'room_size' for 'small'" in found[0][1]
    assert found[2][1].startswith("want 'room_seats': at least 2 excludes nothing")


@pytest.mark.slow
def test_a_joint_wish_that_no_draft_can_have_is_named_with_the_levels_that_ask_for_it():
    nothing = cd.Rule(
        "lesson_share",
        lambda lesson, r: lesson.price * 100 <= r.lesson_share * r.budget_cents,
        "the lesson costs at most {r.lesson_share} % of the budget",
        joint=True,
        values=(1, 2),
        wording=cd.Wording(
            "The lesson should cost at most {value} of the budget.",
            ask=r"\bshare of (?:the|your) budget\b",
            unit=("1 %", "{n} %"),
            parts=(r"(?<![\d.]){n} ?%", r"\bbudget\b"),
            about=r"\d ?%",
        ),
    )
    found = reviewed(rules=(*DECLARATION.rules, nothing))
    lacking = [what for area, what in found if area == "rules"]
    assert "joint wish 'lesson_share': no draft that could be drawn has it" in lacking
    given_up = [what for area, what in found if area == "drafts"]
    assert any(what.startswith("with the joint wishes of level 2 and 4") for what in given_up)
    assert any("no values that fit its constraints" in what for what in given_up)
