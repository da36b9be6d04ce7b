"""Notes beside a run: written by several at once, read around damage, and outside its seals."""

import json
import threading

import pytest

import crab_graph as cg
from crab_graph.cli import main
from crab_graph.errors import DamageWarning, RunError, UsageError
from crab_graph.runs import notes as notes_module
from crab_graph.runs.beginning import forget_episodes
from crab_graph.runs.config import NOTES
from crab_graph.runs.notes import NoteDraft, StaleNote, a_draft, write_note
from tests.analysis.conftest import make_failed, make_record
from tests.analysis.runs_on_disk import write_run

HOSTILE = "</script><img src=x onerror=hacked()> \x1b]0;evil\x07 \u202e =HYPERLINK() | # * `x`"


@pytest.fixture
def run(tmp_path):
    return cg.open_run(write_run(tmp_path / "run", [make_record("S1-001"), make_failed("S2-001")]))


@pytest.fixture
def failed(run):
    return run[1].episode_id


def lines(run):
    return (run.directory / NOTES).read_bytes().splitlines(keepends=True)


def test_a_note_is_changed_and_deleted_by_further_lines(run, failed):
    first = run.note(failed, "look here", tags=["timing", "D 19"], turn=2)
    second = run.note(failed, "D19 is wrong", disputed=True, check_id="D19")
    assert run.notes == (first, second)
    assert (second.verdict, second.revision, second.written.tzinfo is not None) == ("fail", 1, True)
    changed = run.change_note(first, text="look there")
    assert (changed.id, changed.tags, changed.revision) == (first.id, first.tags, 2)
    with pytest.raises(StaleNote, match="changed or deleted meanwhile"):
        run.change_note(first, text="too late")
    run.change_note(second, deleted=True)
    assert run.notes == (changed,)
    with pytest.raises(StaleNote):
        run.change_note(second, text="is gone")
    assert [json.loads(line)["text"] for line in lines(run)][:2] == ["look here", "D19 is wrong"]
    assert len(lines(run)) == 4


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "needs a text, a tag, or a verdict"),
        ({"text": "x" * 4_001}, "'text': String should have at most 4000"),
        ({"text": "half \ud800"}, "'text': Input should be a valid string"),
        ({"tags": ["a,b"]}, "'tags.0': is no tag"),
        ({"tags": ["t"] * 13}, "'tags': .* at most 12"),
        ({"text": "x", "turn": 99}, "turn: .* has 5 messages"),
        ({"text": "x", "check_id": "D19"}, "check_id: names the check"),
        ({"disputed": True, "check_id": "D99"}, "check_id: 'D99' is no check of the episode: D01"),
        ({"text": "x", "colour": "red"}, "'colour': Extra inputs"),
    ],
)
def test_a_note_that_cannot_be_is_refused_with_its_field(run, failed, given, problem):
    with pytest.raises(UsageError, match=problem):
        run.note(failed, **given)
    assert not (run.directory / NOTES).exists()


def test_writers_at_once_lose_nothing(run, failed):
    other = cg.open_run(run.directory)

    def work(mine, name):
        for number in range(8):
            mine.note(failed, f"{name} {number}")

    threads = [threading.Thread(target=work, args=pair) for pair in ((run, "a"), (other, "b"))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(one.text for one in run.notes) == [f"{a} {n}" for a in "ab" for n in range(8)]


def test_damage_is_one_line_and_all_other_notes_are_read(run, failed, capsys):
    kept = run.note(failed, "kept")
    with (run.directory / NOTES).open("ab") as file:
        file.write(b'{"text": 1}\n\xff\xfe\n' + b"[" * 100_000 + b"\n" + b'{"torn off')
    with pytest.warns(DamageWarning, match=r"notes.jsonl, line 2: damaged: .*, and 2 more; all"):
        assert run.notes == (kept,)
    assert main(["disputes", str(run.directory)]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1 and f"{run.directory / NOTES}, line 2: damaged" in told[0]
    run.note(failed, "after what was torn off")
    with pytest.warns(DamageWarning):
        assert [one.text for one in run.notes] == ["kept", "after what was torn off"]


def test_what_an_editor_left_without_an_end_of_line_is_kept(run, failed):
    run.note(failed, "first")
    path = run.directory / NOTES
    path.write_bytes(path.read_bytes().rstrip())
    run.note(failed, "second")
    assert [one.text for one in run.notes] == ["first", "second"]


def test_notes_have_a_limit(run, failed, monkeypatch):
    monkeypatch.setattr(notes_module, "LARGEST_FILE", 600)
    run.note(failed, "x" * 200)
    with pytest.raises(RunError, match=r"notes.jsonl: holds .* of notes"):
        run.note(failed, "x" * 200)
    assert len(run.notes) == 1


def test_notes_change_no_checksum(run, failed):
    before = cg.verify(run)
    run.note(failed, HOSTILE, disputed=True)
    assert cg.verify(run) == before


def test_a_note_keeps_the_verdict_that_it_disputed(run, failed):
    note = run.note(failed, "wrong", disputed=True, check_id="D19")
    again = run[1].model_copy(update={"checks": {**run[1].checks, "D19": "pass"}})
    draft = a_draft({**note.model_dump(include=set(NoteDraft.model_fields)), "text": "mended"})
    assert write_note(run.directory, draft, again).verdict == "fail"


def test_notes_on_what_is_thrown_away_are_kept_beside(run, failed):
    run.note(failed, "of the first try")
    forget_episodes(run.directory)
    assert run.notes == ()
    assert b"of the first try" in (run.directory / f"{NOTES}.before").read_bytes()


def test_notes_are_a_table_that_joins_with_the_others(run, failed):
    run.note(failed, HOSTILE, tags=["odd"], turn=2, disputed=True, check_id="D19")
    run.note(failed, "of it all")
    found = run.sql(
        "SELECT turn, speaker, text, tags, check_id, n.verdict, c.verdict FROM notes n "
        "JOIN turns USING (run, episode_id, turn) JOIN checks c USING (run, episode_id, check_id)"
    ).fetchall()
    assert found == [(2, "agent", HOSTILE, ["odd"], "D19", "fail", "fail")]
    tables = cg.open_tables(run, run)
    assert tables.sql("SELECT run, count(*) FROM notes GROUP BY run ORDER BY run").fetchall() == [
        (1, 2),
        (2, 2),
    ]
