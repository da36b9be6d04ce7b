"""A damaged file is one line that names it, never a traceback, and hides nothing beside it."""

import os
import re
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import duckdb
import pytest

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.seals import file_sha256
from tests.cli import damage, readers
from tests.cli.damage import SECONDS, Damage, Outcome, Way
from tests.cli.readers import EPISODE
from tests.editing import edit_document

JSON = (damage.of_bytes, damage.of_documents, damage.of_bits, damage.of_fields)
LINELESS = {"empty", "truncated"}
NO_LINE = ("no episode is finished yet", "unknown episode")
"""What a shard without a whole line comes to: it is that of a run that was just begun."""
BINARY = (damage.of_bytes, damage.of_bits)
TEXT = (damage.of_bytes, damage.of_bits, damage.of_texts)


class Artefact(NamedTuple):
    """A file, by its pattern; every way to read its folder, and what can happen to it."""

    pattern: str
    ways: Callable[[Path, Path], dict[str, Way]]
    kinds: tuple[Callable[[bytes], Iterator[Damage]], ...]


PLAIN = {
    "manifest": Artefact("bench/manifest.json", readers.of_benchmark, JSON),
    "database": Artefact("bench/benchmark.duckdb", readers.of_benchmark, BINARY),
    "settings": Artefact("run/run.json", readers.of_run, JSON),
    "shard": Artefact("run/shards/part-0.jsonl", readers.of_run, JSON),
    "part": Artefact("run/warehouse/*/part.json", readers.of_run, JSON),
    "records": Artefact("run/warehouse/*/records.parquet", readers.of_run, BINARY),
    "owner": Artefact("run/owner.json", readers.of_run, JSON),
    "notes": Artefact("run/notes.jsonl", readers.of_run, JSON),
    "transcript": Artefact("transcript.jsonl", readers.of_transcript, JSON),
    "prices": Artefact("prices.toml", readers.of_prices, TEXT),
    "personas": Artefact("personas/persona_terse.md", readers.of_personas, TEXT),
}
COSTLY = {
    "exported": Artefact("exported.jsonl", readers.of_exported, JSON),
    "card": Artefact("exported.jsonl.card.json", readers.of_exported, JSON),
    "opening": Artefact("split.opening.json", readers.of_split, JSON),
    "sweep": Artefact("sweep/sweep.json", readers.of_sweep, JSON),
    "origin": Artefact("fork/origin.json", readers.of_fork, JSON),
    "pivot": Artefact(f"judged/pivots/{EPISODE}/pivot.json", readers.of_judged, JSON),
    "checkpoints": Artefact("stopped/checkpoints/part-0.sqlite", readers.of_stopped, BINARY),
}
ARTEFACTS = PLAIN | COSTLY


@pytest.fixture(scope="module")
def home(bench, run_directory, tmp_path_factory):
    """A folder with all that is quickly made."""
    home = tmp_path_factory.mktemp("whole")
    readers.lay_out(home, bench.directory, Path(run_directory))
    return home


@pytest.fixture(scope="module")
def full_home(home, tmp_path_factory):
    """A folder with a file of every kind."""
    full = tmp_path_factory.mktemp("full") / "home"
    damage.fresh(home, full)
    readers.lay_out_more(full)
    return full


def cases(whole: bytes, artefact: Artefact, ways: list[str]) -> list[tuple[Damage, str]]:
    """Return what is tried: each kind of damage with every way, at a place that is drawn for it.

    What is then left of places, and values of other kinds, is tried with a way that is drawn.
    """
    rng, found = Random(artefact.pattern), []
    kinds: dict[str, list[Damage]] = {}
    for make in artefact.kinds:
        for one in make(whole):
            kinds.setdefault(one.kind, []).append(one)
    for kind, damages in kinds.items():
        drawn = [] if kind in damage.VALUES else [(rng.choice(damages), way) for way in ways]
        known = {one.where for one, _ in drawn}
        found += drawn + [(one, rng.choice(ways)) for one in damages if one.where not in known]
    return found


