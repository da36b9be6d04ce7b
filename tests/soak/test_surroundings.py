"""Wherever and however Python runs, the same commands make the same things."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import contextlib, io, json, locale, sys
from pathlib import Path
with contextlib.suppress(locale.Error):
    locale.setlocale(locale.LC_ALL, "")
from crab_graph.cli import main
from tests.soak.works import SMALLEST, benchmark_of, records_of
bench, run, made = (Path(sys.argv[1], name) for name in ("bench", "run", "lines.jsonl"))
agent = ["--agent", "solver", "--user", "generic,ruse"]
printed = []
for words in (
    ["generate", bench, *SMALLEST, "--jobs", "1", "--json"],
    ["run", bench, *agent, "--out", run, "--concurrency", "2", "--json"],
    ["report", run, "--json"],
    ["sql", run, "SELECT * FROM messages ORDER BY ALL", "--json"],
    ["show", run, "S1-001.ruse.0"],
    ["regrade", run, "--json"],
    ["export", run, "--format", "openai", "--out", made],
):
    with contextlib.redirect_stdout(io.StringIO()) as told:
        code = main([str(word) for word in words])
    if code:
        raise SystemExit(f"{words} ended with {code}")
    printed.append(told.getvalue().replace(str(Path(sys.argv[1])), "HERE"))
lines = made.read_text(encoding="utf-8")
print(json.dumps([benchmark_of(bench), records_of(run), lines, printed]))
"""

WAYS: dict[str, tuple[dict[str, str], tuple[str, ...], str]] = {
    "LC_ALL=C": ({"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, (), "here"),
    "Turkish": ({"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, (), "here"),
    "a day ahead": ({"TZ": "Pacific/Kiritimati"}, (), "here"),
    "half an hour off": ({"TZ": "America/St_Johns"}, (), "here"),
    "another hash seed": ({"PYTHONHASHSEED": "4711"}, (), "here"),
    "without asserts": ({}, ("-O",), "here"),
    "warnings are errors": ({}, ("-W", "error"), "here"),
    "spaces and umlauts": ({}, (), "Größe der Übung, 100 % 'neu'"),
}


PYTHONS = [one for one in os.environ.get("OTHER_PYTHONS", "").split(os.pathsep) if one]
"""Interpreters of other versions in whose environments crab-graph is installed."""


def made(
    folder: Path,
    environment: dict[str, str],
    options: tuple[str, ...] = (),
    python: str = sys.executable,
) -> object:
    folder.mkdir()
    names = {"LC_ALL", "LANG", "TZ", "PYTHONHASHSEED"}
    kept = {name: value for name, value in os.environ.items() if name not in names}
    told = folder / "told"
    with told.open("w") as output:
        done = subprocess.run(
            [python, *options, "-c", PROGRAM, str(folder)],
            env={**kept, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **environment},
            cwd=folder,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(told.read_text().splitlines()[-1])


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return made(tmp_path_factory.mktemp("plain") / "here", {"LC_ALL": "C.UTF-8"})


@pytest.fixture(scope="module")
def turkish(tmp_path_factory):
    """Compile the Turkish locale where the system can, and say where it lies."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef") and Path("/usr/share/i18n/locales/tr_TR").exists():
        words = ["localedef", "-i", "tr_TR", "-f", "UTF-8", str(folder / "tr_TR.UTF-8")]
        subprocess.run(words, check=False, capture_output=True)
        return {"LOCPATH": str(folder)}
    return {}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_the_same_comes_out(way, plain, turkish, tmp_path):
    environment, options, name = WAYS[way]
    more = turkish if way == "Turkish" else {}
    assert made(tmp_path / name, {**environment, **more}, options) == plain


@pytest.mark.slow
@pytest.mark.skipif(not PYTHONS, reason="OTHER_PYTHONS names no interpreter of another version")
@pytest.mark.parametrize("python", PYTHONS)
def test_the_same_comes_out_of_other_versions_of_python(python, plain, tmp_path):
    assert made(tmp_path / "here", {}, python=python) == plain
