"""A folder of every kind that crab-graph writes, and every way to read what stands in it."""

import json
import os
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import crab_graph as cg
from crab_graph.analysis.viewer import web
from crab_graph.analysis.viewer.library import Library
from crab_graph.domains.private import read_opening
from crab_graph.errors import RunError
from tests.cli import hesitant_agent
from tests.cli.damage import Way, fresh

TASK, EPISODE = "S1-001", "S1-001.generic.0"
SPLIT = ["--tasks", "1", "--strata", "1", "--distractors", "16", "--private"]
MEMBERS = ["--vary", "distractors", "--values", "0,40", "--tasks", TASK]
PRICES = """as_of = 2026-11-01
[models."mock"]
input = 0.10
cached_input = 0.025
output = 0.40
"""
PERSONA = "persona_terse.md"

Ways = dict[str, Way]


def lay_out(home: Path, bench: Path, run: Path) -> None:
    """Put what is quickly made into a folder: a benchmark, a run, and what users write."""
    fresh(bench, home / "bench")
    fresh(run, home / "run")
    lines = [json.dumps(message) + "\n" for message in cg.open_run(home / "run")[EPISODE].messages]
    (home / "transcript.jsonl").write_text("".join(lines))
    (home / "prices.toml").write_text(PRICES)
    (home / "personas").mkdir()
    (home / "personas" / PERSONA).write_text("# Who you are\n\nYou have 3 children, and no time.\n")
    cg.open_run(home / "run").note(EPISODE, "Was that so?", turn=1, disputed=True, tags=["reading"])
    cg.compact_run(home / "run")


def lay_out_more(home: Path) -> None:
    """Put what takes longer beside it: a split, a sweep, a fork, a pivot, a stopped run."""
    cg.generate_benchmark(home / "split", tasks=1, strata=(1,), distractors=16, private=True)
    cg.sweep_benchmark(home / "bench", home / "sweep", vary="distractors", values=(0, 40), tasks=1)
    cg.fork_episode(home / "run", EPISODE, 1, home / "fork")
    cg.export(home / "run", "openai", home / "exported.jsonl", rewards=True)
    fresh(home / "run", home / "judged")
    cg.pivot_episode(home / "judged", EPISODE, 1)
    os.environ[hesitant_agent.INTERRUPTED] = "1"
    agent, users = "tests.cli.hesitant_agent:make", ["generic", "ruse"]
    with suppress(KeyboardInterrupt):
        cg.run(home / "bench", agent, users, 1, home / "stopped", tasks=[TASK])


def of_benchmark(home: Path, spare: Path) -> Ways:
    """Every way to read a benchmark; what is written goes to a spare place."""
    bench, out = home / "bench", str(spare)
    name = str(bench)

    def rows() -> None:
        for task in cg.load_benchmark(bench):
            assert task.world.tables and task.facts and task.solutions and task.graph

    return {
        "tasks": ["tasks", name],
        "tasks --stats": ["tasks", name, "--stats", "--json"],
        "task": ["task", name, TASK, "--solutions"],
        "verify": ["verify", name],
        "certify": ["certify", name, "--jobs", "1", "--task", TASK],
        "audit": ["audit", name, "--only", "generation", "--quick"],
        "export": ["export", name, "--format", "parquet", "--out", f"{out}/data"],
        "run": ["run", name, "--agent", "silent", "--tasks", TASK, "--out", f"{out}/run"],
        "run --dry-run": ["run", name, "--agent", "silent", "--out", f"{out}/dry", "--dry-run"],
        "grade": ["grade", name, TASK, str(home / "transcript.jsonl")],
        "prompt": ["prompt", "ruse", "--bench", name, "--task", TASK],
        "report": ["report", str(home / "run")],
        "regrade": ["regrade", str(home / "run")],
        "Python: rows": rows,
        "Python: environment": lambda: cg.environment(cg.load_benchmark(bench)[0]).reset(),
    }


def of_run(home: Path, spare: Path, folder: str = "run", episode: str = EPISODE) -> Ways:
    """Every way to read a run, those last that write in it."""
    run, out = home / folder, str(spare)
    name = str(run)
    written = ("openai", "parquet", "langsmith", "inspect")
    formats: Ways = {
        f"export {one}": ["export", name, "--format", one, "--out", f"{out}/{one}.json"]
        for one in written
    }
    return {
        "report": ["report", name],
        "report --json": ["report", name, "--json"],
        "report --html": ["report", name, "--html", f"{out}/page.html"],
        "show": ["show", name, episode],
        "show --json": ["show", name, episode, "--json"],
        "sql": ["sql", name, "SELECT * FROM episodes JOIN checks USING (episode_id)"],
        "sql messages": ["sql", name, "SELECT * FROM messages", "--json"],
        "compare": ["compare", name, name],
        "fidelity": ["fidelity", name],
        "verify": ["verify", name],
        "disputes": ["disputes", name],
        "disputes --markdown": ["disputes", name, "--markdown", f"{out}/disputes.md"],
        **formats,
        "Python: open_run": lambda: list(cg.open_run(run)),
        "Python: notes": lambda: list(cg.open_run(run).notes),
        "Python: open_tables": lambda: cg.open_tables(run)["facts"].fetchall(),
        "Python: viewer": lambda: _view(run),
        "serve": lambda: _ask(run, episode),
        "fork": ["fork", name, episode, "--turn", "1", "--out", f"{out}/fork"],
        "regrade": ["regrade", name],
        "compact": ["compact", name],
        "resume": ["resume", name],
    }


