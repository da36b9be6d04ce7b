"""The report's page of 1,600 episodes, the size of the paper's runs: its bytes, and how it opens.

Dialogues are those of the solver on eight tasks with a `ruse` user, which are the longest, repeated
under other ids. In Chromium, where there is one, a page opened from its file is timed until its
list can be filtered, and a dialogue from the click to its first message; of several openings the
quickest counts, for the others waited for whatever else the machine does.
"""

import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.bench_viewer import repeated_run
from crab_graph.analysis.report.delivery import deliver

EPISODES = 1_600
REPEATS = 5

Row = tuple[str, str, str]


def main() -> list[Row]:
    with tempfile.TemporaryDirectory() as directory:
        run = repeated_run(Path(directory), EPISODES, agent="solver", tasks=8)
        page = Path(directory) / "report.html"
        deliver(run)  # makes the tables, which reports share
        started = time.process_time()
        deliver(run, html=page)
        made = time.process_time() - started
        text = page.read_text(encoding="utf-8")
        held = text.count('class="episode-data"')
        what = f"page of {EPISODES:,} episodes"
        return [
            (f"{what}, made, CPU", f"{made:.0f} s", ""),
            (f"{what}, its size", f"{page.stat().st_size / 1e6:.1f} MB", "≤ 20 MB"),
            (f"{what}, dialogues it holds", f"{held:,}", f"≥ {EPISODES:,}"),
            *_opened(page, what),
        ]


def _opened(path: Path, what: str) -> list[Row]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415
    except ImportError:
        chromium = None
    if chromium is None:
        return [(f"{what}, first interaction", "no Chromium or playwright here", "≤ 1 s")]
    firsts, dialogues = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for _ in range(REPEATS):
            page = browser.new_page()
            started = time.perf_counter()
            page.goto(path.as_uri(), wait_until="commit")
            page.get_by_label("Stratum").select_option("4")
            page.wait_for_function("!document.getElementById('count').value.startsWith('1600 ')")
            firsts.append(time.perf_counter() - started)
            started = time.perf_counter()
            page.locator("#list tbody a").last.click()
            page.locator("#turn-1").wait_for()
            dialogues.append(time.perf_counter() - started)
            page.close()
        browser.close()
    return [
        (f"{what}, opened until its list was filtered", f"{min(firsts):.2f} s", "≤ 1 s"),
        (f"{what}, one dialogue opened", f"{min(dialogues):.2f} s", ""),
    ]


if __name__ == "__main__":
    for row in main():
        print(*row, sep="  ")
