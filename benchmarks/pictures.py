"""The pictures of README and docs, of real runs: `make pictures` draws them anew.

Four reference agents play 16 tasks with the rule-based user under `generic` and `ruse`; the report
and the comparison of their runs are opened in Chromium. Every picture shows by itself that its
agents are references.
"""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import crab_graph as cg

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
AGENTS = ("solver", "literal", "hasty", "credulous")
USERS = ("generic", "ruse")
TASKS, DISTRACTORS, SEED = 16, 400, 7
WIDTH, HEIGHT = 1280, 800


def main() -> int:
    """Write the pictures; needs Chromium and the group `browser`."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("pictures: Chromium is not installed", file=sys.stderr)
        return 2
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        _draw(chromium, _played(Path(directory)), Path(directory))
    return 0


def _played(directory: Path) -> list[Path]:
    cg.generate_benchmark(directory / "bench", TASKS, distractors=DISTRACTORS, seed=SEED)
    for agent in AGENTS:
        cg.run(directory / "bench", agent, USERS, out=directory / agent, seed=SEED)
    return [directory / agent for agent in AGENTS]


def _draw(chromium: str, runs: Sequence[Path], directory: Path) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (of the group `browser`)

    report, comparison = directory / "report.html", directory / "comparison.html"
    cg.report(*runs, html=report)
    cg.compare(*runs[:2], html=comparison)
    failed = next(one for one in cg.open_run(runs[1]) if not one.passed)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        _shoot(page, report.as_uri(), "#list tbody tr", "report")
        _shoot(page, f"{report.as_uri()}#episode/1/{failed.episode_id}", "#turn-1", "episode")
        _shoot(page, comparison.as_uri(), "#list tbody tr", "comparison")
        browser.close()


def _shoot(page: Any, address: str, ready: str, name: str) -> None:
    """Open an address in a page, and keep what it shows when something in it is there."""
    page.goto("about:blank")
    page.goto(address)
    page.locator(ready).first.wait_for()
    page.screenshot(path=PICTURES / f"{name}.png")


if __name__ == "__main__":
    sys.exit(main())