class Trial:
    """A copy of a folder in which a file is damaged, again and again."""

    def __init__(self, home: Path, artefact: Artefact, place: Path) -> None:
        (path,) = home.glob(artefact.pattern)
        self._home, self._copy, self._spare = home, place / "copy", place / "spare"
        self._place = path.relative_to(home)
        damage.fresh(home, self._copy)
        self._ways = artefact.ways(self._copy, self._spare)
        self.cases = cases(path.read_bytes(), artefact, list(self._ways))
        self._intact: dict[str, Outcome] = {}

    def problem(self, one: Damage, way: str) -> str | None:
        """Return what is wrong with how a damaged file is read some way."""
        found = self._read(way, one.content)
        if found.status is None:
            return found.said[-2000:]
        if found.seconds > SECONDS:
            return f"took {found.seconds:.1f} s"
        if found.status != 2:
            return None if found.status in (0, 1) else f"exit {found.status}: {found.said}"
        lines = [line for line in found.said.splitlines() if line.startswith("crab-graph: ")]
        if len(lines) == 1 and str(self._copy / self._place) in lines[0].replace("run/../", ""):
            return None
        is_lineless = one.kind in LINELESS and self._place.suffix == ".jsonl"
        if is_lineless and any(words in found.said for words in NO_LINE):
            return None
        if way not in self._intact:  # which may be refused, too, as where no episode passed
            self._intact[way] = self._read(way)
        return None if found.said == self._intact[way].said else f"does not name it: {found.said}"

    def _read(self, way: str, content: bytes | None = None) -> Outcome:
        for name in {"run", self._place.parts[0]}:
            damage.fresh(self._home / name, self._copy / name)
        damage.fresh(None, self._spare)
        if content is not None:
            (self._copy / self._place).write_bytes(content)
        return damage.call(self._ways[way])


def try_out(home: Path, artefact: Artefact, place: Path, every: int = 1) -> list[str]:
    """Read damaged copies, of all calls one in so many; return what went wrong."""
    trial, wrong = Trial(home, artefact, place), []
    tried = trial.cases[every - 1 :: every]
    for one, way in tried:
        if problem := trial.problem(one, way):
            wrong.append(f"{artefact.pattern}: {one.kind} {one.where}: {way}: {problem}")
    print(f"{len(tried)} calls")
    return wrong


@pytest.mark.parametrize("name", PLAIN)
def test_some_damage_is_one_line(home, tmp_path, name):
    assert try_out(home, PLAIN[name], tmp_path, every=193) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ARTEFACTS)
def test_any_damage_is_one_line(full_home, tmp_path, name):
    assert try_out(full_home, ARTEFACTS[name], tmp_path) == []


@pytest.fixture
def copy(home, tmp_path):
    damage.fresh(home, tmp_path / "copy")
    return tmp_path / "copy"


def edited(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def changed(line: bytes) -> bytes:
    assert b'"passed":false' in line
    return line.replace(b'"passed":false', b'"passed":true')


def zeroed(line: bytes) -> bytes:
    return bytes(len(line))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damaged", "number", "words"),
    [
        (changed, 1, f" ({EPISODE}): damaged: it was changed after it was written"),
        (zeroed, 1, ": damaged: it is no line of JSON"),
        (zeroed, 2, ": damaged: it is no line of JSON"),
    ],
    ids=["changed", "zeroed", "zeroed at the end"],
)
def test_a_damaged_line_is_named_left_out_and_played_again(copy, capsys, damaged, number, words):
    run, shard = copy / "run", copy / "run" / "shards" / "part-0.jsonl"
    whole = list(cg.open_run(run))
    lines = shard.read_bytes().splitlines(True)
    lines[number - 1] = damaged(lines[number - 1])
    shard.write_bytes(b"".join(lines))
    gone, left = whole[number - 1].episode_id, whole[2 - number].episode_id
    for command in (["sql", str(run), "SELECT episode_id FROM episodes"], ["report", str(run)]):
        assert main(command) == 2
        told = capsys.readouterr()
        assert left in told.out or "report" in command
        assert told.err.count("\n") == 1
        assert f"{shard}, line {number}{words}" in told.err
    assert main(["show", str(run), gone]) == 2
    assert main(["show", str(run), left]) == 0
    assert main(["verify", str(run)]) == 1
    capsys.readouterr()
    assert main(["resume", str(run)]) == 0
    assert "set aside in part-0.jsonl.damaged" in capsys.readouterr().err
    assert list(cg.open_run(run)) == whole
    assert main(["verify", str(run)]) == 0


@pytest.mark.parametrize("lines", [[1], [1, 0], [0, 0, 1]], ids=["gone", "moved", "doubled"])
def test_lines_that_were_moved_about_are_noticed(copy, capsys, lines):
    shard = copy / "run" / "shards" / "part-0.jsonl"
    written = shard.read_bytes().splitlines(True)
    shard.write_bytes(b"".join(written[number] for number in lines))
    assert main(["sql", str(copy / "run"), "SELECT count(*) FROM episodes"]) == 2
    assert "was taken away, or is another" in capsys.readouterr().err
    assert main(["verify", str(copy / "run")]) == 1


