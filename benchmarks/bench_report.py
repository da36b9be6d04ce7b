"""How long a report on 1,000 episodes takes, and a query over them (target: a report in 5 s).

The episodes come from a real run of the solver on eight tasks with two users; its shard is repeated
under new task ids and trials until there are 1,000, so that each weighs what a real one does, calls
and answers included.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import crab_graph as cg
from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.page import write_report
from crab_graph.analysis.report.rendering import as_markdown
from crab_graph.analysis.report.study import load_study
from crab_graph.runs.config import SHARDS, read_config, save_config
from crab_graph.runs.sql import query_runs

EPISODES = 1000
TASKS = 8
USERS = ("generic", "ruse")


def build_run(directory: Path) -> Path:
    """Play a few episodes, and repeat their lines under other ids."""
    bench = cg.generate_benchmark(directory / "bench", TASKS, seed=0)
    played = cg.run(bench, "solver", USERS, out=directory / "played")
    lines = [json.loads(one.model_dump_json()) for one in played]
    run = directory / "run"
    (run / SHARDS).mkdir(parents=True)
    ids: dict[str, None] = {}
    with (run / SHARDS / "part-0.jsonl").open("w", encoding="utf-8") as shard:
        for number in range(EPISODES):
            record, copy = lines[number % len(lines)], number // len(lines)
            task, trial = f"{record['task_id']}{copy // 4:02d}", copy % 4
            ids[task] = None
            renamed = {
                **record,
                "task_id": task,
                "trial": trial,
                "episode_id": f"{task}.{record['condition']}.{trial}",
                "passed": number % 3 > 0,
                "outcome": "pass" if number % 3 else "fail",
            }
            shard.write(json.dumps(renamed, ensure_ascii=False) + "\n")
    save_config(run, replace(read_config(played.directory), tasks=tuple(ids), trials=4))
    return run


def processor_seconds(action: Callable[[], object]) -> float:
    """Return how long the processor worked on a call: the wall depends on who else is at work."""
    started = time.process_time()
    action()
    return time.process_time() - started


def main() -> list[tuple[str, str, str]]:
    directory = Path(tempfile.mkdtemp())
    try:
        return _measure(build_run(directory), directory / "report.html")
    finally:
        shutil.rmtree(directory)


def _measure(run: Path, page: Path) -> list[tuple[str, str, str]]:
    size = sum(path.stat().st_size for path in (run / SHARDS).iterdir()) / 1e6
    first = processor_seconds(lambda: load_study([run]))
    read = processor_seconds(lambda: load_study([run]))
    study = load_study([run])
    made = processor_seconds(lambda: make_report(study))
    report = make_report(study)
    written = processor_seconds(lambda: as_markdown(report))
    drawn = processor_seconds(lambda: write_report(page, report, study, [run]))
    checks = "SELECT check_id, count(*) FROM checks WHERE verdict = 'fail' GROUP BY ALL"
    calls = "SELECT name, count(*), sum(length(result)) FROM tool_calls GROUP BY ALL"
    what = f"{EPISODES} episodes, {size:.0f} MB of shards, CPU: "
    return [
        (f"{what}report", f"{read + made + written:.1f} s", "≤ 5 s"),
        ("  with one HTML page", f"{read + made + drawn:.1f} s", ""),
        ("  tables made for the first time", f"{first:.1f} s", "at the end of a run"),
        ("  sql over checks", f"{processor_seconds(lambda: query_runs([run], checks)):.1f} s", ""),
        (
            "  sql over all calls",
            f"{processor_seconds(lambda: query_runs([run], calls)):.1f} s",
            "",
        ),
    ]
