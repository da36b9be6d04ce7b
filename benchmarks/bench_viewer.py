"""The viewer of 1,000 episodes: reading them, a page of the list, one in full, and first paint.

Sizes are those of real dialogues: a few are played and repeated under other ids. First paint is
measured in Chromium where there is one, while the index is still being read.
"""

import json
import shutil
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

import crab_graph as cg
from crab_graph.analysis.viewer.library import Library
from crab_graph.analysis.viewer.web import serving
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.store import Shard
from crab_graph.seals import sealed

EPISODES = 1_000
REPEATS = 7


def main() -> list[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory() as directory:
        run = repeated_run(Path(directory), EPISODES)
        size = sum(path.stat().st_size for path in (run / "shards").iterdir()) / 1e6
        library = Library([run])
        started = time.process_time()
        library.refresh()
        read = time.process_time() - started
        rows = [(f"reading {EPISODES:,} episodes ({size:.0f} MB), once, CPU", f"{read:.1f} s", "")]
        started = time.process_time()
        library.refresh()
        again = 1000 * (time.process_time() - started)
        rows.append(("looking for new ones when there is none, CPU", f"{again:.1f} ms", ""))
        return rows + _requests(library) + _first_paint(run)


def _requests(library: Library) -> list[tuple[str, str, str]]:
    asked = {
        "a page of 50 episodes": "api/episodes?limit=50",
        "the last page": f"api/episodes?limit=50&offset={EPISODES - 50}",
        "a page, filtered": "api/episodes?limit=50&outcome=!pass&check=D01",
        "a page, searched in all that was said": "api/episodes?limit=50&q=payment+reserved",
        "one episode in full": "api/episodes/0/S1-001.ruse.100",
    }
    with serving(library, pause=60.0) as url:
        return [
            (
                f"viewer, {what}",
                f"{_milliseconds(partial(_get, url + path)):.0f} ms",
                "≤ 100 ms" if "page" in what else "",
            )
            for what, path in asked.items()
        ]


def _first_paint(run: Path) -> list[tuple[str, str, str]]:
    """Return when Chromium first paints, and when the list is there, on a server just started."""
    what = f"viewer of {EPISODES:,} episodes"
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415
    except ImportError:
        chromium = None
    if chromium is None:
        return [(f"{what}, first paint", "no Chromium or playwright here", "≤ 1 s")]
    paints, lists = [], []
    with sync_playwright() as playwright, ExitStack() as stack:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        stack.callback(browser.close)
        for _ in range(3):
            with serving(Library([run]), pause=1.0) as url:
                page = browser.new_page()
                started = time.perf_counter()
                page.goto(url)
                page.locator("#list tbody tr").first.wait_for()
                lists.append(time.perf_counter() - started)
                paints.append(
                    page.evaluate(
                        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
                    )
                    / 1000
                )
                page.close()
    return [
        (f"{what}, first paint, while they are being read", f"{median(paints):.2f} s", "≤ 1 s"),
        (f"{what}, first episodes listed", f"{median(lists):.2f} s", ""),
    ]


def _get(url: str) -> object:
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


def _milliseconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return 1000 * median(times)


def repeated_run(directory: Path, episodes: int, agent: str = "hasty", tasks: int = 4) -> Path:
    """Play a few episodes, and write each many times over as further trials."""
    bench = cg.generate_benchmark(directory / "bench", tasks=tasks, seed=3)
    out = directory / "run"
    played = list(cg.run(bench, agent=agent, user="ruse", out=out))
    (out / "shards").rename(directory / "played")
    (out / "shards").mkdir()
    trials = episodes // len(played)
    shard = Shard(out / "shards" / "part-0.jsonl")
    for trial in range(trials):
        for record in played:
            shard.append(_as_trial(record, trial))
    shard.close()
    config = json.loads((out / "run.json").read_text(encoding="utf-8"))
    (out / "run.json").write_text(
        json.dumps(sealed({**config, "trials": trials})), encoding="utf-8"
    )
    return out


def _as_trial(record: EpisodeRecord, trial: int) -> EpisodeRecord:
    episode_id = f"{record.task_id}.{record.condition}.{trial}"
    return record.model_copy(update={"trial": trial, "episode_id": episode_id})


if __name__ == "__main__":
    for row in main():
        print(*row, sep="  ")