EDITS = {
    "prices": ("UPDATE fares SET price_cents = price_cents + 1", "the rows of task 'S1-001' are"),
    "wishes": ("UPDATE sealed.tasks SET spec = spec || ' '", "wishes and solutions of task"),
    "a view": ("CREATE VIEW v AS FROM read_text('/etc/hostname')", "holds a view, 'v'"),
    "a macro": ("CREATE MACRO json_array(a, b) AS 'x'", "holds a macro, 'json_array'"),
    "a computed column": ("CREATE TABLE t (a INT, b INT AS (a + 1))", "holds a computed column"),
}


@pytest.mark.parametrize(("statement", "words"), EDITS.values(), ids=EDITS)
def test_a_database_that_was_changed_is_refused_by_who_plays_on_it(copy, capsys, statement, words):
    with duckdb.connect(str(copy / "bench" / "benchmark.duckdb")) as connection:
        connection.execute(statement)
    command = ["run", str(copy / "bench"), "--agent", "silent", "--user", "generic"]
    assert main([*command, "--out", str(copy / "new")]) == 2
    assert words in capsys.readouterr().err
    assert main(["verify", str(copy / "bench")]) in (1, 2)


SURPLUS = {
    "a table": ("CREATE TABLE evil AS SELECT 1 AS one", "a table 'evil'"),
    "a schema": ("CREATE SCHEMA e; CREATE TABLE e.fares AS FROM fares", "a table 'e.fares'"),
    "a column": ("ALTER TABLE fares ADD COLUMN evil VARCHAR", "a column 'evil' of 'fares'"),
    "rows": (
        "INSERT INTO fares SELECT * REPLACE ('S9-999' AS task_id) FROM fares LIMIT 3",
        "3 rows of 'fares' of no task that manifest.json names",
    ),
    "rows of nothing": (
        "INSERT INTO private.cards SELECT * REPLACE (NULL AS task_id) FROM private.cards LIMIT 1",
        "1 rows of 'private.cards' of no task",
    ),
    "wishes": ("INSERT INTO sealed.tasks FROM sealed.tasks LIMIT 1", "1 rows of 'sealed.tasks'"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("statement", "words"), SURPLUS.values(), ids=SURPLUS)
def test_what_nobody_vouches_for_is_found_and_goes_nowhere(copy, capsys, statement, words):
    with duckdb.connect(str(copy / "bench" / "benchmark.duckdb")) as connection:
        connection.execute(statement)
    assert main(["verify", str(copy / "bench")]) == 1
    assert words in " ".join(capsys.readouterr().out.split())
    assert cg.verify(copy / "bench").sha256 is None
    cg.export(copy / "bench", "parquet", copy / "new")
    files = sorted(one.name for one in (copy / "new" / "data").iterdir())
    assert "evil.parquet" not in files
    assert not any(b"evil" in one.read_bytes() for one in (copy / "new" / "data").iterdir())
    rows = duckdb.execute(
        f"SELECT DISTINCT task_id FROM '{copy / 'new' / 'data' / 'fares.parquet'}'"
    )
    assert {task for (task,) in rows.fetchall()} == {
        task.id for task in cg.load_benchmark(copy / "bench")
    }


@pytest.mark.parametrize("command", [["tasks", "--stats"], ["audit"], ["export"]])
def test_origins_of_rows_that_were_changed_are_counted_by_nobody(copy, capsys, command):
    bench = copy / "bench"
    with duckdb.connect(str(bench / "benchmark.duckdb")) as connection:
        connection.execute("DELETE FROM sealed.provenance WHERE rowid % 2 = 0")
    more = {
        "audit": ["--only", "generation", "--quick", "--json"],
        "export": ["--format", "parquet", "--out", str(copy / "new")],
    }
    name, *options = command
    assert main([name, str(bench), *options, *more.get(name, [])]) == (1 if name == "audit" else 2)
    told = capsys.readouterr()
    assert "the origins of the rows of task 'S1-001' are not those" in told.out + told.err


def test_who_reads_a_benchmark_reaches_no_other_file(home):
    with cg.load_benchmark(home / "bench").connect() as connection:
        for query in ("FROM read_text('/etc/hostname')", "ATTACH '/tmp/x'", "INSTALL httpfs"):
            with pytest.raises(duckdb.PermissionException):
                connection.execute(query)
        with pytest.raises(duckdb.InvalidInputException, match="locked"):
            connection.execute("SET enable_external_access = true")


def test_tables_that_do_not_say_what_the_shard_says_are_found(copy, capsys):
    """Also where all their checksums were made anew."""
    (part,) = (copy / "run" / "warehouse").iterdir()
    file = part / "episodes.parquet"
    changed = f"SELECT * REPLACE (NOT passed AS passed) FROM read_parquet('{file}')"
    duckdb.execute(f"COPY ({changed}) TO '{copy / 'other.parquet'}' (FORMAT parquet)")
    shutil.move(copy / "other.parquet", file)
    assert main(["verify", str(copy / "run")]) == 1
    assert "episodes.parquet: damaged" in capsys.readouterr().out
    sha256 = file_sha256(file)
    edit_document(part / "part.json", lambda one: one["files"].update({file.name: sha256}))
    assert main(["verify", str(copy / "run")]) == 1
    assert "episodes: not what the shard says" in capsys.readouterr().out


def test_the_hash_to_publish_is_of_all_there_is(copy, capsys):
    for name in ("bench", "run"):
        published = cg.verify(copy / name).sha256
        assert published is not None and len(published) == 64
        assert main(["verify", str(copy / name), "--expect", published]) == 0
        assert main(["verify", str(copy / name), "--expect", "0" * 64]) == 1
    edited(copy / "run" / "run.json", '"trials": 1', '"trials": 9')
    found = cg.verify(copy / "run")
    assert (found.ok, found.sha256) == (False, None)
    capsys.readouterr()
    assert main(["report", str(copy / "run")]) == 2
    assert "run.json: damaged, or of another version: it was changed" in capsys.readouterr().err


def test_arguments_that_are_no_text_are_one_line(capsys):
    assert main(["tasks", os.fsdecode(b"\xff\xfe")]) == 2
    assert r"'\udcff\udcfe': is not UTF-8" in capsys.readouterr().err


def test_an_error_of_our_own_is_hidden_by_a_damaged_folder_alone(copy, capsys, monkeypatch):
    def fail(directory):
        raise KeyError("ours")

    monkeypatch.setattr("crab_graph.analysis.report.study.load_summaries", fail)
    with pytest.raises(KeyError, match="ours"):
        main(["report", str(copy / "run")])
    shard = copy / "run" / "shards" / "part-0.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b"S1-001", b"S1-002"))
    capsys.readouterr()
    assert main(["report", str(copy / "run")]) == 2
    assert "holds what cannot be read (KeyError: 'ours')" in capsys.readouterr().err


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """Let no file grow beyond some bytes, as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


GENERATE = ["generate", "{out}", "--tasks", "1", "--strata", "1", "--distractors", "20"]
SWEEP = ["sweep", "{bench}", "--vary", "distractors", "--values", "0,20", "--tasks", "1"]
WRITERS = {
    "generate": GENERATE,
    "sweep": [*SWEEP, "--out", "{out}"],
    "report --html": ["report", "{run}", "--html", "{out}"],
    "compare --html": ["compare", "{run}", "{run}", "--html", "{out}"],
    **{
        f"export {one}": ["export", "{run}", "--format", one, "--out", "{out}"]
        + ["--rewards"] * (one == "openai")
        for one in ("openai", "parquet", "inspect", "langsmith")
    },
    "export of a benchmark": ["export", "{bench}", "--format", "parquet", "--out", "{out}"],
    "compact": ["compact", "{run}"],
}
SIZES = dict.fromkeys(WRITERS, (1_000,)) | {"generate": (1_000, 50_000, 150_000)}
"""How many bytes the disk holds, one time after the other."""


QUICK = ("generate", "report --html", "export openai", "compact")


@pytest.mark.parametrize(
    "name", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in WRITERS]
)
def test_a_full_disk_is_one_line_and_space_mends_it(copy, capsys, name):
    out = copy / "new.json"
    places = {"out": out, "run": copy / "run", "bench": copy / "bench"}
    command = [one.format(**places) for one in WRITERS[name]]
    written = out
    if name == "compact":
        written = places["run"]
        shutil.rmtree(written / "warehouse")
    for size in SIZES[name]:
        with disk_of(size):
            assert main(command) == 2
        (line,) = [one for one in capsys.readouterr().err.splitlines() if "crab-graph: " in one]
        assert str(written) in line
        assert not re.search(r"/\.[^/]+\.\d+", line)  # no file that the user does not know
        assert size > 1_000 or not any(one.is_file() for one in (out, *out.rglob("*")))
    assert main(command) == 0
