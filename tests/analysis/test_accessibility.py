"""axe-core finds nothing on any page, wide or narrow, light or dark; and the list is near."""

from pathlib import Path

import pytest

from crab_graph.analysis.report.delivery import deliver
from crab_graph.analysis.viewer.library import Library
from crab_graph.analysis.viewer.web import serving
from tests.analysis.conftest import make_failed, make_record
from tests.analysis.in_browser import needs_chromium
from tests.analysis.runs_on_disk import write_run
from tests.analysis.test_comparison_in_browser import written  # noqa: F401
from tests.analysis.test_words_rendered import DATA, known

pytestmark = [pytest.mark.slow, needs_chromium]
TAB_STOPS = 40
CONDITIONS = ("generic", "persona", "d1", "d2", "d3", "d4", "ruse")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of two kinds of user, and an ablation."""
    root = tmp_path_factory.mktemp("runs")
    users, tasks = ("generic", "ruse"), ("S1-001", "S2-001")
    agents = {"solver": make_record, "hasty": make_failed}
    for agent, make in agents.items():
        own = [
            make(task, condition=user, trial=n) for task in tasks for user in users for n in (0, 1)
        ]
        write_run(root / agent, own, agent=agent, trials=2)
    ablated = [
        (make_failed if user == "d2" else make_record)(task, condition=user, agent="hasty")
        for task in tasks
        for user in CONDITIONS
    ]
    write_run(root / "ablation", ablated, agent="hasty")
    return root


def violations(page):
    axe = pytest.importorskip("axe_playwright_python")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.evaluate(Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [(one["id"], [node["target"] for node in one["nodes"]]) for one in found]


def headed(page):
    """Return what stands over columns, rows of facts, filters and sections of the viewer."""
    return set(
        page.evaluate(
            """() => [...document.querySelectorAll(
              "#list th[scope=col], #filters label, .facts dt, .note-form label, "
              + "#episode th[scope=col]"
            )].map((one) => [...one.childNodes].find((node) => node.textContent.trim()))
              .filter((node) => node).map((node) => node.textContent.trim())"""
        )
    )


def stops_to_the_list(page):
    for stops in range(1, 3 * TAB_STOPS):
        page.keyboard.press("Tab")
        if page.evaluate("Boolean(document.activeElement.closest('#list tbody'))"):
            return stops
    return None


def check_every_view(page, url, *, steps):
    page.goto(url)
    page.locator("#list tbody tr").first.wait_for()
    assert stops_to_the_list(page) <= TAB_STOPS
    found, named = {"list": violations(page)}, headed(page)
    page.locator("#list .pick").nth(0).check()
    page.locator("#list .pick").nth(1).check()
    found["two picked"] = violations(page)
    for view, place, there in steps:
        page.evaluate("place => { location.hash = place; }", place)
        page.locator(there).first.wait_for()
        found[view] = violations(page)
        named |= headed(page)
        if page.locator(".add").count():
            page.locator(".add").first.click()
            page.get_by_label("Verdict disputed").check()
            found[f"{view}, a note"] = violations(page)
            named |= headed(page)
            page.get_by_role("button", name="Cancel").click()
        page.keyboard.press("Tab")
    words = known()
    assert {one for one in named if not (words.fullmatch(one) or DATA.fullmatch(one))} == set()
    assert not {view: one for view, one in found.items() if one}


EPISODE = ("episode", "episode/0/S1-001.generic.0", "#turn-1")
PAIR = ("pair", "compare/0/S1-001.generic.0/0/S1-001.ruse.0", ".differences")
NOTHING = ("nothing", "episode/0/S9-999.x.0", "[role=alert]")


PAGES = ("solver", "solver hasty", "ablation", "compared", "served", "served with notes")


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("which", PAGES)
def test_axe_finds_nothing(browser, runs, written, tmp_path, which, scheme, width):  # noqa: F811
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.set_default_timeout(20_000)
    if which.startswith("served"):
        library = Library([runs / "solver", runs / "hasty"])
        with serving(library, notes=which.endswith("notes")) as url:
            check_every_view(page, url, steps=(EPISODE, PAIR, NOTHING))
    else:
        path = written
        if which != "compared":
            path = tmp_path / "report.html"
            deliver(*(runs / name for name in which.split()), html=path)
        check_every_view(page, path.as_uri(), steps=(EPISODE, PAIR, NOTHING))
    page.close()
