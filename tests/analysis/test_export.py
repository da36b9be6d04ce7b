"""`export`: what other tools are handed, and that they open it."""

import json
import sys
import uuid

import duckdb
import pytest
from langsmith.schemas import Run as LangSmithRun

import crab_graph as cg
from crab_graph.cli import main


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A benchmark, and a run in which one episode passed and one failed."""
    base = tmp_path_factory.mktemp("export")
    bench = cg.generate_benchmark(base / "bench", tasks=2, strata=(1, 2), distractors=200)
    users = ("generic", "ruse")
    run = cg.run(bench, agent="hasty", user=users, tasks=["S1"], out=base / "run")
    assert [episode.passed for episode in run] == [True, False]
    return bench, run


def export(source, format, out, *options):
    return main(["export", str(source), "--format", format, "--out", str(out), *options])


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def query(text):
    return duckdb.connect().execute(text).fetchall()


def test_openai_examples_are_passing_episodes_with_weights_on_the_agents_turns_alone(
    made, tmp_path
):
    _, run = made
    out = tmp_path / "train.jsonl"
    assert export(run.directory, "openai", out) == 0
    (example,) = lines(out)
    assert set(example) == {"messages", "tools", "parallel_tool_calls"}
    roles = [message["role"] for message in example["messages"]]
    assert (roles[0], roles[1], roles[-1]) == ("system", "user", "assistant")
    weights = {(one["role"], one.get("weight")) for one in example["messages"]}
    assert weights == {("system", None), ("user", None), ("tool", None), ("assistant", 1)}
    card = json.loads((tmp_path / "train.jsonl.card.json").read_text(encoding="utf-8"))
    assert (card["agent"], card["agent_is_reference"]) == ("hasty", True)
    assert (card["examples"], card["left_out"]) == (1, 1)


def test_every_tool_call_of_an_example_is_answered_and_none_is_the_users(made, tmp_path):
    _, run = made
    out = tmp_path / "train.jsonl"
    assert export(run.directory, "openai", out) == 0
    (example,) = lines(out)
    tools = {tool["function"]["name"] for tool in example["tools"]}
    calls = [call for one in example["messages"] for call in one.get("tool_calls", ())]
    answers = [one["tool_call_id"] for one in example["messages"] if one["role"] == "tool"]
    assert sorted(call["id"] for call in calls) == sorted(answers)
    assert {call["function"]["name"] for call in calls} <= tools
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in calls)
    assert "get_my_payment_cards" not in out.read_text(encoding="utf-8")


def test_rewards_keep_failed_episodes_and_say_what_each_was(made, tmp_path):
    _, run = made
    out = tmp_path / "all.jsonl"
    assert export(run.directory, "openai", out, "--rewards") == 0
    found = {one["episode"]["episode_id"]: one["reward"] for one in lines(out)}
    assert found == {one.episode_id: float(one.passed) for one in run}


def test_langsmith_loads_the_runs_and_their_order_is_that_of_the_dialogue(made, tmp_path):
    _, run = made
    out = tmp_path / "runs.json"
    assert export(run.directory, "langsmith", out) == 0
    loaded = [LangSmithRun(**one) for one in json.loads(out.read_text(encoding="utf-8"))]
    roots = [one for one in loaded if one.parent_run_id is None]
    assert [one.name for one in roots] == [one.episode_id for one in run]
    stats = [one.feedback_stats or {} for one in roots]
    assert [one["passed"]["avg"] for one in stats] == [1.0, 0.0]
    known = {one.id for one in loaded}
    assert len(known) == len(loaded)
    assert all(one.parent_run_id in known for one in loaded if one.parent_run_id)
    for root in roots:
        own = [one for one in loaded if one.trace_id == root.id]
        assert own == sorted(own, key=lambda one: one.dotted_order)
        assert all(uuid.UUID(one.dotted_order[-36:]) == one.id for one in own)
    passed = [one for one in loaded if one.trace_id == roots[0].id]
    assert sum(one.run_type == "tool" for one in passed) == len(
        [call for call in run[0].trace if call["owner"] == "agent"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_inspect_opens_the_log(made, tmp_path, suffix):
    log_of = pytest.importorskip("inspect_ai.log")
    _, run = made
    out = tmp_path / f"run.{suffix}"
    assert export(run.directory, "inspect", out) == 0
    log = log_of.read_eval_log(str(out))
    assert log.status == "success"
    assert {score.name: score.metrics["accuracy"].value for score in log.results.scores} == {
        "passed": 0.5,
        "strict": 0.5,
    }
    samples = {(one.id, one.epoch): one for one in log.samples}
    passed = samples["S1-001.generic", 1]
    assert passed.scores["passed"].value == "C"
    assert samples["S1-001.ruse", 1].scores["passed"].value == "I"
    assert passed.metadata["agent_is_reference"] is True
    asked = {call.id for one in passed.messages for call in getattr(one, "tool_calls", None) or ()}
    answered = {one.tool_call_id for one in passed.messages if one.role == "tool"}
    assert asked == answered != set()


def test_a_benchmark_becomes_a_dataset_with_the_rows_it_has(made, tmp_path):
    bench, _ = made
    out = tmp_path / "dataset"
    assert export(bench.directory, "parquet", out) == 0
    card = (out / "README.md").read_text(encoding="utf-8")
    files = sorted(path.stem for path in (out / "data").iterdir())
    listed = [line.split(": ")[1] for line in card.splitlines() if "config_name" in line]
    assert sorted(listed) == files
    assert (out / "manifest.json").read_bytes() == (bench.directory / "manifest.json").read_bytes()
    with bench.connect() as stored:
        for table in bench.domain.tables:
            schema = "private" if table.private else "main"
            rows = stored.execute(f'SELECT * FROM {schema}."{table.name}" ORDER BY ALL').fetchall()
            path = out / "data" / f"{table.name}.parquet"
            assert query(f"SELECT * FROM '{path}' ORDER BY ALL") == rows
    found: dict[str, list[object]] = {}
    for task_id, solution in query(f"SELECT * EXCLUDE number FROM '{out}/data/solutions.parquet'"):
        found.setdefault(task_id, []).append(json.loads(solution))
    assert found == {task.id: task.solutions for task in bench}


def test_a_runs_tables_become_a_dataset_with_what_sql_shows(made, tmp_path):
    _, run = made
    out = tmp_path / "tables"
    assert export(run.directory, "parquet", out) == 0
    for table in ("episodes", "checks", "messages", "tool_calls", "facts"):
        rows = query(f"SELECT * FROM '{out}/data/{table}.parquet' ORDER BY ALL")
        assert rows == run.sql(f"SELECT * FROM {table} ORDER BY ALL").fetchall()
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "hasty (a reference agent)" in card and "follows rules" in card


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        ("bench", ["--format", "openai"], "is a benchmark"),
        ("run", ["--format", "csv"], "unknown format 'csv'"),
        ("run", ["--format", "inspect", "--rewards"], "--rewards"),
        ("missing", ["--format", "openai"], "no such directory"),
        ("run", ["--format", "openai", "--taken"], "--force"),
    ],
)
def test_unusable_input_leaves_one_line_and_no_file(made, tmp_path, capsys, source, options, words):
    bench, run = made
    path = {"bench": bench.directory, "run": run.directory}.get(source, tmp_path / source)
    out = tmp_path / "out"
    if "--taken" in options:
        out.write_text("mine", encoding="utf-8")
    kept = [one for one in options if one != "--taken"]
    assert main(["export", str(path), *kept, "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert not out.exists() or out.read_text(encoding="utf-8") == "mine"


def test_a_run_whose_benchmark_is_gone_says_so(made, tmp_path, capsys):
    bench, run = made
    away = bench.directory.with_name("away")
    bench.directory.rename(away)
    try:
        assert export(run.directory, "openai", tmp_path / "out.jsonl") == 2
        assert "its benchmark is needed" in capsys.readouterr().err
    finally:
        away.rename(bench.directory)


# Another package's format


@pytest.fixture
def other_format(tmp_path, monkeypatch):
    """Install a package that registers a format `ids`: the id of each episode, one a line."""
    (tmp_path / "other_formats.py").write_text(
        "from crab_graph.analysis.export.exporters import Exporter\n"
        "def write_ids(run, out):\n"
        "    out.write_text(''.join(f'{one.episode_id}\\n' for one in run))\n"
        "    return {'episode_ids': len(run)}\n"
        "IDS = Exporter(write_ids)\n"
    )
    about = tmp_path / "other_formats-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other-formats\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[crab_graph.exporters]\nids = other_formats:IDS\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("other_formats", None)


def test_a_format_of_another_package_is_found_by_its_name(made, other_format, tmp_path, capsys):
    _, run = made
    out = tmp_path / "new" / "ids.txt"
    assert export(run.directory, "ids", out) == 0
    assert capsys.readouterr().out == f"{out}: 2 episode ids\n"
    assert out.read_text().split() == [one.episode_id for one in run]
    assert export(run.directory, "ids", out) == 2
    assert "--force" in capsys.readouterr().err
    assert export(run.directory, "ids", out, "--force") == 0


def test_what_another_packages_format_cannot_write_is_one_line(
    made, other_format, tmp_path, capsys
):
    bench, run = made
    out = tmp_path / "out"
    for source, format, words in [
        (bench.directory, "ids", "is a benchmark"),
        (run.directory, "idz", "unknown format 'idz'; did you mean ids?"),
        (run.directory, "csv", "known: ids, inspect, langsmith, openai, parquet"),
    ]:
        assert export(source, format, out) == 2
        assert words in capsys.readouterr().err
    assert export(run.directory, "ids", out, "--rewards") == 2
    assert not out.exists()