def of_fork(home: Path, spare: Path) -> Ways:
    """Every way to read a run of forks."""
    return of_run(home, spare, "fork", f"{EPISODE}@1")


def of_stopped(home: Path, spare: Path) -> Ways:
    """Every way to read a run that was stopped."""
    return of_run(home, spare, "stopped")


def of_judged(home: Path, spare: Path) -> Ways:
    """Every way to read a run with a pivot, and to make it again."""
    name = str(home / "judged")
    again: Ways = {"pivot": ["pivot", name, EPISODE, "--trials", "1"]}
    return of_run(home, spare, "judged") | again


def of_sweep(home: Path, spare: Path) -> Ways:
    """Every way to read a sweep."""
    name = str(home / "sweep")
    return {
        "sweep": ["sweep", str(home / "bench"), *MEMBERS, "--out", name],
        "Python: load_sweep": lambda: cg.load_sweep(name).benchmarks,
    }


def of_split(home: Path, spare: Path) -> Ways:
    """Every way to read the opening of a private split."""
    name = str(home / "split.opening.json")
    again = ["generate", "--out", str(spare / "split"), *SPLIT, "--opening", name]
    return {
        "certify --open": ["certify", str(home / "split"), "--open", name, "--jobs", "1"],
        "generate": again,
        "generate --commit-only": [*again, "--commit-only"],
        "Python: read_opening": lambda: read_opening(Path(name)),
    }


def of_transcript(home: Path, spare: Path, file: str = "transcript.jsonl") -> Ways:
    """Every way to read a transcript."""
    bench, name = str(home / "bench"), str(home / file)
    return {
        "grade": ["grade", bench, TASK, name],
        "grade --json": ["grade", bench, TASK, name, "--json"],
        "Python: load_transcript": lambda: cg.load_transcript(name),
        "Python: grade": lambda: cg.grade(cg.load_benchmark(bench)[TASK], cg.load_transcript(name)),
    }


def of_exported(home: Path, spare: Path) -> Ways:
    """Every way to read an episode that was exported."""
    return of_transcript(home, spare, "exported.jsonl")


def of_prices(home: Path, spare: Path) -> Ways:
    """Every way to read prices."""
    name = str(home / "prices.toml")
    return {**_begun(home, spare, "--prices", name), "Python": lambda: cg.load_prices(name)}


def of_personas(home: Path, spare: Path) -> Ways:
    """Every way to read prompt fragments."""
    name = str(home / "personas")
    return {
        **_begun(home, spare, "--personas", name),
        "prompt": ["prompt", "terse", "--personas", name],
        "prompt --diff": ["prompt", "terse", "--diff", "generic", "--personas", name],
        "fork": ["fork", str(home / "run"), EPISODE, "--turn", "1", "--personas", name,
                 "--out", str(spare / "fork")],
    }  # fmt: skip


def _begun(home: Path, spare: Path, *options: str) -> Ways:
    """Return ways to begin a run with some options."""
    command = ["run", str(home / "bench"), "--agent", "silent", "--tasks", TASK, *options]
    return {
        "run": [*command, "--out", str(spare / "run")],
        "run --dry-run": [*command, "--out", str(spare / "dry"), "--dry-run"],
        "ablate": ["ablate", *command[1:], "--dry-run", "--out", str(spare / "ablation")],
        "resume": ["resume", str(home / "run"), *(options if "--prices" in options else ())],
    }


def _view(run: Path) -> None:
    library = Library([run])
    library.refresh()
    library.state()
    for row in library.page({})["rows"]:
        library.episode(0, row["id"], {})


def _ask(run: Path, episode: str) -> None:
    """Ask a server for all that its pages ask; what it refuses to show it says why in one line."""
    paths = ("/", "/api/labels", "/api/state", "/api/episodes")
    with web.serving(Library([run])) as url:
        for path in (*paths, f"/api/episodes/0/{episode}", "/api/episodes/0/origin"):
            try:
                urllib.request.urlopen(f"{url.rstrip('/')}{path}", timeout=10).read()
            except urllib.error.HTTPError as refused:
                said = json.loads(refused.read())["error"]
                if refused.code != 404:
                    raise RunError(said) from None
