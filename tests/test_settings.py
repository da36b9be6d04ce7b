"""Settings are values: checked when made, and one field is an option, a keyword, a line on disk."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import get_type_hints

import pytest

import crab_graph as cg
from crab_graph import settings
from crab_graph.cli import main
from crab_graph.errors import UnknownName, UsageError
from crab_graph.models.prices import Prices

PACKAGE = Path(cg.__file__).parent

KEYWORDS = [
    (settings.EpisodeSettings, settings.EpisodeKeywords, set()),
    (settings.WorkSettings, settings.WorkKeywords, set()),
    (settings.SittingSettings, settings.SittingKeywords, set()),
    (settings.ForkSettings, settings.ForkKeywords, {"agent", "user"}),
    (settings.RunSettings, settings.RunKeywords, {"trials"}),
    (settings.TrustSettings, settings.TrustKeywords, set()),
    (settings.PaperSettings, settings.PaperKeywords, set()),
]


@pytest.mark.parametrize(("kind", "keywords", "named"), KEYWORDS)
def test_the_keywords_of_a_function_are_the_fields_of_its_settings(
    kind, keywords, named, monkeypatch
):
    monkeypatch.setattr(settings, "Prices", Prices, raising=False)  # for types alone elsewhere
    hints, known = get_type_hints(kind), get_type_hints(keywords)
    own = {one.name for one in fields(kind)} - named
    assert {name: known.get(name) for name in own} == {name: hints[name] for name in own}
    both = own | {one.name for one in fields(settings.SittingSettings)}
    assert set(known) <= both or kind is settings.ForkSettings
    assert all(settings.about(one) for one in fields(kind))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: settings.RunSettings(trials=0), "trials must be 1 or more, not 0"),
        (lambda: settings.Limits(max_cost=0), "max_cost must be more than 0, not 0"),
        (lambda: settings.RunLimits(max_seconds=float("inf")), "max_seconds must be more than 0"),
        (lambda: settings.EpisodeSettings(engine="magic"), "unknown engine 'magic'; known: hybrid"),
        (lambda: settings.SittingSettings(executor="rya"), "did you mean ray"),
    ],
)
def test_a_value_out_of_range_is_refused_by_its_name(make, words):
    with pytest.raises(UsageError, match=words):
        make()


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        (settings.RunSettings, {"trials": "3"}, "trials must be a number, not '3'"),
        (settings.RunSettings, {"trials": 1.5}, "trials must be a whole number, not 1.5"),
        (settings.RunSettings, {"seed": "a"}, "seed must be a whole number, not 'a'"),
        (settings.RunSettings, {"tasks": 2}, "tasks takes several texts, such as a list, not 2"),
        (settings.RunSettings, {"tasks": ["S1", 2]}, "tasks takes texts, and 2 is none"),
        (settings.RunSettings, {"limits": {}}, r"as in Limits\(max_turns=40\), not dict"),
        (settings.RunSettings, {"max_turns": 3}, r"did you mean limits=crab_graph.Limits\(max_tur"),
        (settings.RunSettings, {"users": "ruse"}, "unknown setting 'users'; did you mean user"),
        (settings.GenerationSettings, {"strata": 1}, "strata takes several numbers"),
        (settings.GenerationSettings, {"strata": "1"}, "strata takes several numbers"),
        (settings.SittingSettings, {"prices": "p.toml"}, r"crab_graph.load_prices\(path\)"),
    ],
)
def test_a_value_of_another_kind_is_answered_with_what_to_give(kind, given, words):
    with pytest.raises(UsageError, match=words):
        settings.value_of(kind, given)


def test_settings_do_not_change():
    with pytest.raises(FrozenInstanceError):
        settings.RunSettings().trials = 2  # type: ignore[misc]


def test_a_keyword_that_is_no_setting_is_answered_with_the_nearest(tmp_path):
    with pytest.raises(UnknownName, match="unknown setting 'job'; did you mean jobs"):
        cg.run(tmp_path, "solver", job=2)  # type: ignore[call-arg]


def test_an_option_out_of_range_is_named_as_it_was_written(tmp_path, capsys):
    arguments = ["run", str(tmp_path), "--agent", "silent", "--out", str(tmp_path / "run")]
    assert main([*arguments, "--run-max-cost", "0"]) == 2
    assert "--run-max-cost must be more than 0, not 0.0" in capsys.readouterr().err


ADDED = '    patience: int = setting(3, "Turns until somebody has enough.", low=1)\n'
KEYWORD = "    patience: int\n"


@pytest.fixture
def extended(tmp_path):
    """Copy the package with one run-wide setting more, written into one file."""
    copied = tmp_path / "copy" / "crab_graph"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    source = copied / "settings.py"
    text = source.read_text()
    for head, line in (("class RunSettings", ADDED), ("class RunKeywords", KEYWORD)):
        place = text.index("    tasks:", text.index(head))
        text = text[:place] + line + text[place:]
    source.write_text(text)
    changed = [one for one in PACKAGE.rglob("*.py") if not _is_same(one, copied)]
    assert [one.name for one in changed] == ["settings.py"]
    return {**os.environ, "PYTHONPATH": str(copied.parent)}


def _is_same(source, copied):
    return (copied / source.relative_to(PACKAGE)).read_bytes() == source.read_bytes()


def crab(environment, *arguments, program=("-m", "crab_graph")):
    done = [sys.executable, *program, *map(str, arguments)]
    where = environment["PYTHONPATH"]  # which `-m` would search before it
    return subprocess.run(done, env=environment, cwd=where, capture_output=True, text=True)


@pytest.mark.slow
def test_a_field_that_is_added_is_an_option_a_keyword_and_a_line_of_a_mismatch(extended, tmp_path):
    bench, out = tmp_path / "bench", tmp_path / "run"
    cg.generate_benchmark(bench, tasks=1, strata=(1,), distractors=100)
    told = " ".join(crab(extended, "run", "--help").stdout.split())
    assert "--patience" in told and "Turns until somebody has enough." in told
    common = ["run", bench, "--agent", "silent", "--user", "generic", "--out", out]
    assert crab(extended, *common, "--patience", "5").returncode == 0
    assert json.loads((out / "run.json").read_text())["patience"] == 5
    refused = crab(extended, *common)
    assert refused.returncode == 2
    assert "  begun with patience 5, not 3" in refused.stderr
    assert crab(extended, *common, "--patience", "0").returncode == 2
    called = (
        "import sys, crab_graph as cg\n"
        "run = cg.run(sys.argv[1], 'silent', 'generic', out=sys.argv[2], patience=5)\n"
        "print(run.config.patience, cg.resume_run(sys.argv[2]).is_complete)"
    )
    again = crab(extended, bench, out, program=("-c", called))
    assert again.stdout.split() == ["5", "True"], again.stderr
