"""The first screen of a report in a real browser: on a desk, on a phone, and by keyboard."""

from crab_graph.analysis.report.page import write_page
from tests.analysis.conftest import make_failed, make_record
from tests.analysis.in_browser import needs_chromium, page_of_file

pytestmark = needs_chromium

TABBABLE = "a[href], button, input, select, summary, [tabindex]"
STOPS = f"""() => {{
  const shown = [...document.querySelectorAll("{TABBABLE}")].filter((one) =>
    one.tabIndex >= 0 && !one.closest("[hidden]") && one.checkVisibility());
  return shown.findIndex((one) => one.closest("#viewer-list"));
}}"""
BOTTOM = "place => document.querySelector(place).getBoundingClientRect().bottom"


def test_the_first_screen_shows_all_there_is_to_know_first(browser, tmp_path):
    users = ("generic", "persona", "d1", "d2", "d3", "d4", "ruse")
    records = [
        make(f"S{1 + number % 4}-00{number}", condition=user, agent=agent)
        for agent, make in (
            ("solver", make_record),
            ("hasty", make_failed),
            ("x" * 60, make_record),
        )
        for user in users
        for number in (1, 2)
    ]
    path = tmp_path / "report.html"
    write_page(path, records, "three agents")
    with page_of_file(browser, path, viewport={"width": 1440, "height": 900}) as page:
        page.locator("#list tbody tr").first.wait_for()
        assert page.evaluate(BOTTOM, ".first") < 900
        assert page.evaluate(BOTTOM, ".contents") < 900
        assert 5 < page.evaluate(STOPS) <= 40
    with page_of_file(browser, path, viewport={"width": 390, "height": 844}) as page:
        page.locator("#list tbody tr").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate("document.documentElement.scrollHeight") < 9_000
        assert page.evaluate(STOPS) <= 40
        page.locator("#list tbody a").first.click()
        page.locator("#turn-1").wait_for()
