"""Benchmarks: one that fails stops no other, and runs made for them are as real as others."""

import pytest

import crab_graph as cg
from benchmarks import run
from benchmarks.bench_viewer import repeated_run
from crab_graph.runs.store import load_records


def test_a_benchmark_that_fails_is_named_and_the_others_are_printed(tmp_path, monkeypatch, capsys):
    (tmp_path / "bench_good.py").write_text("def main():\n    return [('it', '3 ms', '≤ 5 ms')]\n")
    (tmp_path / "bench_bad.py").write_text("def main():\n    return [1 / 0]\n")
    monkeypatch.setattr(run, "HERE", tmp_path)
    with pytest.raises(SystemExit, match="broken: bad"):
        run.main([])
    printed = capsys.readouterr()
    assert "3 ms" in printed.out and "met" in printed.out
    assert "ZeroDivisionError" in printed.err


@pytest.mark.slow
def test_a_run_that_repeats_episodes_has_checksums_and_can_be_read(tmp_path):
    made = repeated_run(tmp_path, 12)
    assert cg.verify(made).ok
    assert len({record.episode_id for record in load_records(made)}) == 12
