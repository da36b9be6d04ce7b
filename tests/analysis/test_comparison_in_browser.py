"""The page of a comparison in a real browser: filters, the grid's keyboard, two dialogues."""

import pytest

import crab_graph as cg
from tests.analysis.in_browser import needs_chromium, page_of_file
from tests.analysis.runs_on_disk import write_run
from tests.analysis.test_run_comparison import told

pytestmark = [pytest.mark.slow, needs_chromium]

TASKS = ("S1-001", "S2-001", "S3-001", "S4-001")
PASSING = {"S1-001": "11", "S2-001": "00", "S3-001": "11", "S4-001": "11"}
AFTER = {"S1-001": "11", "S2-001": "11", "S3-001": "00", "S4-001": "10"}


def arm(record, user, passing, **changes):
    other = [*record.messages[:-1], {"role": "user", "content": "<b>No</b>. ###STOP###"}]
    return [
        told(record, user, task, trial, passed=passing[task][trial] == "1", **changes)
        if passing[task][trial] == "1"
        else told(record, user, task, trial, passed=False, messages=other, **changes)
        for task in TASKS
        for trial in (0, 1)
    ]


@pytest.fixture(scope="module")
def written(browser, tmp_path_factory):
    from tests.analysis.conftest import make_record  # noqa: PLC0415

    record, root = make_record(), tmp_path_factory.mktemp("comparison")
    users = ("generic", "ruse")
    settings = {"tasks": TASKS, "users": users, "trials": 2}
    before = [one for user in users for one in arm(record, user, PASSING)]
    name = {"agent": "new<i>", "agent_is_reference": False}
    after = [one for user in users for one in arm(record, user, AFTER, **name)]
    runs = [
        write_run(root / "before", before, **settings),
        write_run(root / "after", after, agent="new<i>", **settings),
    ]
    cg.compare(*runs, html=root / "page.html")
    return root / "page.html"


@pytest.fixture
def page(browser, written):
    with page_of_file(browser, written) as opened:
        yield opened


def shown_tasks(page):
    return page.locator("table.grid tbody tr:visible th").all_inner_texts()


def test_filters_leave_what_was_fixed_broken_or_flaky(page):
    assert shown_tasks(page) == list(TASKS)
    for standing, task in (("fixed", "S2-001"), ("broken", "S3-001"), ("flaky", "S4-001")):
        page.get_by_role("radio", name=f"{standing} 1").check()
        assert shown_tasks(page) == [task]
        assert page.locator("#grid-count").inner_text() == "1 of 4 tasks"
    page.get_by_role("combobox", name="Compared").select_option("1")
    assert page.locator("table.grid tbody tr:visible td[data-arm]:visible").count() == 2
    assert "new<i>" in page.locator("table.grid thead").inner_text()


def test_a_pip_opens_both_dialogues_aligned_where_they_part(page):
    page.locator("a.pip.fail[href*='S3-001.ruse.0']").click()
    page.wait_for_selector("#episode-title")
    assert "They part at message 5." in page.locator(".parting").inner_text()
    assert page.locator(".shared").get_attribute("open") is None
    left, right = page.locator("#pair-5 .said").all_inner_texts()
    assert (left, right) == ("Thanks. ###STOP###", "<b>No</b>. ###STOP###")
    page.locator(".parting a").first.click()
    assert page.evaluate("document.activeElement.id") == "pair-5"
    page.keyboard.press("Escape")
    page.wait_for_selector("table.grid:visible")


def test_all_pips_are_one_stop_of_the_keyboard_and_arrows_go_on(page):
    assert page.locator("a.pip[tabindex='0']").count() == 1
    page.locator("a.pip[tabindex='0']").focus()
    for key, where in (("ArrowRight", "S1-001.generic.1"), ("ArrowDown", "S2-001.generic.1")):
        page.keyboard.press(key)
        assert where in page.evaluate("document.activeElement.getAttribute('href')")
    page.keyboard.press("Enter")
    page.wait_for_selector("#episode-title")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1024, 1440])
@pytest.mark.parametrize("part", ["", "compare/0/S3-001.ruse.0/1/S3-001.ruse.0"])
def test_nothing_is_wider_than_the_screen(page, width, scheme, part):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    page.evaluate("part => { location.hash = part; }", part)
    page.wait_for_selector("#episode-title" if part else "table.grid")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
