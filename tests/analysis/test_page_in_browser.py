"""The page in a real browser: filters, an episode, the keyboard, and nothing that leaves it."""

import pytest

from crab_graph.analysis.report.page import write_page
from tests.analysis.in_browser import needs_chromium, page_of_file

pytestmark = [pytest.mark.slow, needs_chromium]


@pytest.fixture
def page(browser, records, tmp_path):
    path = tmp_path / "report.html"
    write_page(path, records, title="two runs")
    with page_of_file(browser, path) as opened:
        yield opened


HASTY = "episode/0/S1-001.ruse.0"


def shown_rows(page):
    return page.locator("#list tbody tr:visible").evaluate_all(
        "rows => rows.map(row => `${row.dataset.agent} ${row.dataset.outcome}`)"
    )


def test_filters_narrow_the_table_and_can_be_cleared(page):
    page.get_by_label("Outcome").select_option("!pass")
    assert shown_rows(page) == ["hasty fail", "hasty fail"]
    page.get_by_label("Failed check").select_option("F-PT")
    assert shown_rows(page) == ["hasty fail"]
    assert page.locator("#count").inner_text() == "1 of 4"
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("document.getElementById('count').value === '4 of 4'")


def test_a_figure_of_a_check_leads_to_its_episodes(page):
    page.locator("#checks summary").click()
    page.locator("#checks a[href*='check=F-PT']").click()
    page.wait_for_function("document.getElementById('count').value === '1 of 4'")
    assert shown_rows(page) == ["hasty fail"]


def test_an_episode_shows_what_was_said_beside_what_was_done(page):
    page.locator("#list").get_by_role("row", name="hasty").first.get_by_role("link").click()
    exchange = page.locator("#turn-4")
    assert "<script>hacked()</script>" in exchange.locator(".said").inner_text()
    assert "BK-20931177" in exchange.locator(".written").inner_text()
    page.wait_for_selector("#turn-3")
    assert page.locator("#turn-3 .call").count() == 0
    page.get_by_label("User's private side").click()
    assert page.locator("#turn-3 .call code").inner_text() == "get_my_payment_cards"


def test_evidence_leads_to_the_row_it_speaks_of(page):
    page.evaluate(f"location.hash = '{HASTY}'")
    page.get_by_role("link", name="BK-20931177").click()
    assert page.evaluate("document.activeElement.id") == "call-4"


def test_the_keyboard_goes_through_the_episodes_and_back(page):
    page.evaluate("location.hash = 'episode/0/S1-001.generic.0'")
    page.wait_for_selector("#episode-title")
    first = page.locator("#episode-title").inner_text()
    page.keyboard.press("j")
    page.wait_for_function(f"document.getElementById('episode-title').innerText !== {first!r}")
    page.keyboard.press("Escape")
    page.wait_for_selector("#report:visible")
    assert page.locator("#episode").is_hidden()


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("part", ["", HASTY])
def test_nothing_is_wider_than_the_screen(page, width, part):
    page.set_viewport_size({"width": width, "height": 844})
    page.evaluate("part => { location.hash = part; }", part)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_episode_without_facts_or_errors_shows_no_trace_of_them(page):
    page.evaluate("location.hash = 'episode/0/S1-001.generic.0'")
    page.wait_for_selector("#episode-title")
    assert "null" not in page.locator("#episode").inner_text()
