"""Private splits: announced by a commitment, opened and proven later."""

import json
import re
import shutil
import stat
from typing import Any

import duckdb
import pytest

from crab_graph.cli import main
from crab_graph.domains.benchmark import load_benchmark
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.private import commit, draw_opening, read_opening
from crab_graph.domains.proof import prove
from crab_graph.errors import BenchmarkError, UsageError
from tests.editing import edit_document

SMALL: dict[str, Any] = {"tasks": 2, "strata": (1,), "distractors": 16}
OPTIONS = ["--tasks", "2", "--strata", "1", "--distractors", "16", "--private"]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return generate_benchmark(tmp_path_factory.mktemp("private") / "b", **SMALL, private=True)


@pytest.fixture(scope="module")
def opening(bench):
    return bench.directory.with_name("b.opening.json")


def test_the_benchmark_tells_the_commitment_and_neither_secret_nor_seed(bench, opening):
    opened = read_opening(opening)
    assert bench.manifest.settings.commitment == opened.commitment
    assert bench.manifest.settings.seed is None
    held = b"".join(path.read_bytes() for path in bench.directory.iterdir())
    with duckdb.connect(str(bench.directory / "benchmark.duckdb"), read_only=True) as connection:
        tables = connection.execute(
            "SELECT schema_name || '.' || table_name FROM duckdb_tables()"
        ).fetchall()
        for (table,) in tables:
            held += str(connection.execute(f"SELECT * FROM {table}").fetchall()).encode()
    for hidden in (opened.secret, str(opened.seed), f"{opened.seed:x}"):
        assert hidden.encode() not in held
    assert stat.S_IMODE(opening.stat().st_mode) == 0o600
    assert len(bytes.fromhex(opened.secret)) * 8 >= 128


def test_the_opening_proves_the_whole_benchmark_or_one_task(bench, opening):
    whole = prove(bench, opening)
    assert whole.ok
    assert whole.same == {"S1-001": True, "S1-002": True}
    assert prove(bench, opening, task=bench["S1-002"]).same == {"S1-002": True}


def test_a_secret_or_settings_other_than_committed_to_do_not_open_it(bench, opening, tmp_path):
    settings = bench.manifest.settings
    secret = read_opening(opening).secret
    assert commit(secret, settings) == settings.commitment
    assert commit(secret, settings.model_copy(update={"tasks": 3})) != settings.commitment
    assert draw_opening(settings).secret != secret
    document = json.loads(opening.read_text())
    document["secret"] = "0" * 64
    other = tmp_path / "other.json"
    other.write_text(json.dumps(document))
    assert not prove(bench, other).ok
    assert main(["certify", str(bench.directory), "--open", str(other)]) == 1


@pytest.mark.slow
def test_a_task_from_elsewhere_is_found_out(bench, opening, tmp_path, capsys):
    shutil.copytree(bench.directory, tmp_path / "b")
    other = generate_benchmark(tmp_path / "c", **SMALL, seed=9)
    (tmp_path / "b" / "benchmark.duckdb").write_bytes(
        (other.directory / "benchmark.duckdb").read_bytes()
    )
    foreign = json.loads((tmp_path / "c" / "manifest.json").read_text())["tasks"]
    edit_document(tmp_path / "b" / "manifest.json", lambda fields: fields.update(tasks=foreign))
    swapped = load_benchmark(tmp_path / "b")
    assert prove(swapped, opening).same == {"S1-001": False, "S1-002": False}
    assert prove(swapped, opening, task=swapped["S1-001"]).same == {"S1-001": False}
    arguments = ["certify", str(swapped.directory), "--open", str(opening), "--json"]
    assert main(arguments) == 1
    printed = json.loads(capsys.readouterr().out)
    assert not printed["ok"]
    assert printed["opening"]["opens"]
    assert all(task["ok"] for task in printed["tasks"])


@pytest.mark.slow
def test_announcing_comes_before_generating_and_both_commit_alike(tmp_path, capsys):
    bench = str(tmp_path / "b")
    assert main(["generate", bench, *OPTIONS, "--commit-only"]) == 0
    line = capsys.readouterr().out.strip()
    assert re.fullmatch(
        r"crab-graph private split sha256:[0-9a-f]{64} \(travel, 2 tasks of S1, 16 distractors "
        r"each\)",
        line,
    )
    assert not (tmp_path / "b").exists()
    assert main(["generate", bench, *OPTIONS]) == 0
    assert line in capsys.readouterr().out
    assert main(["generate", bench, *OPTIONS, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["finished_before"]


@pytest.mark.slow
def test_an_interrupted_private_generation_goes_on_with_its_opening_alone(tmp_path):
    class Stop(Exception):
        pass

    def interrupt(done, total):
        raise Stop

    opening = tmp_path / "keys" / "mine.json"
    options: dict[str, Any] = {**SMALL, "private": True}
    with pytest.raises(Stop):
        generate_benchmark(tmp_path / "b", **options, opening=opening, progress=interrupt)
    with pytest.raises(BenchmarkError, match="its opening is not at"):
        generate_benchmark(tmp_path / "b", **options)
    with pytest.raises(BenchmarkError, match="other settings"):
        generate_benchmark(tmp_path / "b", **SMALL)
    assert not (tmp_path / "b.opening.json").exists()
    made = generate_benchmark(tmp_path / "b", **options, opening=opening)
    assert prove(made, opening).ok


def test_unusable_private_arguments_are_one_line(bench, opening, tmp_path, capsys):
    with pytest.raises(UsageError, match="draws its own seed"):
        generate_benchmark(tmp_path / "b", **SMALL, private=True, seed=3)
    with pytest.raises(BenchmarkError, match="must not stand in the benchmark"):
        generate_benchmark(tmp_path / "b", **SMALL, private=True, opening=tmp_path / "b" / "o")
    with pytest.raises(BenchmarkError, match="other settings"):
        generate_benchmark(tmp_path / "b", 1, strata=(1,), private=True, opening=opening)
    assert list(tmp_path.iterdir()) == []
    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"secret": "00"}')
    plain = generate_benchmark(tmp_path / "plain", **SMALL)
    capsys.readouterr()
    for arguments, words in (
        (["generate", str(tmp_path / "x"), "--commit-only"], "only with --private"),
        (["generate", str(tmp_path / "x"), "--opening", "o.json"], "only with --private"),
        (["certify", str(bench.directory), "--open", str(tmp_path / "no")], "cannot be read"),
        (["certify", str(bench.directory), "--open", str(damaged)], "no opening file"),
        (["certify", str(plain.directory), "--open", str(opening)], "not announced"),
    ):
        assert main(arguments) == 2
        printed = capsys.readouterr()
        assert words in printed.err
        assert printed.err.count("\n") == 1
        assert printed.out == ""
